/* routes/admin/overview: GET /v1/admin/overview: the configuration in force, health, and figures. */
#pragma once

struct request;

void overview_get(struct request *r, void *app);
