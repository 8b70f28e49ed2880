/* The store's part of a run: what is read before it, written before and after the call. */
#include "base/clock.h"
#include "base/limits.h"
#include "run/internal.h"

#include <stdlib.h>

/* The next range of event numbers is asked for so early that nobody waits for it. */
enum { SEQ_AHEAD = 512 };

/* --- before the call --- */

static void on_begun(struct store_job *job)
{
	struct run *r = container_of(job, struct run, begin.job);

	r->jobs--;
	free(TAKE(r->begin_messages));
	if (job->err.code != ERR_OK) {
		struct err e = job->err;

		run_fail(r, &e);
		return;
	}
	call_start(r);
}

bool save_submit_begin(struct run *r)
{
	size_t n = r->rq.message_count;

	r->begin_messages = calloc(n ? n : 1, sizeof *r->begin_messages);
	if (!r->begin_messages)
		return false;
	for (size_t i = 0; i < n; i++)
		r->begin_messages[i] = (struct store_message){ id_new(), r->rq.messages[i] };
	r->begin = (struct turn_begin){
		.job = { .loop = run_loop(r), .done = on_begun },
		.owner = r->rq.owner,
		.now_ms = r->created_ms,
		.run = r->id,
		.conversation = r->conversation,
		.new_conversation = id_none(r->rq.conversation),
		.metadata = r->rq.metadata,
		.parent = r->branch.leaf,
		.expected_leaf = r->branch.expected_leaf,
		.instruction_set = r->rq.instruction_set,
		.instruction = r->rq.instruction,
		.model = r->rq.model,
		.provider = str_of(r->rq.provider->name),
		.shape = r->rq.native ? STR("native") : STR("openai"),
		.messages = r->begin_messages,
		.message_count = n,
		.seq_reserved = r->seq_reserved,
	};
	r->jobs++;
	if (r->engine->o.store->ops->turn_begin(r->engine->o.store, &r->begin))
		return true;
	r->jobs--;
	return false;
}

void save_begin(struct run *r)
{
	struct err e;

	run_move(r, STATE_BEGINNING);
	if (save_submit_begin(r))
		return;
	err_set(&e, ERR_OVERLOADED, "", "too many turns are waiting to be stored");
	run_fail(r, &e);
}

static void on_branch(struct store_job *job)
{
	struct run *r = container_of(job, struct run, branch.job);
	struct err  e = job->err;

	r->jobs--;
	if (e.code == ERR_OK && r->branch.live) {
		err_set(&e, ERR_CONVERSATION_BUSY, "conversation",
			"an answer is being made in this conversation; try again when it has ended");
		e.retry_after_ms = 1000;
	}
	if (e.code != ERR_OK) {
		run_fail(r, &e);
		return;
	}
	/* The branch's instruction holds until another one is set; the run's row repeats neither. */
	if (!r->rq.instruction_set && r->branch.instruction_set)
		r->rq.instruction = r->branch.instruction;
	if (!r->observer && !r->rq.finish) {
		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, RUN_CANCELLED, &e);
	} else if (run_stored(r)) {
		save_begin(r);
	} else {
		call_start(r);
	}
}

bool save_submit_load(struct run *r)
{
	run_move(r, STATE_LOADING);
	r->branch = (struct branch_read){
		.job = { .loop = run_loop(r), .done = on_branch },
		.owner = r->rq.owner,
		.conversation = r->rq.conversation,
	};
	arena_init(&r->branch.arena, LIMIT_BRANCH_BYTES);
	r->branch_read = true;
	r->jobs++;
	if (r->engine->o.store->ops->branch_read(r->engine->o.store, &r->branch))
		return true;
	r->jobs--;
	return false;
}

/* --- while it streams --- */

static void on_reserved(struct store_job *job)
{
	struct run *r = container_of(job, struct run, reserve.job);

	r->jobs--;
	r->reserving = false;
	if (job->err.code == ERR_OK) {
		r->seq_reserved = r->reserve.upto;
		feed_wake(r);
	} else if (r->state == STATE_STREAMING && r->call) {
		run_fail(r, &job->err);
		return;
	}
	run_free_if_over(r);
}

void save_reserve_ahead(struct run *r)
{
	if (r->reserving || r->seq_reserved - r->seq > SEQ_AHEAD || r->seq_reserved == UINT64_MAX)
		return;
	r->reserving = true;
	r->reserve = (struct seq_reserve){
		.job = { .loop = run_loop(r), .done = on_reserved },
		.run = r->id,
		.upto = r->seq_reserved * 2,
	};
	r->jobs++;
	if (r->engine->o.store->ops->seq_reserve(r->engine->o.store, &r->reserve))
		return;
	r->jobs--; /* a full queue: asked again at the next event */
	r->reserving = false;
}

/* --- after it --- */

static void on_end_stored(struct store_job *job)
{
	struct run *r = container_of(job, struct run, end.job);

	r->jobs--;
	/* An answer that could not be kept is not reported as a success. */
	if (job->err.code != ERR_OK)
		r->failure = job->err;
	run_conclude(r);
}

static bool print_end(struct run *r)
{
	if (answer_any(&r->answer) && !answer_print(&r->answer, &r->end_answer))
		return false;
	return r->failure.code == ERR_OK ||
	       err_object(&r->failure, str_of(r->request_id), &r->end_error);
}

void save_end(struct run *r)
{
	run_move(r, STATE_ENDING);
	if (!print_end(r)) {
		err_set(&r->failure, ERR_INTERNAL, "", "no memory to store the answer");
		r->outcome = RUN_INCOMPLETE;
	}
	r->end = (struct turn_end){
		.job = { .loop = run_loop(r), .done = on_end_stored },
		.run = r->id,
		.status = r->outcome,
		.answer = buf_view(&r->end_answer),
		.finish_reason = str_of(r->outcome == RUN_CANCELLED ? "" : r->finish_reason),
		.error = buf_view(&r->end_error),
		.usage = r->usage,
		.first_token_ms = r->first_token_ms,
		.completed_ms = clock_wall_ms(),
		.last_seq = r->seq,
		.attempts = 1,
	};
	r->jobs++;
	if (r->engine->o.store->ops->turn_end(r->engine->o.store, &r->end))
		return;
	r->jobs--;
	err_set(&r->failure, ERR_STORAGE, "", "the answer could not be stored");
	run_conclude(r);
}
