/* schema/api_key_limits: how much of models a key may use at a time. */
#pragma once

#include "json/field.h"

struct api_key_limits {
	json_at requests; /* object: schema/api_key_rate.h, as the next */
	json_at tokens;
	int64_t concurrent; /* 0: absent, as in the next */
	int64_t max_body;
};

#define API_KEY_LIMITS_INIT       \
	((struct api_key_limits){ \
		.requests = JSON_ABSENT, .tokens = JSON_ABSENT, .concurrent = 0, .max_body = 0 })

extern const struct field_set api_key_limits_fields;
