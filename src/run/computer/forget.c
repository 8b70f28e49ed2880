/* Ends the session of a run that is not stored: nothing can go on with it.  Nobody waits for the answer, so
 * the question is its own. */
#include "base/limits.h"
#include "computer/link.h"
#include "run/computer.h"
#include "run/session_name.h"

#include <stdlib.h>

struct forgetting {
	struct link *link;
};

static void forget_on_lost(void *arg)
{
	free(arg);
}

static void forget_on_frame(void *arg, const struct frame *f)
{
	struct forgetting *x = arg;

	(void)f;
	link_close(x->link);
	free(x);
}

void forget_session(struct run *r)
{
	static const struct link_ear ear = { forget_on_frame, forget_on_lost };
	struct forgetting           *x = malloc(sizeof *x);
	char                         session[SESSION_NAME_TEXT];
	struct buf                   body;
	struct buf                   out;
	struct err                   e;

	if (!x)
		return; /* it ends when it has been idle for long */
	session_name(r->engine->o.store, r->given.owner, r->names.id, session);
	buf_init(&body, KIB);
	buf_init(&out, KIB);
	if (!buf_fmt(&body, "{\"session\":\"%s\"}", session) ||
	    !frame_put(&out, FRAME_RESET, buf_view(&body)) ||
	    link_open(run_loop(r), r->engine->o.computer, &out, &ear, x, &x->link, &e) != ERR_OK)
		free(x);
	buf_finish(&body);
	buf_finish(&out);
}
