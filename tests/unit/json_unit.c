/* json/member: escaped text is cut between characters and escapes, and the pieces are the whole again. */
#include "json/member.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void a_cut_is_between_units(void **state)
{
	static const struct {
		const char *text;
		size_t      max;
		size_t      cut;
	} cases[] = {
		{ "abc", 2, 2 },
		{ "abc", 9, 3 },
		{ "a\\n", 2, 1 },
		{ "\\n\\n", 3, 2 },
		{ "\\\\n", 2, 2 },
		{ "\\u00e9x", 5, 6 }, /* one in any case */
		{ "a\\u00e9", 6, 1 },
		{ "\\ud83d\\ude00x", 7, 12 }, /* a pair is one */
		{ "a\xe6\xbc\xa2", 3, 1 },
		{ "a\xf0\x9f\x98\x80", 5, 5 },
		{ "", 3, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(json_cut(str_of(cases[i].text), cases[i].max), cases[i].cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_is_between_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
