/* Waits for one job of the store and prints its result; client and job may end in any order. */
#include "routes/kit/lookup.h"

#include "base/limits.h"
#include "http/reply.h"

#include <stdlib.h>

/* Room for the largest rows and the text around them. */
enum { BODY_MAX = 2 * LIMIT_STORE_ROW + 8 * MIB };

static struct store_job *job_of(struct lookup *l)
{
	return (struct store_job *)(void *)(l + 1);
}

static struct arena *arena_of(struct lookup *l)
{
	return (struct arena *)(void *)((char *)l + l->kind->arena);
}

static void lookup_destroy(struct lookup *l)
{
	if (l->kind->finish)
		l->kind->finish(l);
	if (l->kind->arena)
		arena_finish(arena_of(l));
	buf_finish(&l->body);
	free(l);
}

void lookup_refuse(struct lookup *l, const struct err *e)
{
	if (l->request && e)
		reply_error(l->request, e);
	lookup_destroy(l);
}

/* --- the answer --- */

static void lookup_print_body(struct lookup *l)
{
	if (!l->kind->print(l, &l->body) && l->why.code == ERR_OK)
		err_set(&l->why, ERR_INTERNAL, "", "the answer could not be made");
}

static void lookup_answer(struct lookup *l)
{
	if (l->request && l->why.code == ERR_OK)
		reply_json_take(l->request, 200, &l->body);
	lookup_refuse(l, l->why.code != ERR_OK ? &l->why : NULL);
}

static void work_print(struct work_job *job)
{
	lookup_print_body(container_of(job, struct lookup, work));
}

static void on_printed(struct work_job *job)
{
	lookup_answer(container_of(job, struct lookup, work));
}

static void lookup_print(struct lookup *l, size_t bytes)
{
	struct gateway *g = l->gateway;

	buf_init(&l->body, BODY_MAX);
	l->work = (struct work_job){ .loop = g->loop, .run = work_print, .done = on_printed };
	if (bytes <= LIMIT_TRANSLATE_LOOP) {
		lookup_print_body(l);
		lookup_answer(l);
	} else if (!work_submit(l->kind->cpu ? g->cpu : g->work, &l->work)) {
		err_set(&l->why, ERR_OVERLOADED, "",
			"too much is waiting to be printed; try again");
		lookup_answer(l);
	}
}

static void lookup_on_done(struct store_job *job)
{
	struct lookup *l = (struct lookup *)(void *)job - 1;
	struct err     e = job->err;

	if (e.code != ERR_OK && l->kind->failed)
		l->kind->failed(l, &e);
	if (e.code == ERR_OK && l->request && l->kind->came)
		e.code = l->kind->came(l, &e);
	if (e.code != ERR_OK || !l->request)
		lookup_refuse(l, &e);
	else
		lookup_print(l, l->kind->bytes ? l->kind->bytes(l) : 0);
}

/* --- the start --- */

void *lookup_make(const struct lookup_kind *kind, struct request *r, struct gateway *g)
{
	struct lookup *l = calloc(1, kind->size);
	struct err     e;

	if (!l) {
		err_no_memory(&e);
		reply_error(r, &e);
		return NULL;
	}
	*l = (struct lookup){ .kind = kind, .gateway = g, .request = r };
	job_of(l)->loop = g->loop;
	job_of(l)->done = lookup_on_done;
	if (kind->arena)
		arena_init(arena_of(l), kind->arena_max);
	return l;
}

static void lookup_client_left(void *arg)
{
	struct lookup *l = arg;

	l->request = NULL;
	atomic_store_explicit(&job_of(l)->cancelled, true, memory_order_relaxed);
}

void lookup_start(struct lookup *l, bool started)
{
	struct err e;

	if (started) {
		request_on_left(l->request, lookup_client_left, l);
		return;
	}
	err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting");
	lookup_refuse(l, &e);
}
