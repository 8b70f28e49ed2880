/* routes/run/run_ticket: POST /v1/runs/{id}/ticket. */
#pragma once

struct request;

void run_ticket_post(struct request *r, void *app);
