/* The field table of conversation_fork.json. */
#include "schema/conversation_fork.h"

#include "base/limits.h"

#define AT(m) offsetof(struct conversation_fork, m)
static const struct field rows[] = {
	{ "at", FIELD_STRING, false, 1, LIMIT_ID, AT(at), NULL },
	{ "title", FIELD_STRING, false, 0, LIMIT_TITLE, AT(title), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
};
#undef AT

const struct field_set conversation_fork_fields = FIELD_SET("conversation_fork", rows);
