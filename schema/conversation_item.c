/* The field table of conversation_item.json. */
#include "schema/conversation_item.h"

#include "base/limits.h"

static const char *const types[] = { "message", "function_call", "function_call_output", NULL };
static const char *const roles[] = { "user", "assistant", "system", "developer", NULL };

#define AT(m) offsetof(struct conversation_item, m)
static const struct field rows[] = {
	{ "type", FIELD_ENUM, false, 0, 0, AT(type), types },
	{ "role", FIELD_ENUM, false, 0, 0, AT(role), roles },
	{ "content", FIELD_ANY, false, 0, 0, AT(content), NULL },
	{ "call_id", FIELD_STRING, false, 1, LIMIT_TOOL_CALL_ID, AT(call_id), NULL },
	{ "name", FIELD_STRING, false, 1, LIMIT_NAME, AT(name), NULL },
	{ "arguments", FIELD_STRING, false, 0, 0, AT(arguments), NULL },
	{ "output", FIELD_ANY, false, 0, 0, AT(output), NULL },
};
#undef AT

const struct field_set conversation_item_fields = FIELD_SET_OPEN("conversation_item", rows);
