/* Lists of LMC messages and OpenAI's own, put into OpenAI's form: whose calls are answered by whom, which
 * ids are made, and when a message is given on. */
#include "tests/unit/lmc_openai.h"

/* --- lists of both kinds --- */

#define ASK SAID("user", "own")

static void own_messages_go_through(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "as they came",
		  ASK USER("a") "{\"role\":\"assistant\",\"content\":null}"
		  "{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"1\"}",
		  ASK SAID("user", "a") "{\"role\":\"assistant\",\"content\":null}" TOOL("x", "1"), 0 },
		{ "and end a group", CODE("1") ASK OUT("a"), RAN("T1", "1") NO_OUTPUT("T1") ASK OUTPUT("a"),
		  0 },
		{ "own tool messages too", CODE("1") OUT("a") TOOL("x", "1") OUT("b"),
		  RAN("T1", "1") TOOL("T1", "a") TOOL("x", "1") OUTPUT("b"), 0 },
		{ "an answer's text and the call behind it are one message (L14)",
		  "{\"role\":\"assistant\", \"x\":{} , \"content\":\"a\" }" CODE("1") OUT("b"),
		  "{\"role\":\"assistant\",\"x\":{},\"content\":\"a\",\"tool_calls\":["
		  FUNCTION("T1", "execute", RUN("python", "1")) "]}" TOOL("T1", "b"), 0 },
		{ "nothing else is",
		  SAID("assistant", "a") SAY("b") SAID("assistant", "c") SAY("d") OWN("z") SAID("user", "e")
		  CODE("1"),
		  SAID("assistant", "a") SAID("assistant", "b") SAID("assistant", "c")
		  SAID("assistant", "d") OWN("z") NO_OUTPUT("z") SAID("user", "e") RAN("T1", "1")
		  NO_OUTPUT("T1"), 0 },
		{ "not with somebody of another name, and not where there are calls, if only by name",
		  "{\"role\":\"assistant\",\"name\":\"ann\",\"content\":\"a\"}" CODE("1")
		  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":null}" CODE("2")
		  "{\"role\":\"assistant\",\"content\":\"a\",\"function_call\":{}}" CODE("3")
		  "{\"role\":\"assistant\",\"content\":null}" CODE("4"),
		  "{\"role\":\"assistant\",\"name\":\"ann\",\"content\":\"a\"}" RAN("T1", "1")
		  NO_OUTPUT("T1") "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":null}"
		  RAN("T2", "2") NO_OUTPUT("T2")
		  "{\"role\":\"assistant\",\"content\":\"a\",\"function_call\":{}}" RAN("T3", "3")
		  NO_OUTPUT("T3") "{\"role\":\"assistant\",\"content\":null}" RAN("T4", "4")
		  NO_OUTPUT("T4"), 0 },
		{ "no calls in the list of calls",
		  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]}" OUT("a"),
		  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]}" OUTPUT("a"), 0 },
	};
	static const struct row fenced[] = {
		{ "never merged", USER("a") ASK USER("b") ASK ASK,
		  SAID("user", "a") ASK SAID("user", "b") ASK ASK, 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, true, .vision = true);
	CHECK_ROWS(fenced, true, .vision = true, .fence = true);
}

