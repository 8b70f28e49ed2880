/* What a runner says of its languages, and which words a model or a client uses for them. */
#include "computer/languages.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* told: the languages of a runner's answer; the caller finishes them. */
static void told(struct languages *l, const char *answer)
{
	struct json_doc d = { 0 };
	struct err      e;

	languages_init(l);
	assert_int_equal(json_scan(&d, answer, strlen(answer), &json_limits_request, &e), ERR_OK);
	assert_true(languages_read(l, &d));
	json_doc_finish(&d);
}

static void names_are_found_in_any_word_and_case(void **state)
{
	static const struct {
		const char *said, *want; /* NULL: the runner does not have it */
	} rows[] = {
		{ "python", "python" },
		{ "Python", "python" },
		{ " python\n", "python" },
		{ "py", "python" },
		{ "PY", "python" },
		{ "bash", "shell" },
		{ "c", "c" },
		{ "javascript", NULL },
		{ "node", NULL },
		{ "", NULL },
		{ " ", NULL },
		{ ",", NULL },
		{ "python,shell", NULL },
		{ "pyth", NULL },
		{ "ython", NULL },
		{ "py=python", NULL },
		{ "a-language-with-a-name-that-is-longer-than-any", NULL },
	};
	struct languages l;
	char             name[LANGUAGES_NAME];

	(void)state;
	/* node is another word for a language that is not installed */
	told(&l,
	     "{\"languages\":\"python, shell, c\",\"aliases\":\"py=python, bash=shell, node=javascript\"}");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool known = languages_know(&l, str_of(rows[i].said), name);

		if (known != (rows[i].want != NULL) || (known && strcmp(name, rows[i].want) != 0))
			fail_msg("'%s': %s", rows[i].said, known ? name : "not known");
	}
	languages_finish(&l);
}

static void all_are_listed_in_order(void **state)
{
	static const char *const want[] = { "python", "shell", "c" };
	struct languages         l;
	struct str               one;
	size_t                   n = 0;

	(void)state;
	told(&l, "{\"languages\":\"python, shell, c\",\"aliases\":\"\"}");
	struct str rest = languages_all(&l);
	for (; languages_next(&rest, &one); n++)
		assert_true(n < 3 && str_is(one, want[n]));
	assert_int_equal(n, 3);
	languages_finish(&l);
}

static void a_runner_may_have_none(void **state)
{
	static const char *const answers[] = { "{}", "{\"languages\":\"\",\"aliases\":\"\"}",
					       "{\"languages\":5}" };
	struct languages         l;
	struct str               one;
	char                     name[LANGUAGES_NAME];

	(void)state;
	languages_init(&l);
	struct str rest = languages_all(&l);
	assert_false(languages_next(&rest, &one) || languages_know(&l, STR("python"), name));
	languages_finish(&l);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		told(&l, answers[i]);
		rest = languages_all(&l);
		assert_false(languages_next(&rest, &one));
		assert_false(languages_know(&l, STR("python"), name));
		languages_finish(&l);
	}
}

static void more_names_than_are_kept_are_an_error(void **state)
{
	struct languages l;
	struct json_doc  d = { 0 };
	struct err       e;
	struct buf       answer;

	(void)state;
	buf_init(&answer, MIB);
	assert_true(buf_text(&answer, "{\"languages\":\""));
	for (int i = 0; i < 5000; i++)
		assert_true(buf_text(&answer, "x,"));
	assert_true(buf_text(&answer, "x\"}"));
	assert_int_equal(json_scan(&d, answer.data, answer.len, &json_limits_request, &e), ERR_OK);
	languages_init(&l);
	assert_false(languages_read(&l, &d));
	languages_finish(&l);
	json_doc_finish(&d);
	buf_finish(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_in_any_word_and_case),
		cmocka_unit_test(all_are_listed_in_order),
		cmocka_unit_test(a_runner_may_have_none),
		cmocka_unit_test(more_names_than_are_kept_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
