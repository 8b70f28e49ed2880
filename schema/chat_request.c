/* The field table of chat_request.json. */
#include "schema/chat_request.h"

#include "base/limits.h"
#include "schema/chat_config.h"

const char *const chat_formats[] = { "openai", "lmc", NULL };
const char *const chat_on_disconnects[] = { "finish", "cancel", NULL };

#define AT(m) offsetof(struct chat_request, m)
static const struct field rows[] = {
	{ "instruction", FIELD_STRING, false, 0, 0, AT(instruction), NULL },
	{ "messages", FIELD_ARRAY, true, 0, LIMIT_MESSAGES, AT(messages), NULL },
	{ "config", FIELD_OBJECT, false, 0, 0, AT(config), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "background", FIELD_BOOL, false, 0, 0, AT(background), NULL },
	{ "format", FIELD_ENUM, false, 0, 0, AT(format), chat_formats },
	{ "lmc", FIELD_OBJECT, false, 0, 0, AT(lmc), NULL },
	{ "store", FIELD_BOOL, false, 0, 0, AT(store), NULL },
	{ "conversation", FIELD_STRING, false, 1, LIMIT_ID, AT(conversation), NULL },
	{ "parent", FIELD_STRING, false, 1, LIMIT_ID, AT(parent), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "on_disconnect", FIELD_ENUM, false, 0, 0, AT(on_disconnect), chat_on_disconnects },
};
#undef AT

static const struct field_moved moved[] = {
	{ "system", "instruction" },
	{ "instructions", "instruction" },
	{ "prompt", "messages" },
	{ "input", "messages" },
	{ "conversation_id", "conversation" },
	{ "previous_response_id", "conversation" },
	{ 0 },
};

const struct field_set chat_request_fields = {
	.name = "chat_request",
	.rows = rows,
	.count = ARRAY_LEN(rows),
	.moved = moved,
	.inner = &chat_config_fields,
	.inner_key = "config",
};
