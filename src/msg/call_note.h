/* msg/call_note: what a log line says of a call of a model. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct log_line;

/* Empty members are left out. */
struct call_note {
	struct str run;
	struct str conversation;
	struct str model; /* the name as asked */
	struct str label; /* the configured one, which stands in sums; empty: not known */
	struct str provider;
	struct str finish_reason;
	struct str outcome;    /* how the call ended (store/ledger.h); empty: it goes on */
	struct str error_code; /* the code, if it failed */
	int64_t    tokens_in;
	int64_t    tokens_out;
	int64_t    first_token_us; /* since the call's start */
	int64_t    upstream_us;    /* from the first call of a provider to the end of its answer */
	unsigned   attempts;
	bool       stream;
	bool       replayed; /* the answer is that of an earlier call, which has the run */
	bool       costs;    /* cost_nano is known */
	uint8_t    cache;    /* enum call_cache */
	int64_t    cost_nano;
};

void call_note_log(const struct call_note *n, struct log_line *line);
