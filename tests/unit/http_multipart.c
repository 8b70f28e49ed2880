/* Forms: what is taken and what is refused, however the bytes are cut. */
#include "base/limits.h"
#include "http/multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Everything handed over, as "name|filename|type:content;"; "-" where no filename was sent. */
static enum errc on_part(void *arg, const struct multipart_part *p, struct err *e)
{
	struct buf *seen = arg;

	if (str_is(p->name, "stop"))
		return err_set(e, ERR_UNKNOWN_PARAMETER, "stop", "stopped");
	assert_true(buf_str(seen, p->name) && buf_text(seen, "|") &&
		    (p->is_file ? buf_str(seen, p->filename) : buf_text(seen, "-")) &&
		    buf_text(seen, "|") && buf_str(seen, p->content_type) && buf_text(seen, ":"));
	return ERR_OK;
}

static enum errc on_data(void *arg, struct str bytes, struct err *e)
{
	(void)e;
	assert_true(bytes.n > 0);
	assert_true(buf_str(arg, bytes));
	return ERR_OK;
}

static enum errc on_end(void *arg, struct err *e)
{
	(void)e;
	assert_true(buf_text(arg, ";"));
	return ERR_OK;
}

static const struct multipart_sink sink = { on_part, on_data, on_end };

/* Fed as copies, so that spans kept beyond the call are found by the address sanitizer. */
static enum errc parse(struct str text, size_t first, size_t step, struct buf *seen, struct err *e)
{
	struct multipart m;
	enum errc        rc = ERR_OK;

	multipart_init(&m, STR("b-1"), &sink, seen);
	for (size_t at = 0; at < text.n && rc == ERR_OK;) {
		size_t n = at == 0 && first ? first : step;

		n = n < text.n - at ? n : text.n - at;
		char *copy = malloc(n);
		assert_non_null(copy);
		memcpy(copy, text.p + at, n);
		rc = multipart_feed(&m, (struct str){ copy, n }, e);
		free(copy);
		at += n;
	}
	if (rc == ERR_OK)
		rc = multipart_end(&m, e);
	multipart_finish(&m);
	return rc;
}

static void expect(const char *why, struct str text, const char *want, size_t first, size_t step)
{
	struct buf seen;
	struct err e = { .code = ERR_OK };

	buf_init(&seen, 1 << 20);
	enum errc rc = parse(text, first, step, &seen, &e);
	if (want && (rc != ERR_OK || !str_is(buf_view(&seen), want)))
		fail_msg("%s (first %zu, step %zu): %s, got %.*s", why, first, step,
			 rc == ERR_OK ? "taken" : e.text, STR_ARG(buf_view(&seen)));
	if (!want && rc == ERR_OK)
		fail_msg("%s (first %zu, step %zu): taken", why, first, step);
	buf_finish(&seen);
}

#define HEAD(rest) "--b-1\r\nContent-Disposition: form-data; " rest "\r\n\r\n"
#define END        "\r\n--b-1--\r\n"

