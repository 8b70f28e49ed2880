/* base/allowance: the limits and the budget of a key. Plain data; 0 means no limit. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

struct allowance {
	/* Within a window that begins with the first call in it. */
	int64_t requests, requests_window_us; /* calls of models */
	int64_t tokens, tokens_window_us;     /* in and out */
	int64_t concurrent;                   /* calls that go on at once */
	int64_t max_body;                     /* bytes of a request */
	/* A budget, kept in the store.  Money is in nano units of the prices' currency: a token may cost
	 * less than a millionth of a dollar. */
	int64_t budget_nano;
	int64_t budget_tokens;
	int64_t budget_window_us; /* 0: for ever */
};

/* As people write them: a time is a whole number with s, m, h or d, from 1s to 366d; money is a decimal
 * number above 0 with up to 9 places, up to a billion, exact.  False: it is not one. */
bool allowance_read_time(struct str text, int64_t *ret_us) MUST_USE;
bool allowance_read_money(struct str text, int64_t *ret_nano) MUST_USE;
/* And back, without quotes: the largest unit that needs no fraction; at least two places. */
bool allowance_put_time(struct buf *out, int64_t us) MUST_USE;
bool allowance_put_money(struct buf *out, int64_t nano) MUST_USE;
