/* Looks four times a second which keys are due, and has them fetched by threads of its own, which start with the first
 * entry that needs them. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "provider/credential/over_time.h"
#include "provider/registry.h"

#include <stdlib.h>

enum {
	LOOK_US = 250 * 1000,
	THREADS =
		2, /* one that waits for a host that does not answer keeps no other entry waiting */
	QUEUE = 1024,
};

struct credential_keeper {
	struct credential_keeper_options o;
	struct timer                     look;
	struct work_pool                *pool; /* owned; NULL: not needed yet */
	bool                             stopped;
};

static void keeper_on_done(struct work_job *job)
{
	struct credential *c = credential_of(job);

	loop_owe(job->loop, 1); /* it was taken back in keeper_begin */
	credential_over(c);
	credential_release(c);
}

/* want_all: whether an entry of the present configuration has credentials. */
static bool want_all(struct credential_keeper *k)
{
	const struct registry *registry = k->o.now(k->o.arg);
	const struct provider *p;
	bool                   any = false;

	for (size_t i = 0; registry && (p = registry_provider(registry, i)); i++)
		if (p->credential) {
			credential_want(p->credential);
			any = true;
		}
	return any;
}

static bool keeper_start_pool(struct credential_keeper *k)
{
	struct err e;

	if (k->pool || work_pool_create(THREADS, QUEUE, &k->pool, &e) == ERR_OK)
		return true;
	log_note(LOG_ERROR, "credentials", "%s", e.text);
	return false;
}

static void keeper_begin(struct credential_keeper *k, struct credential *c)
{
	struct work_job *job = credential_job(c);

	job->loop = k->o.loop;
	job->done = keeper_on_done;
	if (work_submit(k->pool, job)) {
		/* A refresh is no answer that somebody is owed, so the end of the process does not wait for it. */
		loop_owe(job->loop, -1);
	} else {
		credential_over(c);
		credential_release(c);
	}
}

void credential_keeper_look(struct credential_keeper *k)
{
	struct credential *c;
	size_t             begun = 0;

	if (k->stopped || (!want_all(k) && !k->pool) || !keeper_start_pool(k))
		return;
	for (; begun < QUEUE && (c = credential_due(clock_mono_us())); begun++)
		keeper_begin(k, c);
	timer_start(k->o.loop, &k->look, LOOK_US);
}

static void keeper_on_look(struct timer *t)
{
	credential_keeper_look(container_of(t, struct credential_keeper, look));
}

enum errc credential_keeper_create(const struct credential_keeper_options *o,
				   struct credential_keeper **ret, struct err *e)
{
	struct credential_keeper *k = calloc(1, sizeof *k);

	if (!k)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	k->o = *o;
	k->look.fn = keeper_on_look;
	*ret = k;
	return ERR_OK;
}

void credential_keeper_stop(struct credential_keeper *k)
{
	if (!k || k->stopped)
		return;
	k->stopped = true;
	timer_stop(k->o.loop, &k->look);
	credential_unwant_all();
	work_pool_stop(k->pool);
}

void credential_keeper_destroy(struct credential_keeper *k)
{
	if (!k)
		return;
	credential_keeper_stop(k);
	work_pool_destroy(k->pool);
	free(k);
}