static void own_calls_are_answered(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "by their own", OWN2("a", "b") TOOL("b", "2") TOOL("a", "1") ASK,
		  OWN2("a", "b") TOOL("b", "2") TOOL("a", "1") ASK, 0 },
		{ "by output", OWN2("a", "b") OUT("1") OUT("2") OUT("3") USER("x"),
		  OWN2("a", "b") TOOL("a", "1") TOOL("b", "2\\n3") SAID("user", "x"), 0 },
		{ "by both", OWN2("a", "b") TOOL("a", "1") PNG OUT("2") OUT("3"),
		  OWN2("a", "b") TOOL("a", "1") TOOL("b", "2\\n3") PLOT, 0 },
		{ "the last one by its own: outputs beyond are told",
		  OWN2("a", "b") TOOL("b", "2") OUT("1") OUT("3") PNG OUT(""),
		  OWN2("a", "b") TOOL("b", "2") TOOL("a", "1") OUTPUT("3") PLOT NO_PRINT, 0 },
		{ "by nobody", OWN2("a", "b") TOOL("b", "2") ASK OWN("c"),
		  OWN2("a", "b") TOOL("b", "2") NO_OUTPUT("a") ASK OWN("c") NO_OUTPUT("c"), 0 },
		{ "what the computer said waits",
		  OWN2("a", "b") NOTE("n") TOOL("a", "1") LINE(1) TOOL("b", "2") USER("x"),
		  OWN2("a", "b") TOOL("a", "1") TOOL("b", "2") SAID("user", "n") SAID("user", "x"), 1 },
		{ "by their own after an output: that one is told behind",
		  OWN2("a", "b") OUT("1") TOOL("a", "own") OUT("2"),
		  OWN2("a", "b") TOOL("a", "own") TOOL("b", "2") OUTPUT("1"), 0 },
		{ "twice by their own", OWN("a") TOOL("a", "1") TOOL("a", "2"),
		  OWN("a") TOOL("a", "1") TOOL("a", "2"), 0 },
		{ "a strange answer passes and ends nothing",
		  OWN("a") TOOL("x", "1") "{\"role\":\"tool\",\"content\":\"\"}" OUT("2"),
		  OWN("a") TOOL("x", "1") "{\"role\":\"tool\",\"content\":\"\"}" TOOL("a", "2"), 0 },
		{ "too late", OWN("a") ASK TOOL("a", "1") OUT("2"),
		  OWN("a") NO_OUTPUT("a") ASK TOOL("a", "1") OUTPUT("2"), 0 },
		{ "each message's calls are a group", OWN("a") OWN("b") OUT("1") TOOL("a", "2"),
		  OWN("a") NO_OUTPUT("a") OWN("b") TOOL("a", "2") TOOL("b", "1"), 0 },
		{ "LMC calls behind are another group", OWN("a") CODE("1") OUT("x") OWN("b") OUT("y"),
		  OWN("a") NO_OUTPUT("a") RAN("T1", "1") TOOL("T1", "x") OWN("b") TOOL("b", "y"), 0 },
		{ "one id twice has one answer", OWN2("a", "a") OUT("1") OUT("2"),
		  OWN2("a", "a") TOOL("a", "1") OUTPUT("2"), 0 },
		{ "an id written with escapes", OWN("\\u0061\\\"") TOOL("a\\u0022", "1"),
		  OWN("\\u0061\\\"") TOOL("a\\u0022", "1"), 0 },
		{ "the same, answered by output", OWN("x\\u0061\\\"\\/") OUT("1"),
		  OWN("x\\u0061\\\"\\/") TOOL("xa\\\"/", "1"), 0 },
		{ "a call without an id can't be",
		  "{\"role\":\"assistant\",\"tool_calls\":[{},5]}" OUT("1"),
		  "{\"role\":\"assistant\",\"tool_calls\":[{},5]}" OUTPUT("1"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, true, .vision = true);
}

static void own_calls_are_answered_in_fence_mode(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "by tool messages; what follows is merged as always",
		  USER("a") OWN("a") OUT("1") NOTE("n") NOTE("o") USER("b") SAY("c"),
		  SAID("user", "a") OWN("a") TOOL("a", "1") SAID("user", "n\\no\\nb")
		  SAID("assistant", "c"), 0 },
		{ "code ends the group", OWN("a") CODE("1") OUT("2"),
		  OWN("a") NO_OUTPUT("a") SAID("assistant", "```python\\n1\\n```") OUTPUT("2"), 0 },
		{ "images part texts", OWN("a") NOTE("n") PNG NOTE("o") OUT("1"),
		  OWN("a") TOOL("a", "1") SAID("user", "n") PLOT SAID("user", "o"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, true, .fence = true, .vision = true);
}

/* --- ids --- */

static void made_ids_are_not_those_of_others(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "counted from one", CODE("1") CODE("2") SAY("x") CODE("3"),
		  RAN("call_lmc_1", "1") NO_OUTPUT("call_lmc_1") RAN("call_lmc_2", "2")
		  NO_OUTPUT("call_lmc_2") SAID_RAN("x", "call_lmc_3", "3") NO_OUTPUT("call_lmc_3"), 0 },
		{ "behind the highest that came", OWN2("call_lmc_7", "call_lmc_2") CODE("1"),
		  OWN2("call_lmc_7", "call_lmc_2") NO_OUTPUT("call_lmc_7") NO_OUTPUT("call_lmc_2")
		  RAN("call_lmc_8", "1") NO_OUTPUT("call_lmc_8"), 0 },
		{ "or answered something", TOOL("call_lmc_1", "") CODE("1"),
		  TOOL("call_lmc_1", "") RAN("call_lmc_2", "1") NO_OUTPUT("call_lmc_2"), 0 },
		{ "what looks different does not count",
		  OWN2("call_lmc_5x", "call_lmc_99999999999999999999") CODE("1"),
		  OWN2("call_lmc_5x", "call_lmc_99999999999999999999") NO_OUTPUT("call_lmc_5x")
		  NO_OUTPUT("call_lmc_99999999999999999999") RAN("call_lmc_1", "1") NO_OUTPUT("call_lmc_1"),
		  0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, true, .vision = true);
}

