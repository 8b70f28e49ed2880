/* The tables of words: what comes in with a word goes out with it. */
#include "shape/api_words.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct api_words *const apis[] = { &words_anthropic, &words_responses, &words_gemini };

static void a_reason_comes_back_as_what_it_means(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(apis); i++)
		for (const struct api_reason *r = apis[i]->reasons; r->word; r++) {
			const char *word = api_words_reason(apis[i], str_of(r->finish));

			print_message("case: %s\n", r->word);
			assert_string_equal(api_words_finish(apis[i], str_of(r->word)), r->finish);
			assert_non_null(word);
			assert_string_equal(api_words_finish(apis[i], str_of(word)), r->finish);
		}
}

static void an_error_comes_back_with_its_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(apis); i++)
		for (const struct api_error *r = apis[i]->errors; r->word; r++) {
			const struct api_error *told = api_words_told(apis[i], r->http);

			print_message("case: %s, %d\n", r->word, r->http);
			assert_string_equal(api_words_error(apis[i], str_of(r->word))->word,
					    r->word);
			assert_true(r->http >= 400 && r->http <= 599);
			if (!r->told)
				continue;
			assert_non_null(told);
			assert_int_equal(told->http, r->http);
		}
	/* Anthropic's types stand for statuses. */
	for (const struct api_error *r = words_anthropic.errors; r->word; r++)
		assert_string_equal(api_words_told(&words_anthropic, r->http)->word, r->word);
}

static void the_first_row_decides(void **state)
{
	(void)state;
	assert_string_equal(api_words_reason(&words_anthropic, STR("stop")), "end_turn");
	assert_string_equal(api_words_reason(&words_anthropic, STR("length")), "max_tokens");
	assert_int_equal(api_words_error(&words_anthropic, STR("not_found_error"))->http, 404);
	assert_string_equal(api_words_told(&words_responses, 429)->word, "rate_limit_exceeded");
}

static void what_no_table_has_is_no_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(apis); i++) {
		assert_null(api_words_finish(apis[i], STR("pause_turn")));
		assert_null(api_words_reason(apis[i], STR_NONE));
		assert_null(api_words_error(apis[i], STR_NONE));
		assert_null(api_words_told(apis[i], 418));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_comes_back_as_what_it_means),
		cmocka_unit_test(an_error_comes_back_with_its_word),
		cmocka_unit_test(the_first_row_decides),
		cmocka_unit_test(what_no_table_has_is_no_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
