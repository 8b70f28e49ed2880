/* msg/price: the price of a model's tokens, and the cost of a call. Plain data. */
#pragma once

#include "base/money.h"
#include "msg/event.h"

/* Money (base/money.h) for a million tokens. */
struct price {
	bool    known;
	int64_t input;
	int64_t output;
	int64_t cached;         /* input read from the provider's cache */
	int64_t cache_write;    /* input written to it */
	int64_t cache_write_1h; /* input written to stay for an hour */
	int64_t reasoning;      /* the part of the output that is reasoning */
};

/* The most tokens that one call is charged for, whatever a provider reports. */
#define PRICE_TOKENS ((int64_t)1000000000)

/* price_cost: the cost of a usage, rounded up; 0 if the price is not known. */
int64_t price_cost(const struct price *p, const struct usage *u);
/* price_most: the most that this many tokens may cost, of whichever kind they are. */
int64_t price_most(const struct price *p, int64_t in, int64_t out);
/* price_dearer: raises each price in a to that in b, if b's is higher. */
void price_dearer(struct price *a, const struct price *b);
