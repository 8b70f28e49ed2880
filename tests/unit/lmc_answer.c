/* Pieces of an answer gathered into one message, and the limit on them. */
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEXT(s)          { .kind = EVENT_TEXT, .text = { s, sizeof s - 1 } }
#define REASONING(s)     { .kind = EVENT_REASONING, .text = { s, sizeof s - 1 } }
#define REFUSAL(s)       { .kind = EVENT_REFUSAL, .text = { s, sizeof s - 1 } }
#define CALL(n, id_, name_)                                                                        \
	{ .kind = EVENT_TOOL_START, .block = n, .id = { id_, sizeof id_ - 1 },                     \
	  .name = { name_, sizeof name_ - 1 } }
#define ARGS(n, s)       { .kind = EVENT_TOOL_ARGS, .block = n, .text = { s, sizeof s - 1 } }
#define NOTHING          { .kind = EVENT_START, .id = { "x", 1 }, .text = { "x", 1 } }

static void pieces_become_one_message(void **state)
{
	(void)state;
	static const struct {
		const char  *why;
		struct event events[8];
		bool         any;
		const char  *want;
	} cases[] = {
		{ "nothing", { NOTHING }, false, "{\"role\":\"assistant\",\"content\":\"\"}" },
		{ "text", { NOTHING, TEXT("Hel"), TEXT("lo\\n") }, true,
		  "{\"role\":\"assistant\",\"content\":\"Hello\\n\"}" },
		{ "a surrogate pair cut between pieces", { TEXT("\\ud83d"), TEXT("\\ude00") }, true,
		  "{\"role\":\"assistant\",\"content\":\"\\ud83d\\ude00\"}" },
		{ "reasoning alone is nothing to continue from", { REASONING("hm") }, false,
		  "{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"hm\"}" },
		{ "reasoning and text", { REASONING("h"), TEXT("a"), REASONING("m") }, true,
		  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"hm\"}" },
		{ "a refusal", { REFUSAL("n"), REFUSAL("o") }, true,
		  "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}" },
		{ "a refusal behind text", { TEXT("a"), REFUSAL("no") }, true,
		  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":\"no\"}" },
		{ "calls, their arguments mixed",
		  { CALL(0, "c0", "f"), CALL(1, "c1", "g"), ARGS(1, "{\\\"b\\\":"), ARGS(0, "{}"),
		    ARGS(1, "2}") },
		  true,
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		  "{\"id\":\"c0\",\"type\":\"function\",\"function\":{\"name\":\"f\","
		  "\"arguments\":\"{}\"}},"
		  "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"g\","
		  "\"arguments\":\"{\\\"b\\\":2}\"}}]}" },
		{ "text and a call", { TEXT("a"), CALL(7, "c", "f") }, true,
		  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":["
		  "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
		  "\"\"}}]}" },
		{ "a whole message as it came",
		  { { .kind = EVENT_MESSAGE, .text = { "{\"role\":\"assistant\",\"x\": 1}",
		    27 } } }, true,
		  "{\"role\":\"assistant\",\"x\": 1}" },
		{ "only the first choice is kept",
		  { TEXT("a"), { .kind = EVENT_TEXT, .choice = 1, .text = { "b", 1 } },
		    { .kind = EVENT_TOOL_START, .choice = 2, .id = { "c", 1 } } },
		  true, "{\"role\":\"assistant\",\"content\":\"a\"}" },
		{ "what is no piece of it",
		  { { .kind = EVENT_USAGE, .usage = { .known = true } }, { .kind =
		    EVENT_BLOCK_END },
		    { .kind = EVENT_MEDIA, .text = { "{}", 2 } }, { .kind = EVENT_OTHER },
		    { .kind = EVENT_FINISH, .text = { "stop", 4 } } },
		  false, "{\"role\":\"assistant\",\"content\":\"\"}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct answer   a;
		struct buf      out;
		struct json_doc doc = { 0 };
		struct err      e;

		print_message("case: %s\n", cases[i].why);
		answer_init(&a);
		for (size_t n = 0; n < ARRAY_LEN(cases[i].events); n++)
			assert_true(answer_add(&a, &cases[i].events[n]));
		buf_init(&out, 4 * KIB);
		assert_int_equal(answer_any(&a), cases[i].any);
		assert_true(answer_print(&a, &out));
		assert_true(str_is(buf_view(&out), cases[i].want));
		assert_int_equal(json_scan(&doc, out.data, out.len, &json_limits_request, &e),
			ERR_OK);
		/* What fits nowhere says so, wherever it ends. */
		for (size_t max = 0; max < out.len; max++) {
			struct buf small;

			buf_init(&small, max);
			assert_false(answer_print(&a, &small));
			buf_finish(&small);
		}
		json_doc_finish(&doc);
		buf_finish(&out);
		answer_finish(&a);
		answer_finish(&a); /* twice is fine */
	}
}

static void the_limit_holds_for_all_of_it_together(void **state)
{
	(void)state;
	static const enum event_kind kinds[] = { EVENT_TEXT, EVENT_REASONING, EVENT_REFUSAL,
						 EVENT_TOOL_ARGS };
	struct answer a;
	struct event  ev = { 0 };
	size_t        piece = LIMIT_ANSWER / 4;
	char         *text = malloc(piece);

	assert_non_null(text);
	memset(text, 'a', piece);
	answer_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		ev = (struct event){ .kind = kinds[i], .text = { text, piece } };
		assert_true(answer_add(&a, &ev));
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		ev = (struct event){ .kind = kinds[i], .text = { text, 1 } };
		assert_false(answer_add(&a, &ev));
	}
	ev.text.n = 0;
	assert_true(answer_add(&a, &ev));
	answer_finish(&a);
	free(text);
}

static void there_are_at_most_so_many_calls(void **state)
{
	(void)state;
	struct answer a;
	struct event  ev = CALL(0, "c", "f");

	answer_init(&a);
	for (ev.block = 0; ev.block < LIMIT_TOOLS; ev.block++)
		assert_true(answer_add(&a, &ev));
	assert_false(answer_add(&a, &ev));
	ev.block = 3; /* one that is there goes on */
	ev.kind = EVENT_TOOL_ARGS;
	assert_true(answer_add(&a, &ev));
	answer_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_become_one_message),
		cmocka_unit_test(the_limit_holds_for_all_of_it_together),
		cmocka_unit_test(there_are_at_most_so_many_calls),
	};

	return cmocka_run_group_tests_name("lmc/answer", tests, NULL, NULL);
}
