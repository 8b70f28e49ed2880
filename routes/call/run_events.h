/* routes/call/run_events: GET /v1/runs/{id}/events. */
#pragma once

#include "run/follow.h"

struct request;

void run_events_get(struct request *r, void *app);

/* run_events_reply: answers with a run's stream; o's observer and arg are filled in. */
void run_events_reply(struct request *r, struct follow_options *o);
