/* schema/api_key_limits: the limits of a key: rates, calls at once, size of a body. */
#pragma once

#include "json/field.h"

struct api_key_limits {
	json_at requests;   /* object: schema/api_key_rate.h */
	json_at tokens;     /* object: schema/api_key_rate.h */
	int64_t concurrent; /* calls at once; 0: absent */
	int64_t max_body;   /* bytes; 0: absent */
};

#define API_KEY_LIMITS_INIT       \
	((struct api_key_limits){ \
		.requests = JSON_ABSENT, .tokens = JSON_ABSENT, .concurrent = 0, .max_body = 0 })

extern const struct field_set api_key_limits_fields;
