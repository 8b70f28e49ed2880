/* schema/rebyte_run: the body of Rebyte's request for a run. */
#pragma once

#include "json/field.h"

struct rebyte_run {
	json_at    version; /* an integer from 1, "latest" or "live" */
	json_at    config;  /* object; each member as schema/rebyte_action.h */
	json_at    inputs;  /* array; its element has messages as schema/rebyte_message.h */
	struct str thread_id;
	bool       blocking;
	bool       stream;
	bool       content_only;
	json_at    block_filter; /* array of strings */
};

#define REBYTE_RUN_INIT                               \
	((struct rebyte_run){ .version = JSON_ABSENT, \
			      .config = JSON_ABSENT,  \
			      .inputs = JSON_ABSENT,  \
			      .thread_id = STR_NONE,  \
			      .blocking = true,       \
			      .block_filter = JSON_ABSENT })

extern const struct field_set rebyte_run_fields;
