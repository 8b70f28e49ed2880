/* The end of a run: what is done of it by others stands in the rows of run/rows.c, in their order. */
#include "base/clock.h"
#include "base/metric.h"
#include "run/internal.h"
#include "store/conversation.h"

#include <stdlib.h>

static void run_parts_do(struct run *r, run_part_fn *const *rows)
{
	for (; *rows; rows++)
		(*rows)(r);
}

/* run_ends: false: the end goes on after these rows. */
static bool run_ends(struct run *r, run_end_fn *const *rows, const struct run_ending *x)
{
	bool taken = false;

	for (; *rows && !taken; rows++)
		taken = (*rows)(r, x);
	return taken;
}

/* A stream may live long, and the large bodies of many streams would add up. */
void run_drop_request(struct run *r)
{
	if (r->jobs && r->jobs->branch) {
		arena_finish(&r->jobs->branch->read.arena);
		free(TAKE(r->jobs->branch));
	}
	run_parts_do(r, run_drops);
	if (!r->rq)
		return;
	origin_keep(r);
	input_destroy(TAKE(r->rq)->input);
}

void run_jobs_free(struct run_jobs *j)
{
	if (!j)
		return;
	buf_finish(&j->end_answer);
	buf_finish(&j->end_error);
	buf_finish(&j->key_body);
	free(j);
}

static void unlist_live(struct run *r)
{
	if (r->live)
		live_remove(r->live);
}

void run_free(struct run *r)
{
	struct run_engine *g = r->engine;

	unlist_live(r);
	if (r->live)
		attempt_log_finish(&r->live->log);
	free(r->live);
	run_parts_do(r, run_frees);
	run_stages_drop(r);
	tape_release(r->journal.tape);
	list_take_out(&r->link);
	g->live--;
	reader_finish(&r->feed.reader);
	warnings_finish(&r->warnings);
	answer_finish(&r->kept.answer);
	err_drop(&r->failure);
	err_drop(&r->aside.err);
	err_drop(&r->aside.why);
	buf_finish(&r->aside.body);
	run_drop_request(r);
	origin_drop(r);
	run_jobs_free(r->jobs);
	free(r->given.model);
	free(r->given.label);
	if (r->given.release)
		r->given.release(r->given.held);
	free(r);
}

void run_free_if_over(struct run *r)
{
	if (r->state == STATE_ENDED && !r->observer && r->jobs_out == 0 && !r->aborting &&
	    !(r->live && live_posted(r->live)))
		run_free(r);
}

static void book_tokens(const struct run *r)
{
	const struct usage *u = &r->kept.usage;
	const struct {
		const char *type;
		int64_t     n;
		bool        always;
	} kinds[] = {
		{ "input", u->in, true },
		{ "output", u->out, true },
		{ "cached", u->cached_read, false },
		{ "reasoning", u->reasoning, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].always || kinds[i].n > 0)
			metric_add(METRIC_TOKENS,
				   (const char *[]){ r->given.label, kinds[i].type, "" },
				   kinds[i].n);
	if (r->attempt.first_token_us && r->attempt.before == 0 && r->given.stream && u->out > 1 &&
	    !r->attempt.resumed && r->outcome == RUN_COMPLETED)
		metric_observe(METRIC_TOKEN_TIME,
			       (const char *[]){ r->provider->name, r->given.label, "" },
			       (r->answered_us - r->attempt.first_token_us) / (u->out - 1));
}

/* book_abort: counts a stream that was open and failed, by the side that is to blame. */
static void book_abort(enum errc code)
{
	bool ours = code == ERR_STORAGE || code == ERR_SHUTTING_DOWN || code == ERR_OVERLOADED ||
		    code == ERR_INTERNAL;
	const char *side = code == ERR_CANCELLED ? "client" : ours ? "gateway" : "upstream";

	metric_add(METRIC_STREAM_ABORTS, (const char *[]){ side, err_code_wire(code), "" }, 1);
}

static void run_book_metrics(struct run *r)
{
	if (r->attempt.called_us == 0)
		return;
	/* Attempts that are settled were counted when they ended. */
	if (r->kept.usage.known && !r->attempt.settled)
		book_tokens(r);
	/* The caller of run_leave counts streams whose client left. */
	if (r->feed.headers_sent && r->observer && r->failure)
		book_abort(r->failure->code);
	if (r->feed.headers_sent)
		metric_add(METRIC_EVENTS, (const char *[]){ "", "", "" }, (int64_t)r->journal.seq);
}

/* give_pass: returns the run's place and settles its tokens, those of both attempts where the answer went on
 * at another target.  A call that failed before its first content has used none, unless the provider reports
 * some.  Where limits are shared, a run that was taken up has taken its part before. */
