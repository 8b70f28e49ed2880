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
#include "json/scan.h"
#include "lmc/text.h"
#include "run/computer.h"
#include "run/session_name.h"

#include <stdio.h>
#include <stdlib.h>

static const char unknown[] = "unknown";

static struct run_code *code_of(struct run_computer *c)
{
	return &c->codes[c->code_next];
}

static struct run_execution *newest(struct run_computer *c)
{
	return &c->executions[c->execution_count - 1];
}

/* --- chunks --- */

/* give_lines: the chunks that were printed, as events. */
static void give_lines(struct run_computer *c)
{
	struct str rest = buf_view(&c->out);

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t      n = end ? (size_t)(end - rest.p) : rest.n;

		interpret_say(c->run, (struct str){ rest.p, n });
		n += end != NULL;
		rest = (struct str){ rest.p + n, rest.n - n };
	}
	buf_clear(&c->out);
}

static void give(struct run_computer *c, bool ok)
{
	if (!ok && !c->run->aborting)
		run_abort_later(c->run, ERR_OVERLOADED, "no memory for the output of the computer");
	if (ok)
		give_lines(c);
	buf_clear(&c->out);
}

static void execute_say(struct run_computer *c, struct str text)
{
	give(c, console_output(&c->console, text, &c->out));
}

void execute_text(struct run *r, struct str text)
{
	struct run_computer *c = r->computer;

	execute_say(c, text);
	give(c, console_end(&c->console, &c->out));
}

void execute_show(struct run *r, struct str html)
{
	struct run_computer *c = r->computer;
	struct picture       p = { .format = PICTURE_HTML, .bytes = html };

	give(c, console_picture(&c->console, &p, &c->out));
	execute_text(r, STR("Shown to the user.\n"));
}

/* --- the list --- */

struct str execute_list(struct run *r)
{
	struct run_computer *c = r->computer;
	struct buf          *out = &c->list;
	bool                 ok = true;

	buf_clear(out);
	if (c->execution_count == 0)
		return STR_NONE;
	for (size_t i = 0; ok && i < c->execution_count; i++) {
		const struct run_execution *x = &c->executions[i];

		ok = buf_fmt(out,
			     "%s{\"id\":\"%s\",\"language\":\"%s\",\"outcome\":\"%s\",\"ms\":%lld,"
			     "\"bytes\":%lld}",
			     i == 0 ? "[" : ",", x->id, x->language, x->outcome, (long long)x->ms,
			     (long long)x->bytes);
	}
	return ok && buf_text(out, "]") ? buf_view(out) : STR_NONE;
}

struct str execute_listed(struct run *r, char **ret)
{
	struct str list = execute_list(r);

	*ret = list.n > 0 ? malloc(list.n) : NULL;
	if (!*ret)
		return STR_NONE;
	memcpy(*ret, list.p, list.n);
	return (struct str){ *ret, list.n };
}

static bool add_execution(struct run_computer *c)
{
	struct run_execution *list =
		realloc(c->executions, (c->execution_count + 1) * sizeof *list);

	if (!list)
		return false;
	c->executions = list;
	struct run_execution *x = &list[c->execution_count++];
	*x = (struct run_execution){ 0 };
	id_text(id_new(), ID_EXECUTION, x->id);
	str_copy(x->language, sizeof x->language, str_of(c->chosen));
	str_copy(x->outcome, sizeof x->outcome, str_of(unknown));
	return true;
}

/* --- RECORDING --- */

/* order: puts the execution on the tape, before anybody is told to execute. */
static bool order(struct run_computer *c)
{
	unsigned char     sha256[HASH_BYTES];
	char              hex[HASH_HEX + 1];
	const struct buf *text = &code_of(c)->text;

	if (!add_execution(c))
		return false;
	hash_sha256(text->data ? text->data : "", text->len, sha256);
	hash_hex(sha256, sizeof sha256, hex);
	call_come(c->run, &(struct event){ .kind = EVENT_EXECUTE,
					   .id = str_of(newest(c)->id),
					   .name = str_of(c->chosen),
					   .text = str_of(hex) });
	return !c->run->aborting;
}

enum step_next execute_record(struct run *r, struct err *e)
{
	struct run_computer *c = r->computer;

	if (!r->logged) {
		err_set(e, ERR_STORAGE, "", "the store can't record executions");
		return STEP_FAILED;
	}
	if (!order(c)) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	c->recorded = r->seq;
	c->recording = true;
	r->news = true;
	journal_urge(r);
	return STEP_PARKED;
}

bool execute_recorded(struct run *r)
{
	struct run_computer *c = r->computer;
	struct err           e = { .code = ERR_OK };

	if (!c->recording || r->state != STATE_RECORDING || tape_stored(r->tape) < c->recorded)
		return false;
	c->recording = false;
	step_over(r, &e);
	return true;
}

/* --- the end --- */

