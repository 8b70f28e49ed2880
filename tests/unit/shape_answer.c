/* Pieces of an answer gathered into one message, and the limit on them. */
#include "base/limits.h"
#include "json/scan.h"
#include "shape/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* clang-format off */
#define TEXT(s)          { .kind = EVENT_TEXT, .text = { s, sizeof s - 1 } }
#define REASONING(s)     { .kind = EVENT_REASONING, .text = { s, sizeof s - 1 } }
#define REFUSAL(s)       { .kind = EVENT_REFUSAL, .text = { s, sizeof s - 1 } }
#define CALL(n, id_, name_)                                                                        \
	{ .kind = EVENT_TOOL_START, .block = n, .id = { id_, sizeof id_ - 1 },                     \
	  .name = { name_, sizeof name_ - 1 } }
#define ARGS(n, s)       { .kind = EVENT_TOOL_ARGS, .block = n, .text = { s, sizeof s - 1 } }
#define DETAILS(s)       { .kind = EVENT_OTHER, .name = { s, sizeof s - 1 } }
#define NOTHING          { .kind = EVENT_START, .id = { "x", 1 }, .text = { "x", 1 } }
/* clang-format on */

static void pieces_become_one_message(void **state)
{
	(void)state;
	/* clang-format off */
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
		{ "a call that its provider signed",
		  { { .kind = EVENT_TOOL_START, .id = { "c", 1 }, .name = { "f", 1 },
		      .text = { "QUJD+\\/8=", 9 } },
		    ARGS(0, "{}") },
		  true,
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		  "{\"id\":\"c\",\"extra_content\":{\"google\":{\"thought_signature\":"
		  "\"QUJD+\\/8=\"}},\"type\":\"function\",\"function\":{\"name\":\"f\","
		  "\"arguments\":\"{}\"}}]}" },
		{ "a call with something for its provider",
		  { { .kind = EVENT_TOOL_START, .id = { "c", 1 }, .name = { "f", 1 },
		      .text = { "{\"a\":1}", 7 } },
		    { .kind = EVENT_TOOL_START, .name = { "g", 1 }, .text = { "{\"b\":1}", 7 } } },
		  true,
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		  "{\"id\":\"c\",\"extra_content\":{\"a\":1},\"type\":\"function\","
		  "\"function\":{\"name\":\"fg\",\"arguments\":\"\"}}]}" },
		{ "images",
		  { TEXT("a"), { .kind = EVENT_MEDIA, .text = { "{\"image_url\":7}", 15 } },
		    { .kind = EVENT_MEDIA, .text = { "{}", 2 } },
		    { .kind = EVENT_MEDIA, .text = { "{\"image_url\":8}", 15 } } },
		  true,
		  "{\"role\":\"assistant\",\"content\":\"a\",\"images\":[{\"image_url\":7},"
		  "{\"image_url\":8}]}" },
		{ "details of reasoning as they came, a space and unknown members included",
		  { REASONING("hm"), DETAILS("[{\"type\": \"t\",\"x\":[1]},7]"), TEXT("a") }, true,
		  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"hm\","
		  "\"reasoning_details\":[{\"type\": \"t\",\"x\":[1]}]}" },
		{ "pieces of a detail, a null that is filled, a signature that is repeated",
		  { DETAILS("[{\"type\":\"t\",\"text\":\"h\",\"index\":0,\"signature\":null}]"),
		    DETAILS("[{\"type\":\"t\",\"text\":\"m\\ud83d\",\"index\":0}]"),
		    DETAILS("[{\"type\":\"t\",\"text\":\"\\ude00\",\"index\":0,\"format\":\"f\"}]"),
		    DETAILS("[{\"type\":\"t\",\"signature\":\"s=\",\"index\":0}]"),
		    DETAILS("[{\"type\":\"t\",\"text\":\"\",\"signature\":\"s=\",\"index\":0}]") },
		  false,
		  "{\"role\":\"assistant\",\"content\":\"\",\"reasoning_details\":[{\"type\":\"t\","
		  "\"text\":\"hm\\ud83d\\ude00\",\"index\":0,\"signature\":\"s=\",\"format\":\"f\"}]}" },
		{ "other details: by index, type, id, after a signature, encrypted without an index",
		  { DETAILS("[{\"type\":\"t\",\"index\":0,\"id\":\"a\"},{\"type\":\"t\",\"index\":1}]"),
		    DETAILS("[{\"type\":\"u\",\"index\":1,\"id\":\"a\"}]"),
		    DETAILS("[{\"type\":\"u\",\"index\":1,\"id\":\"b\",\"signature\":\"s\"}]"),
		    DETAILS("[{\"type\":\"u\",\"index\":1,\"text\":\"n\"},{\"type\":\"e\",\"data\":\"1\"}]"),
		    DETAILS("[{\"type\":\"e\",\"data\":\"2\"},{},{}]") },
		  false,
		  "{\"role\":\"assistant\",\"content\":\"\",\"reasoning_details\":["
		  "{\"type\":\"t\",\"index\":0,\"id\":\"a\"},{\"type\":\"t\",\"index\":1},"
		  "{\"type\":\"u\",\"index\":1,\"id\":\"a\"},"
		  "{\"type\":\"u\",\"index\":1,\"id\":\"b\",\"signature\":\"s\"},"
		  "{\"type\":\"u\",\"index\":1,\"text\":\"n\"},{\"type\":\"e\",\"data\":\"1\"},"
		  "{\"type\":\"e\",\"data\":\"2\"},{},{}]}" },
		{ "a list that came at once is left as it is",
		  { DETAILS("[{\"type\":\"t\",\"text\":\"a\",\"index\":0},"
			    "{\"type\":\"t\",\"text\":\"b\",\"index\":0}]") },
		  false,
		  "{\"role\":\"assistant\",\"content\":\"\",\"reasoning_details\":["
		  "{\"type\":\"t\",\"text\":\"a\",\"index\":0},"
		  "{\"type\":\"t\",\"text\":\"b\",\"index\":0}]}" },
		{ "encrypted data in pieces",
		  { DETAILS("[{\"type\":\"e\",\"index\":0,\"data\":\"QU\"}]"),
		    DETAILS("[{\"type\":\"e\",\"index\":0,\"data\":\"JD\"}]") },
		  false,
		  "{\"role\":\"assistant\",\"content\":\"\",\"reasoning_details\":["
		  "{\"type\":\"e\",\"index\":0,\"data\":\"QUJD\"}]}" },
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
	/* clang-format on */

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
	struct answer                a;
	struct event                 ev = { 0 };
	size_t                       piece = LIMIT_ANSWER / 4;
	char                        *text = malloc(piece);

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

/* A detail counts while it is open, and one with more members than a merge has stays as it is. */
static void details_have_limits(void **state)
{
	(void)state;
	struct event  call = { .kind = EVENT_OTHER };
	struct answer a;
	struct buf    list, out;

	buf_init(&list, LIMIT_ANSWER + KIB);
	buf_init(&out, 4 * KIB);
	assert_true(buf_text(&list, "[{\"type\":\"t\",\"index\":0"));
	for (int i = 0; i < LIMIT_DETAIL_MEMBERS; i++)
		assert_true(buf_fmt(&list, ",\"m%d\":0", i));
	assert_true(buf_text(&list, "}]"));
	call.name = buf_view(&list);
	answer_init(&a);
	for (int i = 0; i < 2; i++)
		assert_true(answer_add(&a, &call));
	assert_true(answer_print(&a, &out));
	assert_non_null(memmem(out.data, out.len, "},{", 3));
	answer_finish(&a);

	call.name = STR("[{]");
	answer_init(&a);
	assert_false(answer_add(&a, &call));

	buf_clear(&list);
	assert_true(buf_text(&list, "[{\"type\":\"t\",\"text\":\""));
	while (list.len < LIMIT_ANSWER / 2)
		assert_true(buf_text(&list, "sixteen bytes..."));
	assert_true(buf_text(&list, "\"}]"));
	call.name = buf_view(&list);
	assert_false(answer_add(&a, &call));
	answer_finish(&a);
	buf_finish(&list);
	buf_finish(&out);
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

/* --- answers of providers that speak LMC --- */

/* clang-format off */
#define CHUNK(s)   { .kind = EVENT_LMC, .from_lmc = true, .text = { s, sizeof s - 1 } }
#define M          "{\"role\":\"assistant\",\"type\":\"message\""
#define CONSOLE    "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\""
#define CONFIRMED  "{\"role\":\"computer\",\"type\":\"confirmation\",\"content\":{}}"
/* clang-format on */

static void lmc_chunks_become_messages_beside_the_answer(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char  *why;
		struct event events[8];
		const char  *lmc, *want;
	} cases[] = {
		{ "beside text",
		  { CHUNK(M ",\"start\":true}"), CHUNK(M ",\"content\":\"a\\u00e9\"}"), TEXT("a"),
		    CHUNK(M ",\"content\":\"b\"}"), TEXT("b"), CHUNK(M ",\"end\":true}") },
		  M ",\"content\":\"a\\u00e9b\"}",
		  "{\"role\":\"assistant\",\"content\":\"ab\",\"lmc\":[" M
		  ",\"content\":\"a\\u00e9b\"}]}" },
		{ "what the assistant does not say is there alone",
		  { CHUNK(CONSOLE ",\"start\":true}"), CHUNK(CONSOLE ",\"content\":\"1\"}") },
		  CONSOLE ",\"content\":\"1\"}",
		  "{\"role\":\"assistant\",\"content\":\"\",\"lmc\":[" CONSOLE
		  ",\"content\":\"1\"}]}" },
		{ "beside a whole message",
		  { CHUNK(M ",\"start\":true}"), CHUNK(M ",\"content\":\"a\"}"),
		    CHUNK(M ",\"end\":true}"), CHUNK(CONSOLE ",\"content\":\"1\"}"),
		    { .kind = EVENT_MESSAGE, .text = { "{\"role\":\"assistant\"}", 20 } } },
		  M ",\"content\":\"a\"}," CONSOLE ",\"content\":\"1\"}",
		  "{\"role\":\"assistant\",\"lmc\":[" M ",\"content\":\"a\"}," CONSOLE
		  ",\"content\":\"1\"}]}" },
		{ "beside a call",
		  { CALL(0, "c", "f"), CHUNK(M ",\"content\":\"a\"}") },
		  M ",\"content\":\"a\"}",
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":"
		  "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}],\"lmc\":[" M
		  ",\"content\":\"a\"}]}" },
		{ "nothing that is kept: no list, but an answer",
		  { CHUNK(CONFIRMED) }, "", "{\"role\":\"assistant\",\"content\":\"\"}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct answer   a;
		struct buf      out;
		struct json_doc doc = { 0 };
		struct err      e;

		print_message("case: %s\n", cases[i].why);
		answer_init(&a);
		buf_init(&out, 4 * KIB);
		for (size_t n = 0; n < ARRAY_LEN(cases[i].events); n++)
			assert_true(answer_add(&a, &cases[i].events[n]));
		assert_true(answer_any(&a));
		assert_null(a.lmc.p);
		assert_true(answer_close(&a));
		assert_true(answer_close(&a)); /* twice is fine */
		assert_true(str_is(a.lmc, cases[i].lmc));
		assert_true(answer_print(&a, &out));
		assert_true(str_is(buf_view(&out), cases[i].want));
		assert_int_equal(json_scan(&doc, out.data, out.len, &json_limits_request, &e),
				 ERR_OK);
		for (size_t max = 0; max < out.len; max++) {
			struct buf small;

			buf_init(&small, max);
			assert_false(answer_print(&a, &small));
			buf_finish(&small);
		}
		json_doc_finish(&doc);
		buf_finish(&out);
		answer_finish(&a);
		answer_finish(&a);
		assert_null(a.gather);
	}
}

static void an_answer_without_chunks_has_none_when_it_closes(void **state)
{
	(void)state;
	struct answer a;
	struct event  ev = TEXT("a");

	answer_init(&a);
	assert_true(answer_close(&a));
	assert_false(answer_any(&a));
	assert_true(answer_add(&a, &ev));
	ev = (struct event){ .kind = EVENT_LMC, .choice = 1, .text = STR("{") };
	assert_true(answer_add(&a, &ev)); /* of another choice */
	assert_true(answer_close(&a));
	assert_int_equal(a.lmc.n, 0);
	answer_finish(&a);
}

static void a_chunk_that_is_none_is_told(void **state)
{
	(void)state;
	static const char *const chunks[] = {
		"", "{", "[]", "{}", "{\"role\":\"robot\"}", "{\"role\":\"user\",\"content\":\"x\"}"
	};

	for (size_t i = 0; i < ARRAY_LEN(chunks); i++) {
		struct answer a;
		struct event  ev = { .kind = EVENT_LMC, .text = str_of(chunks[i]) };

		answer_init(&a);
		assert_false(answer_add(&a, &ev));
		answer_finish(&a);
	}
}

static void chunks_have_a_limit_too(void **state)
{
	(void)state;
	static const char head[] = M ",\"content\":\"";
	const size_t      piece = LIMIT_ANSWER / 4;
	struct answer     a;
	struct event      ev = { .kind = EVENT_LMC };
	struct buf        chunk;
	int               taken = 0;

	buf_init(&chunk, LIMIT_ANSWER);
	assert_true(buf_text(&chunk, head) && buf_reserve(&chunk, piece));
	memset(chunk.data + chunk.len, 'a', piece);
	chunk.len += piece;
	assert_true(buf_text(&chunk, "\"}"));
	ev.text = buf_view(&chunk);
	answer_init(&a);
	while (taken < 10 && answer_add(&a, &ev))
		taken++;
	assert_int_in_range(taken, 3, 4);
	assert_false(answer_close(&a));
	buf_finish(&chunk);
	answer_finish(&a);
}

static void a_message_that_is_given_is_not_copied(void **state)
{
	(void)state;
	struct answer a;
	struct buf    bytes;

	answer_init(&a);
	buf_init(&bytes, 1024);
	assert_true(buf_text(&bytes, "{\"role\":\"assistant\",\"content\":\"hi\"} and more"));
	const char  *data = bytes.data;
	struct event ev = { .kind = EVENT_MESSAGE, .text = { data, 35 }, .give = &bytes };

	assert_true(answer_add(&a, &ev));
	assert_ptr_equal(a.message.data, data);
	assert_int_equal(a.message.len, 35);
	assert_null(bytes.data);
	answer_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_become_one_message),
		cmocka_unit_test(a_message_that_is_given_is_not_copied),
		cmocka_unit_test(the_limit_holds_for_all_of_it_together),
		cmocka_unit_test(details_have_limits),
		cmocka_unit_test(there_are_at_most_so_many_calls),
		cmocka_unit_test(lmc_chunks_become_messages_beside_the_answer),
		cmocka_unit_test(an_answer_without_chunks_has_none_when_it_closes),
		cmocka_unit_test(a_chunk_that_is_none_is_told),
		cmocka_unit_test(chunks_have_a_limit_too),
	};

	return cmocka_run_group_tests_name("shape/answer", tests, NULL, NULL);
}
