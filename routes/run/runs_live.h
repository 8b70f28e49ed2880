/* routes/run/runs_live: GET /v1/runs/live and GET /v1/admin/runs/live: the states of runs, as a stream. */
#pragma once

struct request;

void runs_live_get(struct request *r, void *app);
void runs_live_admin_get(struct request *r, void *app);
