/* Text split into prose and fenced code: every rule, for every cut, and against a slow reader. */
#include "base/limits.h"
#include "lmc/speech.h"
#include "lmc/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* What came out, as P(prose) and C language(code); texts under test have no parentheses. */
struct seen {
	struct buf out;
	bool       open;
	size_t     calls;
	size_t     refuse_at; /* this call fails; 0: none */
	bool       refused;
};

static void seen_init(struct seen *s)
{
	*s = (struct seen){ 0 };
	buf_init(&s->out, 64 * MIB);
}

static bool count_call(struct seen *s)
{
	assert_false(s->refused); /* nothing more is called behind a refusal */
	s->refused = ++s->calls == s->refuse_at;
	return !s->refused;
}

static bool see_open(void *arg, enum segment_kind kind, struct str format)
{
	struct seen *s = arg;

	assert_false(s->open);
	assert_true(kind == SEGMENT_MESSAGE || kind == SEGMENT_CODE);
	assert_true((kind == SEGMENT_CODE) == (format.n > 0));
	s->open = true;
	assert_true(kind == SEGMENT_MESSAGE ? buf_text(&s->out, "P(")
					    : buf_text(&s->out, "C ") && buf_str(&s->out, format) &&
						      buf_text(&s->out, "("));
	return count_call(s);
}

static bool see_text(void *arg, struct str text)
{
	struct seen *s = arg;

	assert_true(s->open);
	assert_true(text.n > 0);
	assert_true(text_join(&s->out, text));
	return count_call(s);
}

static bool see_close(void *arg)
{
	struct seen *s = arg;

	assert_true(s->open);
	s->open = false;
	assert_true(buf_text(&s->out, ")"));
	return count_call(s);
}

static const struct segment_sink seeing = { see_open, see_text, see_close };

/* feed: a copy of its own, so that a byte read outside is noticed. */
static bool feed(struct fence *f, struct str text)
{
	char *copy = malloc(text.n ? text.n : 1);

	assert_non_null(copy);
	if (text.n > 0)
		memcpy(copy, text.p, text.n);
	bool ok = fence_feed(f, (struct str){ copy, text.n });
	free(copy);
	return ok;
}

/* A fixed seed: the same texts in every run. */
static uint64_t seed = 1;

static size_t draw(size_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % below;
}

/* feed_cut: in pieces of step bytes, or of random length for 0. */
static void feed_cut(struct fence *f, struct str text, size_t step)
{
	while (text.n > 0) {
		size_t n = step ? step : draw(7) + 1;

		n = n < text.n ? n : text.n;
		assert_true(feed(f, (struct str){ text.p, n }));
		text.p += n;
		text.n -= n;
	}
}

#define AT_RANDOM 0
#define WHOLE     SIZE_MAX

/* split_into: the text in pieces, ended; the result is s's. */
static void split_into(struct seen *s, struct str text, size_t step)
{
	struct fence f;

	seen_init(s);
	fence_init(&f, &seeing, s, MIB);
	feed_cut(&f, text, step);
	assert_true(fence_end(&f));
	assert_false(s->open);
	fence_finish(&f);
}

static void assert_same(struct str got, struct str expect, struct str text, const char *how)
{
	if (!str_eq(got, expect))
		fail_msg("%s of \"%.*s\":\ngot    %.*s\nexpect %.*s", how, STR_ARG(text),
			 STR_ARG(got), STR_ARG(expect));
}

static void assert_split(struct str text, struct str expect, size_t step, const char *how)
{
	struct seen s;

	split_into(&s, text, step);
	assert_same(buf_view(&s.out), expect, text, how);
	buf_finish(&s.out);
}

static void assert_split_at(struct str text, struct str expect, size_t cut)
{
	struct seen  s;
	struct fence f;

	seen_init(&s);
	fence_init(&f, &seeing, &s, MIB);
	assert_true(feed(&f, (struct str){ text.p, cut }));
	assert_true(feed(&f, (struct str){ text.p + cut, text.n - cut }));
	assert_true(fence_end(&f));
	assert_same(buf_view(&s.out), expect, text, "a cut");
	buf_finish(&s.out);
	fence_finish(&f);
}

/* --- the slow reader: the whole text, line by line, as the rules say it --- */

static bool is_blank(struct str s)
{
	return text_trim(s).n == 0;
}

static struct str part(struct str s, size_t from, size_t to)
{
	return (struct str){ s.p ? s.p + from : NULL, to - from };
}

static size_t line_end(struct str s, size_t at)
{
	while (at < s.n && s.p[at] != '\n')
		at++;
	return at;
}

