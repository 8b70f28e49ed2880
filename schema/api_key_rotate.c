/* The field table of api_key_rotate.json. */
#include "schema/api_key_rotate.h"

#include "base/limits.h"

#define AT(m) offsetof(struct api_key_rotate, m)
static const struct field rows[] = {
	{ "grace", FIELD_INT, false, 0, LIMIT_API_KEY_GRACE, AT(grace), NULL },
};
#undef AT

const struct field_set api_key_rotate_fields = FIELD_SET("api_key_rotate", rows);
