/* schema/api_key_create: the body of POST /v1/admin/keys; the body is optional. */
#pragma once

#include "json/field.h"

struct api_key_create {
	struct str name;       /* .p NULL: absent */
	json_at    scopes;     /* array; the route checks the elements */
	json_at    models;     /* array; the route checks the elements */
	int64_t    expires_at; /* seconds; 0: never; -1: absent */
	int64_t    expires_in; /* seconds; -1: absent */
	json_at    metadata;   /* object; the route checks the pairs */
	struct str shares;     /* .p NULL: absent */
	json_at    limits;     /* object: schema/api_key_limits.h */
	json_at    budget;     /* object: schema/api_key_budget.h */
};

/* clang-format off */
#define API_KEY_CREATE_INIT                                                                        \
	((struct api_key_create){ .name = STR_NONE, .scopes = JSON_ABSENT, .models = JSON_ABSENT,  \
				  .expires_at = -1, .expires_in = -1, .metadata = JSON_ABSENT,     \
				  .shares = STR_NONE, .limits = JSON_ABSENT,                       \
				  .budget = JSON_ABSENT })
/* clang-format on */

extern const struct field_set api_key_create_fields;
