/* schema/session_create: the body of POST /v1/session; the body is optional. */
#pragma once

#include "json/field.h"

struct session_create {
	json_at scopes; /* array; routes/admin reads it */
};

#define SESSION_CREATE_INIT ((struct session_create){ .scopes = JSON_ABSENT })

extern const struct field_set session_create_fields;
