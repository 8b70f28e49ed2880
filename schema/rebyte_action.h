/* schema/rebyte_action: the settings of one action of Rebyte's config; the provider gets the raw JSON
 * of its members. */
#pragma once

#include "json/field.h"

#include <stdint.h>

struct rebyte_action {
	double     temperature;
	int64_t    max_tokens;
	double     top_p;
	json_at    stop; /* string or array of strings */
	int64_t    seed;
	double     presence_penalty;
	double     frequency_penalty;
	json_at    response_format;
	struct str provider_id;
	struct str model_id;
	bool       use_stream;
	bool       use_cache;
	bool       use_semantic_cache;
};

#define REBYTE_ACTION_INIT \
	((struct rebyte_action){ .stop = JSON_ABSENT, .response_format = JSON_ABSENT })

extern const struct field_set rebyte_action_fields;