/* clang-format off */
static const struct {
	const char *why;
	const char *text;
	const char *want; /* NULL: refused */
} cases[] = {
	{ "one part", HEAD("name=\"a\"") "1" END, "a|-|:1;" },
	{ "no content", HEAD("name=\"a\"") END, "a|-|:;" },
	{ "no parts", "--b-1--\r\n", "" },
	{ "two parts", HEAD("name=\"a\"") "1\r\n" HEAD("name=\"b\"; filename=\"f\"") "2" END,
	  "a|-|:1;b|f|:2;" },
	{ "an empty filename", HEAD("name=\"a\"; filename=\"\"") "1" END, "a||:1;" },
	{ "a type", "--b-1\r\ncontent-TYPE:  text/plain \r\nCONTENT-disposition:form-data;name=a"
		    "\r\n\r\n1" END,
	  "a|-|text/plain:1;" },
	{ "no quotes", HEAD("name=a; filename=f.txt") "1" END, "a|f.txt|:1;" },
	{ "escapes", HEAD("name=\"a\\\"b\"; filename=\"c:\\d\\\\e\"") "1" END, "a\"b|c:\\d\\e|:1;" },
	{ "a semicolon in quotes", HEAD("name=\"a;b\"") "1" END, "a;b|-|:1;" },
	{ "other parameters", HEAD("name=a; filename*=UTF-8''x; size=1") "1" END, "a|-|:1;" },
	{ "what looks like a boundary",
	  HEAD("name=a") "\r\n--b-2\r\n-\r\r\n--b-\r\n--\r\n\r\n--b-\r\n--b" END,
	  "a|-|:\r\n--b-2\r\n-\r\r\n--b-\r\n--\r\n\r\n--b-\r\n--b;" },
	{ "a boundary without its line", HEAD("name=a") "--b-1--" END, "a|-|:--b-1--;" },
	{ "a line end in front", "\r\n" HEAD("name=a") "1" END, "a|-|:1;" },
	{ "blanks behind a boundary",
	  "--b-1 \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b-1--  \r\n\r\n",
	  "a|-|:1;" },
	{ "no line end at the end", HEAD("name=a") "1\r\n--b-1--", "a|-|:1;" },
	{ "UTF-8", HEAD("name=a; filename=\"\xe6\x97\xa5\"") "1" END, "a|\xe6\x97\xa5|:1;" },

	{ "nothing", "", NULL },
	{ "a preamble", "hello\r\n" HEAD("name=a") "1" END, NULL },
	{ "another boundary", "--c\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--c--\r\n", NULL },
	{ "cut in the boundary", "--b", NULL },
	{ "cut in the header", "--b-1\r\nContent-Disp", NULL },
	{ "cut in the content", HEAD("name=a") "1", NULL },
	{ "cut in the last boundary", HEAD("name=a") "1\r\n--b-1-", NULL },
	{ "an epilogue", HEAD("name=a") "1" END "more", NULL },
	{ "something behind a boundary", "--b-1x\r\n\r\n", NULL },
	{ "one dash", "--b-1-\r\n", NULL },
	{ "bare line feeds", "--b-1\nContent-Disposition: form-data; name=a\n\n1\n--b-1--\n", NULL },
	{ "a bare line feed in a header", "--b-1\r\nContent-Disposition: form-data; name=a\n\r\n\r\n1" END,
	  NULL },
	{ "a bare CR in a header", "--b-1\r\nContent-Disposition: form-data; na\rme=a\r\n\r\n1" END, NULL },
	{ "no header", "--b-1\r\n\r\n1" END, NULL },
	{ "no disposition", "--b-1\r\nContent-Type: a/b\r\n\r\n1" END, NULL },
	{ "two dispositions", "--b-1\r\nContent-Disposition: form-data; name=a\r\n"
			      "Content-Disposition: form-data; name=b\r\n\r\n1" END, NULL },
	{ "an attachment", "--b-1\r\nContent-Disposition: attachment; name=a\r\n\r\n1" END, NULL },
	{ "no name", HEAD("filename=a") "1" END, NULL },
	{ "an empty name", HEAD("name=\"\"") "1" END, NULL },
	{ "two names", HEAD("name=a; name=b") "1" END, NULL },
	{ "an open quote", HEAD("name=\"a") "1" END, NULL },
	{ "an open escape", HEAD("name=\"a\\\"") "1" END, NULL },
	{ "rest behind a quote", HEAD("name=\"a\"b") "1" END, NULL },
	{ "not UTF-8", HEAD("name=\"\xff\"") "1" END, NULL },
	{ "a control character", HEAD("name=\"a\x01\"") "1" END, NULL },
	{ "base64", "--b-1\r\nContent-Transfer-Encoding: base64\r\n"
		    "Content-Disposition: form-data; name=a\r\n\r\nMQ==" END, NULL },
	{ "a folded line", "--b-1\r\nContent-Disposition: form-data;\r\n name=a\r\n\r\n1" END, NULL },
	{ "no colon", "--b-1\r\nContent-Disposition\r\n\r\n1" END, NULL },
	{ "no header name", "--b-1\r\n: form-data; name=a\r\n\r\n1" END, NULL },
	{ "the sink's error", HEAD("name=stop") "1" END, NULL },
};
/* clang-format on */

static void every_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_of(cases[i].text);

		for (size_t step = 1; step <= text.n + 1; step++)
			expect(cases[i].why, text, cases[i].want, 0, step);
		for (size_t first = 1; first < text.n; first++)
			expect(cases[i].why, text, cases[i].want, first, text.n);
	}
}

static void zero_bytes(void **state)
{
	static const char head[] = HEAD("name=\"a\0b\"") "1" END;
	static const char data[] = HEAD("name=a") "\0\0" END;
	struct buf        seen;
	struct err        e;

	(void)state;
	buf_init(&seen, 1 << 20);
	assert_int_equal(parse((struct str){ head, sizeof head - 1 }, 0, 1000, &seen, &e),
			 ERR_INVALID_VALUE);
	assert_int_equal(parse((struct str){ data, sizeof data - 1 }, 0, 1000, &seen, &e), ERR_OK);
	assert_int_equal(seen.len, strlen("a|-|:") + 2 + 1);
	buf_finish(&seen);
}

static void add_repeated(struct buf *b, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		assert_true(buf_text(b, text));
}

