/* The field table of chat_context.json. */
#include "schema/chat_context.h"

#include "base/limits.h"

#define AT(m) offsetof(struct chat_context, m)
static const struct field rows[] = {
	{ "files", FIELD_ARRAY, false, 0, LIMIT_FILES, AT(files), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
};
#undef AT

const struct field_set chat_context_fields = FIELD_SET("chat_context", rows);
