/* schema/api_key_update: the body of POST /v1/admin/keys/{id}. */
#pragma once

#include "json/field.h"

struct api_key_update {
	struct str name;       /* .p NULL: absent */
	json_at    scopes;     /* array; its elements are the route's check, as in the others */
	json_at    models;     /* array */
	int64_t    expires_at; /* seconds; 0: never; -1: absent */
	int64_t    expires_in; /* seconds; -1: absent */
	json_at    metadata;   /* object */
	json_at    limits;     /* object: schema/api_key_limits.h */
	json_at    budget;     /* object: schema/api_key_budget.h */
};

#define API_KEY_UPDATE_INIT                                                                        \
	((struct api_key_update){ .name = STR_NONE, .scopes = JSON_ABSENT, .models = JSON_ABSENT,  \
				  .expires_at = -1, .expires_in = -1, .metadata = JSON_ABSENT,     \
				  .limits = JSON_ABSENT, .budget = JSON_ABSENT })

extern const struct field_set api_key_update_fields;
