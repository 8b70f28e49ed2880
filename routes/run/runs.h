/* routes/run/runs: GET /v1/runs and GET /v1/runs/{id}. */
#pragma once

struct request;

void runs_get_all(struct request *r, void *app);
void runs_get(struct request *r, void *app);
