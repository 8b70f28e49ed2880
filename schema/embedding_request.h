/* schema/embedding_request: the members of POST /v1/embeddings that the gateway reads; all others
 * are passed on. */
#pragma once

#include "json/field.h"

#include <stdint.h>

enum embedding_format { EMBEDDING_FORMAT_FLOAT, EMBEDDING_FORMAT_BASE64 };
extern const char *const embedding_formats[];

struct embedding_request {
	struct str model;
	json_at    input;           /* the route checks the form */
	int        encoding_format; /* enum embedding_format */
	int64_t    dimensions;      /* INT64_MIN: absent; the provider knows the range */
	struct str user;
};

#define EMBEDDING_REQUEST_INIT                                                  \
	((struct embedding_request){ .model = STR_NONE,                         \
				     .input = JSON_ABSENT,                      \
				     .encoding_format = EMBEDDING_FORMAT_FLOAT, \
				     .dimensions = INT64_MIN,                   \
				     .user = STR_NONE })

extern const struct field_set embedding_request_fields;
