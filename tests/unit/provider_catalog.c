/* Lists of models as providers write them; what is none. */
#include "provider/catalog.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void names_come_out_in_order_and_once(void **state)
{
	/* clang-format off */
	static const struct {
		const char *why, *body, *want; /* NULL: it is no list */
	} cases[] = {
		{ "OpenAI's", "{\"object\":\"list\",\"data\":[{\"id\":\"b\"},{\"id\":\"a\"},{\"id\":\"b\"}]}", "a b " },
		{ "Gemini's", "{\"models\":[{\"name\":\"models/g\",\"version\":\"1\"}]}", "g " },
		{ "Ollama's", "{\"models\":[{\"name\":\"l:7b\",\"model\":\"x\"}]}", "l:7b " },
		{ "one with escapes", "{\"data\":[{\"id\":\"a\\u0062\\/c\"}]}", "ab/c " },
		{ "one begins another", "{\"data\":[{\"id\":\"ab\"},{\"id\":\"a\"}]}", "a ab " },
		{ "none", "{\"data\":[]}", "" },
		{ "what is no name",
		  "{\"data\":[{\"id\":\"\"},{\"id\":\"a\\n\"},{\"id\":\"a*\"},{\"id\":\"a\\u0000\"},{\"id\":1},{},5,null,[]]}",
		  "" },
		{ "an error", "{\"error\":{\"message\":\"no\"}}", NULL },
		{ "no array", "{\"data\":{\"id\":\"a\"}}", NULL },
		{ "no object", "[{\"id\":\"a\"}]", NULL },
		{ "no JSON", "<html>", NULL },
		{ "nothing", "", NULL },
	};
	/* clang-format on */
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct catalog_names *n = catalog_read(str_of(cases[i].body));
		char                  got[64] = "";

		print_message("case: %s\n", cases[i].why);
		for (size_t k = 0; n && k < n->count; k++) {
			snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s ",
				 STR_ARG(n->names[k]));
			assert_true(catalog_has(n, n->names[k]));
		}
		assert_int_equal(n != NULL, cases[i].want != NULL);
		if (n)
			assert_string_equal(got, cases[i].want);
		assert_false(catalog_has(n, STR("other")));
		catalog_release(n);
	}
}

/* Ollama's lists add a tag to names without one, and say what a model is for. */
static void facts_are_found_without_a_tag(void **state)
{
	struct catalog_names *n = catalog_read(
		STR("{\"models\":[{\"name\":\"v:latest\",\"details\":{\"context_length\":512},"
		    "\"capabilities\":[\"embedding\"]},{\"name\":\"v:8b\",\"capabilities\":"
		    "[\"completion\",\"embedding\",\"tools\"]}]}"));
	(void)state;

	assert_non_null(n);
	assert_ptr_equal(catalog_facts(n, STR("v")), catalog_facts(n, STR("v:latest")));
	assert_int_equal(catalog_facts(n, STR("v"))->context, 512);
	assert_true(catalog_facts(n, STR("v"))->embeds);
	assert_false(catalog_facts(n, STR("v:8b"))->embeds);
	assert_int_equal(catalog_facts(n, STR("v:8b"))->can, CATALOG_TOOLS);
	assert_null(catalog_facts(n, STR("v:7b")));
	assert_false(catalog_has(n, STR("v")));
	catalog_release(n);
}

static void no_more_than_the_limit_are_kept(void **state)
{
	struct buf body;
	(void)state;

	buf_init(&body, MIB);
	assert_true(buf_text(&body, "{\"data\":["));
	for (int i = 0; i < LIMIT_CATALOG + 5; i++)
		assert_true(buf_fmt(&body, "%s{\"id\":\"m%d\"}", i > 0 ? "," : "", i));
	assert_true(buf_text(&body, "]}"));
	struct catalog_names *n = catalog_read(buf_view(&body));
	assert_non_null(n);
	assert_int_equal(n->count, LIMIT_CATALOG);
	catalog_release(n);
	buf_finish(&body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_out_in_order_and_once),
		cmocka_unit_test(facts_are_found_without_a_tag),
		cmocka_unit_test(no_more_than_the_limit_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
