/* What clients return unread: pieces of an answer make one text, which gives the same back. */
#include "base/limits.h"
#include "shape/carry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define DETAILS  "[{\"type\":\"reasoning.text\",\"text\":\"a\\n\\\"\",\"index\":0}]"
#define EXTRA    "{\"google\":{\"thought_signature\":\"b\"}}"
#define CALL(id) "{\"id\":\"" id "\",\"type\":\"function\"}"

static void assert_text(const struct buf *got, const char *want)
{
	assert_int_equal(got->len, strlen(want));
	assert_memory_equal(got->data, want, got->len);
}

static void what_was_gathered_comes_back(void **state)
{
	struct carry *in = carry_create(), *back = carry_create();
	struct buf    text, out;
	bool          ours = false;

	(void)state;
	buf_init(&text, MIB);
	buf_init(&out, MIB);
	assert_non_null(in);
	assert_non_null(back);
	assert_false(carry_any(in));
	assert_true(carry_add_details(in, STR(DETAILS)) &&
		    carry_add_extra(in, STR("none"), STR_NONE) &&
		    carry_add_extra(in, STR("c1"), STR(EXTRA)) &&
		    carry_add_extra(in, STR("c2"), STR("sig")) && carry_any(in));
	assert_true(carry_take(in, &text));
	assert_false(carry_any(in));
	assert_true(carry_is(buf_view(&text)));

	assert_true(carry_read(back, buf_view(&text), &ours) && ours);
	assert_true(carry_put_details(back, &out));
	assert_text(&out, ",\"reasoning_details\":" DETAILS);
	buf_clear(&out);
	assert_true(carry_put_calls(back, STR(CALL("c0") "," CALL("c1") "," CALL("c2")), &out));
	assert_text(&out,
		    CALL("c0") ",{\"id\":\"c1\",\"type\":\"function\",\"extra_content\":" EXTRA
			       "},{\"id\":\"c2\",\"type\":\"function\",\"extra_content\":{"
			       "\"google\":{\"thought_signature\":\"sig\"}}}");
	carry_destroy(in);
	carry_destroy(back);
	buf_finish(&text);
	buf_finish(&out);
}

static void what_was_changed_adds_nothing(void **state)
{
	static const char *const texts[] = { "parley_rd:", "parley_rd:{", "parley_rd:[]",
					     "parley_rd:{\\\"calls\\\":[", "parley_rd:\\u0000" };
	struct carry            *c = carry_create();

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		bool ours = true;

		assert_true(carry_read(c, str_of(texts[i]), &ours));
		assert_false(ours);
		assert_false(carry_any(c));
	}
	assert_false(carry_is(STR("parley")));
	carry_destroy(c);
}

static void calls_are_no_more_than_an_answer_can_have(void **state)
{
	struct carry *c = carry_create();
	struct buf    out;

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i <= LIMIT_TOOLS; i++) {
		char id[16];

		snprintf(id, sizeof id, "c%zu", i);
		assert_true(carry_add_extra(c, str_of(id), STR("s")));
	}
	buf_init(&out, KIB);
	assert_true(carry_put_extra(c, STR("c511"), &out) && out.len > 0);
	buf_clear(&out);
	assert_true(carry_put_extra(c, STR("c512"), &out) && out.len == 0);
	carry_destroy(c);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_gathered_comes_back),
		cmocka_unit_test(what_was_changed_adds_nothing),
		cmocka_unit_test(calls_are_no_more_than_an_answer_can_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
