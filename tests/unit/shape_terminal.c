/* The outputs of the computer as a model is sent them. */
#include "shape/transcript.h"

#include "base/buf.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD \
	"{\"role\":\"assistant\",\"content\":\"\",\"lmc\":[{\"role\":\"computer\",\"type\":\"console\",\"content\":\""
#define TAIL "\"}]}"

static void check(const char *why, struct str content, struct str want)
{
	struct arena a;
	struct buf   message, wanted;
	struct str   got;

	arena_init(&a, MIB);
	buf_init(&message, MIB);
	buf_init(&wanted, MIB);
	assert_true(buf_text(&message, HEAD) && buf_str(&message, content) &&
		    buf_text(&message, TAIL));
	assert_true(buf_text(&wanted, HEAD) && buf_str(&wanted, want) && buf_text(&wanted, TAIL));
	assert_true(terminal_fit(buf_view(&message), &a, &got));
	if (!str_eq(got, buf_view(&wanted)))
		fail_msg("%s: %.*s", why, (int)(got.n < 300 ? got.n : 300), got.p);
	buf_finish(&message);
	buf_finish(&wanted);
	arena_finish(&a);
}

static void a_carriage_return_overwrites_its_line(void **state)
{
	(void)state;
	check("nothing to do", STR("a\\nb"), STR("a\\nb"));
	check("a line", STR("one\\rtwo\\nthree"), STR("two\\nthree"));
	check("the last line only", STR("a\\nb\\rc\\rd"), STR("a\\nd"));
	check("a line's end", STR("a\\r\\nb\\r\\n"), STR("a\\nb\\n"));
	check("several of them", STR("a\\r\\r\\nb\\r\\rc"), STR("a\\nc"));
	check("at the end", STR("49%\\r50%\\r"), STR("50%"));
}

static void long_outputs_keep_their_ends(void **state)
{
	(void)state;
	enum { ALL = LIMIT_COMPUTER_HEAD + LIMIT_COMPUTER_TAIL };
	struct buf text, want;

	buf_init(&text, MIB);
	buf_init(&want, MIB);
	for (int i = 0; i < ALL; i++)
		assert_true(buf_text(&text, "\xc3\xa9"));
	check("as many characters as fit", buf_view(&text), buf_view(&text));
	assert_true(buf_text(&text, "z"));
	for (int i = 0; i < LIMIT_COMPUTER_HEAD; i++)
		assert_true(buf_text(&want, "\xc3\xa9"));
	assert_true(buf_text(&want, "\\n[1 characters left out]\\n"));
	for (int i = 0; i < LIMIT_COMPUTER_TAIL - 1; i++)
		assert_true(buf_text(&want, "\xc3\xa9"));
	assert_true(buf_text(&want, "z"));
	check("one more", buf_view(&text), buf_view(&want));
	buf_finish(&text);
	buf_finish(&want);
}

static void others_stay_as_they_are(void **state)
{
	(void)state;
	struct str messages[] = {
		STR("{\"role\":\"user\",\"content\":\"a\\rb\"}"),
		STR("{\"role\":\"assistant\",\"content\":\"\",\"lmc\":5,\"x\":\"\\r\"}"),
		STR("{\"lmc\":[{\"role\":\"assistant\",\"type\":\"console\",\"content\":\"a\\rb\"}]}"),
		STR("{\"lmc\":[{\"role\":\"computer\",\"type\":\"console\",\"content\":5}],\"x\":\"\\r\"}"),
		STR("\"lmc\" \\r no JSON"),
	};

	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
		struct arena a;
		struct str   got;

		arena_init(&a, MIB);
		assert_true(terminal_fit(messages[i], &a, &got));
		assert_true(str_eq(got, messages[i]));
		arena_finish(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_carriage_return_overwrites_its_line),
		cmocka_unit_test(long_outputs_keep_their_ends),
		cmocka_unit_test(others_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
