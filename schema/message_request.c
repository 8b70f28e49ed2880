/* The field table of message_request.json. */
#include "schema/message_request.h"

#include "base/limits.h"

#define AT(m) offsetof(struct message_request, m)
static const struct field rows[] = {
	{ "model", FIELD_STRING, false, 1, LIMIT_MODEL, AT(model), NULL },
	{ "messages", FIELD_ARRAY, true, 1, LIMIT_MESSAGES, AT(messages), NULL },
	{ "max_tokens", FIELD_INT, false, 1, LIMIT_TOKENS, AT(max_tokens), NULL },
	{ "system", FIELD_ANY, false, 0, 0, AT(system), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "temperature", FIELD_NUMBER, false, 0, 0, AT(temperature), NULL },
	{ "top_p", FIELD_NUMBER, false, 0, 0, AT(top_p), NULL },
	{ "top_k", FIELD_INT, false, 0, 0, AT(top_k), NULL },
	{ "stop_sequences", FIELD_ARRAY, false, 0, 0, AT(stop_sequences), NULL },
	{ "tools", FIELD_ARRAY, false, 0, LIMIT_TOOLS, AT(tools), NULL },
	{ "tool_choice", FIELD_OBJECT, false, 0, 0, AT(tool_choice), NULL },
	{ "thinking", FIELD_OBJECT, false, 0, 0, AT(thinking), NULL },
	{ "output_config", FIELD_OBJECT, false, 0, 0, AT(output_config), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
	{ "service_tier", FIELD_STRING, false, 0, 0, AT(service_tier), NULL },
	{ "mcp_servers", FIELD_ARRAY, false, 0, 0, AT(mcp_servers), NULL },
};
#undef AT

const struct field_set message_request_fields = FIELD_SET_OPEN("message_request", rows);
