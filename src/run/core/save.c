/* The store's part of a run: the branch is read and the client's messages are written before the
 * call, the answer is written after it. */
#include "base/limits.h"
#include "run/internal.h"
#include "desk/watch.h"
#include "store/turn.h"

#include <stdlib.h>

/* --- before the call --- */

/* go_on_in: the conversation of the previous run is known. */
static void go_on_in(struct run *r, struct id conversation)
{
	r->rq->thread.conversation = conversation;
	r->rq->thread.parent = r->jobs->branch->read.leaf;
	if (run_stored(r))
		run_set_conversation(r, conversation);
}

static bool approves_code(const struct run *r)
{
	return r->rq->manner.computing &&
	       (r->rq->manner.computing->approve || r->rq->manner.computing->refuse);
}

static void on_branch(struct store_job *job)
{
	struct run_branch        *x = container_of(job, struct run_branch, read.job);
	struct run               *r = x->run;
	const struct branch_read *b = &x->read;
	struct err                e = job->err;

	run_release(r);
	if (b->capped)
		r->bill.within = r->bill.capped = r->rq->manner.capped = true;
	if (e.code == ERR_OK && b->live) {
		err_set(&e, ERR_CONVERSATION_BUSY, "conversation",
			"an answer is being made in this conversation; try again when it has ended");
		e.retry_after_ms = 1000;
	}
	/* An answer's message has the id of its run. */
	if (e.code == ERR_OK && !id_none(r->rq->thread.continues) &&
	    b->leaf.key != r->rq->thread.continues.key)
		err_set(&e, ERR_NOT_CONTINUABLE, "", "%s",
			approves_code(r)
				? "this approval was given or refused before, or something came "
				  "after it: only the newest run of a conversation can be approved"
				: "only the newest run of a conversation can be continued, and only "
				  "if it has some answer");
	if (e.code == ERR_OK && !id_none(r->rq->thread.previous))
		go_on_in(r, b->conversation);
	/* The instruction of the branch holds until another turn sets one.  The run's own row does
	 * not repeat an inherited instruction. */
	if (e.code == ERR_OK && !r->rq->what.instruction_set && b->instruction_set) {
		r->rq->what.instruction = b->instruction;
		r->rq->what.instruction_default = false;
	}
	step_over(r, &e);
}

enum step_next save_load(struct run *r, struct err *e)
{
	struct run_branch *x = malloc(sizeof *x);

	if (!x) {
		err_set(e, ERR_OVERLOADED, "", "no memory for the conversation");
		return STEP_FAILED;
	}
	x->run = r;
	x->read = (struct branch_read){
		.job = { .loop = run_loop(r), .done = on_branch },
		.owner = r->given.owner,
		.conversation = r->rq->thread.conversation,
		.from = r->rq->thread.parent,
		.root = r->rq->thread.root,
		.run = r->rq->thread.previous,
		.shape = str_of(r->rq->manner.shape->word),
	};
	arena_init(&x->read.arena, LIMIT_BRANCH_BYTES);
	r->jobs->branch = x;
	run_hold(r);
	if (store_branch_read(r->engine->o.store, &x->read))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many calls are waiting; try again");
	return STEP_FAILED;
}

struct run_begin {
	struct run          *run;
	struct turn_begin    turn;
	struct store_message messages[];
};

static void on_begun(struct store_job *job)
{
	struct run_begin *b = container_of(job, struct run_begin, turn.job);
	struct run       *r = b->run;
	struct err        e = job->err;

	run_release(r);
	free(b);
	if (!r->jobs->late) {
		step_over(r, &e);
	} else if (e.code != ERR_OK) { /* the end's job is back next, and concludes the run */
		r->jobs->unbegun = true;
		run_set_failure(r, &e);
	}
}

static bool submit_begin(struct run *r)
{
	const struct branch_read *branch = run_branch(r);
	size_t                    n = r->rq->what.message_count;
	struct run_begin         *b = malloc(sizeof *b + n * sizeof *b->messages);

	if (!b)
		return false;
	for (size_t i = 0; i < n; i++)
		b->messages[i] = (struct store_message){ id_new(), r->rq->what.messages[i] };
	b->run = r;
	b->turn = (struct turn_begin){
		.job = { .loop = run_loop(r), .done = on_begun },
		.owner = r->given.owner,
		.now_ms = r->given.created_ms,
		.run = r->names.id,
		.conversation = r->names.conversation,
		.new_conversation = id_none(r->rq->thread.conversation),
		.origin = r->rq->caller.console ? ORIGIN_CONSOLE : ORIGIN_PROGRAM,
		.metadata = r->rq->thread.metadata,
		.keep_ms = r->rq->thread.keep_ms,
		.continues = r->rq->thread.continues,
		.request_id = r->given.family->shown_again ? str_of(r->given.request_id) : STR_NONE,
		.settings = r->rq->manner.settings,
		.parent = branch ? branch->leaf : (struct id){ 0 },
		.expected_leaf = branch ? branch->expected_leaf : (struct id){ 0 },
		.branching = r->rq->thread.root || !id_none(r->rq->thread.parent),
		.waits = r->rq->manner.computing && r->rq->manner.computing->waiting,
		.instruction_set = r->rq->what.instruction_set && !r->rq->what.instruction_once,
		.instruction = r->rq->what.instruction,
		.model = r->rq->what.model,
		.provider = str_of(r->provider->name),
		.shape = str_of(r->rq->manner.shape->word),
		.messages = b->messages,
		.message_count = n,
	};
	r->given.opens = id_none(b->turn.parent) && !b->turn.branching;
	run_stages_begin(r, &b->turn);
	for (run_begin_fn *const *row = run_begins; *row; row++)
		(*row)(r, &b->turn);
	run_hold(r);
	if (store_turn_begin(r->engine->o.store, &b->turn))
		return true;
	run_release(r);
	free(b);
	return false;
}

