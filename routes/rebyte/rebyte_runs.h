/* routes/rebyte/rebyte_runs: reads runs; tells clients whether their key is good. */
#pragma once

struct request;

void rebyte_runs_get(struct request *r, void *app);  /* GET /api/sdk/runs/{id} */
void rebyte_runs_list(struct request *r, void *app); /* GET /api/sdk/threads/{id}/runs */
void rebyte_runs_ping(struct request *r, void *app); /* GET /api/sdk/ext/ping */
