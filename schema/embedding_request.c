/* The field table of embedding_request.json. */
#include "schema/embedding_request.h"

#include "base/limits.h"

const char *const embedding_formats[] = { "float", "base64", NULL };

#define AT(m) offsetof(struct embedding_request, m)
static const struct field rows[] = {
	{ "model", FIELD_STRING, false, 1, LIMIT_MODEL, AT(model), NULL },
	{ "input", FIELD_ANY, true, 0, 0, AT(input), NULL },
	{ "encoding_format", FIELD_ENUM, false, 0, 0, AT(encoding_format), embedding_formats },
	{ "dimensions", FIELD_INT, false, 0, 0, AT(dimensions), NULL },
	{ "user", FIELD_STRING, false, 0, 0, AT(user), NULL },
};
#undef AT

const struct field_set embedding_request_fields = FIELD_SET_OPEN("embedding_request", rows);