static size_t run_length(struct str s, size_t at, char c)
{
	size_t n = 0;

	while (at + n < s.n && s.p[at + n] == c)
		n++;
	return n;
}

static size_t words(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += !text_is_space(s.p[i]) && (i == 0 || text_is_space(s.p[i - 1]));
	return n;
}

struct opening {
	size_t run; /* where the backticks begin */
	size_t ticks;
	size_t code; /* where the code begins */
};

/* opens: F1 to F3 for the line from start to its LF at end. */
static bool opens(struct str text, size_t start, size_t end, struct opening *ret)
{
	size_t run = start;

	while (run < end && run_length(text, run, '`') < 3)
		run++;
	if (run >= end || end == text.n)
		return false;

	size_t     ticks = run_length(text, run, '`');
	struct str info = part(text, run + ticks, end);
	size_t     spaces = run_length(text, start, ' ');
	bool       at_start = spaces <= 3 && start + spaces == run;
	if (memchr(info.p, '`', info.n) || (!at_start && words(info) > 1))
		return false;
	*ret = (struct opening){ run, ticks, end + 1 };
	return true;
}

static bool closes(struct str line, size_t ticks)
{
	size_t spaces = run_length(line, 0, ' ');
	size_t run = run_length(line, spaces, '`');

	return spaces <= 3 && run >= ticks && is_blank(part(line, spaces + run, line.n));
}

static struct str less_newline(struct str s)
{
	if (s.n > 0 && s.p[s.n - 1] == '\n') {
		s.n--;
		if (s.n > 0 && s.p[s.n - 1] == '\r')
			s.n--;
	}
	return s;
}

static void print_prose(struct str s, struct buf *out)
{
	if (!is_blank(s))
		assert_true(buf_text(out, "P(") && buf_str(out, s) && buf_text(out, ")"));
}

/* slow_code: prints the code; returns where the text behind it begins. */
static size_t slow_code(struct str text, struct str info, const struct opening *o, struct buf *out)
{
	size_t at = o->code;
	size_t end = line_end(text, at);

	while (!closes(part(text, at, end), o->ticks) && end < text.n) {
		at = end + 1;
		end = line_end(text, at);
	}
	bool closed = closes(part(text, at, end), o->ticks);
	assert_true(buf_text(out, "C ") && text_language(info, out) && buf_text(out, "(") &&
		    buf_str(out, less_newline(part(text, o->code, closed ? at : text.n))) &&
		    buf_text(out, ")"));
	if (!closed)
		return text.n;
	while (end < text.n && (text.p[end] == '\r' || text.p[end] == '\n'))
		end++;
	return end;
}

static void slow_split(struct str text, struct buf *out)
{
	size_t prose = 0;

	for (size_t at = 0; at < text.n;) {
		struct opening o;
		size_t         end = line_end(text, at);

		if (!opens(text, at, end, &o)) {
			at = end + 1;
			continue;
		}
		struct str before = part(text, prose, o.run);
		while (before.n > 0 && text_is_space(before.p[before.n - 1]))
			before.n--;
		print_prose(before, out);
		at = slow_code(text, part(text, o.run + o.ticks, end), &o, out);
		prose = at;
	}
	if (prose < text.n)
		print_prose(part(text, prose, text.n), out);
}

/* --- cases --- */

struct example {
	const char *why;
	struct str  text;
	const char *expect;
};

/* clang-format off */
#define T(literal) { "" literal, sizeof(literal) - 1 }
/* clang-format on */

