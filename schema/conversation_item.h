/* schema/conversation_item: one item that a client adds. The route checks which members each type
 * needs. */
#pragma once

#include "json/field.h"

/* In the order of the names in the field table. */
enum conversation_item_type {
	CONVERSATION_ITEM_MESSAGE,
	CONVERSATION_ITEM_CALL,
	CONVERSATION_ITEM_OUTPUT,
	CONVERSATION_ITEM__COUNT
};

struct conversation_item {
	int        type;      /* enum conversation_item_type */
	int        role;      /* index of its name; -1: absent */
	json_at    content;   /* string or array of parts */
	struct str call_id;   /* .p NULL: absent */
	struct str name;      /* .p NULL: absent */
	struct str arguments; /* .p NULL: absent */
	json_at    output;    /* string or array of parts */
};

#define CONVERSATION_ITEM_INIT ((struct conversation_item){ .role = -1 })

extern const struct field_set conversation_item_fields;
