/* schema/api_key_rotate: the body of POST /v1/admin/keys/{id}/rotate; the body is optional. */
#pragma once

#include "json/field.h"

struct api_key_rotate {
	int64_t grace; /* seconds for which the old text of the key stays valid */
};

#define API_KEY_ROTATE_INIT ((struct api_key_rotate){ .grace = 0 })

extern const struct field_set api_key_rotate_fields;
