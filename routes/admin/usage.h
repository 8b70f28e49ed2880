/* routes/admin/usage: GET /v1/usage and GET /v1/admin/usage: what was used, and what is left of a budget. */
#pragma once

#include "http/request.h"

void usage_get(struct request *r, void *app);
void usage_admin_get(struct request *r, void *app);
