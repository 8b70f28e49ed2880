/* A run that is taken up after the death of its gateway.
 *
 *   run_restart --> its log is gone through --> LOADING, the usual steps but `begin` --> the next attempt
 *                        |                                   |                            |
 *                        +--> it can't go on: an error       +----------------------------+--> it fails:
 *                                                                 the end that it would have had without this
 *
 * It has the id, the number of attempts, the list of them, and the bill of its first life; the attempt of then is
 * charged as recovery charges it, and listed with the error that recovery gives.  Numbers of events go on after
 * the last one in the log: no client of a run that may be taken up has seen a higher one (journal_strict).
 *
 * If its log has no event of a provider, nobody has seen anything, and it is asked as if it were new.  Else the
 * stage `resume` goes on with the text in the log, as it does when an attempt breaks off; what can't go on there
 * can't here.
 *
 * The reservation of its first life stays, and is made larger (budget.c): its end settles all of it.  Whether there is one,
 * is not what today's budgets say: they may have been set or taken away since. */
#include "base/clock.h"
#include "base/log.h"
#include "msg/event_code.h"
#include "run/guard.h"
#include "store/cut_off.h"

#include <stdlib.h>

void restart_failure(struct err *e)
{
	err_set(e, ERR_INTERNAL, "", "the gateway stopped while this answer was being made");
	str_copy(e->wire, sizeof e->wire, STR("server_stopped"));
}

/* --- the log --- */

static bool restart_piece(struct run *r, struct str data, uint64_t *seq, bool *begun)
{
	struct event ev;
	uint64_t     at;

	while (data.n > 0) {
		/* After a gap, the text would be another one. */
		if (!event_decode(&data, &ev, &at) || at > *seq + 1)
			return false;
		*seq = at;
		if (ev.kind == EVENT_ASKED)
			continue;
		*begun = true;
		resume_again(r, &ev);
		if (!guard_again(r, &ev) || !keep_again(r, &ev))
			return false;
	}
	return true;
}

/* restart_log: *begun: a provider had begun to answer. */
static enum errc restart_log(struct run *r, const struct run_cut *cut, bool *begun, struct err *e)
{
	uint64_t seq = 0;
	bool     ok = true;

	for (size_t i = 0; ok && i < cut->piece_count; i++)
		ok = restart_piece(r, cut->pieces[i].data, &seq, begun);
	if (!ok || seq == 0 || (!*begun && seq > UINT8_MAX))
		return err_set(e, ERR_NOT_CONTINUABLE, "", "its events can't be read");
	journal_again(r, seq, cut->seq_reserved, *begun);
	r->committed = *begun;
	r->given.resumes = *begun;
	run_stages_choose(r);
	if (*begun && !resume_take_up(r))
		return err_set(e, ERR_NOT_CONTINUABLE, "",
			       "it has what can't be unsaid or sent again");
	return ERR_OK;
}

/* --- the attempt of its first life --- */

struct restart_attempt {
	struct attempt_asked asked;
	struct buf           model; /* asked.model, where it is not the run's */
	struct str           past;  /* the elements of those before it */
	size_t               past_count;
	int64_t              begun_ms;
};

/* restart_list: the log ends with the attempt, unless that was lost. */
static void restart_list(const struct run *r, struct json_doc *d, struct str log,
			 struct restart_attempt *ret)
{
	struct err e;
	size_t     count = 0;
	json_at    last = JSON_ABSENT, before = JSON_ABSENT;
	json_at    member;
	int64_t    begin = 0, key = 0;

	*ret = (struct restart_attempt){ .asked = { .model = str_of(r->given.label) },
					 .begun_ms = r->given.created_ms };
	buf_init(&ret->model, ATTEMPT_LOG_BYTES);
	if (log.n == 0 || json_scan(d, log.p, log.n, &json_limits_stored, &e) != ERR_OK ||
	    json_kind(d, 0) != JSON_ARRAY)
		return;
	JSON_EACH (i, d, 0) {
		before = last;
		last = i;
		count++;
	}
	if (last == JSON_ABSENT || json_kind(d, last) != JSON_ARRAY)
		return;
	member = json_first(d, last);
	if (member == json_end(d, last))
		return;
	if (json_unescape(json_inner_of(d, member), &ret->model))
		ret->asked.model = buf_view(&ret->model);
	member = json_next(d, member);
	if (member != json_end(d, last) && json_int(d, member, &begin))
		ret->begun_ms += begin;
	for (; member != json_end(d, last); member = json_next(d, member))
		if (json_kind(d, member) == JSON_ARRAY &&
		    json_int(d, json_first(d, member), &key) && key > 0)
			ret->asked.key = (unsigned)key;
	ret->past_count = count - 1;
	if (before != JSON_ABSENT) {
		struct str end = json_raw(d, before);

		ret->past = (struct str){ log.p + 1, (size_t)(end.p + end.n - log.p) - 1 };
	}
}

