/* msg/price: the price of a model, and the cost of a call. Plain data. */
#pragma once

#include "base/money.h"
#include "msg/event.h"

/* Each is for a million tokens, but `image` and `call` are for one. */
enum price_rate {
	PRICE_INPUT,
	PRICE_OUTPUT,
	PRICE_CACHED,         /* input read from the provider's cache */
	PRICE_CACHE_WRITE,    /* input written to it */
	PRICE_CACHE_WRITE_1H, /* input written to stay for an hour, or longer */
	PRICE_REASONING,      /* the part of the output that is reasoning */
	PRICE_AUDIO_IN,
	PRICE_AUDIO_OUT,
	PRICE_IMAGE, /* a picture in the answer, whose tokens then cost nothing */
	PRICE_CALL,
	PRICE__RATES
};

/* A rate that is not given: it is another one's, or 0. */
#define PRICE_UNSET ((int64_t)-1)

/* Rates that hold, in place of those before, for some calls. */
struct price_layer {
	enum usage_class class; /* calls that this class has served; UNTOLD: all */
	int64_t  above;         /* calls with a longer prompt, in tokens; 0: all */
	uint8_t  days; /* bits, from Monday on: those on which the hours begin; 0: always */
	uint16_t from,
		to; /* minutes of a day, in UTC; to may be the next day's; the same: all day */
	int64_t rates[PRICE__RATES]; /* the set ones hold */
};

/* A price depends on them.  Of the layers, the first hour that it is comes first, then the highest tier below
 * the prompt, then the call's class, and its highest tier. */
struct price_rules {
	int64_t factor
		[CLASS__COUNT]; /* MONEY_ONE is 1; 0: the class has none.  Of a class without layers */
	int64_t                   base[PRICE__RATES];
	size_t                    count;
	const struct price_layer *layers;
};

enum price_source { PRICE_NOWHERE, PRICE_OWN, PRICE_FILE, PRICE_TABLE };

/* Money (base/money.h). */
struct price {
	bool    known;
	bool    reported; /* the cost that a provider reports is taken for a call's */
	bool    hourless; /* the provider's cache has one price for what is written */
	uint8_t source;   /* enum price_source */
	union {
		struct {
			int64_t input, output, cached, cache_write, cache_write_1h, reasoning,
				audio_in, audio_out, image, call;
		};
		int64_t rates[PRICE__RATES]; /* a call has them in the base tier, class and hour */
	};
	const struct price_rules *rules; /* borrowed; NULL: all calls have these rates */
};

enum {
	PRICE_LAYERS = 128, /* layers of one price, at most */
	PRICE_IMAGES = 10, /* pictures in one answer that are charged, at most; no API makes more */
};
/* The highest factor of a class. */
#define PRICE_FACTOR (50 * MONEY_ONE)
/* The most tokens that one call is charged for, whatever a provider reports. */
#define PRICE_TOKENS ((int64_t)1000000000)

/* price_rate_name: as the configuration names it. */
extern const char *const price_rate_name[PRICE__RATES];
/* price_source_word: as clients are told where a price is from. */
const char *price_source_word(enum price_source source);
/* price_unset: no rate is set. */
void price_unset(int64_t rates[PRICE__RATES]);
/* price_fill: the rates that are not set become others': those of input or output, or none. */
void price_fill(struct price *p);

/* price_hours: reads "16:30-00:30": the minutes of a layer.  False: text has another form. */
bool price_hours(struct str text, uint16_t *ret_from, uint16_t *ret_to) MUST_USE;

/* price_cost: the cost of a usage, rounded up once; 0 if the price is not known, nor reported.  at_ms: when
 * the answer was complete. */
int64_t price_cost(const struct price *p, const struct usage *u, int64_t at_ms);
/* price_told: whether the cost is the one that the provider reports. */
bool price_told(const struct price *p, const struct usage *u);
/* price_tier: above how many tokens of a prompt the rates hold that this one has; 0: the base. */
int64_t price_tier(const struct price *p, int64_t prompt);
/* price_dearest: the highest of each rate, at whichever hour, with a prompt of at most these tokens, and by any
 * class that may serve what asks for this one.  It has no rules. */
struct price price_dearest(const struct price *p, int64_t prompt, enum usage_class asked);
/* price_most: the most that this many tokens may cost, of whichever kind they are, in so many answers; 0: without
 * what a call costs beside its tokens.  Of a price without rules, as the next two. */
int64_t price_most(const struct price *p, int64_t in, int64_t out, int64_t answers);
/* price_tokens_for: how many tokens of an answer an amount pays for; none if it is negative. */
int64_t price_tokens_for(const struct price *p, int64_t nano);
/* price_dearer: raises each rate in a to that in b, if b's is higher. */
void price_dearer(struct price *a, const struct price *b);
