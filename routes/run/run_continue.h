/* routes/run/run_continue: POST /v1/runs/{id}/continue, and /approve. */
#pragma once

struct request;

void run_continue_post(struct request *r, void *app);
void run_continue_approve(struct request *r, void *app);
