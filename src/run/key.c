/* What an idempotency key is bound to: nothing until the provider begins to answer, then the run, and
 * at its end the answer.  A stored stream's answer is in the log; any other one is kept as the bytes
 * that the client got. */
#include "base/limits.h"
#include "run/internal.h"
#include "store/idem.h"

bool key_recorded(const struct run *r)
{
	return r->rq.claim && !run_stored(r) && r->rq.prompt.stream;
}

bool key_waits(const struct run *r)
{
	if (!r->rq.claim || !r->bound || !r->rq.prompt.stream || r->state == STATE_ENDED)
		return false;
	return run_stored(r) ? !journal_begun(r) : r->jobs->marking;
}

struct store_key key_of(const struct run *r)
{
	if (!r->rq.claim)
		return (struct store_key){ .key = STR_NONE };

	const struct keys_name *name = keys_name(r->rq.claim);
	return (struct store_key){
		.key = str_of(name->key),
		.fingerprint = { (const char *)name->fingerprint, sizeof name->fingerprint },
	};
}

static struct key_keep keep_of(struct run *r, void (*done)(struct store_job *job))
{
	return (struct key_keep){
		.job = { .loop = run_loop(r), .done = done },
		.owner = r->rq.owner,
		.created_ms = r->created_ms,
		.run = r->id,
		.key = key_of(r),
		.outcome = RUN_RUNNING,
	};
}

static void on_marked(struct store_job *job)
{
	struct run *r = container_of(job, struct run_jobs, mark.job)->run;

	r->jobs_out--;
	r->jobs->marking = false;
	if (r->state != STATE_ENDED) {
		key_release(r);
		feed_release(r);
	}
	run_free_if_over(r);
}

/* mark: should we be killed now, the key must not stand for a second call.  The log of a stored run
 * says so, and a whole answer is stored at once.  The claim's bytes outlive this job: the run
 * ends only after a later one. */
static void mark(struct run *r)
{
	r->jobs->mark = keep_of(r, on_marked);
	r->jobs_out++;
	r->jobs->marking = store_key_keep(r->engine->o.store, &r->jobs->mark);
	if (!r->jobs->marking)
		r->jobs_out--;
}

void key_bind(struct run *r)
{
	if (r->bound)
		return;
	r->bound = true;
	if (!r->rq.claim)
		return;
	if (key_recorded(r))
		mark(r);
	key_release(r);
}

void key_release(struct run *r)
{
	if (r->rq.claim && r->bound && !key_waits(r))
		keys_reach(r->rq.claim, KEYS_BOUND, r->id, r->conversation);
}

struct key_answer key_made(struct run *r)
{
	struct buf *body = &r->jobs->key_body;

	if (!r->rq.claim || !r->bound)
		return (struct key_answer){ .http = 0 };
	/* A stream that failed before its first block was answered with the error alone. */
	if (r->rq.prompt.stream && (r->failure.code == ERR_OK || r->open || r->open_due || !r->observer)) {
		if (!run_stored(r))
			feed_close(r);
		return (struct key_answer){ .http = 200,
					    .body = r->feed.keeps ? buf_view(&r->feed.out) : STR_NONE };
	}
	if (r->failure.code == ERR_OK) {
		if (print_whole(r))
			return (struct key_answer){ .http = 200, .body = buf_view(&r->whole) };
		err_set(&r->failure, ERR_OVERLOADED, "", "no memory for the answer");
	}
	buf_clear(body);
	if (!r->rq.family->error(&r->failure, str_of(r->request_id), body))
		buf_clear(body);
	return (struct key_answer){ .http = err_http(&r->failure), .body = buf_view(body) };
}

static void on_kept(struct store_job *job)
{
	struct run *r = container_of(job, struct run_jobs, keep.job)->run;

	r->jobs_out--;
	/* The client gets its answer all the same: it asked for the key's sake, not for the store's. */
	if (job->err.code != ERR_OK)
		r->bound = false;
	run_conclude(r);
}

bool key_save(struct run *r)
{
	if (run_stored(r) || !r->rq.claim || !r->bound)
		return false;
	run_move(r, STATE_ENDING);
	r->jobs->keep = keep_of(r, on_kept);
	r->jobs->keep.answer = key_made(r);
	r->jobs->keep.outcome = r->outcome;
	r->jobs_out++;
	if (!store_key_keep(r->engine->o.store, &r->jobs->keep)) {
		r->jobs_out--;
		r->bound = false;
		run_conclude(r);
	}
	return true;
}

void key_over(struct run *r)
{
	const struct err *e = r->failure.code != ERR_OK ? &r->failure : NULL;

	if (!r->rq.claim)
		return;
	/* What could not be stored can't be read again. */
	if (r->bound && !(e && e->code == ERR_STORAGE))
		keys_over(TAKE(r->rq.claim), KEYS_KEPT, NULL);
	else
		keys_over(TAKE(r->rq.claim), KEYS_FREED, e);
}