static void give_pass(struct run *r)
{
	const struct usage *u = r->attempt.resumed ? &r->bill.usage : &r->kept.usage;
	bool                nothing = r->failure && !r->attempt.first_token_us;
	bool                hit = cache_is_hit(r);
	int64_t tokens = hit ? 0 : u->known || u->estimated ? u->in + u->out : nothing ? 0 : -1;

	bool paid = r->given.restarted && store_is_shared(r->engine->o.store);

	admit_over(&r->pass, hit || (r->attempt.count > 0 && !paid), tokens);
}

/* end_live: takes the run out of the live runs, and tells those who follow them. */
static void end_live(struct run *r)
{
	struct live_end end = {
		.completed_ms = r->ended_ms,
		.usage = r->kept.usage,
		.costs = r->bill.charged && !r->bill.unpriced,
		.cost_nano = run_cost(r),
	};

	if (!r->live)
		return;
	if (r->outcome != RUN_CANCELLED)
		str_copy(end.finish_reason, sizeof end.finish_reason,
			 str_of(r->kept.finish_reason));
	if (r->failure)
		str_copy(end.code, sizeof end.code, str_of(err_wire(r->failure)));
	live_end(r->live, r->outcome, &end);
}

void run_conclude(struct run *r)
{
	const struct err *e = r->failure;

	run_move(r, STATE_ENDED);
	give_pass(r);
	run_parts_do(r, run_tells);
	end_live(r);
	run_book_metrics(r);
	if (r->content)
		content_answered(r);
	if (r->given.opens && r->outcome == RUN_COMPLETED && r->engine->o.opened)
		r->engine->o.opened(r->engine->o.arg, r->bill.who, r->given.owner,
				    r->names.conversation, bill_tags(r));
	run_parts_do(r, run_overs);
	if (!r->observer) {
		run_free_if_over(r);
		return;
	}
	if (!r->given.stream || (e && !r->feed.headers_sent && !r->feed.headers_due)) {
		r->observer->done(r->observer_arg, e);
		return;
	}

	(void)run_ends(r, run_closings, NULL);
}

/* run_had_ended: a run that was taken up goes on with an answer, or nobody was asked again. */
static bool run_had_ended(const struct run *r)
{
	return r->given.restarted && (r->attempt.resumed || r->attempt.settled);
}

static enum run_status outcome_of(const struct run *r, const struct err *e)
{
	if (!e)
		return RUN_COMPLETED;
	if (e->code == ERR_CANCELLED)
		return RUN_CANCELLED;
	if (run_had_ended(r))
		return RUN_INCOMPLETE; /* recovery says the same, whether there is text or not */
	return answer_any(&r->kept.answer) ? RUN_INCOMPLETE : RUN_FAILED;
}

void run_set_incomplete(struct run *r)
{
	r->outcome = RUN_INCOMPLETE;
}

/* end_restarted: an answer that could not go on has ended with the gateway that made it. */
static void end_restarted(struct err *e)
{
	if (e->code != ERR_CANCELLED && e->code != ERR_SHUTTING_DOWN && e->code != ERR_STORAGE)
		restart_failure(e);
}

void run_finish(struct run *r, const struct err *e)
{
	struct run_ending x = {
		.e = e,
		/* A run that was taken up has called somebody before. */
		.called = run_called(r) || r->given.restarted,
		.asked = r->attempt.on,
	};

	if (aside_ends(r, e))
		return;
	if (e) {
		struct err named = *e;

		if (run_had_ended(r))
			end_restarted(&named);
		else if (e != r->failure)
			origin_name(r, &named);
		run_set_failure(r, &named);
		/* The given one may have been the old failure, which is gone. */
		x.e = e = r->failure;
	}
	if (r->attempt.called_us)
		r->answered_us = clock_mono_us();
	if (r->ended_ms == 0)
		r->ended_ms = clock_wall_ms();
	if (x.called)
		run_stages_end(r, e);
	if (e) /* a stage may have found that memory is short */
		x.e = r->failure;
	if (run_ends(r, run_stops, &x))
		return;
	r->outcome = outcome_of(r, e ? r->failure : NULL);
	if (!run_ends(r, run_stores, &x))
		run_conclude(r);
}

void run_complete(struct run *r)
{
	r->ended_ms = clock_wall_ms();
	if (!run_ends(r, run_completes, NULL))
		run_finish(r, NULL);
}

static void abort_now(struct task *t)
{
	struct run *r = container_of(t, struct run, later_task);

	r->aborting = false;
	if (run_called(r))
		run_finish(r, r->failure);
	else
		run_free_if_over(r);
}

void run_abort_later(struct run *r, enum errc code, const char *text)
{
	if (r->aborting)
		return;
	run_fail(r, code, text);
	r->aborting = true;
	r->later_task.fn = abort_now;
	loop_later(run_loop(r), &r->later_task);
}
