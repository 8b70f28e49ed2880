/* The field table of conversation_create.json. */
#include "schema/conversation_create.h"

#include "base/limits.h"

#define AT(m) offsetof(struct conversation_create, m)
static const struct field rows[] = {
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "items", FIELD_ARRAY, false, 0, LIMIT_ITEMS, AT(items), NULL },
	{ "title", FIELD_STRING, false, 0, LIMIT_TITLE, AT(title), NULL },
};
#undef AT

const struct field_set conversation_create_fields = FIELD_SET("conversation_create", rows);
