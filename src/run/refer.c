/* Messages of a request that name stored ones: the stored ones are read, and put in their places. */
#include "base/limits.h"
#include "run/internal.h"
#include "store/conversation.h"

#include <stdlib.h>

struct run_refer {
	struct messages_find find; /* one message for each reference */
	struct run          *run;
};

void refer_drop(struct run *r)
{
	struct run_refer *x = TAKE(r->refer);

	if (!x)
		return;
	arena_finish(&x->find.arena);
	free(x->find.messages);
	free(x);
}

static enum errc refer_one(struct run *r, const struct call_reference *ref, struct str stored,
			   struct str *message, struct err *e)
{
	enum errc rc =
		stored.p ? r->rq->thread.join(stored, *message, &r->rq->input->arena, message, e)
			 : err_set(e, ERR_NOT_FOUND, "", "there is no such item");

	if (rc != ERR_OK)
		str_copy(e->path, sizeof e->path, ref->path);
	return rc;
}

/* refer_join: the list of the request's messages is copied, because the request's own is const. */
static enum errc refer_join(struct run *r, struct err *e)
{
	const struct messages_find *find = &r->refer->find;
	size_t                      n = r->rq->what.message_count;
	struct str *list = arena_alloc(&r->rq->input->arena, (n + 1) * sizeof *list);
	enum errc   rc = ERR_OK;

	if (!list)
		return err_no_memory(e);
	if (n > 0)
		memcpy(list, r->rq->what.messages, n * sizeof *list);
	for (size_t i = 0; rc == ERR_OK && i < find->count; i++) {
		const struct call_reference *ref = &r->rq->thread.references[i];

		rc = refer_one(r, ref, find->messages[i].body, &list[ref->message], e);
	}
	if (rc == ERR_OK)
		r->rq->what.messages = list;
	return rc;
}

static void refer_found(struct store_job *job)
{
	struct run *r = container_of(job, struct run_refer, find.job)->run;
	struct err  e = job->err;

	run_release(r);
	if (e.code == ERR_OK)
		(void)!refer_join(r, &e);
	refer_drop(r);
	step_over(r, &e);
}

enum step_next refer_find(struct run *r, struct err *e)
{
	size_t                n = r->rq->thread.reference_count;
	struct run_refer     *x = calloc(1, sizeof *x);
	struct store_message *messages = calloc(n, sizeof *messages);

	if (!x || !messages) {
		free(x);
		free(messages);
		err_no_memory(e);
		return STEP_FAILED;
	}
	r->refer = x;
	x->find.messages = messages;
	x->run = r;
	x->find.job = (struct store_job){ .loop = run_loop(r), .done = refer_found };
	x->find.owner = r->given.owner;
	x->find.count = n;
	for (size_t i = 0; i < n; i++)
		messages[i].id = r->rq->thread.references[i].id;
	arena_init(&x->find.arena, LIMIT_BRANCH_BYTES);
	run_hold(r);
	if (store_messages_find(r->engine->o.store, &x->find))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many reads are waiting; try again");
	return STEP_FAILED;
}
