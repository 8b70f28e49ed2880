/* libFuzzer: arguments give one segment, the same whole and cut; the first byte says how to cut. */
#include "base/limits.h"
#include "lmc/speech.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	enum segment_kind kind;
	struct buf        format;
	struct buf        content;
	unsigned          flaws;
	unsigned          opened, closed;
};

static bool on_open(void *arg, enum segment_kind kind, struct str format)
{
	struct seen *s = arg;

	CHECK(s->opened == 0 && (kind == SEGMENT_CODE || kind == SEGMENT_TOOL_CALL));
	CHECK(format.n > 0 && buf_str(&s->format, format));
	s->kind = kind;
	s->opened++;
	return true;
}

static bool on_text(void *arg, struct str text)
{
	struct seen *s = arg;

	CHECK(s->opened == 1 && s->closed == 0 && text.n > 0);
	CHECK(buf_str(&s->content, text));
	return true;
}

static bool on_close(void *arg)
{
	struct seen *s = arg;

	CHECK(s->opened == 1 && s->closed == 0);
	s->closed++;
	return true;
}

/* read_all: step 0: pieces of changing lengths, empty ones too. */
static bool read_all(const char *text, size_t len, size_t step, size_t max, struct seen *s)
{
	static const struct segment_sink sink = { on_open, on_text, on_close };
	struct args                     *a = args_create(&sink, s, max);
	bool                             ok = true;

	CHECK(a != NULL);
	*s = (struct seen){ 0 };
	buf_init(&s->format, 64 * MIB);
	buf_init(&s->content, 64 * MIB);
	for (size_t at = 0, count = 0; at < len && ok; count++) {
		size_t n = step ? step : count * 7 % 5;
		n = n < len - at ? n : len - at;

		/* A copy without a byte to spare, so that reading behind it is seen. */
		char *copy = malloc(n ? n : 1);
		CHECK(copy != NULL);
		memcpy(copy, text + at, n);
		ok = args_feed(a, (struct str){ copy, n });
		free(copy);
		at += n;
	}
	ok = ok && args_end(a, &s->flaws);
	args_destroy(a);
	return ok;
}

static void seen_finish(struct seen *s)
{
	buf_finish(&s->format);
	buf_finish(&s->content);
}

/* What is no object stays as it stands; an object's code is hardly longer than its text. */
static void check_alone(const struct seen *s, struct str text)
{
	CHECK(s->opened == 1 && s->closed == 1);
	if (s->kind == SEGMENT_TOOL_CALL) {
		CHECK(s->flaws == ARGS_NO_OBJECT && str_is(buf_view(&s->format), "execute"));
		CHECK(str_eq(buf_view(&s->content), text));
		return;
	}
	CHECK((s->flaws & ARGS_NO_OBJECT) == 0 && s->content.len <= text.n);
	CHECK((s->flaws & ARGS_NO_CODE) == 0 || s->content.len == 0);
	CHECK((s->flaws & ARGS_ENDED_EARLY) == 0 || (s->flaws & ARGS_TRAILING) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole, cut;

	if (size < 1)
		return 0;

	/* Every fourth with so little room that it may run out, the same for any cut. */
	struct str text = { (const char *)data + 1, size - 1 };
	size_t     max = data[0] % 4 == 3 ? 16 : MIB;
	bool       one = read_all(text.p, text.n, size, max, &whole);
	bool       other = read_all(text.p, text.n, data[0] / 4 % 16, max, &cut);

	CHECK(one == other && (one || max == 16 || size > MIB));
	if (one) {
		check_alone(&whole, text);
		CHECK(whole.kind == cut.kind && whole.flaws == cut.flaws && cut.closed == 1);
		CHECK(str_eq(buf_view(&whole.format), buf_view(&cut.format)));
		CHECK(str_eq(buf_view(&whole.content), buf_view(&cut.content)));
	}
	seen_finish(&whole);
	seen_finish(&cut);
	return 0;
}
