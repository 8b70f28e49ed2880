/* schema/response_request: the members of POST /v1/responses that the gateway reads; of the others,
 * those that the API for chats knows too are passed on. */
#pragma once

#include "json/field.h"

#include <stdint.h>

enum response_truncation {
	RESPONSE_TRUNCATION_UNSET = -1,
	RESPONSE_TRUNCATION_AUTO,
	RESPONSE_TRUNCATION_DISABLED,
};
extern const char *const response_truncations[];

struct response_request {
	struct str model;
	json_at    input; /* a string, or an array of items; the route checks both */
	struct str instructions;
	struct str previous_response_id;
	json_at    conversation; /* an id, or {id} */
	bool       store;
	bool       background;
	bool       stream;
	json_at    stream_options;
	int64_t    max_output_tokens; /* INT64_MIN: absent; the provider knows the range */
	int64_t    max_tool_calls;
	int64_t    top_logprobs;
	json_at    tools;
	json_at    tool_choice;
	json_at    text;
	json_at    reasoning;
	json_at    include;
	int        truncation;
	json_at    metadata;
	bool       parallel_tool_calls;
	/* The rest is only checked for its type; the provider knows the ranges. */
	double     temperature;
	double     top_p;
	double     presence_penalty;
	double     frequency_penalty;
	struct str user;
	struct str safety_identifier;
	struct str service_tier;
	struct str prompt_cache_key;
};

#define RESPONSE_REQUEST_INIT                                       \
	((struct response_request){ .model = STR_NONE,              \
				    .input = JSON_ABSENT,           \
				    .instructions = STR_NONE,       \
				    .conversation = JSON_ABSENT,    \
				    .store = true,                  \
				    .stream_options = JSON_ABSENT,  \
				    .max_output_tokens = INT64_MIN, \
				    .max_tool_calls = INT64_MIN,    \
				    .tools = JSON_ABSENT,           \
				    .tool_choice = JSON_ABSENT,     \
				    .text = JSON_ABSENT,            \
				    .reasoning = JSON_ABSENT,       \
				    .include = JSON_ABSENT,         \
				    .truncation = -1,               \
				    .metadata = JSON_ABSENT,        \
				    .parallel_tool_calls = true })

extern const struct field_set response_request_fields;
