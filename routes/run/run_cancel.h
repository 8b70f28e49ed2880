/* routes/run/run_cancel: POST /v1/runs/{id}/cancel. */
#pragma once

struct request;

void run_cancel_post(struct request *r, void *app);
