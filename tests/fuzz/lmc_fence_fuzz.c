/* libFuzzer: a text falls into the same prose and code whole and cut; the first byte says how. */
#include "base/limits.h"
#include "lmc/speech.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct buf out;
	bool       open;
};

static bool see_open(void *arg, enum segment_kind kind, struct str format)
{
	struct seen *s = arg;

	CHECK(!s->open);
	CHECK(kind == SEGMENT_CODE ? format.n > 0 : kind == SEGMENT_MESSAGE && format.p == NULL);
	s->open = true;
	CHECK(buf_text(&s->out, "\1") && buf_str(&s->out, format) && buf_text(&s->out, "\2"));
	return true;
}

static bool see_text(void *arg, struct str text)
{
	struct seen *s = arg;

	CHECK(s->open && text.n > 0);
	CHECK(buf_str(&s->out, text));
	return true;
}

static bool see_close(void *arg)
{
	struct seen *s = arg;

	CHECK(s->open);
	s->open = false;
	CHECK(buf_text(&s->out, "\3"));
	return true;
}

static const struct segment_sink seeing = { see_open, see_text, see_close };

/* split: pieces of step bytes; for 0 of lengths that how (not 0) draws. */
static void split(const char *text, size_t len, size_t step, uint32_t how, struct seen *s)
{
	struct fence f;

	*s = (struct seen){ 0 };
	buf_init(&s->out, 64 * MIB);
	fence_init(&f, &seeing, s, 16 * MIB);
	for (size_t at = 0, n; at < len; at += n) {
		how = how * 1103515245u + 12345u;
		n = step ? step : (how >> 16) % 9 + 1;
		n = n < len - at ? n : len - at;

		char *copy = malloc(n);
		CHECK(copy != NULL);
		memcpy(copy, text + at, n);
		/* Halves of surrogate pairs join while they are held: no matter of cuts. */
		for (size_t i = 0; i < n; i++)
			copy[i] = copy[i] == '\xed' ? '`' : copy[i];
		CHECK(fence_feed(&f, (struct str){ copy, n }));
		free(copy);
	}
	CHECK(fence_end(&f) && !s->open);
	fence_finish(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole, cut;

	if (size < 2)
		return 0;

	const char *text = (const char *)data + 1;
	split(text, size - 1, size, 0, &whole);
	split(text, size - 1, data[0] < 16 ? data[0] : 0, data[0], &cut);
	CHECK(str_eq(buf_view(&whole.out), buf_view(&cut.out)));
	/* Nothing is made up: a language and three marks for at least four bytes. */
	CHECK(whole.out.len <= 4 * size + 16);
	buf_finish(&whole.out);
	buf_finish(&cut.out);
	return 0;
}
