/* budget_text: whether a call fits into a budget, and the refusal of one that does not. */
#pragma once

#include "store/usage.h"

/* The stored state of a budget; found false: it was never used. */
struct budget_left {
	bool    found;
	int64_t began_ms;
	int64_t spent[2]; /* money, tokens */
	int64_t reserved[2];
	int64_t limit_nano; /* the stored ceiling; 0: none */
	int64_t until_ms;   /* 0: for ever */
};

/* budget_text_now: what is stored, with limits that count and without what a new window begins anew. */
struct budget_now {
	bool    over;     /* a window begins with this call */
	int64_t limit[2]; /* INT64_MAX: none */
	int64_t spent[2], reserved[2];
};
struct budget_now budget_text_now(const struct budget_reserve *j, const struct budget_part *p,
				  const struct budget_left *left);
/* budget_text_until: when a budget is forgotten whose window began at began_ms; was_ms: its until_ms of before; 0: never. */
int64_t budget_text_until(const struct budget_part *p, int64_t began_ms, int64_t was_ms);
/* budget_text_fits: whether the call fits in. */
bool budget_text_fits(const struct budget_reserve *j, const struct budget_now *now);
/* budget_text_refuse: fills e with INSUFFICIENT_QUOTA, and what is left into j; left: the states of j->parts. */
void budget_text_refuse(struct budget_reserve *j, const struct budget_left *left, struct err *e);
