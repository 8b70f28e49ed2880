/* schema/message_request: the members of POST /v1/messages and /v1/messages/count_tokens that the
 * gateway reads. */
#pragma once

#include "json/field.h"

#include <stdint.h>

struct message_request {
	struct str model;
	json_at    messages;   /* array; routes/messages reads it */
	int64_t    max_tokens; /* 0: absent */
	json_at    system;     /* a string or an array */
	bool       stream;
	double     temperature; /* these three are passed on as they came */
	double     top_p;
	int64_t    top_k;
	json_at    stop_sequences;
	json_at    tools;
	json_at    tool_choice;
	json_at    thinking;
	json_at    output_config;
	json_at    metadata;
	json_at    mcp_servers;
	struct str service_tier; /* only checked */
};

#define MESSAGE_REQUEST_INIT ((struct message_request){ .model = STR_NONE })

extern const struct field_set message_request_fields;