static const struct example openings[] = {
	{ "an ordinary block (F1, F4)", T("Run it:\n```python\nx = 1\n```\nDone."),
	  "P(Run it:)C python(x = 1)P(Done.)" },
	{ "the text begins with a block", T("```sh\nls\n```"), "C sh(ls)" },
	{ "no info text: python (G8)", T("```\nx\n```\n"), "C python(x)" },
	{ "blank info text", T("``` \t \nx\n```\n"), "C python(x)" },
	{ "two backticks are none", T("``py\nx\n``\n"), "P(``py\nx\n``\n)" },
	{ "language normalised (G8)", T("``` {Python}\nx\n```"), "C python(x)" },
	{ "language up to white space", T("```C++ title=\"a\" {1,2}\nx\n```"), "C c++(x)" },
	{ "strange letters left out of the language", T("```j\xc3\xa4va!\nx\n```"), "C jva(x)" },
	{ "only strange letters", T("```{}\nx\n```"), "C python(x)" },
	{ "many words at the start of a line (F2)", T("```a b c d\nx\n```"), "C a(x)" },
	{ "three spaces are the start", T("   ```a b\nx\n```"), "C a(x)" },
	{ "four are not, two words", T("    ```a b\nx\n"), "P(    ```a b\nx\n)" },
	{ "four are not, one word", T("    ```a\nx\n"), "C a(x)" },
	{ "a tab is not, two words", T("\t```a b\nx\n"), "P(\t```a b\nx\n)" },
	{ "a tab is not, one word", T("\t```a\nx\n"), "C a(x)" },
	{ "a CR is not, two words", T("\r```a b\nx\n"), "P(\r```a b\nx\n)" },
	{ "start of a later line", T("t\n  ```a b\nx\n"), "P(t)C a(x)" },
	{ "in the middle, no word", T("Do ```\nx\n```"), "P(Do)C python(x)" },
	{ "in the middle, one word", T("Do this: ```sh\nx\n```"), "P(Do this:)C sh(x)" },
	{ "in the middle, directly", T("this```sh\nx\n```"), "P(this)C sh(x)" },
	{ "in the middle, one word in blanks", T("Do ``` \t sh \r\t\nx\n```"), "P(Do)C sh(x)" },
	{ "in the middle, two words", T("Do ``` ls now\nx\n"), "P(Do ``` ls now\nx\n)" },
	{ "words parted by a tab", T("Do ```a\tb\nx\n"), "P(Do ```a\tb\nx\n)" },
	{ "words parted by a CR", T("Do ```a\rb\nx\n"), "P(Do ```a\rb\nx\n)" },
	{ "an inline span (F3)", T("Type ``` ls ``` now."), "P(Type ``` ls ``` now.)" },
	{ "a span at the end of a line", T("Type ``` ls ```\nok\n"), "P(Type ``` ls ```\nok\n)" },
	{ "a span without words between", T("a ``````\nx\n"), "P(a)C python(x)" },
	{ "a span at the start of a line", T("```ls```\nok"), "P(```ls```\nok)" },
	{ "only the first run counts", T("``` a ` b\n``` ``` c\nx"), "P(``` a ` b\n``` ``` c\nx)" },
	{ "a short run in front does not count", T("`a` and ``b`` ```c\nx\n```"),
	  "P(`a` and ``b``)C c(x)" },
	{ "a short run behind spoils it", T("``` a `b`\nx\n"), "P(``` a `b`\nx\n)" },
	{ "the next line has its own first run", T("``` a ```\n```b\nx\n```"),
	  "P(``` a ```)C b(x)" },
	{ "refused, then refused, then good", T("a ``` b c\n d ``` e f\n```g\nx"),
	  "P(a ``` b c\n d ``` e f)C g(x)" },
	{ "no LF before the end", T("a\n```python"), "P(a\n```python)" },
	{ "no LF, blank info", T("```  "), "P(```  )" },
	{ "no LF but a CR", T("```a\r"), "P(```a\r)" },
	{ "a run at the very end", T("a ```"), "P(a ```)" },
	{ "only a run", T("````"), "P(````)" },
	{ "a backtick at the end", T("a `"), "P(a `)" },
	{ "opening line with CR LF", T("```py\r\nx\r\n```\r\n"), "C py(x)" },
	{ "NUL is a character like others", T("a\0 ```b\0c\n\0\n```\0\n```"), NULL },
};

