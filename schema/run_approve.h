/* schema/run_approve: the body of POST /v1/runs/{id}/approve. */
#pragma once

#include "json/field.h"
#include "schema/chat_request.h"

struct run_approve {
	bool       approve;
	struct str reason; /* .p NULL: absent */
	json_at    config; /* object: schema/chat_config.h; without a model, the run's is used */
	bool       stream;
	bool       background;
	int        format; /* enum chat_format */
	json_at    lmc;
	int        on_disconnect; /* enum chat_on_disconnect */
};

#define RUN_APPROVE_INIT                                  \
	((struct run_approve){ .approve = false,          \
			       .reason = STR_NONE,        \
			       .config = JSON_ABSENT,     \
			       .stream = false,           \
			       .background = false,       \
			       .format = CHAT_FORMAT_LMC, \
			       .lmc = JSON_ABSENT,        \
			       .on_disconnect = CHAT_ON_DISCONNECT_UNSET })

extern const struct field_set run_approve_fields;
