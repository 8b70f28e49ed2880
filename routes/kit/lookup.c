/* Waiting for one read of the store, whoever ends first. */
#include "routes/kit/lookup.h"

#include "base/limits.h"
#include "http/reply.h"

static void client_left(void *arg)
{
	struct lookup *l = arg;

	l->request = NULL;
	atomic_store_explicit(&l->job->cancelled, true, memory_order_relaxed);
}

void lookup_start(struct lookup *l, struct request *r, bool started)
{
	if (started) {
		l->request = r;
		request_on_left(r, client_left, l);
		return;
	}
	l->destroy(l);
	reply_refuse(r, ERR_OVERLOADED, "", "too many reads are waiting");
}

void lookup_done(struct lookup *l, const struct err *e)
{
	struct err failure = *e;
	struct buf body;

	buf_init(&body, 2 * LIMIT_BRANCH_BYTES);
	if (l->request && failure.code == ERR_OK && !l->print(l, &body)) {
		failure = l->why;
		if (failure.code == ERR_OK)
			err_set(&failure, ERR_INTERNAL, "", "the answer could not be made");
	}
	if (l->request && failure.code == ERR_OK)
		reply_json_take(l->request, 200, &body);
	else if (l->request)
		reply_error(l->request, &failure);
	buf_finish(&body);
	l->destroy(l);
}
