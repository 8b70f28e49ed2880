/* The field table of api_key_limits.json. */
#include "schema/api_key_limits.h"

#include "base/limits.h"

#define AT(m) offsetof(struct api_key_limits, m)
static const struct field rows[] = {
	{ "requests", FIELD_OBJECT, false, 0, 0, AT(requests), NULL },
	{ "tokens", FIELD_OBJECT, false, 0, 0, AT(tokens), NULL },
	{ "concurrent", FIELD_INT, false, 1, LIMIT_CONCURRENT, AT(concurrent), NULL },
	{ "max_body", FIELD_INT, false, 1, LIMIT_BODY_MAX, AT(max_body), NULL },
};
#undef AT

const struct field_set api_key_limits_fields = FIELD_SET("api_key_limits", rows);
