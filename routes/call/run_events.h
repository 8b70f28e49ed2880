/* routes/call/run_events: GET /v1/runs/{id}/events. */
#pragma once

#include "run/follow.h"

struct request;

/* run_events_reply: answers with a run's stream; o's observer and arg are filled in. */
void run_events_reply(struct request *r, struct follow_options *o);
