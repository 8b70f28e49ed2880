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
};
#undef AT

const struct field_set completion_request_fields = FIELD_SET_OPEN("completion_request", rows);
