/* schema/completion_request: the members of POST /v1/chat/completions that the gateway reads; all
 * others are passed on. */
#pragma once

#include "json/field.h"

#include <stdint.h>

struct completion_request {
	struct str model;
	json_at    messages; /* array; the route checks that each is an object with a role */
	bool       stream;
	json_at    stream_options;
	bool       store;
	json_at    metadata; /* object; the route checks the pairs */
	int64_t    n;
	int64_t    max_tokens;            /* INT64_MIN: absent; the provider knows the range */
	int64_t    max_completion_tokens; /* INT64_MIN: absent */
	/* The last one of each type that is only checked. */
	struct str text;
	double     number;
	int64_t    integer;
	bool       flag;
};

#define COMPLETION_REQUEST_INIT                                      \
	((struct completion_request){ .model = STR_NONE,             \
				      .messages = JSON_ABSENT,       \
				      .stream = false,               \
				      .stream_options = JSON_ABSENT, \
				      .store = false,                \
				      .metadata = JSON_ABSENT,       \
				      .n = 1,                        \
				      .max_tokens = INT64_MIN,       \
				      .max_completion_tokens = INT64_MIN })

extern const struct field_set completion_request_fields;
