/* schema/completion_update: the body of POST /v1/chat/completions/{id}. */
#pragma once

#include "json/field.h"

struct completion_update {
	json_at metadata; /* object; the route checks the pairs */
};

#define COMPLETION_UPDATE_INIT ((struct completion_update){ .metadata = JSON_ABSENT })

extern const struct field_set completion_update_fields;
