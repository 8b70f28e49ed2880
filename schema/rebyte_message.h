/* schema/rebyte_message: a message in Rebyte's form. */
#pragma once

#include "json/field.h"

struct rebyte_message {
	int        role;    /* index in rebyte_roles; the user's by default */
	json_at    content; /* string */
	struct str name;
	json_at    parts;    /* array of objects */
	json_at    file_ids; /* array of strings */
	json_at    metadata; /* object of strings */
};

#define REBYTE_MESSAGE_INIT                                \
	((struct rebyte_message){ .content = JSON_ABSENT,  \
				  .name = STR_NONE,        \
				  .parts = JSON_ABSENT,    \
				  .file_ids = JSON_ABSENT, \
				  .metadata = JSON_ABSENT })

extern const struct field_set rebyte_message_fields;
extern const char *const      rebyte_roles[]; /* ended by NULL */
