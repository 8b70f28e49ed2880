/* Creates and destroys a loop's pool of calls to providers. */
#include "upstream/upstream.h"

#include "upstream/internal.h"

#include <stdlib.h>

static void pool_on_sweep(struct timer *t)
{
	wire_sweep(container_of(t, struct upstream_pool, sweep), false);
}

enum errc upstream_pool_create(struct loop *l, struct upstream_pool **ret, struct err *e)
{
	OWNED(upstream_pool) p = calloc(1, sizeof *p);

	if (!p)
		return err_set(e, ERR_INTERNAL, "", "out of memory for connections to providers");
	p->loop = l;
	p->sweep.fn = pool_on_sweep;

	enum errc rc = transfers_create(l, &p->transfers, e);
	if (rc == ERR_OK)
		*ret = TAKE(p);
	return rc;
}

void upstream_pool_destroy(struct upstream_pool *p)
{
	struct err e;

	if (!p)
		return;
	err_set(&e, ERR_CANCELLED, NULL, "the gateway is stopping");
	for (struct upstream_call *c; (c = LIST_FIRST(&p->calls, struct upstream_call, link));)
		upstream_call_end(c, &e);
	wire_sweep(p, true);
	timer_stop(p->loop, &p->sweep);
	transfers_destroy(p->transfers);
	free(p);
}