/* restart_bill: what the attempt was worth, as recovery says. */
static void restart_bill(struct run *r, const struct run_cut *cut, struct attempt_past *ret)
{
	struct salvage_told told = cut_off_look(cut->pieces, cut->piece_count);
	struct usage_note   note = { .run = r->names.id };
	struct turn_end     end = { 0 };
	struct cut_off_bill alone = *cut->bill;
	struct bill        *b = &r->bill;

	if (!cut_off_charge(cut->bill, &told, &end, &note))
		return;
	b->usage = note.usage;
	b->nano = note.nano;
	b->charged = note.usage.known || note.usage.estimated;
	b->unpriced = b->charged && !note.priced;
	alone.dropped = false;
	note = (struct usage_note){ .run = r->names.id };
	if (!cut->bill->asked || !cut_off_charge(&alone, &told, &end, &note))
		return;
	ret->usage = note.usage;
	bill_keep_last(r, &note.usage);
	ret->costs = note.priced && (note.usage.known || note.usage.estimated);
	ret->nano = note.nano;
}

static void restart_attempt(struct run *r, const struct run_cut *cut)
{
	struct attempt        *a = &r->attempt;
	struct json_doc        d = { 0 };
	struct restart_attempt was;
	struct attempt_past    past = { .ended_ms = clock_wall_ms() };
	char                   provider[LIVE_FEED_PROVIDER];
	struct err             e;

	restart_failure(&e);
	err_keep(&a->last, &e);
	str_copy(provider, sizeof provider, cut->bill->provider);
	past.provider = provider;
	past.code = err_wire(&e);
	past.first_ms = cut->bill->first_token_ms;
	restart_bill(r, cut, &past);
	restart_list(r, &d, cut->attempt_log, &was);
	/* Between two attempts, the last one in the list was given up, too. */
	if (!cut->bill->asked && cut->attempt_log.n > 2) {
		was.past = (struct str){ cut->attempt_log.p + 1, cut->attempt_log.n - 2 };
		was.past_count++;
	}
	a->count = (unsigned)cut->bill->attempts;
	a->settled = true;
	a->first_token_ms = cut->bill->first_token_ms;
	live_again(r->live, was.past, was.past_count, was.begun_ms, a->count);
	if (cut->bill->asked)
		live_attempt_past(r->live, &was.asked, &past);
	buf_finish(&was.model);
	json_doc_finish(&d);
}

/* --- the run --- */

static void restart_tell(const struct run *r, bool begun)
{
	struct log_line l;

	log_begin(&l, LOG_WARN, "run_taken_up");
	log_str(&l, "run", str_of(r->names.id_text));
	log_str(&l, "model", str_of(r->given.label));
	log_str(&l, "msg",
		begun ? STR("its gateway stopped while its answer was being made: it goes on")
		      : STR("its gateway stopped before its answer began: it is asked again"));
	log_end(&l);
}

static enum errc restart_begin(struct run *r, const struct run_cut *cut, struct err *e)
{
	bool begun = false;

	r->given.restarted = true;
	r->given.restarts = false;
	r->bill.jobs = calloc(1, sizeof *r->bill.jobs);
	if (!r->bill.jobs || !run_enlist(r))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	r->bill.jobs->run = r;
	r->bill.reserved = r->bill.again = cut->reserved;
	if (restart_log(r, cut, &begun, e) != ERR_OK)
		return e->code;
	restart_attempt(r, cut);
	live_set_status(r->live, RUN_RUNNING);
	r->journal.news = true;
	restart_tell(r, begun);
	return step_first(r, e);
}

enum errc run_restart(struct run_engine *g, struct call_request *rq, const struct run_cut *cut,
		      struct err *e)
{
	struct run *r = run_new(g, rq, cut->run, cut->created_ms);

	if (!r)
		return run_unmade(rq, e);
	enum errc rc = restart_begin(r, cut, e);
	if (rc != ERR_OK)
		run_free(r);
	return rc;
}