static const struct example closings[] = {
	{ "nothing at all", T(""), "" },
	{ "empty code is a segment (F6)", T("```sh\n```\n"), "C sh()" },
	{ "empty code, one empty line", T("```sh\n\n```"), "C sh()" },
	{ "two empty lines leave one newline", T("```sh\n\n\n```"), "C sh(\n)" },
	{ "opened at the very end", T("```sh\n"), "C sh()" },
	{ "unclosed, one newline", T("```sh\n\n"), "C sh()" },
	{ "unclosed, two newlines", T("```sh\n\n\n"), "C sh(\n)" },
	{ "unclosed, no newline at the end", T("```sh\nls"), "C sh(ls)" },
	{ "unclosed, loses one newline", T("```sh\nls\n\n"), "C sh(ls\n)" },
	{ "unclosed, loses a CR LF", T("```sh\nls\r\n"), "C sh(ls)" },
	{ "unclosed, a CR alone stays", T("```sh\nls\r"), "C sh(ls\r)" },
	{ "unclosed, CR CR LF loses one CR", T("```sh\nls\r\r\n"), "C sh(ls\r)" },
	{ "unclosed, spaces at the end stay", T("```sh\nls\n  "), "C sh(ls\n  )" },
	{ "unclosed, too few backticks stay", T("```sh\nls\n``"), "C sh(ls\n``)" },
	{ "the last line ends in backticks", T("```sh\nls```"), "C sh(ls```)" },
	{ "the last line ends in backticks and LF", T("```sh\nls ```\n"), "C sh(ls ```)" },
	{ "closed at the end of the text", T("```sh\nls\n```"), "C sh(ls)" },
	{ "closed by blanks at the end", T("```sh\nls\n``` \t\r"), "C sh(ls)" },
	{ "trailing blanks of a closing fence", T("```sh\nls\n``` \t \r\nx"), "C sh(ls)P(x)" },
	{ "CR between blanks", T("```sh\nls\n```\r \nx"), "C sh(ls)P(x)" },
	{ "something behind: no closing fence", T("```sh\nls\n``` x\n```"), "C sh(ls\n``` x)" },
	{ "blanks, then something", T("```sh\nls\n``` \t\rx\n```"), "C sh(ls\n``` \t\rx)" },
	{ "blanks, then backticks", T("```sh\nls\n``` ```\n```"), "C sh(ls\n``` ```)" },
	{ "indented by three", T("```sh\nls\n   ```\nx"), "C sh(ls)P(x)" },
	{ "indented by four", T("```sh\nls\n    ```\nx"), "C sh(ls\n    ```\nx)" },
	{ "indented by a tab", T("```sh\nls\n\t```\nx"), "C sh(ls\n\t```\nx)" },
	{ "indented by a CR", T("```sh\nls\n\r```\nx"), "C sh(ls\n\r```\nx)" },
	{ "longer than the opening fence", T("```sh\nls\n`````\nx"), "C sh(ls)P(x)" },
	{ "three in a block of four", T("````md\n```sh\nls\n```\n````\nx"),
	  "C md(```sh\nls\n```)P(x)" },
	{ "other backticks are code", T("```sh\n`a` ``b`` ```c```\n``\n```"),
	  "C sh(`a` ``b`` ```c```\n``)" },
	{ "an opening fence inside is code", T("```sh\n```py\n```"), "C sh(```py)" },
	{ "code with CR LF", T("```sh\r\na\r\nb\r\n```\r\nx"), "C sh(a\r\nb)P(x)" },
	{ "CR alone is no newline", T("```sh\na\r```\n```"), "C sh(a\r```)" },
	{ "CR LF and a CR", T("```sh\na\r\r\n```"), "C sh(a\r)" },
	{ "LF CR: the CR is a line", T("```sh\na\n\r\n```"), "C sh(a\n)" },
	{ "white space of code is kept", T("```sh\n\n  \t\n a \n \n```"), "C sh(\n  \t\n a \n )" },
	{ "spaces, then a CR LF", T("```sh\n  \r\n```"), "C sh(  )" },
	{ "too few, then a CR LF", T("```sh\n``\r\n```"), "C sh(``)" },
};

static const struct example spaces[] = {
	{ "prose alone", T("Hello, world.\n"), "P(Hello, world.\n)" },
	{ "white space at both ends is kept (F9)", T(" \n a \t\r\n"), "P( \n a \t\r\n)" },
	{ "white space alone is nothing", T(" \t\r\n"), "" },
	{ "white space before a fence (F7)", T("a \t\r\n\n  \n```b\nx"), "P(a)C b(x)" },
	{ "only white space before a fence", T("\n\n ```b\nx"), "C b(x)" },
	{ "all of it before a fence inside a line", T("a\n\n \t ```b\nx"), "P(a)C b(x)" },
	{ "kept before a run that opens nothing", T("a \n\n ```b c` d"), "P(a \n\n ```b c` d)" },
	{ "leading white space before such a run", T(" \n ``` x"), "P( \n ``` x)" },
	{ "CR and LF behind a fence (F8)", T("```a\nx\n```\n\r\n\r\n\ry"), "C a(x)P(y)" },
	{ "spaces behind a fence stay", T("```a\nx\n```\n\n  y\n"), "C a(x)P(  y\n)" },
	{ "a tab ends the dropping", T("```a\nx\n```\n\n\t\n\ny"), "C a(x)P(\t\n\ny)" },
	{ "white space between blocks", T("```a\nx\n```\n \n\t\n```b\ny\n```"), "C a(x)C b(y)" },
	{ "blocks directly one after the other", T("```a\nx\n```\n```b\ny\n```\n"),
	  "C a(x)C b(y)" },
	{ "white space behind the last block", T("```a\nx\n```\n\n  \n"), "C a(x)" },
	{ "behind a closing fence a line starts (F2)", T("```a\nx\n```\n  ```b c\ny\n```"),
	  "C a(x)C b(y)" },
	{ "also behind what is dropped", T("```a\nx\n```\n\r\r  ```b c\ny\n```"), "C a(x)C b(y)" },
	{ "four spaces there are no start", T("```a\nx\n```\n    ```b c\ny\n"),
	  "C a(x)P(    ```b c\ny\n)" },
	{ "and it has its own first run (F3)", T("u ```a\nx\n```\nv ```b\ny\n```"),
	  "P(u)C a(x)P(v)C b(y)" },
	{ "prose between blocks", T("p\n```a\nx\n```\nq\n\n```b\ny\n```\nr"),
	  "P(p)C a(x)P(q)C b(y)P(r)" },
	{ "the end of a span and a block", T("``` a ``` b\n\n```c\nx\n```\n ``` d ```\n"),
	  "P(``` a ``` b)C c(x)P( ``` d ```\n)" },
	{ "characters of many bytes", T("\xc3\xa4 \xf0\x9f\x98\x80\n```\n\xe2\x82\xac\n```"),
	  "P(\xc3\xa4 \xf0\x9f\x98\x80)C python(\xe2\x82\xac)" },
};

