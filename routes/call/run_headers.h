/* routes/call/run_headers: the headers of an answer that describe its run, as the family has
 * them. */
#pragma once

#include "http/request.h"

struct run_told {
	struct str run; /* ids as text; empty: there is none to tell of */
	struct str conversation;
	bool       stored;
	bool       streamed; /* the run's events can be read */
};

/* run_headers: X-Run-Id, X-Conversation-Id and Location, for the reply to come. */
void run_headers(struct request *r, const struct run_told *told);
