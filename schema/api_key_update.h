/* schema/api_key_update: the body of POST /v1/admin/keys/{id}. It is read into a struct
 * api_key_create, because only members of that struct may be changed. */
#pragma once

#include "schema/api_key_create.h"

extern const struct field_set api_key_update_fields;
