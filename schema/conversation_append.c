/* The field table of conversation_append.json. */
#include "schema/conversation_append.h"

#include "base/limits.h"

#define AT(m) offsetof(struct conversation_append, m)
static const struct field rows[] = {
	{ "items", FIELD_ARRAY, true, 1, LIMIT_ITEMS, AT(items), NULL },
};
#undef AT

const struct field_set conversation_append_fields = FIELD_SET("conversation_append", rows);
