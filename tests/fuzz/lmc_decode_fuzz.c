/* libFuzzer: whatever a server of LMC sends, what goes out keeps to the grammar, and makes the same
 * messages.  The first byte chooses: a stream of lines, or a whole answer. */
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/lmc_gather.h"
#include "provider/dialect.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 1 << 26 };

struct heard {
	struct json_doc doc;
	struct gather  *given; /* of what goes out */
	bool            open;
	uint32_t        calls;
};

static bool has(const struct heard *w, const char *key)
{
	return json_get(&w->doc, 0, key) != JSON_ABSENT;
}

static void check_chunk(struct heard *w, struct str chunk)
{
	struct err e;

	CHECK(!memchr(chunk.p, '\n', chunk.n) && !memchr(chunk.p, '\r', chunk.n));
	CHECK(json_scan(&w->doc, chunk.p, chunk.n, &json_limits_upstream, &e) == ERR_OK);
	CHECK(json_kind(&w->doc, 0) == JSON_OBJECT);
	CHECK(has(w, "start") + has(w, "content") + has(w, "end") == 1);
	CHECK(!json_is(&w->doc, json_get(&w->doc, 0, "role"), "server"));
	CHECK(gather_chunk(w->given, &w->doc, 0, "", 0, &e) == ERR_OK);

	bool bare = json_is(&w->doc, json_get(&w->doc, 0, "type"), "confirmation");
	CHECK(w->open == !(has(w, "start") || bare));
	w->open = has(w, "start") || (w->open && has(w, "content"));
}

/* check_escaped: the text may stand between two quotes. */
static void check_escaped(struct str text)
{
	struct json_doc doc = { 0 };
	struct buf      b;
	struct err      e;

	buf_init(&b, MAX);
	CHECK(buf_text(&b, "\"") && buf_str(&b, text) && buf_text(&b, "\""));
	CHECK(json_scan(&doc, b.data, b.len, &json_limits_upstream, &e) == ERR_OK);
	buf_finish(&b);
	json_doc_finish(&doc);
}

static void on_event(void *arg, const struct event *ev)
{
	struct heard *w = arg;

	CHECK(ev->kind != EVENT_END && ev->kind != EVENT_ERROR && ev->choice == 0 &&
	      ev->raw.n == 0);
	if (ev->kind == EVENT_LMC) {
		check_chunk(w, ev->text);
		return;
	}
	if (ev->kind != EVENT_MESSAGE)
		check_escaped(ev->text);
	check_escaped(ev->name);
	if (ev->kind == EVENT_TOOL_START)
		CHECK(ev->block == w->calls++ && ev->id.n > 0);
	if (ev->kind == EVENT_TOOL_ARGS)
		CHECK(ev->block + 1 == w->calls);
}

static void print_messages(struct gather *g, struct buf *out)
{
	struct json_doc doc = { 0 };
	struct buf      list;
	struct str      messages;
	struct err      e;

	buf_init(&list, MAX);
	CHECK(gather_end(g, &messages, &e) == ERR_OK);
	CHECK(buf_text(&list, "[") && buf_str(&list, messages) && buf_text(&list, "]"));
	CHECK(json_scan(&doc, list.data, list.len, &json_limits_upstream, &e) == ERR_OK);
	CHECK(json_print(&doc, 0, out));
	buf_finish(&list);
	json_doc_finish(&doc);
}

static void compare(struct gather *sent, struct gather *given)
{
	struct buf a, b;

	buf_init(&a, MAX);
	buf_init(&b, MAX);
	print_messages(sent, &a);
	print_messages(given, &b);
	CHECK(str_eq(buf_view(&a), buf_view(&b)));
	buf_finish(&a);
	buf_finish(&b);
}

/* decode_line: in a copy of its own.  False: the stream is over. */
static bool decode_line(struct decode *d, struct gather *sent, const char *p, size_t n)
{
	struct json_doc doc = { 0 };
	struct err      e;
	char           *copy = malloc(n + 1);

	CHECK(copy != NULL);
	memcpy(copy, p, n);
	enum errc rc =
		n > 0 ? dialect_lmc.decode_event(d, STR_NONE, (struct str){ copy, n }, &e) : ERR_OK;
	CHECK(rc == ERR_OK || (e.code == rc && e.text[0] && err_http(&e) >= 400));
	if (rc == ERR_OK && json_scan(&doc, copy, n, &json_limits_upstream, &e) == ERR_OK)
		CHECK(gather_chunk(sent, &doc, 0, "", 0, &e) == ERR_OK);
	json_doc_finish(&doc);
	free(copy);
	return rc == ERR_OK && !d->done_mark;
}

static void decode_lines(struct decode *d, struct heard *w, const char *p, size_t n)
{
	static const char status[] =
		"{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\"}";
	struct gather *sent = gather_create(MAX, NULL);
	bool           goes_on = true;

	CHECK(sent != NULL);
	for (size_t at = 0; goes_on && at < n;) {
		const char *end = memchr(p + at, '\n', n - at);
		size_t      len = end ? (size_t)(end - p) - at : n - at;

		goes_on = decode_line(d, sent, p + at, len);
		at += len + 1;
	}
	if (goes_on)
		CHECK(!decode_line(d, sent, status, sizeof status - 1));
	CHECK(!d->finished || !w->open);
	if (d->finished)
		compare(sent, w->given);
	gather_destroy(sent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc = { 0 };
	struct heard    w = { .given = gather_create(MAX, NULL) };
	struct decode   d = { .doc = &doc, .on_event = on_event, .arg = &w };
	struct err      e;

	CHECK(w.given != NULL);
	if (size > 1 && data[0] % 2 == 0)
		decode_lines(&d, &w, (const char *)data + 1, size - 1);
	else if (size > 1 &&
		 dialect_lmc.decode_whole(&d, (struct str){ (const char *)data + 1, size - 1 },
					  &e) == ERR_OK)
		CHECK(d.finished && !w.open);
	dialect_lmc.finish(&d);
	gather_destroy(w.given);
	json_doc_finish(&w.doc);
	json_doc_finish(&doc);
	return 0;
}
