/* The field table of conversation_update.json. */
#include "schema/conversation_update.h"

#include "base/limits.h"

#define AT(m) offsetof(struct conversation_update, m)
static const struct field rows[] = {
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "title", FIELD_STRING, false, 0, LIMIT_TITLE, AT(title), NULL },
};
#undef AT

const struct field_set conversation_update_fields = FIELD_SET("conversation_update", rows);
