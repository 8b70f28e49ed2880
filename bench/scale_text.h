/* scale_text: texts that look real enough for a search index: words as often as Zipf has them. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers that are the same in every run. */
struct dice {
	uint64_t state;
};

uint64_t dice_roll(struct dice *d);
/* dice_below: 0 to n - 1. */
uint32_t dice_below(struct dice *d, uint32_t n);
/* dice_wait: how far it is to the next one, on average mean (exponentially distributed). */
double dice_wait(struct dice *d, double mean);

enum {
	TEXT_WORDS = 40000,     /* words of the language; numbers and names come beside them */
	TEXT_CHARACTERS = 2400, /* of the wide one */
	TEXT_MAX = 2048,        /* a message object */
};

void text_set_up(void);
/* text_word: the word of a rank, 0 is the most frequent. */
struct str text_word(unsigned rank);
/* text_wide: the character of a rank, as UTF-8 of three bytes, into ret. */
void text_wide(unsigned rank, char ret[4]);

/* text_message: a message object of 50 to 2000 bytes, on average mean, into ret[TEXT_MAX]. */
struct str text_message(struct dice *d, const char *role, double mean, bool wide, char *ret);
/* text_title: a few words into ret[size]. */
struct str text_title(struct dice *d, bool wide, char *ret, size_t size);
