/* libFuzzer: an output gives the same text and marks whole and cut into pieces, and what is cleaned is
 * UTF-8 without NUL; the first byte says how it is cut. */
#include "base/limits.h"
#include "json/scan.h"
#include "runner/mark.h"

#include <stdint.h>
#include <stdlib.h>

#define DIGITS "00000000000000000000000000000000"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct buf   all;
	struct clean clean;
};

static void note_text(void *arg, struct str text)
{
	struct seen *s = arg;

	CHECK(text.n > 0);
	CHECK(clean_feed(&s->clean, text, &s->all));
}

static void note_mark(void *arg, struct str mark)
{
	struct seen *s = arg;
	char         letter;
	int64_t      number;
	struct str   rest;

	CHECK(mark.n <= LIMIT_RUNNER_MARK && !memchr(mark.p, 0x1e, mark.n));
	CHECK(clean_end(&s->clean, &s->all) && buf_text(&s->all, "\1"));
	if (mark_parse(mark, &letter, &number, &rest))
		CHECK(buf_int(&s->all, number) && rest.n < mark.n);
}

static void feed(const char *bytes, size_t len, size_t step, struct seen *s)
{
	struct mark_sink sink = { note_text, note_mark, s };
	struct marks     m;

	mark_init(&m);
	mark_expect(&m, DIGITS, &sink);
	for (size_t at = 0; at < len; at += step) {
		size_t n = len - at < step ? len - at : step;
		char  *copy = malloc(n);

		CHECK(copy != NULL);
		memcpy(copy, bytes + at, n);
		CHECK(mark_feed(&m, (struct str){ copy, n }, &sink));
		free(copy);
	}
	mark_expect(&m, "", &sink);
	mark_finish(&m);
	CHECK(clean_end(&s->clean, &s->all));
	CHECK(utf8_valid(s->all.data, s->all.len));
	CHECK(s->all.len == 0 || !memchr(s->all.data, '\0', s->all.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole = { .clean = { .held_n = 0 } };
	struct seen cut = whole;

	if (size < 2)
		return 0;
	buf_init(&whole.all, 64 * MIB);
	buf_init(&cut.all, 64 * MIB);
	feed((const char *)data + 1, size - 1, size, &whole);
	feed((const char *)data + 1, size - 1, (size_t)data[0] % 40 + 1, &cut);
	CHECK(str_eq(buf_view(&whole.all), buf_view(&cut.all)));
	buf_finish(&whole.all);
	buf_finish(&cut.all);
	return 0;
}
