/* schema/chat_message: one message object of POST /v1/chat. */
#pragma once

#include "json/field.h"

/* In the order of chat_roles. */
enum chat_role {
	CHAT_ROLE_USER,
	CHAT_ROLE_ASSISTANT,
	CHAT_ROLE_SYSTEM,
	CHAT_ROLE_DEVELOPER,
	CHAT_ROLE_TOOL,
	CHAT_ROLE__COUNT
};

/* The roles' names on the wire, NULL-terminated. */
extern const char *const chat_roles[];

struct chat_message {
	json_at    content; /* string or array of parts; absent or null only beside tool_calls */
	int        role;    /* enum chat_role */
	struct str name;    /* .p NULL: absent; the route checks the characters */
	json_at    tool_calls;
	struct str tool_call_id; /* .p NULL: absent; required if the role is tool */
	json_at    context;      /* object: schema/chat_context.h */
};

#define CHAT_MESSAGE_INIT                                  \
	((struct chat_message){ .content = JSON_ABSENT,    \
				.role = CHAT_ROLE_USER,    \
				.name = STR_NONE,          \
				.tool_calls = JSON_ABSENT, \
				.tool_call_id = STR_NONE,  \
				.context = JSON_ABSENT })

extern const struct field_set chat_message_fields;
