/* A stage that makes the letters of an answer upper case, for models whose names begin with
 * scratch-upper/: the text of the model, and the output of its code.  A piece that says "drop" goes. */
#include "base/limits.h"
#include "base/log.h"
#include "json/scan.h"
#include "run/internal.h"

#define UPPER_PREFIX "scratch-upper/"

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

static void upper_event(struct run *r, const struct event *ev)
{
	struct event said = *ev;
	struct buf   copy;

	if (ev->kind != EVENT_TEXT && ev->kind != EVENT_MESSAGE && ev->kind != EVENT_LMC) {
		run_pass(r, STAGE_UPPER, ev);
		return;
	}
	if (str_is(ev->text, "drop"))
		return;
	buf_init(&copy, LIMIT_UPSTREAM_BODY);
	bool ok = buf_str(&copy, ev->text);
	if (ok && ev->kind == EVENT_TEXT)
		raise_letters(copy.data, copy.len);
	else if (ok)
		ok = raise_content(ev->text, &copy);
	said.text = buf_view(&copy);
	said.give = NULL;
	if (ok)
		run_pass(r, STAGE_UPPER, &said);
	else
		run_overflow(r);
	buf_finish(&copy);
}

const struct stage scratch_upper_stage = {
	.name = "upper",
	.wanted = upper_wanted,
	.start = upper_start,
	.event = upper_event,
	.touches_text = true,
};
