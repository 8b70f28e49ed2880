/* The client's own place in errors that name the prompt's. */
#include "run/internal.h"

#include <stdlib.h>

/* origin_around: the origins, with what is known of the messages around the request's. */
static struct origins origin_around(const struct run *r)
{
	const struct call_request *rq = r->rq;
	struct origins             o = r->origins;

	if (!rq)
		return o;
	/* Errors that come before the prompt is made count the request's messages alone. */
	o.before = r->prepared ? (uint32_t)(rq->what.prompt.message_count - rq->what.message_count)
			       : 0;
	o.instructed = r->prepared && rq->what.instruction.n > 0;
	o.follows = !id_none(rq->thread.previous);
	return o;
}

void origin_keep(struct run *r)
{
	struct origins *o = &r->origins;

	*o = origin_around(r);
	if (o->count == 0)
		return;
	r->origin_list = malloc(o->count * sizeof *o->list);
	if (r->origin_list)
		memcpy(r->origin_list, o->list, o->count * sizeof *o->list);
	else
		o->count = 0; /* errors then name the whole list */
	o->list = r->origin_list;
}

void origin_drop(struct run *r)
{
	free(TAKE(r->origin_list));
	r->origins.count = 0;
}

void origin_name(const struct run *r, struct err *e)
{
	struct origins o = origin_around(r);

	if (r->given.family->place)
		r->given.family->place(&o, e);
}
