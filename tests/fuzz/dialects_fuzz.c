/* libFuzzer: whatever a provider of another dialect than OpenAI's sends, its events keep their order
 * and may stand in JSON, and errors are fit to be shown.
 * The first byte chooses the dialect, the second: a stream of lines, a whole answer, or an error. */
#include "base/buf.h"
#include "base/limits.h"
#include "provider/dialect.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dialect *const dialects[] = {
	&dialect_anthropic,
	&dialect_ollama,
	&dialect_openai_responses,
};

struct seen {
	bool    start;
	bool    finish;
	uint8_t calls[LIMIT_TOOLS + 1]; /* 0: not begun, 1: open, 2: ended */
};

/* A string of JSON, without its quotes. */
static void check_escaped(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		CHECK((unsigned char)s.p[i] >= 0x20 && s.p[i] != '"');
		if (s.p[i] == '\\')
			CHECK(++i < s.n);
	}
	CHECK(utf8_valid(s.n > 0 ? s.p : "", s.n));
}

static void check_object(struct str s)
{
	struct json_doc d = { 0 };
	struct err      e;

	CHECK(json_scan(&d, s.p, s.n, &json_limits_upstream, &e) == ERR_OK);
	json_doc_finish(&d);
}

static void check_call(struct seen *seen, const struct event *ev)
{
	CHECK(ev->block <= LIMIT_TOOLS);
	uint8_t *call = &seen->calls[ev->block];

	if (ev->kind == EVENT_TOOL_START) {
		CHECK(*call == 0);
		*call = 1;
	} else {
		CHECK(*call == 1);
		*call = ev->kind == EVENT_BLOCK_END ? 2 : 1;
	}
}

static void on_event(void *arg, const struct event *ev)
{
	struct seen *seen = arg;

	CHECK(!seen->finish || ev->kind == EVENT_USAGE); /* which stands behind it */
	if (ev->kind != EVENT_START && ev->kind != EVENT_USAGE && ev->kind != EVENT_FINISH)
		CHECK(seen->start);
	if (ev->kind == EVENT_START) {
		CHECK(!seen->start);
		seen->start = true;
	}
	if (ev->kind == EVENT_TOOL_START || ev->kind == EVENT_TOOL_ARGS ||
	    ev->kind == EVENT_BLOCK_END)
		check_call(seen, ev);
	if (ev->kind == EVENT_FINISH) {
		CHECK(ev->text.n > 0);
		seen->finish = true;
	}
	if (ev->kind == EVENT_MEDIA ||
	    (ev->kind == EVENT_TOOL_START && str_starts(ev->text, STR("{"))))
		check_object(ev->text);
	else if (ev->kind != EVENT_MESSAGE)
		check_escaped(ev->text);
	check_escaped(ev->id);
	check_escaped(ev->name);
	CHECK(ev->kind != EVENT_END && ev->kind != EVENT_ERROR && ev->choice == 0);
	CHECK(ev->usage.in >= 0 && ev->usage.out >= 0);
}

static void check_error(const struct err *e)
{
	CHECK(e->code != ERR_OK && e->text[0] != '\0');
	CHECK(memchr(e->text, '\0', sizeof e->text) && utf8_valid(e->text, strlen(e->text)));
	CHECK(memchr(e->path, '\0', sizeof e->path) != NULL);
	CHECK(err_http(e) >= 400 && err_http(e) <= 599);
}

/* Each line is an event, in a copy of its own. */
static void decode_lines(const struct dialect *dialect, struct decode *d, struct str all)
{
	struct err e;

	for (size_t at = 0; at < all.n;) {
		const char *end = memchr(all.p + at, '\n', all.n - at);
		size_t      len = end ? (size_t)(end - all.p) - at : all.n - at;
		char       *copy = malloc(len + 1);

		CHECK(copy != NULL);
		memcpy(copy, all.p + at, len);
		enum errc rc = len == 0 ? ERR_OK
					: dialect->decode_event(d, STR_NONE,
								(struct str){ copy, len }, &e);
		free(copy);
		if (rc != ERR_OK) {
			check_error(&e);
			return;
		}
		at += len + 1;
	}
	if (dialect->over)
		dialect->over(d, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc = { 0 };
	struct seen     seen = { 0 };
	struct decode   d = { .doc = &doc, .on_event = on_event, .arg = &seen };
	struct err      e = { 0 };

	if (size < 3)
		return 0;

	const struct dialect *dialect = dialects[data[0] % ARRAY_LEN(dialects)];
	struct str            text = { (const char *)data + 2, size - 2 };
	if (data[1] % 3 == 0) {
		d.stream = true;
		decode_lines(dialect, &d, text);
		CHECK(!d.finished || seen.finish);
	} else if (data[1] % 3 == 1) {
		if (dialect->decode_whole(&d, text, &e) != ERR_OK)
			check_error(&e);
		else
			CHECK(seen.finish);
	} else {
		dialect->decode_error(&(struct decode){ .doc = NULL }, 400 + data[1] % 200, text,
				      &e);
		check_error(&e);
	}
	if (dialect->finish)
		dialect->finish(&d);
	json_doc_finish(&doc);
	return 0;
}