static void limits(void **state)
{
	static const struct {
		const char *why;
		const char *front;
		const char *repeated;
		size_t      fits;
		const char *behind;
	} rows[] = {
		{ "header", "--b-1\r\nContent-Disposition: form-data; name=a\r\nX: ", "x",
		  MULTIPART_HEADER - 47, "\r\n\r\n1" END },
		{ "lines", "--b-1\r\nContent-Disposition: form-data; name=a\r\n", "X: y\r\n",
		  MULTIPART_LINES - 1, "\r\n1" END },
		{ "parts", "", HEAD("name=a") "1\r\n", MULTIPART_PARTS, "--b-1--" },
		{ "name", "--b-1\r\nContent-Disposition: form-data; name=", "n", MULTIPART_NAME,
		  "\r\n\r\n1" END },
		{ "filename", "--b-1\r\nContent-Disposition: form-data; name=a; filename=", "n",
		  MULTIPART_FILENAME, "\r\n\r\n1" END },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t more = 0; more <= 1; more++) {
			struct buf text;
			struct buf seen;
			struct err e = { .code = ERR_OK };

			buf_init(&text, 1 << 20);
			buf_init(&seen, 1 << 20);
			assert_true(buf_text(&text, rows[i].front));
			add_repeated(&text, rows[i].repeated, rows[i].fits + more);
			assert_true(buf_text(&text, rows[i].behind));
			enum errc rc = parse(buf_view(&text), 0, 4096, &seen, &e);
			if (rc != (more ? ERR_INVALID_VALUE : ERR_OK))
				fail_msg("%s and %zu more: %s", rows[i].why, more, e.text);
			buf_finish(&text);
			buf_finish(&seen);
		}
}

static void boundaries(void **state)
{
	/* clang-format off */
	static const struct {
		const char *type;
		const char *want;
		enum errc   rc;
	} rows[] = {
		{ "multipart/form-data; boundary=abc", "abc", ERR_OK },
		{ "Multipart/Form-Data;BOUNDARY=\"a-b:c\" ; charset=utf-8", "a-b:c", ERR_OK },
		{ "multipart/form-data; x=\"boundary=no\"; boundary=b", "b", ERR_OK },
		{ "", NULL, ERR_UNSUPPORTED_MEDIA },
		{ NULL, NULL, ERR_UNSUPPORTED_MEDIA }, /* no header at all */
		{ "multipart/mixed; boundary=abc", NULL, ERR_UNSUPPORTED_MEDIA },
		{ "multipart/form-data", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=\"\"", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=a; boundary=a", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=\"a b\"", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=\"a", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=a; rest", NULL, ERR_INVALID_VALUE },
		{ "multipart/form-data; boundary=0123456789012345678901234567890123456789"
		  "0123456789012345678901234567890", NULL, ERR_INVALID_VALUE },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str got = STR_NONE;
		struct err e;
		struct str type = rows[i].type ? str_of(rows[i].type) : STR_NONE;
		enum errc  rc = multipart_boundary(type, &got, &e);

		if (rc != rows[i].rc || (rows[i].want && !str_is(got, rows[i].want)))
			fail_msg("%.*s: %d, %.*s", STR_ARG(type), (int)rc, STR_ARG(got));
	}
}

/* --- what content costs that looks like a boundary's beginning --- */

struct count {
	size_t calls;
	size_t bytes;
};

static enum errc count_part(void *arg, const struct multipart_part *p, struct err *e)
{
	(void)arg;
	(void)p;
	(void)e;
	return ERR_OK;
}

static enum errc count_data(void *arg, struct str bytes, struct err *e)
{
	struct count *c = arg;

	(void)e;
	c->calls++;
	c->bytes += bytes.n;
	return ERR_OK;
}

static enum errc count_end(void *arg, struct err *e)
{
	(void)arg;
	(void)e;
	return ERR_OK;
}

/* Each call of a sink is a write on the disk: a feed of n bytes may cost two, whatever they are. */
static void false_boundaries_are_gathered(void **state)
{
	static const struct multipart_sink counting = { count_part, count_data, count_end };
	static const char *const           starts[] = {
			  "\r", "\r\n", "\r\n-", "\r\n--", "\r\n--b", "\r\n--b-", "\r\r\n--b-\r\n--",
	};
	enum { TIMES = 100 * 1000, FEED = 4096 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		struct buf       text;
		struct count     c = { 0 };
		struct err       e = { .code = ERR_OK };
		struct multipart m;
		size_t           feeds = 0;

		buf_init(&text, 4 * MIB);
		assert_true(buf_text(&text, HEAD("name=a")));
		add_repeated(&text, starts[i], TIMES);
		assert_true(buf_text(&text, END));
		multipart_init(&m, STR("b-1"), &counting, &c);
		for (size_t at = 0; at < text.len; at += FEED, feeds++) {
			size_t n = text.len - at < FEED ? text.len - at : FEED;

			assert_int_equal(multipart_feed(&m, (struct str){ text.data + at, n }, &e),
					 ERR_OK);
		}
		assert_int_equal(multipart_end(&m, &e), ERR_OK);
		assert_int_equal(c.bytes, TIMES * strlen(starts[i]));
		if (c.calls > 2 * feeds)
			fail_msg("start %zu: %zu calls for %zu feeds", i, c.calls, feeds);
		multipart_finish(&m);
		buf_finish(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut),
		cmocka_unit_test(zero_bytes),
		cmocka_unit_test(limits),
		cmocka_unit_test(boundaries),
		cmocka_unit_test(false_boundaries_are_gathered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
