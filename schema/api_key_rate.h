/* schema/api_key_rate: a rate of a key: how many requests or tokens the key may use in a window. */
#pragma once

#include "json/field.h"

struct api_key_rate {
	int64_t    count;
	struct str window;
};

#define API_KEY_RATE_INIT ((struct api_key_rate){ .count = 0, .window = STR_NONE })

extern const struct field_set api_key_rate_fields;
