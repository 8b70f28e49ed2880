/* The stream of a stored message once more: from its start, then live.  Its blocks have no numbers, so
 * no reader can begin in the middle. */
#include "routes/kit/handlers.h"

#include "desk/live.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/call/run_events.h"
#include "routes/kit/gateway.h"
#include "run/follow.h"

void message_events_get(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct live           live;
	struct follow_options o = {
		.loop = g->loop,
		.cpu = g->cpu,
		.store = g->store,
		.owner = request_owner(r),
		.own_only = true,
		.family = request_family(r),
		.reasoning = g->now->run.reasoning,
	};

	if (!id_parse(request_param(r, 0), ID_MESSAGE, &o.run) ||
	    (live_find(o.run, o.owner, &live) && !family_has(o.family, str_of(live.shape->word)))) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such message");
		return;
	}
	run_events_reply(r, &o);
}
