/* schema/chat_context: the context of a chat message: files that the model should see with it. */
#pragma once

#include "json/field.h"

struct chat_context {
	json_at files;    /* array; each as schema/context_file.h */
	json_at metadata; /* object of strings; no provider sees it */
};

#define CHAT_CONTEXT_INIT ((struct chat_context){ .files = JSON_ABSENT, .metadata = JSON_ABSENT })

extern const struct field_set chat_context_fields;
