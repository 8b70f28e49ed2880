/* The field table of completion_request.json. */
#include "schema/completion_request.h"

#include "base/limits.h"

#define AT(m) offsetof(struct completion_request, m)
static const struct field rows[] = {
	{ "model", FIELD_STRING, false, 1, LIMIT_MODEL, AT(model), NULL },
	{ "messages", FIELD_ARRAY, true, 1, LIMIT_MESSAGES, AT(messages), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "stream_options", FIELD_OBJECT, false, 0, 0, AT(stream_options), NULL },
	{ "store", FIELD_BOOL, false, 0, 0, AT(store), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "n", FIELD_INT, false, 1, LIMIT_CHOICES, AT(n), NULL },
	{ "max_tokens", FIELD_INT, false, 0, 0, AT(max_tokens), NULL },
	{ "max_completion_tokens", FIELD_INT, false, 0, 0, AT(max_completion_tokens), NULL },
	/* These are checked alone, and passed on as they came. */
	{ "temperature", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "top_p", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "presence_penalty", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "frequency_penalty", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "seed", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "logprobs", FIELD_BOOL, false, 0, 0, AT(flag), NULL },
	{ "top_logprobs", FIELD_INT, false, 0, 0, AT(integer), NULL },
	{ "parallel_tool_calls", FIELD_BOOL, false, 0, 0, AT(flag), NULL },
	{ "reasoning_effort", FIELD_STRING, false, 0, 0, AT(text), NULL },
	{ "verbosity", FIELD_STRING, false, 0, 0, AT(text), NULL },
	{ "service_tier", FIELD_STRING, false, 0, 0, AT(text), NULL },
	{ "user", FIELD_STRING, false, 0, 0, AT(text), NULL },
	{ "safety_identifier", FIELD_STRING, false, 0, 0, AT(text), NULL },
	{ "prompt_cache_key", FIELD_STRING, false, 0, 0, AT(text), NULL },
	{ "prompt_cache_retention", FIELD_STRING, false, 0, 0, AT(text), NULL },
};
#undef AT

const struct field_set completion_request_fields = FIELD_SET_OPEN("completion_request", rows);
