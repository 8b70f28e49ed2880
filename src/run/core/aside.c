/* A worker makes and prints long prompts and answers, so that they do not hold the loop.
 *
 *   the loop --aside_do--> work (a worker) --> then (the loop), or the run's end, if the run was
 *                                              ended while the worker had it */
#include "base/limits.h"
#include "run/internal.h"
#include "store/conversation.h"

static size_t sum_lengths(const struct str *list, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += list[i].n;
	return n;
}

bool aside_wanted(const struct run *r)
{
	const struct branch_read *branch = run_branch(r);
	const struct prompt      *p = &r->rq->what.prompt;
	size_t n = r->rq->what.instruction.n + (p->native ? p->native->doc->len : 0);

	if (!r->engine->o.env.cpu)
		return false;
	for (size_t i = 0; branch && i < branch->message_count; i++)
		n += branch->messages[i].body.n;
	return n + sum_lengths(r->rq->what.messages, r->rq->what.message_count) +
		       sum_lengths(p->messages, p->message_count) +
		       sum_lengths(p->members, p->member_count) >
	       LIMIT_LOOP_JSON;
}

static void run_work(struct work_job *job)
{
	struct aside *x = container_of(job, struct aside, job);
	struct run   *r = container_of(x, struct run, aside);
	struct err    e = { .code = ERR_OK };

	e.code = x->work(r, &e);
	if (e.code != ERR_OK)
		err_keep(&x->err, &e);
}

static void on_worked(struct work_job *job)
{
	struct aside *x = container_of(job, struct aside, job);
	struct run   *r = container_of(x, struct run, aside);
	struct err    e = { .code = ERR_OK }; /* a copy, because `then` may free the run */

	if (x->err)
		e = *x->err;
	x->on = false;
	run_release(r);
	if (x->ends)
		run_finish(r, x->why);
	else
		x->then(r, &e);
}

bool aside_submit(struct run *r, enum errc (*work)(struct run *r, struct err *e),
		  void (*then)(struct run *r, struct err *e))
{
	struct aside *x = &r->aside;

	x->job = (struct work_job){ .loop = run_loop(r), .run = run_work, .done = on_worked };
	x->work = work;
	x->then = then;
	err_drop(&x->err);
	if (!work_submit(r->engine->o.env.cpu, &x->job))
		return false;
	x->on = true;
	run_hold(r);
	return true;
}

void aside_do(struct run *r, enum errc (*work)(struct run *r, struct err *e),
	      void (*then)(struct run *r, struct err *e))
{
	struct err e;

	if (aside_submit(r, work, then))
		return;
	err_set(&e, ERR_OVERLOADED, "", "too many large requests are waiting; try again");
	then(r, &e);
}

bool aside_ends(struct run *r, const struct err *e)
{
	struct aside *x = &r->aside;

	if (!x->on)
		return false;
	work_unwant(&x->job);
	x->ends = true;
	err_drop(&x->why);
	if (e)
		err_keep(&x->why, e);
	return true;
}
