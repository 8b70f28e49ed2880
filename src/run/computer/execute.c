/* One execution: the record of it, the runner's connection, and what it tells, as chunks of LMC.
 *
 *   record --EXECUTE is durable--> start --frames--> the end, and the next step
 *                                    |
 *                                    +--the connection ends--> what came of it is not known */
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/metric.h"
#include "computer/link.h"
#include "run/computer.h"
#include "run/session_name.h"

static struct run_code *code_of(struct run_computer *c)
{
	return &c->codes[c->code_next];
}

/* --- RECORDING --- */

/* order_execution: puts the execution on the tape, before anybody is told to execute. */
static bool order_execution(struct run_computer *c)
{
	unsigned char     sha256[HASH_BYTES];
	char              hex[HASH_HEX + 1];
	const struct buf *text = &code_of(c)->text;

	if (!executions_add(c))
		return false;
	hash_sha256(text->data ? text->data : "", text->len, sha256);
	hash_hex(sha256, sizeof sha256, hex);
	computer_give(c->run, &(struct event){ .kind = EVENT_EXECUTE,
					       .id = str_of(executions_newest(c)->id),
					       .name = str_of(c->chosen),
					       .text = str_of(hex) });
	return !c->run->aborting;
}

enum step_next execute_record(struct run *r, struct err *e)
{
	struct run_computer *c = r->computer;

	if (!r->journal.logged) {
		err_set(e, ERR_STORAGE, "", "the store can't record executions");
		return STEP_FAILED;
	}
	if (!order_execution(c)) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	c->recorded = r->journal.seq;
	c->recording = true;
	run_stages_news(r, false);
	journal_urge(r);
	return STEP_PARKED;
}

bool execute_recorded(struct run *r)
{
	struct run_computer *c = r->computer;
	struct err           e = { .code = ERR_OK };

	if (!c->recording || r->state != STATE_RECORDING ||
	    tape_stored(r->journal.tape) < c->recorded)
		return false;
	c->recording = false;
	step_over(r, &e);
	return true;
}

/* --- the end --- */

static void note_end(struct run_computer *c, struct str outcome)
{
	struct run_execution *x = executions_newest(c);

	gather_close(c);
	if (!str_is(outcome, "ok") && !str_is(outcome, "error"))
		gather_drop(c); /* the session may be gone */
	c->executing = false;
	str_copy(x->outcome, sizeof x->outcome, outcome);
	x->ms = (clock_mono_us() - c->begun_us) / 1000;
	metric_add(METRIC_EXECUTIONS, (const char *[]){ x->outcome, "", "" }, 1);
	metric_observe(METRIC_EXECUTION_TIME, (const char *[]){ x->language, "", "" },
		       clock_mono_us() - c->begun_us);
	output_give(c, console_end(&c->console, &c->out));
	computer_give(c->run, &(struct event){ .kind = EVENT_EXECUTED,
					       .id = str_of(x->id),
					       .name = str_of(x->outcome) });
	c->chose = false;
	c->earlier = true;
	c->code_next++;
}

void execute_cut(struct run *r, const struct err *e)
{
	struct run_computer *c = r->computer;

	(void)e;
	if (c->recording) /* nobody was told to execute it */
		str_copy(executions_newest(c)->outcome, sizeof executions_newest(c)->outcome,
			 STR("refused"));
	c->recording = false;
	if (!c->executing)
		return;
	link_close(TAKE(c->link));
	output_say(c, STR("[interrupted]\n"));
	note_end(c, STR("interrupted"));
}

void execute_over(struct run_computer *c, struct str outcome)
{
	struct run *r = c->run;

	link_close(TAKE(c->link));
	note_end(c, outcome);
	if (r->aborting)
		return;
	run_stages_news(r, r->journal.logged);
	settle_later(r);
}

void execute_fail(struct run_computer *c, enum errc code, const char *text, const char *outcome)
{
	struct run *r = c->run;
	struct err  e;

	link_close(TAKE(c->link));
	note_end(c, str_of(outcome));
	err_set(&e, code, "", "%s", text);
	if (!r->aborting)
		run_finish(r, &e);
}

/* --- EXECUTING --- */

static bool put_order(struct run_computer *c, struct buf *out, size_t *ret_files)
{
	struct run *r = c->run;
	struct str  code = buf_view(&code_of(c)->text);
	char        session[SESSION_NAME_TEXT];
	char        owner[SESSION_NAME_TEXT];
	struct buf  head;

	session_name(r->engine->o.store, r->given.owner,
		     run_stored(r) ? r->names.conversation : r->names.id, session);
	session_name(r->engine->o.store, r->given.owner, (struct id){ 0 }, owner);
	buf_init(&head, KIB);
	bool ok = buf_fmt(&head,
			  "{\"version\":1,\"exec\":\"%s\",\"session\":\"%s\",\"owner\":\"%s\","
			  "\"language\":\"%s\"}",
			  executions_newest(c)->id, session, owner, c->chosen) &&
		  frame_put(out, FRAME_EXECUTE, buf_view(&head)) && gather_put(c, out, ret_files);
	buf_finish(&head);
	for (size_t at = 0; ok && at < code.n; at += LIMIT_RUNNER_FRAME / 2) {
		size_t n = code.n - at;

		ok = frame_put(out, FRAME_CODE,
			       (struct str){ code.p + at, n < LIMIT_RUNNER_FRAME / 2
								  ? n
								  : LIMIT_RUNNER_FRAME / 2 });
	}
	return ok && frame_put(out, FRAME_GO, STR_NONE);
}

/* execute_begin: false: e says why nobody executes it. */
static bool execute_begin(struct run_computer *c, struct err *e)
{
	struct run *r = c->run;
	struct buf  out;
	size_t      files = 0;

	buf_init(&out, 2 * LIMIT_RUNNER_CODE);
	enum errc rc = put_order(c, &out, &files) ? link_open(run_loop(r), r->engine->o.computer,
							      &out, &hear_ear, c, &c->link, e)
						  : err_no_memory(e);
	buf_finish(&out);
	if (rc == ERR_OK)
		link_files(c->link, gather_sent(c), files);
	return rc == ERR_OK;
}

enum step_next execute_start(struct run *r, struct err *e)
{
	struct run_computer *c = r->computer;

	if (!run_stored(r) && !executions_add(c)) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	c->begun_us = clock_mono_us();
	c->executing = true;
	if (code_of(c)->text.len > LIMIT_RUNNER_CODE) {
		output_say(c, STR("[the code is larger than 256 KiB]\n"));
		note_end(c, STR("refused"));
		settle_later(r);
		return STEP_PARKED;
	}
	if (!execute_begin(c, e)) {
		output_say(c, STR("[the computer stopped: this did not run]\n"));
		note_end(c, STR("refused"));
		return STEP_FAILED;
	}
	if (r->paused)
		link_pause(c->link, true);
	return STEP_PARKED;
}

void execute_pause(struct run *r, bool pause)
{
	if (r->computer->link && r->computer->executing)
		link_pause(r->computer->link, pause);
}
