/* routes/run/run_continue: POST /v1/runs/{id}/continue. */
#pragma once

struct request;

void run_continue_post(struct request *r, void *app);
