/* routes/run/runs: GET /v1/runs, GET /v1/runs/{id} and GET /v1/admin/runs. */
#pragma once

struct request;

void runs_get_all(struct request *r, void *app);
void runs_admin_get_all(struct request *r, void *app);
void runs_get(struct request *r, void *app);
