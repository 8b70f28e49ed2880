/* schema/chat_request: the body of POST /v1/chat. */
#pragma once

#include "json/field.h"

/* In the order of chat_formats. */
enum chat_format { CHAT_FORMAT_OPENAI, CHAT_FORMAT_LMC, CHAT_FORMAT__COUNT };

enum chat_on_disconnect {
	CHAT_ON_DISCONNECT_UNSET = -1, /* finish if stored, else cancel */
	CHAT_ON_DISCONNECT_FINISH,
	CHAT_ON_DISCONNECT_CANCEL,
	CHAT_ON_DISCONNECT__COUNT
};

/* The names on the wire, NULL-terminated. */
extern const char *const chat_formats[];
extern const char *const chat_on_disconnects[];

struct chat_request {
	struct str instruction; /* .p NULL: absent; empty: ends the conversation's instruction */
	json_at    messages;    /* array; each a string or schema/chat_message.h */
	json_at    config;      /* object: schema/chat_config.h */
	bool       stream;
	bool       background;
	int        format; /* enum chat_format */
	json_at    lmc;    /* object: schema/chat_lmc.h */
	bool       store;
	struct str conversation;  /* .p NULL: absent */
	struct str parent;        /* .p NULL: absent */
	json_at    metadata;      /* object; the route checks the pairs */
	int        on_disconnect; /* enum chat_on_disconnect */
};

#define CHAT_REQUEST_INIT                                     \
	((struct chat_request){ .instruction = STR_NONE,      \
				.messages = JSON_ABSENT,      \
				.config = JSON_ABSENT,        \
				.stream = false,              \
				.background = false,          \
				.format = CHAT_FORMAT_OPENAI, \
				.lmc = JSON_ABSENT,           \
				.store = true,                \
				.conversation = STR_NONE,     \
				.parent = STR_NONE,           \
				.metadata = JSON_ABSENT,      \
				.on_disconnect = CHAT_ON_DISCONNECT_UNSET })

extern const struct field_set chat_request_fields;
