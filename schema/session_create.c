/* The field table of session_create.json. */
#include "schema/session_create.h"

#include "base/limits.h"

#define AT(m) offsetof(struct session_create, m)
static const struct field rows[] = {
	{ "scopes", FIELD_ARRAY, false, 1, 5, AT(scopes), NULL },
};
#undef AT

const struct field_set session_create_fields = FIELD_SET("session_create", rows);
