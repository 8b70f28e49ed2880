/* The ids in an answer's headers. */
#include "routes/call/run_headers.h"

#include "base/id.h"
#include "http/reply.h"

#include <stdio.h>

void run_headers(struct request *r, const struct run_told *told)
{
	const struct family *f = request_family(r);
	char                 location[ID_MAX + 32];

	if (told->run.n == 0 || (!told->stored && !f->shows_unstored))
		return;
	reply_header(r, "X-Run-Id", told->run);
	if (told->conversation.n > 0)
		reply_header(r, "X-Conversation-Id", told->conversation);
	if (!f->locates || !told->streamed)
		return;
	snprintf(location, sizeof location, "/v1/runs/%.*s/events", STR_ARG(told->run));
	reply_header(r, "Location", str_of(location));
}
