/* schema/conversation_append: the body of POST /v1/conversations/{id}/items. */
#pragma once

#include "json/field.h"

struct conversation_append {
	json_at items; /* array; each schema/conversation_item.h */
};

#define CONVERSATION_APPEND_INIT ((struct conversation_append){ .items = JSON_ABSENT })

extern const struct field_set conversation_append_fields;
