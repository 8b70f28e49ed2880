/* base/allowance: the limits and the budget of a key. Plain data; 0 means no limit. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdint.h>

struct allowance {
	/* Limits within a window of time, which begins with its first call. */
	int64_t requests, requests_window_us; /* calls of models */
	int64_t tokens, tokens_window_us;     /* in and out */
	int64_t concurrent;                   /* running calls at once */
	int64_t max_body;                     /* bytes of a request */
	/* The budget, which the store keeps.  Money is in billionths of the prices' currency,
	 * because a token may cost less than a millionth of a dollar. */
	int64_t budget_nano;
	int64_t budget_tokens;
	int64_t budget_window_us; /* 0: for ever */
	/* A budget in money for each value of a tag; each_nano 0: there is none. */
	int64_t each_nano;
	int64_t each_window_us;
	char    each_tag[LIMIT_TAG_NAME + 1];
};

/* A change of them: what is not set stays. */
struct allowance_set {
	bool limits_set,
		budget_set; /* budget: the members budget_* and each_* of allowance; limits: the rest */
	struct allowance allowance;
};

/* Reads what people write.  A time is a whole number with s, m, h or d, from 1s to 366d.  Money is
 * a decimal number above 0, with up to 9 places, up to a billion; it is read exactly.  False: the
 * text has another form. */
bool allowance_read_time(struct str text, int64_t *ret_us) MUST_USE;
bool allowance_read_money(struct str text, int64_t *ret_nano) MUST_USE;
/* Prints the same, without quotes: a time in the largest unit that needs no fraction, money with at
 * least two places.  False: out is full. */
bool allowance_put_time(struct buf *out, int64_t us) MUST_USE;
bool allowance_put_money(struct buf *out, int64_t nano) MUST_USE;
