/* routes/rebyte/rebyte_agent: POST /api/sdk/p/{project}/a/{agent}/r. */
#pragma once

#include "base/id.h"

struct request;

void rebyte_agent_post(struct request *r, void *app);

/* rebyte_agent_id: reads an id with or without its prefix. */
bool rebyte_agent_id(struct str text, const char *prefix, struct id *ret);