static void note_end(struct run_computer *c, struct str outcome)
{
	struct run_execution *x = newest(c);

	c->executing = false;
	str_copy(x->outcome, sizeof x->outcome, outcome);
	x->ms = (clock_mono_us() - c->begun_us) / 1000;
	metric_add(METRIC_EXECUTIONS, (const char *[]){ x->outcome, "", "" }, 1);
	metric_observe(METRIC_EXECUTION_TIME, (const char *[]){ x->language, "", "" },
		       clock_mono_us() - c->begun_us);
	give(c, console_end(&c->console, &c->out));
	call_come(c->run, &(struct event){ .kind = EVENT_EXECUTED,
					   .id = str_of(x->id),
					   .name = str_of(x->outcome) });
	c->chose = false;
	c->earlier = true;
	c->code_next++;
}

void execute_cut(struct run *r)
{
	struct run_computer *c = r->computer;

	if (c->recording) /* nobody was told to execute it */
		str_copy(newest(c)->outcome, sizeof newest(c)->outcome, STR("refused"));
	c->recording = false;
	if (!c->executing)
		return;
	link_close(TAKE(c->link));
	execute_say(c, STR("[interrupted]\n"));
	note_end(c, STR("interrupted"));
}

/* execute_over: the execution has ended, and the run goes on. */
static void execute_over(struct run_computer *c, struct str outcome)
{
	struct run *r = c->run;

	link_close(TAKE(c->link));
	note_end(c, outcome);
	if (r->aborting)
		return;
	r->news = true;
	if (r->logged)
		journal_news(r);
	computer_later(r);
}

/* --- what the runner says --- */

static void on_started(struct run_computer *c, const struct json_doc *d)
{
	json_at fresh = json_get(d, 0, "fresh");
	bool    lost = json_get_inner(d, 0, "gone").n > 0 || c->earlier;

	if (lost && fresh != JSON_ABSENT && json_kind(d, fresh) == JSON_TRUE)
		execute_say(c, STR("[new session: earlier variables and files are gone]\n"));
}

static void execute_on_end(struct run_computer *c, const struct json_doc *d)
{
	struct str outcome = json_get_inner(d, 0, "outcome");

	execute_over(c, outcome.n > 0 ? outcome : str_of(unknown));
}

/* fail: the computer could not do it; the run ends. */
static void fail(struct run_computer *c, enum errc code, const char *text, const char *outcome)
{
	struct run *r = c->run;
	struct err  e;

	link_close(TAKE(c->link));
	note_end(c, str_of(outcome));
	err_set(&e, code, "", "%s", text);
	if (!r->aborting)
		run_finish(r, &e);
}

/* on_refused: nothing has run.  What is wrong with the code is told to the model. */
static void on_refused(struct run_computer *c, const struct json_doc *d)
{
	struct str reason = json_get_inner(d, 0, "reason");
	json_at    message = json_get(d, 0, "message");
	struct buf text;

	if (str_is(reason, "full") || str_is(reason, "busy")) {
		fail(c, ERR_OVERLOADED, "no session of the computer is free; try again", "refused");
		return;
	}
	if (!str_is(reason, "language") && !str_is(reason, "invalid")) {
		execute_say(c, STR("[the computer could not execute this]\n"));
		fail(c, ERR_COMPUTER, "the computer could not execute the code", "refused");
		return;
	}
	buf_init(&text, 4 * KIB);
	if (message != JSON_ABSENT && text_of(d, message, &text) && buf_text(&text, "\n"))
		execute_say(c, buf_view(&text));
	buf_finish(&text);
	execute_over(c, STR("refused"));
}

static void on_json(struct run_computer *c, const struct frame *f)
{
	struct json_doc d = { 0 };
	struct err      e;
	json_at         path;
	struct buf      text;

	buf_init(&text, 64 * KIB);
	if (json_scan(&d, f->body.p, f->body.n, &json_limits_request, &e) != ERR_OK ||
	    json_kind(&d, 0) != JSON_OBJECT) {
		execute_say(c, STR("[the computer's answer can't be read]\n"));
		fail(c, ERR_COMPUTER, "the computer's answer can't be read", unknown);
	} else if (f->kind == FRAME_STARTED) {
		on_started(c, &d);
	} else if (f->kind == FRAME_END) {
		execute_on_end(c, &d);
	} else if (f->kind == FRAME_REFUSED) {
		on_refused(c, &d);
	} else if (f->kind == FRAME_FILE) {
		path = json_get(&d, 0, "path");
		if (path != JSON_ABSENT && text_of(&d, path, &text))
			give(c, console_file(&c->console, buf_view(&text), &c->out));
	}
	buf_finish(&text);
	json_doc_finish(&d);
}

/* execute_on_part: a part of an image or of html; an empty one ends it. */
static void execute_on_part(struct run_computer *c, enum picture_format format, struct str part)
{
	struct picture p = { .format = format };

	if (part.n > 0) {
		/* more than a runner sends: it is left out */
		(void)!buf_str(&c->picture, part);
		return;
	}
	p.bytes = buf_view(&c->picture);
	if (p.bytes.n > 0)
		give(c, console_picture(&c->console, &p, &c->out));
	buf_finish(&c->picture);
}

