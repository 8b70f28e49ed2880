/* Code of earlier answers that has no result yet: the run that said it has ended without it. */
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "run/computer.h"
#include "store/conversation.h"

struct waiting {
	struct run_computer *c;
	struct json_doc      doc;
	struct buf           language, text;
};

static bool waiting_is(const struct json_doc *d, json_at message, const char *key, const char *word)
{
	json_at i = json_get(d, message, key);

	return i != JSON_ABSENT && json_is(d, i, word);
}

static json_at waiting_list(const struct json_doc *d)
{
	json_at list = json_get(d, 0, "lmc");

	return list != JSON_ABSENT && json_kind(d, list) == JSON_ARRAY ? list : JSON_ABSENT;
}

static bool waiting_scan(struct waiting *w, struct str body)
{
	struct err e;

	return memmem(body.p, body.n, "\"lmc\"", 5) &&
	       json_scan(&w->doc, body.p, body.n, &json_limits_stored, &e) == ERR_OK &&
	       waiting_is(&w->doc, 0, "role", "assistant") && waiting_list(&w->doc) != JSON_ABSENT;
}

/* waiting_blank: the answer of a run that only went on to a confirmation, and said nothing itself. */
static bool waiting_blank(struct waiting *w, struct str body)
{
	struct err e;

	return body.n < KIB &&
	       json_scan(&w->doc, body.p, body.n, &json_limits_stored, &e) == ERR_OK &&
	       waiting_is(&w->doc, 0, "role", "assistant") &&
	       waiting_is(&w->doc, 0, "content", "") &&
	       json_get(&w->doc, 0, "tool_calls") == JSON_ABSENT;
}

static bool waiting_member(const struct json_doc *d, json_at message, const char *key,
			   struct buf *out)
{
	json_at i = json_get(d, message, key);

	buf_clear(out);
	return i == JSON_ABSENT || text_of(d, i, out);
}

/* waiting_goes_on: output of the execution before, after an image of it (computer/computer_console). */
static bool waiting_goes_on(const struct json_doc *d, json_at message)
{
	return json_get(d, message, "continued") != JSON_ABSENT;
}

/* waiting_take: code waits, and the next output is the result of the first that does. */
static bool waiting_take(struct waiting *w, json_at message)
{
	const struct json_doc *d = &w->doc;
	bool                   code = waiting_is(d, message, "type", "code");
	char                   name[LANGUAGES_NAME];

	if (waiting_is(d, message, "role", "computer")) {
		if (waiting_is(d, message, "type", "console") && !waiting_goes_on(d, message) &&
		    w->c->code_next < w->c->code_count)
			w->c->code_next++;
		return true;
	}
	if (!code && !waiting_is(d, message, "type", "tool_call"))
		return true;
	if (!waiting_member(d, message, "format", &w->language))
		return false;
	if (code && w->c->run->rq->manner.fence &&
	    !computer_allows(w->c, buf_view(&w->language), name))
		return true;
	return waiting_member(d, message, "content", &w->text) &&
	       computer_code(w->c, buf_view(&w->language), buf_view(&w->text), !code);
}

static bool waiting_walk(struct waiting *w, const struct branch_read *b)
{
	size_t from = b->message_count;
	bool   ok = true;

	while (from > 0 && (waiting_scan(w, b->messages[from - 1].body) ||
			    waiting_blank(w, b->messages[from - 1].body)))
		from--;
	for (; ok && from < b->message_count; from++) {
		if (!waiting_scan(w, b->messages[from].body))
			continue;
		JSON_EACH (i, &w->doc, waiting_list(&w->doc))
			ok = ok && waiting_take(w, i);
	}
	return ok;
}

enum errc waiting_find(struct run *r, struct err *e)
{
	struct waiting w = { .c = r->computer };

	buf_init(&w.language, LIMIT_ANSWER);
	buf_init(&w.text, LIMIT_ANSWER);
	bool ok = waiting_walk(&w, run_branch(r));
	json_doc_finish(&w.doc);
	buf_finish(&w.language);
	buf_finish(&w.text);
	if (!ok)
		return err_no_memory(e);
	return ERR_OK;
}