static void check(const struct example *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct str text = rows[i].text;
		struct buf slow;

		buf_init(&slow, MIB);
		slow_split(text, &slow);
		struct str expect = rows[i].expect ? str_of(rows[i].expect) : buf_view(&slow);
		assert_same(buf_view(&slow), expect, text, rows[i].why);
		assert_split(text, expect, WHOLE, rows[i].why);
		assert_split(text, expect, 1, rows[i].why);
		for (size_t cut = 0; cut <= text.n; cut++)
			assert_split_at(text, expect, cut);
		for (int k = 0; k < 50; k++)
			assert_split(text, expect, AT_RANDOM, rows[i].why);
		buf_finish(&slow);
	}
}

static void a_fence_opens_where_the_rules_say(void **state)
{
	(void)state;
	check(openings, ARRAY_LEN(openings));
}

static void a_fence_closes_where_the_rules_say(void **state)
{
	(void)state;
	check(closings, ARRAY_LEN(closings));
}

static void white_space_goes_only_around_fences(void **state)
{
	(void)state;
	check(spaces, ARRAY_LEN(spaces));
}

/* --- promptness --- */

static const struct example promptly[] = {
	{ "prose is out at once", T("Hello"), "P(Hello" },
	{ "only the space waits", T("Hello "), "P(Hello" },
	{ "and comes with the next word", T("Hello w"), "P(Hello w" },
	{ "a backtick waits, with the space before it", T("a `"), "P(a" },
	{ "an inline span goes on", T("a `b"), "P(a `b" },
	{ "its end waits", T("a `b`"), "P(a `b" },
	{ "leading white space opens nothing", T(" \n\t"), "" },
	{ "a newline may stand before a fence", T("a\n"), "P(a" },
	{ "a possible fence waits", T("a\n```py"), "P(a" },
	{ "whatever it says at the start of a line", T("a\n```py x y"), "P(a" },
	{ "inside a line, two words are enough", T("a ```b c"), "P(a ```b c" },
	{ "but not one and a blank", T("a ```b "), "P(a" },
	{ "a backtick in the info text is enough", T("```b`"), "P(```b`" },
	{ "behind that no run of this line waits", T("```b` ```"), "P(```b` ```" },
	{ "not even a run alone", T("```b`````"), "P(```b`````" },
	{ "in the next line one does", T("```b`\n`"), "P(```b`" },
	{ "code is open at the LF", T("a\n```py\n"), "P(a)C py(" },
	{ "code is out at once", T("```py\nx"), "C py(x" },
	{ "spaces inside a line of code, too", T("```py\nx  "), "C py(x  " },
	{ "and backticks there", T("```py\nx```"), "C py(x```" },
	{ "a newline waits", T("```py\nx\n"), "C py(x" },
	{ "the one before it does not", T("```py\nx\n\n"), "C py(x\n" },
	{ "a CR may begin a newline", T("```py\nx\r"), "C py(x" },
	{ "the one before it does not", T("```py\nx\r\r"), "C py(x\r" },
	{ "three spaces may begin a closing fence", T("```py\nx\n   "), "C py(x" },
	{ "four do not", T("```py\nx\n    "), "C py(x\n    " },
	{ "a tab does not", T("```py\nx\n\t"), "C py(x\n\t" },
	{ "backticks may", T("```py\nx\n ``"), "C py(x" },
	{ "not in front of anything else", T("```py\nx\n ``x"), "C py(x\n ``x" },
	{ "a closing fence waits for its line", T("```py\nx\n``` "), "C py(x" },
	{ "it was none", T("```py\nx\n``` x"), "C py(x\n``` x" },
	{ "too few never close", T("````py\nx\n``` "), "C py(x\n``` " },
	{ "the segment is closed at the LF", T("```py\nx\n```\n"), "C py(x)" },
	{ "what is dropped is not waited for", T("```py\nx\n```\n\r\n\n"), "C py(x)" },
	{ "new prose is out at once", T("```py\nx\n```\ny"), "C py(x)P(y" },
};

