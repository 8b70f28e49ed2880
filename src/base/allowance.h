/* allowance: what a key may use, as it was set with the key.  Plain data; a 0 is no limit. */
#pragma once

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
