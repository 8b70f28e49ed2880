/* What tests of the direction to LMC share: files, scans, do the chunks agree with the messages. */
#pragma once

#include "base/limits.h"
#include "json/scan.h"
#include "lmc/segment.h"
#include "lmc/text.h"
#include "lmc/warnings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lmc_same.h"

/* LMC messages as they are printed: LMC("user", "message", PLAIN("Hi")). */
#define LMC(role, type, rest) "{\"role\":\"" role "\",\"type\":\"" type "\"," rest "}"
#define FORMAT(format, text)  "\"format\":\"" format "\"," PLAIN(text)
#define PLAIN(text)           "\"content\":\"" text "\""

static inline void scan(struct json_doc *d, struct str text)
{
	struct err e = { 0 };

	if (json_scan(d, text.p, text.n, &json_limits_upstream, &e) != ERR_OK)
		fail_msg("%s: %.*s", e.text, (int)(text.n < 2000 ? text.n : 2000), text.p);
}

static inline void read_fixture(const char *path, struct buf *text)
{
	char  part[4096];
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		assert_true(buf_add(text, part, n));
	fclose(f);
}

/* in_brackets: a list of objects with commas as the array that it is. */
static inline struct str in_brackets(const struct buf *list, struct buf *out)
{
	buf_clear(out);
	assert_true(buf_text(out, "[") && buf_str(out, buf_view(list)) && buf_text(out, "]"));
	return buf_view(out);
}

/* head_of: role, type and format of a chunk or a message, as compact JSON. */
static inline void head_of(const struct json_doc *d, json_at i, struct buf *out)
{
	buf_clear(out);
	JSON_EACH_MEMBER (k, d, i)
		if (json_is(d, k, "role") || json_is(d, k, "type") || json_is(d, k, "format"))
			assert_true(json_print(d, k, out) && buf_text(out, ":") &&
				    json_print(d, json_value(k), out) && buf_text(out, ","));
}

/* chunks_agree: the chunks obey K6 and K7, and put together they are the messages. */
static inline void chunks_agree(const struct buf *messages, const struct buf *chunks)
{
	struct json_doc m = { 0 };
	struct json_doc c = { 0 };
	struct buf      m_text, c_text, head, other, content;

	buf_init(&m_text, 64 * MIB);
	buf_init(&c_text, 64 * MIB);
	buf_init(&head, 64 * MIB);
	buf_init(&other, 64 * MIB);
	buf_init(&content, 64 * MIB);
	scan(&m, in_brackets(messages, &m_text));
	scan(&c, in_brackets(chunks, &c_text));

	json_at k = json_first(&c, 0);
	JSON_EACH (i, &m, 0) {
		bool format = json_get(&m, i, "format") != JSON_ABSENT;
		bool ended = false;

		/* G7: no member but these. */
		assert_int_equal(m.tok[i].count, format ? 4 : 3);
		head_of(&m, i, &head);
		buf_clear(&content);
		assert_true(k != json_end(&c, 0));
		assert_true(json_get(&c, k, "start") != JSON_ABSENT);
		for (bool first = true; !ended; first = false, k = json_next(&c, k)) {
			json_at text = json_get(&c, k, "content");
			json_at flag = json_get(&c, k, first ? "start" : "end");

			assert_true(k != json_end(&c, 0));
			assert_int_equal(c.tok[k].count, format ? 4 : 3);
			head_of(&c, k, &other);
			assert_true(str_eq(buf_view(&head), buf_view(&other)));
			if (text != JSON_ABSENT) {
				/* A text that joins the one before was cut inside. */
				size_t length = content.len;
				size_t before = other.len;
				assert_true(text_of(&c, text, &other) && other.len > before);
				struct str piece = { other.data + before, other.len - before };
				assert_true(text_join(&content, piece));
				assert_int_equal(content.len, length + piece.n);
				continue;
			}
			assert_true(flag != JSON_ABSENT && json_kind(&c, flag) == JSON_TRUE);
			ended = !first;
		}
		buf_clear(&other);
		assert_true(text_of(&m, json_get(&m, i, "content"), &other));
		assert_true(str_eq(buf_view(&content), buf_view(&other)));
	}
	assert_true(k == json_end(&c, 0));

	buf_finish(&m_text);
	buf_finish(&c_text);
	buf_finish(&head);
	buf_finish(&other);
	buf_finish(&content);
	json_doc_finish(&m);
	json_doc_finish(&c);
}

/* codes_of: the codes of the warnings, each with its index in front: "0:stream_error 2:ignored". */
static inline void codes_of(const struct warnings *w, struct buf *out)
{
	struct json_doc d = { 0 };
	struct buf      text;

	buf_init(&text, 8 * MIB);
	buf_clear(out);
	assert_true(warnings_print(w, &text));
	scan(&d, buf_view(&text));
	JSON_EACH (i, &d, 0) {
		assert_true(out->len == 0 || buf_text(out, " "));
		assert_true(text_of(&d, json_get(&d, i, "index"), out) && buf_text(out, ":") &&
			    text_of(&d, json_get(&d, i, "code"), out));
		assert_true(json_inner(&d, json_get(&d, i, "message")).n > 0);
	}
	buf_finish(&text);
	json_doc_finish(&d);
}

static inline void assert_text(const struct buf *got, const char *want)
{
	if (!str_is(buf_view(got), want))
		fail_msg("got  %.*s\nwant %s", (int)got->len, got->data ? got->data : "", want);
}

/* The same numbers in every run. */
static inline unsigned chance(unsigned *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 10) % below;
}