/* given: what is out before anybody knows whether the text is complete. */
static void given(struct seen *s, struct str text, size_t step)
{
	struct fence f;

	seen_init(s);
	fence_init(&f, &seeing, s, MIB);
	feed_cut(&f, text, step);
	fence_finish(&f);
}

static void nothing_waits_that_is_decided(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(promptly); i++) {
		const size_t steps[] = { WHOLE, 1, AT_RANDOM };

		for (size_t k = 0; k < ARRAY_LEN(steps); k++) {
			struct seen s;

			given(&s, promptly[i].text, steps[k]);
			assert_same(buf_view(&s.out), str_of(promptly[i].expect), promptly[i].text,
				    promptly[i].why);
			buf_finish(&s.out);
		}
	}
}

static void what_waited_comes_together_with_what_follows(void **state)
{
	struct fence f;
	struct seen  s;

	(void)state;
	seen_init(&s);
	fence_init(&f, &seeing, &s, MIB);
	assert_true(feed(&f, STR("Hello ")));
	assert_int_equal(s.calls, 2);
	assert_true(feed(&f, STR("world, it is\na ")));
	assert_int_equal(s.calls, 3);
	assert_true(feed(&f, STR("`")));
	assert_true(feed(&f, STR("")));
	assert_int_equal(s.calls, 3);
	assert_true(feed(&f, STR("line` or two")));
	assert_int_equal(s.calls, 4);
	assert_true(fence_end(&f));
	assert_true(str_is(buf_view(&s.out), "P(Hello world, it is\na `line` or two)"));
	buf_finish(&s.out);
	fence_finish(&f);
}

/* --- against the slow reader --- */

static size_t random_text(char *to, size_t max)
{
	static const struct str parts[] = {
		T("`"),  T("`"),   T("``"), T("```"), T("```"),  T("````"),  T(" "),
		T(" "),  T("   "), T("\t"), T("\r"),  T("\r\n"), T("\n"),    T("\n"),
		T("\n"), T("a"),   T("B"),  T("{"),   T("}"),    T("\n```"), T("```\n"),
	};
	size_t count = draw(24);
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct str piece = parts[draw(ARRAY_LEN(parts))];

		assert_true(n + piece.n <= max);
		memcpy(to + n, piece.p, piece.n);
		n += piece.n;
	}
	return n;
}

static void random_texts_are_split_as_the_slow_reader_does(void **state)
{
	(void)state;
	seed = 20240229;
	for (int i = 0; i < 40000; i++) {
		char       space[128];
		struct str text = { space, random_text(space, sizeof space) };
		struct buf slow;

		buf_init(&slow, MIB);
		slow_split(text, &slow);
		assert_split(text, buf_view(&slow), WHOLE, "a whole text");
		assert_split(text, buf_view(&slow), 1, "bytes");
		assert_split(text, buf_view(&slow), AT_RANDOM, "pieces");
		buf_finish(&slow);
	}
}

/* common: what the results for all these continuations have in common is all that may be given. */
static void common(struct str text, struct buf *ret)
{
	static const struct str rests[] = {
		T("x"),     T("\n"),
		T("`\n"),   T("``\n"),
		T("```\n"), T("\n```\n"),
		T("\nx"),   T("x y`\n"),
		T("`x"),    T("````````````````````````````````````````````````\n"),
	};

	slow_split(text, ret);
	for (size_t i = 0; i < ARRAY_LEN(rests); i++) {
		char       space[256];
		size_t     same = 0;
		struct buf other;

		buf_init(&other, MIB);
		memcpy(space, text.p, text.n);
		memcpy(space + text.n, rests[i].p, rests[i].n);
		slow_split((struct str){ space, text.n + rests[i].n }, &other);
		while (same < ret->len && same < other.len && ret->data[same] == other.data[same])
			same++;
		ret->len = same;
		buf_finish(&other);
	}
	/* A segment's head is given in one. */
	while (ret->len > 0 && strchr("PC ", ret->data[ret->len - 1]))
		ret->len--;
}

