/* schema/context_file: one file of a message's context, uploaded (uuid) or inline (name, content).
 *
 * The route checks which members are there: {uuid, name?} or {name, content}. */
#pragma once

#include "json/field.h"

struct context_file {
	struct str uuid;    /* .p NULL: absent */
	struct str name;    /* .p NULL: absent */
	struct str content; /* .p NULL: absent; may be empty */
};

#define CONTEXT_FILE_INIT \
	((struct context_file){ .uuid = STR_NONE, .name = STR_NONE, .content = STR_NONE })

extern const struct field_set context_file_fields;
