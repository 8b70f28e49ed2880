/* What the reader of `execute`'s arguments gives its sink, however its text is cut. */
#pragma once

#include "base/limits.h"
#include "lmc/speech.h"
#include "lmc/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SMILE "\xF0\x9F\x98\x80"

/* clang-format off */
#define S(text) { "" text, sizeof(text) - 1 }
/* clang-format on */

/* --- what came out --- */

struct seen {
	enum segment_kind kind;
	struct buf        format;
	struct buf        content;
	unsigned          flaws;
	unsigned          opened, texts, closed;
	unsigned          calls_left; /* the sink says no when none is left */
};

static inline void seen_init(struct seen *s)
{
	*s = (struct seen){ .calls_left = UINT32_MAX };
	buf_init(&s->format, 64 * MIB);
	buf_init(&s->content, 64 * MIB);
}

static inline void seen_finish(struct seen *s)
{
	buf_finish(&s->format);
	buf_finish(&s->content);
}

static inline bool allowed(struct seen *s)
{
	assert_true(s->calls_left > 0); /* nothing is called behind a no */
	s->calls_left--;
	return s->calls_left > 0;
}

static inline bool on_open(void *arg, enum segment_kind kind, struct str format)
{
	struct seen *s = arg;

	assert_int_equal(s->opened, 0);
	s->opened++;
	s->kind = kind;
	assert_non_null(format.p);
	assert_true(buf_str(&s->format, format));
	return allowed(s);
}

static inline bool on_text(void *arg, struct str text)
{
	struct seen *s = arg;

	assert_int_equal(s->opened, 1);
	assert_int_equal(s->closed, 0);
	assert_true(text.n > 0);
	s->texts++;
	assert_true(text_join(&s->content, text));
	return allowed(s);
}

static inline bool on_close(void *arg)
{
	struct seen *s = arg;

	assert_int_equal(s->opened, 1);
	assert_int_equal(s->closed, 0);
	s->closed++;
	return allowed(s);
}

static const struct segment_sink sink = { on_open, on_text, on_close };

/* --- feeding --- */

static uint64_t random_state;

static inline uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

/* feed_copy: from memory without a byte to spare, so that reading behind it is seen. */
static inline bool feed_copy(struct args *a, struct str piece)
{
	char *copy = malloc(piece.n ? piece.n : 1);

	assert_non_null(copy);
	if (piece.n > 0)
		memcpy(copy, piece.p, piece.n);
	bool ok = args_feed(a, (struct str){ copy, piece.n });
	free(copy);
	return ok;
}

enum { CUT_AT_RANDOM = 0 };

/* run: text in pieces of step bytes (CUT_AT_RANDOM: 0 to 6, also none), the first of them of
 * `first` bytes. */
static inline bool run(struct str text, size_t first, size_t step, size_t max, struct seen *s)
{
	struct args *a = args_create(&sink, s, max);
	bool         ok = true;

	assert_non_null(a);
	for (size_t at = 0, n = first; at < text.n && ok; at += n, n = step) {
		if (n == CUT_AT_RANDOM)
			n = random_below(7);
		n = n < text.n - at ? n : text.n - at;
		ok = feed_copy(a, (struct str){ text.p + at, n });
	}
	ok = ok && args_end(a, &s->flaws);
	args_destroy(a);
	return ok;
}

static inline void complain(const char *why, struct str text, size_t first, size_t step,
			    const struct seen *got)
{
	print_error("case: %s; cut at %zu, then every %zu; %zu bytes: %.*s\n", why, first, step,
		    text.n, STR_ARG(text));
	print_error("got kind %d, format %.*s, flaws %u, content %.*s\n", (int)got->kind,
		    STR_ARG(buf_view(&got->format)), got->flaws, STR_ARG(buf_view(&got->content)));
}

static inline void check_cut(const char *why, struct str text, size_t first, size_t step,
			     const struct seen *want)
{
	struct seen got;

	seen_init(&got);
	bool ok = run(text, first, step, 64 * MIB, &got);
	bool same = ok && got.opened == 1 && got.closed == 1 && got.kind == want->kind &&
		    got.flaws == want->flaws &&
		    str_eq(buf_view(&got.format), buf_view(&want->format)) &&
		    str_eq(buf_view(&got.content), buf_view(&want->content));
	if (!same)
		complain(why, text, first, step, &got);
	seen_finish(&got);
	assert_true(same);
}