static void ids_of_later_messages_can_be_reserved(void **state)
{
	(void)state;
	struct json_doc   own = { 0 };
	struct json_doc   call = { 0 };
	struct result     r = { 0 };
	struct err        e = { 0 };
	struct to_openai *t = to_openai_create(
		&(struct to_openai_options){ .vision = true, .arg = &r, .made = collect });

	assert_non_null(t);
	buf_init(&r.list, MIB);
	assert_true(buf_text(&r.list, "["));
	scan(&own, STR(OWN2("a", "call_lmc_1")));
	scan(&call, STR(CODE("1")));
	to_openai_reserve(t, &own, 0);
	assert_int_equal(to_openai_lmc(t, &call, 0, "messages[0]", 0, &e), ERR_OK);
	assert_int_equal(to_openai_end(t, &e), ERR_OK);
	assert_true(buf_add(&r.list, "", 1));
	assert_non_null(strstr(r.list.data, "call_lmc_2"));
	assert_null(strstr(r.list.data, "call_lmc_1"));
	to_openai_destroy(t);
	json_doc_finish(&own);
	json_doc_finish(&call);
	result_finish(&r);
}

/* --- how it is done --- */

static bool count_made(void *arg, struct str message)
{
	(void)message;
	++*(size_t *)arg;
	return true;
}

static void messages_are_given_as_soon_as_they_are_complete(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *message;
		size_t      made; /* after it, of all */
		bool        own;
	} steps[] = {
		{ USER("a"), 1, false },     { CODE("1"), 1, false },     { OUT("1"), 1, false },
		{ SAY("b"), 3, false },      { OWN2("a", "b"), 5, true }, { TOOL("a", "1"), 6, true },
		{ TOOL("b", "1"), 7, true }, { NOTE("n"), 7, false },     { CODE("2"), 8, false },
	};
	/* clang-format on */
	size_t            made = 0;
	struct err        e = { 0 };
	struct to_openai *t =
		to_openai_create(&(struct to_openai_options){ .arg = &made, .made = count_made });

	assert_non_null(t);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		assert_int_equal(hand(t, str_of(steps[i].message), steps[i].own, i, &e), ERR_OK);
		assert_int_equal(made, steps[i].made);
	}
	assert_int_equal(to_openai_end(t, &e), ERR_OK);
	assert_int_equal(made, 10);
	to_openai_destroy(t);
}

static bool refuse_made(void *arg, struct str message)
{
	(void)arg;
	(void)message;
	return false;
}

static void whoever_takes_no_more_ends_it(void **state)
{
	(void)state;
	struct err        e = { 0 };
	struct to_openai *t = to_openai_create(&(struct to_openai_options){ .made = refuse_made });

	assert_non_null(t);
	assert_int_equal(hand(t, STR(CODE("1")), false, 0, &e), ERR_OK);
	assert_int_equal(to_openai_end(t, &e), ERR_OVERLOADED);
	to_openai_destroy(t);
	to_openai_destroy(NULL);
}

/* Thousands of calls, answers in the opposite order: nothing may be looked for one by one. */
static void large_groups_take_no_longer(void **state)
{
	(void)state;
	enum { CALLS_IN_ONE = 20000 };
	struct buf        own;
	size_t            made = 0;
	struct err        e = { 0 };
	struct json_doc   d = { 0 };
	struct to_openai *t =
		to_openai_create(&(struct to_openai_options){ .arg = &made, .made = count_made });

	assert_non_null(t);
	buf_init(&own, 16 * MIB);
	assert_true(buf_text(&own, "{\"role\":\"assistant\",\"tool_calls\":["));
	for (int i = 0; i < CALLS_IN_ONE; i++)
		assert_true(buf_fmt(&own, "%s{\"id\":\"c%d\"}", i > 0 ? "," : "", i));
	assert_true(buf_text(&own, "]}"));
	assert_int_equal(hand(t, buf_view(&own), true, 0, &e), ERR_OK);
	for (int i = CALLS_IN_ONE - 1; i >= CALLS_IN_ONE / 2; i--) {
		char tool[64];

		snprintf(tool, sizeof tool, "{\"role\":\"tool\",\"tool_call_id\":\"c%d\"}", i);
		assert_int_equal(hand(t, str_of(tool), true, 0, &e), ERR_OK);
	}
	scan(&d, STR(OUT("x")));
	for (int i = 0; i < CALLS_IN_ONE; i++)
		assert_int_equal(to_openai_lmc(t, &d, 0, "", 0, &e), ERR_OK);
	assert_int_equal(to_openai_end(t, &e), ERR_OK);
	/* The call, its answers, and outputs that no call was left for. */
	assert_int_equal(made, 1 + CALLS_IN_ONE + CALLS_IN_ONE / 2);
	to_openai_destroy(t);
	json_doc_finish(&d);
	buf_finish(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_messages_go_through),
		cmocka_unit_test(own_calls_are_answered),
		cmocka_unit_test(own_calls_are_answered_in_fence_mode),
		cmocka_unit_test(made_ids_are_not_those_of_others),
		cmocka_unit_test(ids_of_later_messages_can_be_reserved),
		cmocka_unit_test(messages_are_given_as_soon_as_they_are_complete),
		cmocka_unit_test(whoever_takes_no_more_ends_it),
		cmocka_unit_test(large_groups_take_no_longer),
	};

	return cmocka_run_group_tests_name("lmc/to_openai_own", tests, NULL, NULL);
}
