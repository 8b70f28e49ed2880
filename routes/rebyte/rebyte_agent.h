/* routes/rebyte/rebyte_agent: POST /api/sdk/p/{project}/a/{agent}/r. */
#pragma once

#include "base/id.h"

/* rebyte_agent_id: reads an id with or without its prefix. */
bool rebyte_agent_id(struct str text, const char *prefix, struct id *ret);