bool save_is_late(const struct run *r)
{
	return r->jobs && r->jobs->late;
}

/* may_be_late: a plain answer that is there already needs one transaction for its turn, not two, where the store
 * does the jobs of a run in their order: until its end, nobody can see that the run is not stored. */
static bool may_be_late(const struct run *r)
{
	return cache_is_hit(r) && !r->given.stream && !r->slot && !r->rq->manner.background &&
	       !store_is_shared(r->engine->o.store);
}

enum step_next save_begin(struct run *r, struct err *e)
{
	r->jobs->late = may_be_late(r);
	if (r->jobs->late)
		return STEP_MORE;
	if (submit_begin(r))
		return STEP_PARKED;
	err_set(e, ERR_OVERLOADED, "", "too many turns are waiting to be stored; try again");
	return STEP_FAILED;
}

/* --- after the call --- */

/* One end of an engine at a time needs no memory; more ends wait if they get none.  A run without a stored end
 * would keep its conversation and its key until the next start. */
static struct run_end *end_take(struct run_engine *g)
{
	if (g->end_taken)
		return malloc(sizeof(struct run_end));
	g->end_taken = true;
	return &g->end_first;
}

static void end_give_back(struct run_engine *g, struct run_end *x)
{
	if (x == &g->end_first)
		g->end_taken = false;
	else
		free(x);
}

static bool end_submit(struct run *r, struct run_end *x);

/* x goes to the next run whose end waits, or back to where it came from. */
static void end_pass_on(struct run_engine *g, struct run_end *x)
{
	struct run_jobs *j = LIST_FIRST(&g->end_waits, struct run_jobs, end_turn);

	while (j) {
		list_take_out(&j->end_turn);
		run_release(j->run);
		if (end_submit(j->run, x))
			return;
		j = LIST_FIRST(&g->end_waits, struct run_jobs, end_turn);
	}
	end_give_back(g, x);
}

static void on_end_stored(struct store_job *job)
{
	struct run_end    *x = container_of(job, struct run_end, turn.job);
	struct run        *r = x->run;
	struct run_engine *g = r->engine;

	run_release(r);
	run_stages_saved(r, x);
	watch_notify(r->names.id);
	/* An answer that is not stored must not be reported as a success. */
	if (job->err.code != ERR_OK && !r->jobs->unbegun) {
		run_set_failure(r, &job->err);
		lost_add(r);
	}
	if (r->jobs->unbegun)
		r->outcome = RUN_FAILED;
	end_pass_on(g, x);
	run_conclude(r);
}

static bool save_print_end(struct run *r)
{
	if (!print_stored(r))
		return false;
	return !r->failure ||
	       err_object(r->failure, str_of(r->given.request_id), &r->jobs->end_error);
}

/* stays_at: where the conversation's next call is to go, if there is a choice. */
static int64_t stays_at(const struct run *r)
{
	return !r->failure && r->given.route && !cache_is_hit(r) && registry_holds(r->given.route)
		       ? attempt_place(r)
		       : 0;
}

/* end_submit: false: the store takes no more; then the run has ended without it, and x is free. */
static bool end_submit(struct run *r, struct run_end *x)
{
	x->run = r;
	x->turn = (struct turn_end){
		.job = { .loop = run_loop(r), .done = on_end_stored },
		.run = r->names.id,
		.status = r->outcome,
		.answer = buf_view(&r->jobs->end_answer),
		.error = buf_view(&r->jobs->end_error),
		.first_token_ms = r->attempt.first_token_ms,
		.completed_ms = r->ended_ms,
		.attempts = r->attempt.count,
		.attempt_log = buf_view(&r->live->log.text),
		.provider = str_of(r->provider->name),
		.target = stays_at(r),
	};
	for (run_save_fn *const *row = run_saves; *row; row++)
		(*row)(r, x);
	run_stages_save(r, x);
	run_hold(r);
	if (store_turn_end(r->engine->o.store, &x->turn))
		return true;
	run_release(r);
	x->turn.later = true; /* recovery at the next start ends the run */
	run_stages_saved(r, x);
	run_fail(r, ERR_STORAGE, "the answer could not be stored");
	run_conclude(r);
	return false;
}

static void save_end(struct run *r)
{
	struct run_engine *g = r->engine;
	struct run_end    *x = end_take(g);

	run_move(r, STATE_ENDING);
	if (!save_print_end(r)) {
		run_fail(r, ERR_INTERNAL, "no memory to store the answer");
		buf_clear(&r->jobs->end_answer); /* half an object is no JSON */
		buf_clear(&r->jobs->end_error);
		if (r->failure &&
		    !err_object(r->failure, str_of(r->given.request_id), &r->jobs->end_error))
			buf_clear(&r->jobs->end_error);
		run_set_incomplete(r);
	}
	if (!x) {
		struct run_end none = { .run = r };

		/* An append that fails from now on leaves its events for the end. */
		run_stages_save(r, &none);
		run_hold(r);
		list_put_back(&g->end_waits, &r->jobs->end_turn);
	} else if (!end_submit(r, x)) {
		end_give_back(g, x);
	}
}

bool save_ends(struct run *r, const struct run_ending *x)
{
	if (!run_stored(r) || !x->called)
		return false;
	if (save_is_late(r) && !submit_begin(r)) {
		run_fail(r, ERR_OVERLOADED, "too many turns are waiting to be stored; try again");
		r->outcome = RUN_FAILED;
		return false;
	}
	save_end(r);
	return true;
}
