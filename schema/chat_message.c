/* The field table of chat_message.json. */
#include "schema/chat_message.h"

#include "base/limits.h"

const char *const chat_roles[] = { "user", "assistant", "system", "developer", "tool", NULL };

#define AT(m) offsetof(struct chat_message, m)
static const struct field rows[] = {
	{ "content", FIELD_ANY, false, 0, 0, AT(content), NULL },
	{ "role", FIELD_ENUM, false, 0, 0, AT(role), chat_roles },
	{ "name", FIELD_STRING, false, 1, LIMIT_NAME, AT(name), NULL },
	{ "tool_calls", FIELD_ARRAY, false, 1, LIMIT_TOOLS, AT(tool_calls), NULL },
	{ "tool_call_id", FIELD_STRING, false, 1, LIMIT_TOOL_CALL_ID, AT(tool_call_id), NULL },
	{ "context", FIELD_OBJECT, false, 0, 0, AT(context), NULL },
};
#undef AT

const struct field_set chat_message_fields = FIELD_SET("chat_message", rows);