static void everything_that_no_continuation_changes_is_out(void **state)
{
	(void)state;
	seed = 7;
	for (int i = 0; i < 10000; i++) {
		char        space[128];
		struct str  text = { space, random_text(space, sizeof space) };
		struct seen s;
		struct buf  expect;

		buf_init(&expect, MIB);
		common(text, &expect);
		/* Spaces of prose may have been cut off with a head's; they are not compared. */
		given(&s, text, i % 2 ? AT_RANDOM : WHOLE);
		size_t n = s.out.len;
		while (n > expect.len && s.out.data[n - 1] == ' ')
			n--;
		assert_same((struct str){ s.out.data, n }, buf_view(&expect), text, "a beginning");
		buf_finish(&s.out);
		buf_finish(&expect);
	}
}

/* --- limits, failures, long texts --- */

static void a_fence_can_be_used_for_text_after_text(void **state)
{
	struct fence f;
	struct seen  s;

	(void)state;
	seen_init(&s);
	fence_init(&f, &seeing, &s, MIB);
	for (size_t i = 0; i < ARRAY_LEN(closings); i++) {
		size_t     before = s.out.len;
		struct str text = closings[i].text;

		assert_true(feed(&f, text) && fence_end(&f));
		assert_same(part(buf_view(&s.out), before, s.out.len), str_of(closings[i].expect),
			    text, closings[i].why);
		text = openings[i].text;
		assert_true(feed(&f, text) && fence_end(&f));
	}
	buf_finish(&s.out);
	fence_finish(&f);
}

static void a_sink_that_refuses_hears_no_more(void **state)
{
	(void)state;
	for (size_t refuse_at = 1; refuse_at <= 9; refuse_at++) {
		const size_t steps[] = { WHOLE, 1 };

		for (size_t k = 0; k < ARRAY_LEN(steps); k++) {
			struct str   text = STR("a\n```b\nx\n```\ny ");
			struct fence f;
			struct seen  s;
			bool         ok = true;

			seen_init(&s);
			s.refuse_at = refuse_at;
			fence_init(&f, &seeing, &s, MIB);
			for (size_t i = 0; i < text.n; i += steps[k] == 1 ? 1 : text.n)
				ok = feed(&f, part(text, i, steps[k] == 1 ? i + 1 : text.n)) && ok;
			ok = fence_end(&f) && ok;
			assert_false(ok);
			assert_false(feed(&f, STR("z")));
			assert_false(feed(&f, STR("")));
			assert_false(fence_end(&f));
			buf_finish(&s.out);
			fence_finish(&f);
		}
	}
}

