/* A run's way to its provider's call: the loop that takes the steps of run/rows.c, which run.h
 * draws, in their order.
 *
 * The loop skips a step that the run does not need.  A step that waits for the store or for a
 * worker parks the run; the callback of its job calls step_over, and the loop continues with the
 * next row.  Before each step, the loop checks that somebody still wants the run and that the
 * gateway is not stopping, so no step has to check this.  A new step is a row there, and a start
 * function in the file that does the work. */
#include "base/log.h"
#include "run/internal.h"

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

/* step_holds: whether the run may take another step; false: e says why it ends. */
static bool step_holds(const struct run *r, struct err *e)
{
	CHECK(!r->call && !r->aside.on);
	if (r->engine->stopping.code != ERR_OK)
		*e = r->engine->stopping;
	else if (r->cancelled)
		err_set(e, ERR_CANCELLED, "", "the run was cancelled");
	else if (!r->observer && !r->given.finish)
		err_set(e, ERR_CANCELLED, "", "the client left");
	else
		return true;
	return false;
}

static unsigned step_has(const struct run *r)
{
	return (run_stored(r) ? RUN_STORED : 0u) | (r->attach ? RUN_FILES : 0u) |
	       (r->images ? RUN_IMAGES : 0u) |
	       (r->engine->o.image_root && r->given.family->files ? RUN_IMAGE_ROOT : 0u) |
	       (run_stages_with(r, STAGE_PART_START) ? RUN_STAGES : 0u) |
	       (r->starting ? RUN_STARTING : 0u) | (r->prepared ? 0u : RUN_UNPREPARED) |
	       (r->computer ? RUN_COMPUTER : 0u) |
	       (r->rq && r->rq->manner.cache.asked ? RUN_CACHE : 0u);
}

static void step_tell(const struct run *r, const struct step *s)
{
	struct log_line l;

	if (!log_on(LOG_DEBUG))
		return;
	log_begin(&l, LOG_DEBUG, "step");
	log_str(&l, "run", str_of(r->names.id_text));
	log_str(&l, "step", str_of(s->name));
	log_end(&l);
}

/* step_loop: takes steps until a step parks the run, fails, or is the last one; after STEP_DONE the
 * run may be gone. */
static enum step_next step_loop(struct run *r, struct err *e)
{
	enum step_next next = STEP_MORE;
	unsigned       has = step_has(r);

	while (next == STEP_MORE) {
		CHECK(r->step < run_step_count);
		const struct step *s = &run_steps[r->step++];

		if ((s->needs & ~has) != 0 || (s->wanted && !s->wanted(r)))
			continue;
		if (r->state != s->state)
			run_move(r, s->state);
		if (!step_holds(r, e))
			return STEP_FAILED;
		step_tell(r, s);
		next = s->start(r, e);
		if (next == STEP_MORE) /* else the run may be gone */
			has = step_has(r);
	}
	if (next != STEP_AGAIN)
		return next;
	r->step--;
	return STEP_PARKED;
}

enum errc step_first(struct run *r, struct err *e)
{
	if (r->bill.who && r->bill.who->group && guard_known(r, e) != ERR_OK)
		return e->code;
	r->starting = true;
	enum step_next next = step_loop(r, e);
	r->starting = false;
	CHECK(next == STEP_PARKED || next == STEP_FAILED);
	return next == STEP_FAILED ? e->code : ERR_OK;
}

void step_again(struct run *r)
{
	struct err e = { .code = ERR_OK };

	run_stages_again(r);
	r->step = 0;
	while (run_steps[r->step].state != STATE_RECORDING)
		r->step++;
	step_over(r, &e);
}

void step_over(struct run *r, struct err *e)
{
	/* From CALLING on, a run may end while a step has parked it. */
	if (r->state >= STATE_ENDING)
		run_free_if_over(r);
	else if (e->code != ERR_OK || step_loop(r, e) == STEP_FAILED)
		run_finish(r, e);
}
