/* schema/conversation_fork: the body of POST /v1/conversations/{id}/fork; all of it may be left out. */
#pragma once

#include "json/field.h"

struct conversation_fork {
	struct str at;       /* .p NULL: absent */
	struct str title;    /* .p NULL: absent; empty: none */
	json_at    metadata; /* object; its pairs are the route's check */
};

#define CONVERSATION_FORK_INIT \
	((struct conversation_fork){ .at = STR_NONE, .title = STR_NONE, .metadata = JSON_ABSENT })

extern const struct field_set conversation_fork_fields;
