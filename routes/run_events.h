/* routes/run_events: GET /v1/runs/{id}/events. */
#pragma once

struct request;

void run_events_get(struct request *r, void *app);
