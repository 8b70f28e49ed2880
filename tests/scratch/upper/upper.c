/* A stage that makes the letters of an answer upper case, for models whose names begin with
 * scratch-upper/: the text of the model, and the output of its code.  Pieces are held
 * for a moment, and one that says "drop" goes. */
#include "base/limits.h"
#include "base/log.h"
#include "json/scan.h"
#include "run/internal.h"

#define UPPER_PREFIX "scratch-upper/"

/* A piece of text waits for the event after it. */
struct upper {
	struct event held;
	struct buf   text; /* held's */
	bool         holds;
};

static bool upper_wanted(const struct run *r)
{
	return strncmp(r->given.model, UPPER_PREFIX, sizeof UPPER_PREFIX - 1) == 0;
}

/* upper_start: tells how many calls of the run there were before. */
static enum step_next upper_start(struct run *r, struct err *e)
{
	struct log_line l;

	(void)e;
	log_begin(&l, LOG_INFO, "scratch_upper");
	log_str(&l, "run", str_of(r->names.id_text));
	log_int(&l, "calls", r->attempt.count);
	log_end(&l);
	return STEP_MORE;
}

/* raise_letters: in an escaped text, all but the escapes. */
static void raise_letters(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\')
			i += i + 1 < n && p[i + 1] == 'u' ? 5 : 1;
		else if (p[i] >= 'a' && p[i] <= 'z')
			p[i] = (char)(p[i] - 'a' + 'A');
	}
}

/* raise_string: a string of the JSON value at `from`, in the copy of that value. */
static void raise_string(const struct json_doc *d, json_at i, struct str from, struct buf *copy)
{
	struct str text = json_inner_of(d, i);

	if (text.n > 0)
		raise_letters(copy->data + (text.p - from.p), text.n);
}

static bool is_said(const struct json_doc *d)
{
	return json_get(d, 0, "type") == JSON_ABSENT || json_get_is(d, 0, "type", "message") ||
	       json_get_is(d, 0, "type", "console");
}

/* raise_content: the content of a message of OpenAI's, or of a chunk of LMC. */
static bool raise_content(struct str from, struct buf *copy)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = json_scan(&d, from.p, from.n, &json_limits_upstream, &e) == ERR_OK;
	json_at         content = ok ? json_get(&d, 0, "content") : JSON_ABSENT;

	if (ok && is_said(&d)) {
		raise_string(&d, content, from, copy);
		if (json_is_kind(&d, content, JSON_ARRAY))
			JSON_EACH (i, &d, content)
				raise_string(&d, json_get(&d, i, "text"), from, copy);
	}
	json_doc_finish(&d);
	return ok;
}

/* upper_release: passes on what is held. */
static void upper_release(struct run *r)
{
	struct upper *u = run_stage_own(r, STAGE_UPPER, sizeof *u);

	if (!u || !u->holds)
		return;
	u->holds = false;
	u->held.text = buf_view(&u->text);
	run_pass(r, STAGE_UPPER, &u->held);
	buf_clear(&u->text);
}

/* upper_hold: false: memory is short. */
static bool upper_hold(struct run *r, const struct event *ev, struct str text)
{
	struct upper *u = run_stage_own(r, STAGE_UPPER, sizeof *u);

	if (!u)
		return false;
	if (u->text.max == 0)
		buf_init(&u->text, LIMIT_UPSTREAM_BODY);
	u->held = (struct event){ .kind = EVENT_TEXT,
				  .choice = ev->choice,
				  .numbered = ev->numbered,
				  .pass = ev->pass,
				  .from_lmc = ev->from_lmc };
	u->holds = buf_str(&u->text, text);
	return u->holds;
}

static bool upper_raise(struct run *r, const struct event *ev, struct buf *copy)
{
	struct event said = *ev;

	if (!buf_str(copy, ev->text))
		return false;
	if (ev->kind == EVENT_TEXT) {
		raise_letters(copy->data, copy->len);
		return upper_hold(r, ev, buf_view(copy));
	}
	if (!raise_content(ev->text, copy))
		return false;
	said.text = buf_view(copy);
	said.give = NULL;
	run_pass(r, STAGE_UPPER, &said);
	return true;
}

static void upper_event(struct run *r, const struct event *ev)
{
	struct buf copy;

	upper_release(r);
	if (r->aborting || str_is(ev->text, "drop"))
		return;
	if (ev->kind != EVENT_TEXT && ev->kind != EVENT_MESSAGE && ev->kind != EVENT_LMC) {
		run_pass(r, STAGE_UPPER, ev);
		return;
	}
	buf_init(&copy, LIMIT_UPSTREAM_BODY);
	if (!upper_raise(r, ev, &copy))
		run_overflow(r);
	buf_finish(&copy);
}

/* upper_end: a client gets all that came before a failure, too. */
static void upper_end(struct run *r, const struct err *e)
{
	(void)e;
	if (!r->aborting)
		upper_release(r);
}

static void upper_drop(void *own)
{
	struct upper *u = own;

	buf_finish(&u->text);
}

const struct stage scratch_upper_stage = {
	.name = "upper",
	.wanted = upper_wanted,
	.start = upper_start,
	.event = upper_event,
	.flush = upper_release,
	.end = upper_end,
	.drop = upper_drop,
	.touches_text = true,
};
