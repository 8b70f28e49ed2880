/* The field table of rebyte_message.json. */
#include "schema/rebyte_message.h"

#include "base/limits.h"

const char *const rebyte_roles[] = { "user", "assistant", "system", NULL };

#define AT(m) offsetof(struct rebyte_message, m)
static const struct field rows[] = {
	{ "role", FIELD_ENUM, false, 0, 0, AT(role), rebyte_roles },
	{ "content", FIELD_ANY, true, 0, 0, AT(content), NULL },
	{ "name", FIELD_STRING, false, 1, LIMIT_NAME, AT(name), NULL },
	{ "parts", FIELD_ARRAY, false, 0, LIMIT_PARTS, AT(parts), NULL },
	{ "file_ids", FIELD_ARRAY, false, 0, 10, AT(file_ids), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
};
#undef AT

const struct field_set rebyte_message_fields = FIELD_SET("rebyte_message", rows);
