/* schema/chat_config: the config object of POST /v1/chat.
 *
 * The typed members serve for checks; the provider gets the raw JSON of each member. */
#pragma once

#include "json/field.h"

#include <math.h>
#include <stdint.h>

struct chat_config {
	int64_t    max_tokens;        /* 0: absent */
	double     temperature;       /* NAN: absent; 0 is a value */
	struct str model;             /* .p NULL: absent */
	double     top_p;             /* NAN: absent */
	json_at    stop;              /* string or array of strings */
	int64_t    seed;              /* INT64_MIN: absent */
	double     presence_penalty;  /* NAN: absent */
	double     frequency_penalty; /* NAN: absent */
	json_at    response_format;
	json_at    tools;
	json_at    tool_choice;      /* string or object */
	struct str reasoning_effort; /* .p NULL: absent; the provider knows the values */
	json_at    computer;         /* object: schema/chat_computer.h */
	json_at    extra;
};

#define CHAT_CONFIG_INIT                                         \
	((struct chat_config){ .max_tokens = 0,                  \
			       .temperature = (double)NAN,       \
			       .model = STR_NONE,                \
			       .top_p = (double)NAN,             \
			       .stop = JSON_ABSENT,              \
			       .seed = INT64_MIN,                \
			       .presence_penalty = (double)NAN,  \
			       .frequency_penalty = (double)NAN, \
			       .response_format = JSON_ABSENT,   \
			       .tools = JSON_ABSENT,             \
			       .tool_choice = JSON_ABSENT,       \
			       .reasoning_effort = STR_NONE,     \
			       .computer = JSON_ABSENT,          \
			       .extra = JSON_ABSENT })

extern const struct field_set chat_config_fields;
