/* The tables by which the core (run/core) does what stages and the files of one step know how to do,
 * without naming them: the steps before the provider's call, and the rows of a run's end.  The stages of the way
 * of an event have a table of their own, stage.def. */
#include "run/computer.h"
#include "run/guard.h"
#include "run/internal.h"

/* --- what is wanted --- */

static bool wants_branch(const struct run *r)
{
	return !id_none(r->rq->thread.conversation) || !id_none(r->rq->thread.previous);
}

static bool wants_references(const struct run *r)
{
	return r->rq->thread.reference_count > 0;
}

static bool has_messages_of_ours(const struct run *r)
{
	return r->given.family->files || run_stored(r);
}

/* calls_again: each further call of a run with a computer is the stages' business anew. */
static bool calls_again(const struct run *r)
{
	return r->attempt.before > 0;
}

static bool is_new(const struct run *r)
{
	return !r->given.restarted;
}

/* settles_held: settle looks at what was passed on.  settled_held: so does what follows it. */
static bool settles_held(const struct run *r)
{
	return run_stages_with(r, STAGE_PART_DRAIN) && settle_waits(r);
}

static bool settled_held(const struct run *r)
{
	return run_stages_with(r, STAGE_PART_DRAIN) && r->state == STATE_RECORDING;
}

/* sets_late: the answer was not kept yet when ceilings are set, and no budget was left for one of the run's own. */
static bool sets_late(const struct run *r)
{
	return cache_awaits(r) && budget_sets(r);
}

/* --- steps without a file of their own --- */

static enum errc step_look_work(struct run *r, struct err *e)
{
	bill_look(r);
	return attach_look(r, e);
}

static enum step_next step_look(struct run *r, struct err *e)
{
	return step_aside(r, step_look_work, e);
}

static void step_turn_over(struct task *t)
{
	struct run *r = container_of(t, struct run, later_task);
	struct err  e = { .code = ERR_OK };

	run_release(r);
	step_over(r, &e);
}

/* step_turn: waits for the end of the loop's turn, because a call may fail at once, and no observer
 * may be called from within run_start. */
static enum step_next step_turn(struct run *r, struct err *e)
{
	(void)e;
	run_hold(r);
	r->later_task.fn = step_turn_over;
	loop_later(run_loop(r), &r->later_task);
	return STEP_PARKED;
}

/* --- the steps --- */

const struct step run_steps[] = {
	{ "load", STATE_LOADING, 0, wants_branch, save_load },
	{ "refer", STATE_LOADING, 0, wants_references, refer_find },
	{ "look", STATE_LOADING, 0, has_messages_of_ours, step_look },
	{ "find_files", STATE_LOADING, RUN_FILES, NULL, attach_find },
	{ "read_files", STATE_LOADING, RUN_FILES, NULL, attach_read },
	{ "find_images", STATE_LOADING, RUN_IMAGE_ROOT, NULL, image_look },
	{ "read_images", STATE_LOADING, RUN_IMAGES, NULL, image_read },
	{ "stages", STATE_LOADING, RUN_STAGES, NULL, run_stages_start },
	{ "cache", STATE_LOADING, RUN_CACHE, NULL, cache_begin },
	{ "prompt", STATE_LOADING, RUN_CACHE | RUN_UNPREPARED, cache_looks, call_prompt },
	{ "digest", STATE_LOADING, RUN_CACHE, cache_looks, cache_name },
	{ "look_up", STATE_LOADING, RUN_CACHE, cache_looks, cache_look },
	/* The reservation needs the weight of the prompt, so a key with a budget makes it early. */
	{ "weigh", STATE_LOADING, RUN_UNPREPARED, budget_wanted, call_prompt },
	{ "reserve", STATE_LOADING, 0, budget_wanted, budget_start },
	{ "ceiling", STATE_LOADING, RUN_CACHE, budget_sets, budget_set },
	{ "begin", STATE_BEGINNING, RUN_STORED, is_new, save_begin },
	{ "refuse", STATE_CALLING, RUN_STORED, vet_refused, vet_refuse },
	/* The row that `begin` has stored gets its end from CALLING on only. */
	{ "plan", STATE_CALLING, RUN_STORED, plan_wanted, plan_start },
	{ "turn", STATE_LOADING, RUN_STARTING, NULL, step_turn },
	{ "pass_on", STATE_RECORDING, RUN_COMPUTER, settles_held, call_pass_on },
	{ "settle", STATE_RECORDING, RUN_COMPUTER, settle_waits, settle_start },
	{ "pass_on", STATE_RECORDING, RUN_COMPUTER, settled_held, call_pass_on },
	{ "gather", STATE_RECORDING, RUN_COMPUTER, gather_wanted, gather_start },
	{ "record", STATE_RECORDING, RUN_COMPUTER | RUN_STORED, settle_chose, execute_record },
	{ "execute", STATE_EXECUTING, RUN_COMPUTER, settle_chose, execute_start },
	{ "stages", STATE_CALLING, RUN_COMPUTER | RUN_STAGES, calls_again, run_stages_start },
	{ "await", STATE_CALLING, RUN_CACHE, cache_awaits, cache_await },
	{ "ceiling", STATE_CALLING, RUN_CACHE, sets_late, budget_set },
	{ "prompt", STATE_CALLING, RUN_UNPREPARED, NULL, call_prompt },
	{ "book", STATE_CALLING, RUN_COMPUTER, bill_booked, bill_book },
	/* Each call of a run with a computer has a reservation of its own. */
	{ "reserve", STATE_CALLING, RUN_COMPUTER, budget_wanted, budget_start },
	{ "call", STATE_CALLING, 0, NULL, call_start },
};

const unsigned run_step_count = ARRAY_LEN(run_steps);

/* --- the end --- */

run_end_fn *const run_completes[] = { print_whole_aside, NULL };
run_end_fn *const run_stops[] = {
	print_failed_aside, commit_stop,      attempt_stop, keep_stops,
	computer_stop,      run_answer_stops, cache_stop,   NULL,
};
run_end_fn *const  run_stores[] = { journal_ends, attempt_close, save_ends, run_answer_save, NULL };
run_part_fn *const run_tells[] = { attach_release, journal_end, NULL };
run_part_fn *const run_overs[] = { attempt_book_last, bill_over,       cache_over,
				   ledger_over,       run_answer_over, NULL };
run_end_fn *const  run_closings[] = { print_last_aside, feed_ends, NULL };

run_begin_fn *const run_begins[] = { run_answer_begin, NULL };
run_save_fn *const  run_saves[] = { run_answer_end, executions_save, NULL };

run_part_fn *const run_drops[] = { refer_drop, image_drop, attach_drop, NULL };
run_part_fn *const run_frees[] = { journal_drop, attach_release, bill_finish, computer_free, NULL };
