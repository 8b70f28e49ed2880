/* schema/rebyte_update: a change of a thread or a message of Rebyte's. */
#pragma once

#include "json/field.h"

struct rebyte_update {
	json_at metadata; /* object of strings */
};

#define REBYTE_UPDATE_INIT ((struct rebyte_update){ .metadata = JSON_ABSENT })

extern const struct field_set rebyte_update_fields;
