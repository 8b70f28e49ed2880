/* schema/conversation_update: the body of POST /v1/conversations/{id}. */
#pragma once

#include "json/field.h"

struct conversation_update {
	json_at    metadata; /* object; the route checks the pairs */
	struct str title;    /* .p NULL: absent; empty: none */
};

#define CONVERSATION_UPDATE_INIT \
	((struct conversation_update){ .metadata = JSON_ABSENT, .title = STR_NONE })

extern const struct field_set conversation_update_fields;
