/* schema/api_key_rotate: the body of POST /v1/admin/keys/{id}/rotate; it may be left out. */
#pragma once

#include "json/field.h"

struct api_key_rotate {
	int64_t grace; /* seconds */
};

#define API_KEY_ROTATE_INIT ((struct api_key_rotate){ .grace = 0 })

extern const struct field_set api_key_rotate_fields;