static void on_image(struct run_computer *c, struct str body)
{
	const char *end = body.n > 0 ? memchr(body.p, '\n', body.n) : NULL;

	if (!end)
		return;
	struct str form = { body.p, (size_t)(end - body.p) };
	execute_on_part(c, str_is(form, "jpeg") ? PICTURE_JPEG : PICTURE_PNG,
			(struct str){ end + 1, body.n - form.n - 1 });
}

static int64_t execute_digits(struct str s)
{
	int64_t v = 0;

	for (size_t i = 0; i < s.n && i < 10 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		v = v * 10 + (s.p[i] - '0');
	return v;
}

static void execute_on_frame(void *arg, const struct frame *f)
{
	struct run_computer *c = arg;

	switch (f->kind) {
	case FRAME_LINE:
		give(c, console_line(&c->console, execute_digits(f->body), &c->out));
		break;
	case FRAME_OUTPUT:
		newest(c)->bytes += (int64_t)f->body.n;
		execute_say(c, f->body);
		break;
	case FRAME_IMAGE: on_image(c, f->body); break;
	case FRAME_HTML: execute_on_part(c, PICTURE_HTML, f->body); break;
	case FRAME_STARTED:
	case FRAME_FILE:
	case FRAME_END:
	case FRAME_REFUSED: on_json(c, f); break;
	default: break; /* of a later version */
	}
}

static void execute_on_lost(void *arg)
{
	struct run_computer *c = arg;

	c->link = NULL;
	execute_say(c, STR("[the computer stopped: whether this ran to its end is not known]\n"));
	fail(c, ERR_COMPUTER, "the computer stopped while it executed the code", unknown);
}

/* --- EXECUTING --- */

static bool put_order(struct run_computer *c, struct buf *out)
{
	struct run *r = c->run;
	struct str  code = buf_view(&code_of(c)->text);
	char        session[SESSION_NAME_TEXT];
	char        owner[SESSION_NAME_TEXT];
	struct buf  head;

	session_name(r->engine->o.store, r->rq.owner, run_stored(r) ? r->conversation : r->id,
		     session);
	session_name(r->engine->o.store, r->rq.owner, (struct id){ 0 }, owner);
	buf_init(&head, KIB);
	bool ok = buf_fmt(&head,
			  "{\"version\":1,\"exec\":\"%s\",\"session\":\"%s\",\"owner\":\"%s\","
			  "\"language\":\"%s\"}",
			  newest(c)->id, session, owner, c->chosen) &&
		  frame_put(out, FRAME_EXECUTE, buf_view(&head));
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
	static const struct link_ear ear = { execute_on_frame, execute_on_lost };
	struct run                  *r = c->run;
	struct buf                   out;

	buf_init(&out, 2 * LIMIT_RUNNER_CODE);
	enum errc rc = put_order(c, &out) ? link_open(run_loop(r), r->engine->o.computer, &out,
						      &ear, c, &c->link, e)
					  : err_no_memory(e);
	buf_finish(&out);
	return rc == ERR_OK;
}

enum step_next execute_start(struct run *r, struct err *e)
{
	struct run_computer *c = r->computer;

	if (!run_stored(r) && !add_execution(c)) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	c->begun_us = clock_mono_us();
	c->executing = true;
	if (code_of(c)->text.len > LIMIT_RUNNER_CODE) {
		execute_say(c, STR("[the code is larger than 256 KiB]\n"));
		note_end(c, STR("refused"));
		computer_later(r);
		return STEP_PARKED;
	}
	if (!execute_begin(c, e)) {
		execute_say(c, STR("[the computer stopped: this did not run]\n"));
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

/* --- the end of an unstored run's session --- */

/* Nobody waits for the answer: the question is its own. */
struct forgetting {
	struct link *link;
};

static void forget_on_lost(void *arg)
{
	free(arg);
}

static void forget_on_frame(void *arg, const struct frame *f)
{
	struct forgetting *x = arg;

	(void)f;
	link_close(x->link);
	free(x);
}

void execute_forget(struct run *r)
{
	static const struct link_ear ear = { forget_on_frame, forget_on_lost };
	struct forgetting           *x = malloc(sizeof *x);
	char                         session[SESSION_NAME_TEXT];
	struct buf                   body;
	struct buf                   out;
	struct err                   e;

	if (!x)
		return; /* it ends when it has been idle for long */
	session_name(r->engine->o.store, r->rq.owner, r->id, session);
	buf_init(&body, KIB);
	buf_init(&out, KIB);
	if (!buf_fmt(&body, "{\"session\":\"%s\"}", session) ||
	    !frame_put(&out, FRAME_RESET, buf_view(&body)) ||
	    link_open(run_loop(r), r->engine->o.computer, &out, &ear, x, &x->link, &e) != ERR_OK)
		free(x);
	buf_finish(&body);
	buf_finish(&out);
}
