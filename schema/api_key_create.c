/* The field table of api_key_create.json. */
#include "schema/api_key_create.h"

#include "base/limits.h"

#define AT(m) offsetof(struct api_key_create, m)
static const struct field rows[] = {
	{ "name", FIELD_STRING, false, 0, LIMIT_API_KEY_NAME, AT(name), NULL },
	{ "scopes", FIELD_ARRAY, false, 1, 5, AT(scopes), NULL },
	{ "models", FIELD_ARRAY, false, 1, LIMIT_API_KEY_MODELS, AT(models), NULL },
	{ "expires_at", FIELD_INT, false, 0, LIMIT_UNIX_SECONDS, AT(expires_at), NULL },
	{ "expires_in", FIELD_INT, false, 1, LIMIT_API_KEY_SECONDS, AT(expires_in), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "shares", FIELD_STRING, false, 1, LIMIT_ID, AT(shares), NULL },
	{ "limits", FIELD_OBJECT, false, 0, 0, AT(limits), NULL },
	{ "budget", FIELD_OBJECT, false, 0, 0, AT(budget), NULL },
};
#undef AT

const struct field_set api_key_create_fields = FIELD_SET("api_key_create", rows);
