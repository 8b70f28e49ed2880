/* What a run does before its provider's call: the table of steps that run.h draws, and the loop
 * that takes them in order.
 *
 * The loop skips a step that the run does not need.  A step that waits for the store or for a
 * worker parks the run; the callback of its job calls step_over, and the loop continues with the
 * next row.  Before each step, the loop checks that somebody still wants the run and that the
 * gateway is not stopping, so no step has to check this.  A new step is a row here, and a start
 * function in the file that does the work. */
#include "base/log.h"
#include "run/computer.h"
#include "run/internal.h"

struct step {
	const char    *name;
	enum run_state state;                /* of the run, while it takes the step */
	bool (*wanted)(const struct run *r); /* whether this run needs the step */
	enum step_next (*start)(struct run *r, struct err *e);
};

enum step_next step_aside(struct run *r, enum errc (*work)(struct run *r, struct err *e),
			  struct err *e)
{
	if (!aside_wanted(r))
		return work(r, e) == ERR_OK ? STEP_MORE : STEP_FAILED;
	if (aside_submit(r, work, step_over))
		return STEP_PARKED;
	err_set(e, ERR_OVERLOADED, "", "too many large requests are waiting; try again");
	return STEP_FAILED;
}

/* --- what is wanted --- */

static bool always(const struct run *r)
{
	(void)r;
	return true;
}

static bool continues(const struct run *r)
{
	return !id_none(r->rq->thread.conversation) || !id_none(r->rq->thread.previous);
}

static bool refers(const struct run *r)
{
	return r->rq->thread.reference_count > 0;
}

static bool has_messages_of_ours(const struct run *r)
{
	return r->family->files || run_stored(r);
}

static bool names_files(const struct run *r)
{
	return r->attach;
}

static bool is_starting(const struct run *r)
{
	return r->starting;
}

static bool starts_stages(const struct run *r)
{
	return run_stages_with(r, STAGE_PART_START);
}

static bool settles(const struct run *r)
{
	return r->computer && settle_waits(r);
}

static bool records(const struct run *r)
{
	return r->computer && settle_chose(r) && run_stored(r);
}

static bool executes(const struct run *r)
{
	return r->computer && settle_chose(r);
}

/* reserves_again: each call of a run with a computer has a reservation of its own. */
static bool reserves_again(const struct run *r)
{
	return r->computer && bill_wanted(r);
}

static bool lacks_prompt(const struct run *r)
{
	return !r->prepared;
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

/* --- the table and its loop --- */

static const struct step steps[] = {
	{ "load", STATE_LOADING, continues, save_load },
	{ "refer", STATE_LOADING, refers, refer_find },
	{ "look", STATE_LOADING, has_messages_of_ours, step_look },
	{ "find_files", STATE_LOADING, names_files, attach_find },
	{ "read_files", STATE_LOADING, names_files, attach_read },
	{ "find_images", STATE_LOADING, image_sought, image_look },
	{ "read_images", STATE_LOADING, image_wanted, image_read },
	{ "stages", STATE_LOADING, starts_stages, run_stages_start },
	/* The reservation needs the weight of the prompt, so a key with a budget makes it early. */
	{ "weigh", STATE_LOADING, bill_wanted, call_prompt },
	{ "reserve", STATE_LOADING, bill_wanted, bill_reserve },
	{ "begin", STATE_BEGINNING, run_stored, save_begin },
	{ "turn", STATE_LOADING, is_starting, step_turn },
	{ "settle", STATE_RECORDING, settles, settle_start },
	{ "gather", STATE_RECORDING, gather_wanted, gather_start },
	{ "record", STATE_RECORDING, records, execute_record },
	{ "execute", STATE_EXECUTING, executes, execute_start },
	{ "prompt", STATE_CALLING, lacks_prompt, call_prompt },
	{ "book", STATE_CALLING, bill_booked, bill_book },
	{ "reserve", STATE_CALLING, reserves_again, bill_reserve },
	{ "call", STATE_CALLING, always, call_start },
};

/* step_holds: whether the run may take another step; false: e says why it ends. */
static bool step_holds(const struct run *r, struct err *e)
{
	CHECK(!r->call && !r->aside.on);
	if (r->engine->stopping.code != ERR_OK)
		*e = r->engine->stopping;
	else if (r->cancelled)
		err_set(e, ERR_CANCELLED, "", "the run was cancelled");
	else if (!r->observer && !r->finish)
		err_set(e, ERR_CANCELLED, "", "the client left");
	else
		return true;
	return false;
}

static void step_tell(const struct run *r, const struct step *s)
{
	struct log_line l;

	if (!log_on(LOG_DEBUG))
		return;
	log_begin(&l, LOG_DEBUG, "step");
	log_str(&l, "run", str_of(r->id_text));
	log_str(&l, "step", str_of(s->name));
	log_end(&l);
}

/* step_loop: takes steps until a step parks the run, fails, or is the last one; after STEP_DONE the
 * run may be gone. */
static enum step_next step_loop(struct run *r, struct err *e)
{
	enum step_next next = STEP_MORE;

	while (next == STEP_MORE) {
		CHECK(r->step < ARRAY_LEN(steps));
		const struct step *s = &steps[r->step++];

		if (!s->wanted(r))
			continue;
		if (r->state != s->state)
			run_move(r, s->state);
		if (!step_holds(r, e))
			return STEP_FAILED;
		step_tell(r, s);
		next = s->start(r, e);
	}
	return next;
}

enum errc step_first(struct run *r, struct err *e)
{
	r->starting = true;
	enum step_next next = step_loop(r, e);
	r->starting = false;
	CHECK(next == STEP_PARKED || next == STEP_FAILED);
	return next == STEP_FAILED ? e->code : ERR_OK;
}

void step_again(struct run *r)
{
	struct err e = { .code = ERR_OK };

	r->step = 0;
	while (steps[r->step].start != settle_start)
		r->step++;
	step_over(r, &e);
}

void step_over(struct run *r, struct err *e)
{
	if (e->code != ERR_OK || step_loop(r, e) == STEP_FAILED)
		run_finish(r, e);
}
