/* schema/conversation_create: the body of POST /v1/conversations; the body is optional. */
#pragma once

#include "json/field.h"

struct conversation_create {
	json_at    metadata; /* object; the route checks the pairs */
	json_at    items;    /* array; each schema/conversation_item.h */
	struct str title;    /* .p NULL: absent; empty: none */
};

/* clang-format off */
#define CONVERSATION_CREATE_INIT \
	((struct conversation_create){ .metadata = JSON_ABSENT, .items = JSON_ABSENT, .title = STR_NONE })
/* clang-format on */

extern const struct field_set conversation_create_fields;
