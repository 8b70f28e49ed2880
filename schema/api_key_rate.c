/* The field table of api_key_rate.json. */
#include "schema/api_key_rate.h"

#include "base/limits.h"

#define AT(m) offsetof(struct api_key_rate, m)
static const struct field rows[] = {
	{ "count", FIELD_INT, true, 1, LIMIT_RATE_COUNT, AT(count), NULL },
	{ "window", FIELD_STRING, true, 2, LIMIT_WINDOW_TEXT, AT(window), NULL },
};
#undef AT

const struct field_set api_key_rate_fields = FIELD_SET("api_key_rate", rows);
