/* msg/price: what tokens of a model cost, and what a call of it has cost.  Plain data. */
#pragma once

#include "base/money.h"
#include "msg/event.h"

/* Money for a million tokens. */
struct price {
	bool    known;
	int64_t input;
	int64_t output;
	int64_t cached;      /* of the input: read from the provider's cache */
	int64_t cache_write; /* of the input: written to it */
	int64_t reasoning;   /* of the output */
};

/* Tokens of one call are taken for no more than so many, whatever a provider says. */
#define PRICE_TOKENS ((int64_t)1000000000)

/* price_cost: rounded up; 0 where the price is not known. */
int64_t price_cost(const struct price *p, const struct usage *u);
/* price_most: the most that so many tokens may cost, whichever kinds they are of. */
int64_t price_most(const struct price *p, int64_t in, int64_t out);
/* price_dearer: raises each of a's to b's, if that is higher. */
void price_dearer(struct price *a, const struct price *b);
