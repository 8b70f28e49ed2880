/* schema/schema: the bodies of requests.  Of each table of schema.def are made: struct NAME; NAME_init, its value before a
 * body is read into it; and NAME_fields, which checks a body and binds its members.  NAME.json says the same to clients;
 * a test compares them. */
#pragma once

#include "json/field.h"

#include <stdint.h>

/* The names of each enum on the wire are in its order, ended by NULL. */
enum chat_format { CHAT_FORMAT_OPENAI, CHAT_FORMAT_LMC, CHAT_FORMAT__COUNT };
extern const char *const chat_formats[];
enum chat_on_disconnect {
	CHAT_ON_DISCONNECT_UNSET = -1, /* finish if stored, else cancel */
	CHAT_ON_DISCONNECT_FINISH,
	CHAT_ON_DISCONNECT_CANCEL,
	CHAT_ON_DISCONNECT__COUNT
};
extern const char *const chat_on_disconnects[];
enum chat_computer_confirm { CHAT_COMPUTER_ASK, CHAT_COMPUTER_NEVER };
extern const char *const chat_computer_confirms[];
enum chat_computer_files { CHAT_COMPUTER_PROMPT, CHAT_COMPUTER_WORKSPACE, CHAT_COMPUTER_BOTH };
extern const char *const chat_computer_files[];
enum { CHAT_COMPUTER_STEPS = 8 };
enum chat_lmc_code { CHAT_LMC_CODE_TOOLS, CHAT_LMC_CODE_FENCE, CHAT_LMC_CODE__COUNT };
extern const char *const chat_lmc_codes[];
enum chat_role {
	CHAT_ROLE_USER,
	CHAT_ROLE_ASSISTANT,
	CHAT_ROLE_SYSTEM,
	CHAT_ROLE_DEVELOPER,
	CHAT_ROLE_TOOL,
	CHAT_ROLE__COUNT
};
extern const char *const chat_roles[];
enum embedding_format { EMBEDDING_FORMAT_FLOAT, EMBEDDING_FORMAT_BASE64 };
extern const char *const embedding_formats[];
enum conversation_item_type {
	CONVERSATION_ITEM_MESSAGE,
	CONVERSATION_ITEM_CALL,
	CONVERSATION_ITEM_OUTPUT,
	CONVERSATION_ITEM__COUNT
};
enum expires_anchor { EXPIRES_LAST_ACTIVE };
extern const char *const expires_anchors[];
extern const char *const conversation_item_types[];
extern const char *const conversation_item_roles[];
enum response_truncation {
	RESPONSE_TRUNCATION_UNSET = -1,
	RESPONSE_TRUNCATION_AUTO,
	RESPONSE_TRUNCATION_DISABLED,
};
extern const char *const response_truncations[];
extern const char *const rebyte_roles[];

#define SCHEMA_JOIN_(a, b) a##b
#define SCHEMA_JOIN(a, b)  SCHEMA_JOIN_(a, b)

/* clang-format off */
#define BEGIN struct THIS {
#define MEMBER(type, name, first) type name;
#define ROW(...)
#define END                                            \
	};                                             \
	extern const struct THIS SCHEMA_JOIN(THIS, _init); \
	extern const struct field_set SCHEMA_JOIN(THIS, _fields);
#define END_OPEN END
#define END_ROWS END
/* clang-format on */
#include "schema/schema.def"

/* Members of struct api_key_create that a key may change. */
extern const struct field_set api_key_update_fields;
