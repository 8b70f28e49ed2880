/* schema/text_completion_request: the members of POST /v1/completions that the gateway reads; all
 * others are passed on. */
#pragma once

#include "json/field.h"

#include <stdint.h>

struct text_completion_request {
	struct str model;
	json_at    prompt; /* a string or an array; the route checks it */
	bool       stream;
	json_at    stream_options;
	int64_t    max_tokens; /* INT64_MIN: absent; the provider knows the range */
	int64_t    n;
	int64_t    best_of;
	bool       echo;
	int64_t    logprobs; /* INT64_MIN: absent */
	struct str suffix;
	/* The last one of each type that is only checked. */
	struct str text;
	double     number;
};

#define TEXT_COMPLETION_REQUEST_INIT                                \
	((struct text_completion_request){ .model = STR_NONE,       \
					   .max_tokens = INT64_MIN, \
					   .n = 1,                  \
					   .best_of = 1,            \
					   .logprobs = INT64_MIN })

extern const struct field_set text_completion_request_fields;