static void more_than_the_limit_is_not_held(void **state)
{
	static const struct {
		const char *why;
		struct str  text;
		bool        fits;
	} rows[] = {
		{ "white space that just fits", T("a        b"), true },
		{ "white space", T("a         b"), false },
		{ "backticks", T("`````````"), false },
		{ "an info text that just fits", T("```abcde\nx"), true },
		{ "an info text", T("```abcdef\nx"), false },
		{ "a closing fence that just fits", T("```a\nx\n```    \n"), true },
		{ "a closing fence", T("```a\nx\n```     \n"), false },
		{ "what is not held has no limit", T("abcdefghijklmnop ``` a b c d e f g"), true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fence f;
		struct seen  s;
		bool         ok = true;

		seen_init(&s);
		fence_init(&f, &seeing, &s, 8);
		for (size_t k = 0; k < rows[i].text.n; k++)
			ok = ok && feed(&f, part(rows[i].text, k, k + 1));
		ok = ok && fence_end(&f);
		if (ok != rows[i].fits)
			fail_msg("%s: %d", rows[i].why, ok);
		assert_int_equal(fence_end(&f), rows[i].fits);
		buf_finish(&s.out);
		fence_finish(&f);
	}
}

static void long_texts_take_as_long_as_they_are(void **state)
{
	/* clang-format off */
	static const struct {
		struct str head, repeated, tail;
	} rows[] = {
		{ T("a"), T(" "), T("b") },          { T("a"), T("\n"), T("```c\nx") },
		{ T(""), T("`"), T("\nx") },         { T("```"), T("a "), T("\nx") },
		{ T("```"), T("a"), T("`\nx") },     { T("```a\n"), T("\n"), T("```\n") },
		{ T("```a\n"), T("\r"), T("\n") },   { T("```a\n```"), T(" "), T("x") },
		{ T("```a\n"), T("``\n"), T("x") },  { T(""), T("`a"), T("`") },
		{ T(""), T("```a `"), T("`") },      { T(""), T("```a\n```\n"), T("") },
		{ T(""), T("b ```a\nx\n```\n"), T("") },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf text, slow;

		buf_init(&text, 8 * MIB);
		buf_init(&slow, 8 * MIB);
		assert_true(buf_str(&text, rows[i].head));
		while (text.len < 100 * KIB)
			assert_true(buf_str(&text, rows[i].repeated));
		assert_true(buf_str(&text, rows[i].tail));
		slow_split(buf_view(&text), &slow);
		assert_split(buf_view(&text), buf_view(&slow), WHOLE, "a long text");
		assert_split(buf_view(&text), buf_view(&slow), 5, "a long text in pieces");
		buf_finish(&text);
		buf_finish(&slow);
	}
}

/* However a text is cut, the first byte beyond the limit decides. */
static void what_waits_too_long_is_text(void **state)
{
	static const struct {
		struct str head;
		char       repeated;
		struct str tail, within,
			beyond; /* what is seen in front of the run, and behind it */
	} rows[] = {
		{ T(""), '\n', T(""), T(""), T("P(") },
		{ T(""), ' ', T("b"), T("P("), T("P(") },
		{ T("a"), '\n', T("```c\nx"), T("P(a)C c("), T("P(a") },
		{ T("```"), 'a', T("\nx"), T("C a"), T("P(```") },
		{ T("a ```"), 'b', T("\nx"), T("P(a)C b"), T("P(a ```b") },
		{ T("```a\ny\n```"), ' ', T("\nx"), T("C a(y)P("), T("C a(y\n```") },
		{ T("```a\ny\n```"), '\r', T("\n```\nx"), T("C a(y)C python("), T("C a(y\n```") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t over = 0; over < 2; over++) {
			size_t      n = LIMIT_LMC_OPEN + over;
			struct buf  text;
			struct seen whole, cut;
			struct str  expect = over ? rows[i].beyond : rows[i].within;

			buf_init(&text, MIB);
			assert_true(buf_str(&text, rows[i].head) && buf_reserve(&text, n));
			memset(text.data + text.len, rows[i].repeated, n);
			text.len += n;
			assert_true(buf_str(&text, rows[i].tail));
			split_into(&whole, buf_view(&text), WHOLE);
			split_into(&cut, buf_view(&text), 4099);
			assert_true(str_eq(buf_view(&whole.out), buf_view(&cut.out)));
			assert_true(whole.out.len >= expect.n);
			assert_memory_equal(whole.out.data, expect.p, expect.n);
			if (over)
				assert_true(whole.out.len > n);
			buf_finish(&whole.out);
			buf_finish(&cut.out);
			buf_finish(&text);
		}
}

static void halves_of_a_character_join_while_they_wait(void **state)
{
	struct fence f;
	struct seen  s;

	(void)state;
	seen_init(&s);
	fence_init(&f, &seeing, &s, MIB);
	assert_true(feed(&f, STR("```\xed\xa0\xbd")));
	assert_true(feed(&f, STR("\xed\xb8\x80")));
	assert_true(fence_end(&f));
	assert_true(str_is(buf_view(&s.out), "P(```\xf0\x9f\x98\x80)"));
	buf_finish(&s.out);
	fence_finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fence_opens_where_the_rules_say),
		cmocka_unit_test(a_fence_closes_where_the_rules_say),
		cmocka_unit_test(white_space_goes_only_around_fences),
		cmocka_unit_test(nothing_waits_that_is_decided),
		cmocka_unit_test(what_waited_comes_together_with_what_follows),
		cmocka_unit_test(random_texts_are_split_as_the_slow_reader_does),
		cmocka_unit_test(everything_that_no_continuation_changes_is_out),
		cmocka_unit_test(a_fence_can_be_used_for_text_after_text),
		cmocka_unit_test(a_sink_that_refuses_hears_no_more),
		cmocka_unit_test(more_than_the_limit_is_not_held),
		cmocka_unit_test(long_texts_take_as_long_as_they_are),
		cmocka_unit_test(what_waits_too_long_is_text),
		cmocka_unit_test(halves_of_a_character_join_while_they_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
