/* The field table of response_request.json. */
#include "schema/response_request.h"

#include "base/limits.h"

const char *const response_truncations[] = { "auto", "disabled", NULL };

#define AT(m) offsetof(struct response_request, m)
static const struct field rows[] = {
	{ "model", FIELD_STRING, false, 1, LIMIT_MODEL, AT(model), NULL },
	{ "input", FIELD_ANY, false, 0, 0, AT(input), NULL },
	{ "instructions", FIELD_STRING, false, 0, 0, AT(instructions), NULL },
	{ "previous_response_id", FIELD_STRING, false, 1, LIMIT_ID, AT(previous_response_id),
	  NULL },
	{ "conversation", FIELD_ANY, false, 0, 0, AT(conversation), NULL },
	{ "store", FIELD_BOOL, false, 0, 0, AT(store), NULL },
	{ "background", FIELD_BOOL, false, 0, 0, AT(background), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "stream_options", FIELD_OBJECT, false, 0, 0, AT(stream_options), NULL },
	{ "max_output_tokens", FIELD_INT, false, 0, 0, AT(max_output_tokens), NULL },
	{ "max_tool_calls", FIELD_INT, false, 0, 0, AT(max_tool_calls), NULL },
	{ "top_logprobs", FIELD_INT, false, 0, 20, AT(top_logprobs), NULL },
	{ "tools", FIELD_ARRAY, false, 0, LIMIT_TOOLS, AT(tools), NULL },
	{ "tool_choice", FIELD_ANY, false, 0, 0, AT(tool_choice), NULL },
	{ "text", FIELD_OBJECT, false, 0, 0, AT(text), NULL },
	{ "reasoning", FIELD_OBJECT, false, 0, 0, AT(reasoning), NULL },
	{ "include", FIELD_ARRAY, false, 0, 64, AT(include), NULL },
	{ "truncation", FIELD_ENUM, false, 0, 0, AT(truncation), response_truncations },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "temperature", FIELD_NUMBER, false, 0, 0, AT(temperature), NULL },
	{ "top_p", FIELD_NUMBER, false, 0, 0, AT(top_p), NULL },
	{ "presence_penalty", FIELD_NUMBER, false, 0, 0, AT(presence_penalty), NULL },
	{ "frequency_penalty", FIELD_NUMBER, false, 0, 0, AT(frequency_penalty), NULL },
	{ "user", FIELD_STRING, false, 0, 0, AT(user), NULL },
	{ "safety_identifier", FIELD_STRING, false, 0, 0, AT(safety_identifier), NULL },
	{ "service_tier", FIELD_STRING, false, 0, 0, AT(service_tier), NULL },
	{ "prompt_cache_key", FIELD_STRING, false, 0, 0, AT(prompt_cache_key), NULL },
	{ "parallel_tool_calls", FIELD_BOOL, false, 0, 0, AT(parallel_tool_calls), NULL },
};
#undef AT

const struct field_set response_request_fields = FIELD_SET_OPEN("response_request", rows);
