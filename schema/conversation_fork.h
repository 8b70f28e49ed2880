/* schema/conversation_fork: the body of POST /v1/conversations/{id}/fork; the body is optional. */
#pragma once

#include "json/field.h"

struct conversation_fork {
	struct str at;       /* id of the last message to copy; .p NULL: the newest one */
	struct str title;    /* .p NULL: absent; empty: none */
	json_at    metadata; /* object; the route checks the pairs */
};

#define CONVERSATION_FORK_INIT \
	((struct conversation_fork){ .at = STR_NONE, .title = STR_NONE, .metadata = JSON_ABSENT })

extern const struct field_set conversation_fork_fields;
