/* libFuzzer: whatever a provider sends, events point into it, and errors are fit to be shown.
 * The first byte chooses: a stream of lines, a whole answer, or an error answer. */
#include "base/buf.h"
#include "base/limits.h"
#include "provider/dialect.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct str part, struct str whole)
{
	CHECK(part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n));
}

static void on_event(void *arg, const struct event *ev)
{
	/* The provider's bytes, or the same with content in parts made one text. */
	const struct json_doc *doc = arg;
	struct str             input = { doc->text, doc->len };

	check_inside(ev->raw, input);
	check_inside(ev->raw_usage, ev->raw);
	check_inside(ev->raw_id, ev->raw);
	check_inside(ev->raw_created, ev->raw);
	check_inside(ev->name, input);
	/* What a call lacks is made: an id of its own, and arguments. */
	if (ev->kind != EVENT_TOOL_START && ev->kind != EVENT_TOOL_ARGS)
		check_inside(ev->id, input);
	if (ev->kind != EVENT_FINISH && ev->kind != EVENT_TOOL_ARGS)
		check_inside(ev->text, input);
	CHECK(!ev->cont || ev->raw.n == 0);
	CHECK(ev->kind != EVENT_END && ev->kind != EVENT_ERROR);
	CHECK(ev->choice < LIMIT_CHOICES);
	CHECK(ev->usage.in >= 0 && ev->usage.out >= 0);
}

static void check_error(const struct err *e)
{
	CHECK(e->code != ERR_OK && e->text[0] != '\0');
	CHECK(memchr(e->text, '\0', sizeof e->text) && utf8_valid(e->text, strlen(e->text)));
	CHECK(memchr(e->type, '\0', sizeof e->type) && memchr(e->wire, '\0', sizeof e->wire));
	CHECK(memchr(e->path, '\0', sizeof e->path) != NULL);
	CHECK(err_http(e) >= 400 && err_http(e) <= 599);
}

/* Each line is an event, in a copy of its own. */
static void decode_lines(struct decode *d, const char *p, size_t n)
{
	struct err e;

	for (size_t at = 0; at < n;) {
		const char *end = memchr(p + at, '\n', n - at);
		size_t      len = end ? (size_t)(end - p) - at : n - at;
		char       *copy = malloc(len + 1);

		CHECK(copy != NULL);
		memcpy(copy, p + at, len);
		enum errc rc = len == 0 ? ERR_OK
					: dialect_openai.decode_event(
						  d, STR_NONE, (struct str){ copy, len }, &e);
		free(copy);
		if (rc != ERR_OK) {
			check_error(&e);
			return;
		}
		at += len + 1;
	}
	dialect_openai.over(d, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc = { 0 };
	struct decode   d = { .doc = &doc, .on_event = on_event, .arg = &doc };
	struct err      e = { 0 };

	if (size < 2)
		return 0;

	const char *p = (const char *)data + 1;
	if (data[0] % 3 == 0) {
		decode_lines(&d, p, size - 1);
	} else if (data[0] % 3 == 1) {
		if (dialect_openai.decode_whole(&d, (struct str){ p, size - 1 }, &e) != ERR_OK)
			check_error(&e);
	} else {
		dialect_openai.decode_error(&(struct decode){ .doc = NULL }, 400 + data[0] % 200,
					    (struct str){ p, size - 1 }, &e);
		check_error(&e);
	}
	dialect_openai.finish(&d);
	json_doc_finish(&doc);
	return 0;
}
