/* The client's own place in errors that name the prompt's. */
#include "run/internal.h"

#include <stdlib.h>

void origin_keep(struct run *r)
{
	struct origins *o = &r->rq.origins;
	struct origin  *copy;

	if (o->count == 0 || r->origins)
		return;
	copy = malloc(o->count * sizeof *copy);
	if (copy)
		memcpy(copy, o->list, o->count * sizeof *copy);
	else
		o->count = 0; /* errors then name the whole list */
	r->origins = copy;
	o->list = copy;
}

void origin_drop(struct run *r)
{
	free(TAKE(r->origins));
	r->rq.origins.count = 0;
}

void origin_name(const struct run *r, struct err *e)
{
	const struct run_request *rq = &r->rq;
	struct origins            o = rq->origins;

	if (!rq->family->place)
		return;
	/* What comes before the prompt is made counts the request's messages alone. */
	o.before = r->prepared ? rq->prompt.message_count - rq->message_count : 0;
	o.instructed = r->prepared && rq->instruction.n > 0;
	o.follows = !id_none(rq->previous);
	rq->family->place(&o, e);
}
