/* Stored messages as chunks of OpenAI's stream: each of the rules S1 to S7, and the vectors. */
#include "lmc/lmc_gather.h"
#include "lmc/translate.h"
#include "lmc_same.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CALLS_MOST = 8 };

/* What a client makes of the chunks. */
struct heard {
	struct buf text;  /* decoded */
	struct buf calls; /* {"name":…,"arguments":…} each, in an array; arguments a string */
	struct buf name[CALLS_MOST], arguments[CALLS_MOST], id[CALLS_MOST];
	size_t     call_count;
	size_t     chunks;
	char       finish[16];
};

static void heard_finish(struct heard *h)
{
	buf_finish(&h->text);
	buf_finish(&h->calls);
	for (size_t i = 0; i < CALLS_MOST; i++) {
		buf_finish(&h->name[i]);
		buf_finish(&h->arguments[i]);
		buf_finish(&h->id[i]);
	}
}

static void scan(struct json_doc *d, const char *text, size_t n)
{
	struct err e = { 0 };

	if (json_scan(d, text, n, &json_limits_upstream, &e) != ERR_OK)
		fail_msg("%s: %.*s", e.text, (int)(n < 2000 ? n : 2000), text);
}

/* hear_call: the first delta has all but the arguments, the others nothing but them (S7). */
static void hear_call(struct heard *h, const struct json_doc *d, json_at call)
{
	json_at function = json_get(d, call, "function");
	json_at arguments = json_get(d, function, "arguments");
	json_at name = json_get(d, function, "name");
	json_at id = json_get(d, call, "id");
	int64_t index = -1;

	assert_true(json_int(d, json_get(d, call, "index"), &index));
	assert_true(index >= 0 && (size_t)index <= h->call_count && index < CALLS_MOST);
	bool first = (size_t)index == h->call_count;
	assert_int_equal(id != JSON_ABSENT, first);
	assert_int_equal(name != JSON_ABSENT, first);
	assert_int_equal(json_get(d, call, "type") != JSON_ABSENT, first);
	if (first) {
		h->call_count++;
		assert_true(json_is(d, json_get(d, call, "type"), "function"));
		assert_true(text_of(d, name, &h->name[index]) && text_of(d, id, &h->id[index]));
		assert_true(h->id[index].len > 0);
		for (int64_t k = 0; k < index; k++)
			assert_false(str_eq(buf_view(&h->id[k]), buf_view(&h->id[index])));
	} else {
		assert_true(arguments != JSON_ABSENT);
	}
	if (arguments != JSON_ABSENT)
		assert_true(text_of(d, arguments, &h->arguments[index]));
}

static void hear_delta(struct heard *h, const struct json_doc *d, json_at delta)
{
	json_at role = json_get(d, delta, "role");
	json_at content = json_get(d, delta, "content");
	json_at calls = json_get(d, delta, "tool_calls");

	assert_int_equal(role != JSON_ABSENT, h->chunks == 0);
	if (role != JSON_ABSENT)
		assert_true(json_is(d, role, "assistant"));
	if (content != JSON_ABSENT)
		assert_true(text_of(d, content, &h->text));
	if (calls != JSON_ABSENT)
		JSON_EACH (i, d, calls)
			hear_call(h, d, i);
}

/* hear: reads an array of chunks as S7 says they are. */
static void hear(struct heard *h, const struct json_doc *d)
{
	buf_init(&h->text, MIB);
	buf_init(&h->calls, MIB);
	for (size_t i = 0; i < CALLS_MOST; i++) {
		buf_init(&h->name[i], MIB);
		buf_init(&h->arguments[i], MIB);
		buf_init(&h->id[i], MIB);
	}
	JSON_EACH (i, d, 0) {
		json_at choices = json_get(d, i, "choices");
		json_at choice = json_first(d, choices);
		json_at finish = json_get(d, choice, "finish_reason");
		int64_t number = -1;

		assert_true(json_is(d, json_get(d, i, "id"), "chatcmpl-\"1\""));
		assert_true(json_is(d, json_get(d, i, "object"), "chat.completion.chunk"));
		assert_true(json_int(d, json_get(d, i, "created"), &number) &&
			    number == 1700000000);
		assert_true(json_is(d, json_get(d, i, "model"), "m"));
		assert_int_equal(d->tok[choices].count, 1);
		assert_true(json_int(d, json_get(d, choice, "index"), &number) && number == 0);
		hear_delta(h, d, json_get(d, choice, "delta"));
		h->chunks++;
		assert_int_equal(json_kind(d, finish) != JSON_NULL,
				 json_next(d, i) == json_end(d, 0));
		if (json_kind(d, finish) == JSON_STRING)
			str_copy(h->finish, sizeof h->finish, json_inner(d, finish));
	}
	assert_true(buf_text(&h->calls, "["));
	for (size_t i = 0; i < h->call_count; i++)
		assert_true(buf_text(&h->calls, i ? ",{\"name\":" : "{\"name\":") &&
			    text_quote(&h->calls, buf_view(&h->name[i])) &&
			    buf_text(&h->calls, ",\"arguments\":") &&
			    text_quote(&h->calls, buf_view(&h->arguments[i])) &&
			    buf_text(&h->calls, "}"));
	assert_true(buf_text(&h->calls, "]"));
}

static void say(const struct json_doc *messages, bool fence, struct heard *h)
{
	struct json_doc d = { 0 };
	struct buf      out;

	buf_init(&out, MIB);
	/* What is there already stays as it is: no comma behind a bracket. */
	assert_true(buf_text(&out, "["));
	assert_true(
		say_chunks(messages, 0, fence, STR("chatcmpl-\"1\""), STR("m"), 1700000000, &out));
	assert_true(buf_text(&out, "]"));
	scan(&d, out.data, out.len);
	*h = (struct heard){ 0 };
	hear(h, &d);
	json_doc_finish(&d);
	buf_finish(&out);
}

#define M(role, type, rest) "{\"role\":\"" role "\",\"type\":\"" type "\"," rest "}"
#define TEXT(text)          "\"content\":\"" text "\""
#define SAYS(text)          M("assistant", "message", TEXT(text))
#define CODE(format, text)  M("assistant", "code", "\"format\":\"" format "\"," TEXT(text))
#define CALL(name, text)    M("assistant", "tool_call", "\"format\":\"" name "\"," TEXT(text))
#define EXECUTE(arguments)  "{\"name\":\"execute\",\"arguments\":\"" arguments "\"}"

struct row {
	const char *why;
	const char *messages;
	bool        fence;
	const char *text;  /* as JSON */
	const char *calls; /* as JSON; NULL: none */
};

static void check_row(const struct row *row)
{
	struct json_doc messages = { 0 }, got = { 0 }, want = { 0 };
	struct heard    h;
	struct buf      text;

	print_message("case: %s\n", row->why);
	scan(&messages, row->messages, strlen(row->messages));
	say(&messages, row->fence, &h);
	assert_string_equal(h.finish, row->calls ? "tool_calls" : "stop");

	scan(&want, row->text, strlen(row->text));
	buf_init(&text, MIB);
	assert_true(text_of(&want, 0, &text));
	if (!str_eq(buf_view(&text), buf_view(&h.text)))
		fail_msg("text: %.*s", STR_ARG(buf_view(&h.text)));

	const char *calls = row->calls ? row->calls : "[]";
	scan(&want, calls, strlen(calls));
	scan(&got, h.calls.data, h.calls.len);
	if (!json_alike(&got, 0, &want, 0))
		fail_msg("calls: %.*s", STR_ARG(buf_view(&h.calls)));
	json_doc_finish(&messages);
	json_doc_finish(&got);
	json_doc_finish(&want);
	buf_finish(&text);
	heard_finish(&h);
}

#define CHECK_ROWS(rows)                                      \
	for (size_t row_ = 0; row_ < ARRAY_LEN(rows); row_++) \
	check_row(&(rows)[row_])

static void only_what_the_assistant_says_to_itself_or_all_is_heard(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "S1: other roles", "[" M("user", "message", TEXT("a")) ","
		  M("computer", "code", TEXT("b")) "," M("system", "message", TEXT("c")) ","
		  SAYS("d") "]", false, "\"d\"", NULL },
		{ "S1: another recipient", "[" M("assistant", "message",
		  "\"recipient\":\"user\"," TEXT("a")) "," M("assistant", "code",
		  "\"recipient\":5," TEXT("b")) "," SAYS("c") "]", false, "\"c\"", NULL },
		{ "S1: the assistant, or null, is none", "[" M("assistant", "message",
		  "\"recipient\":\"assistant\"," TEXT("a")) "," M("assistant", "message",
		  "\"recipient\":null," TEXT("b")) "]", false, "\"a\\nb\"", NULL },
		{ "S6: other types", "[" M("assistant", "console", "\"format\":\"output\","
		  TEXT("a")) "," M("assistant", "image", TEXT("QQ==")) ","
		  M("assistant", "file", TEXT("b")) "," M("assistant", "error", TEXT("c")) "]",
		  false, "\"\"", NULL },
		{ "S6: in fence mode too", "[" M("assistant", "console", TEXT("a")) "," SAYS("b")
		  "]", true, "\"b\"", NULL },
		{ "S7: nothing at all", "[]", false, "\"\"", NULL },
		{ "S7: nothing, in fence mode", "[]", true, "\"\"", NULL },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void text_is_said_as_it_is_on_lines_of_its_own(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "S2: not trimmed", "[" SAYS(" \\n a \\t ") "]", false, "\" \\n a \\t \"", NULL },
		{ "S2: blank text is text", "[" SAYS(" ") "]", false, "\" \"", NULL },
		{ "S2: empty text is nothing", "[" SAYS("") "," SAYS("a") "," SAYS("") "," SAYS("b")
		  "]", false, "\"a\\nb\"", NULL },
		{ "S2: a number", "[" M("assistant", "message", "\"content\":5") "]", false, "\"5\"",
		  NULL },
		{ "S5: an LF between two", "[" SAYS("a") "," SAYS("b") "]", false, "\"a\\nb\"",
		  NULL },
		{ "S5: none behind an LF", "[" SAYS("a\\n") "," SAYS("b") "]", false, "\"a\\nb\"",
		  NULL },
		{ "S5: written in another way", "[" SAYS("a\\u000a") "," SAYS("b") "]", false,
		  "\"a\\nb\"", NULL },
		{ "S5: a CR is none", "[" SAYS("a\\r") "," SAYS("b") "]", false, "\"a\\r\\nb\"",
		  NULL },
		{ "S5: messages of others between them", "[" SAYS("a") ","
		  M("user", "message", TEXT("x")) "," SAYS("b") "]", false, "\"a\\nb\"", NULL },
		{ "G4: NUL and halves of pairs", "[" SAYS("\\u0000\\ud83d") "]", false,
		  "\"\\u0000\\ud83d\"", NULL },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void code_is_a_fenced_block_in_fence_mode(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "S3: with its LF", "[" CODE("r", "1") "]", true, "\"```r\\n1\\n```\\n\"", NULL },
		{ "S3: without format", "[" M("assistant", "code", TEXT("1")) "]", true,
		  "\"```\\n1\\n```\\n\"", NULL },
		{ "S3: a null format", "[" M("assistant", "code", "\"format\":null," TEXT("1"))
		  "]", true, "\"```\\n1\\n```\\n\"", NULL },
		{ "S3: the format as it stands", "[" CODE(" C++ \\u00e9 ", "1") "]", true,
		  "\"``` C++ \\u00e9 \\n1\\n```\\n\"", NULL },
		{ "S3: code is not trimmed", "[" CODE("r", "\\n 1 \\n\\n") "]", true,
		  "\"```r\\n\\n 1 \\n\\n\\n```\\n\"", NULL },
		{ "S3: empty code is a block", "[" CODE("r", "") "]", true,
		  "\"```r\\n\\n```\\n\"", NULL },
		{ "S3: one backtick more than the code has",
		  "[" CODE("md", "``` a ````") "," CODE("md", "``") "]", true,
		  "\"`````md\\n``` a ````\\n`````\\n```md\\n``\\n```\\n\"", NULL },
		{ "S5: an LF in front, none behind", "[" SAYS("Plan:") "," CODE("r", "1") ","
		  SAYS("Done") "," CODE("r", "2") "]", true,
		  "\"Plan:\\n```r\\n1\\n```\\nDone\\n```r\\n2\\n```\\n\"", NULL },
		{ "S4: calls are nothing in fence mode", "[" SAYS("a") "," CALL("f", "{}") "," SAYS("b")
		  "]", true, "\"a\\nb\"", NULL },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void code_and_calls_are_tool_calls_in_tools_mode(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "S4: code", "[" CODE("r", "1\\n") "]", false, "\"\"",
		  "[" EXECUTE("{\\\"language\\\":\\\"r\\\",\\\"code\\\":\\\"1\\\\n\\\"}") "]" },
		{ "L4: python where there is no format", "[" M("assistant", "code", TEXT("1")) ","
		  CODE("", "2") "," M("assistant", "code", "\"format\":null," TEXT("3")) "]", false,
		  "\"\"",
		  "[" EXECUTE("{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"1\\\"}") ","
		  EXECUTE("{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"2\\\"}") ","
		  EXECUTE("{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"3\\\"}") "]" },
		{ "L4: code is not trimmed, and the format as it stands",
		  "[" CODE(" R ", " \\t") "]", false, "\"\"",
		  "[" EXECUTE("{\\\"language\\\":\\\" R \\\",\\\"code\\\":\\\" \\\\t\\\"}") "]" },
		{ "L4: quotes, backslashes, NUL and halves are escaped twice",
		  "[" CODE("r", "\\\"\\\\\\u0000\\ud83d\\u00e9") "]", false, "\"\"",
		  "[" EXECUTE("{\\\"language\\\":\\\"r\\\",\\\"code\\\":\\\"\\\\\\\"\\\\\\\\"
			      "\\\\u0000\\\\ud83d\\u00e9\\\"}") "]" },
		{ "L9: a call as it stands", "[" CALL("f\\\"", " {\\\"a\\\": 1} ") "]", false, "\"\"",
		  "[{\"name\":\"f\\\"\",\"arguments\":\" {\\\"a\\\": 1} \"}]" },
		{ "L9: with empty arguments", "[" CALL("f", "") "]", false, "\"\"",
		  "[{\"name\":\"f\",\"arguments\":\"\"}]" },
		{ "S5: calls do not matter for lines", "[" SAYS("a") "," CALL("f", "1") "," SAYS("b")
		  "," CALL("g", "2") "," SAYS("c") "]", false, "\"a\\nb\\nc\"",
		  "[{\"name\":\"f\",\"arguments\":\"1\"},{\"name\":\"g\",\"arguments\":\"2\"}]" },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void without_room_nothing_is_added(void **state)
{
	(void)state;
	static const char messages[] = "[" SAYS("a") "," CODE("r", "b") "]";
	struct json_doc   d = { 0 };
	size_t            max = 0;
	bool              done = false;

	scan(&d, messages, strlen(messages));
	for (; !done && max < 4096; max++) {
		struct buf out;

		buf_init(&out, max);
		bool first = buf_text(&out, "[");
		done = say_chunks(&d, 0, max % 2, STR("i"), STR("m"), 1, &out);
		assert_true(done || out.len == (first ? 1 : 0));
		buf_finish(&out);
	}
	assert_true(done && max > 500);
	json_doc_finish(&d);
}

/* arguments_alike: an expected object stands for a string that is this object. */
static bool arguments_alike(const struct json_doc *d, json_at want, struct str got)
{
	struct json_doc other = { 0 };
	struct err      e = { 0 };
	struct buf      text;

	if (json_kind(d, want) == JSON_OBJECT) {
		bool same = json_scan(&other, got.p, got.n, &json_limits_request, &e) == ERR_OK &&
			    json_alike(&other, 0, d, want);
		json_doc_finish(&other);
		return same;
	}
	buf_init(&text, MIB);
	bool same = text_of(d, want, &text) && str_eq(buf_view(&text), got);
	buf_finish(&text);
	return same;
}

static void check_vector(const struct json_doc *d, json_at vector)
{
	json_at         request = json_get(d, vector, "request");
	json_at         chunks = json_get(d, request, "chunks");
	json_at         expect = json_get(d, vector, "expect");
	json_at         calls = json_get(d, expect, "tool_calls");
	json_at         code = json_get(d, request, "code");
	struct gather  *g = gather_create(MIB, NULL);
	struct json_doc messages = { 0 };
	struct heard    h;
	struct buf      text;
	struct str      stored;
	struct err      e = { 0 };
	size_t          k = 0;

	print_message("vector: %.*s\n", STR_ARG(json_raw(d, json_get(d, vector, "name"))));
	assert_non_null(g);
	JSON_EACH (i, d, chunks)
		assert_int_equal(gather_chunk(g, d, i, "", 0, &e), ERR_OK);
	assert_int_equal(gather_end(g, &stored, &e), ERR_OK);
	buf_init(&text, MIB);
	assert_true(buf_text(&text, "[") && buf_str(&text, stored) && buf_text(&text, "]"));
	scan(&messages, text.data, text.len);
	say(&messages, code != JSON_ABSENT && json_is(d, code, "fence"), &h);

	buf_clear(&text);
	assert_true(text_of(d, json_get(d, expect, "text"), &text));
	assert_true(str_eq(buf_view(&text), buf_view(&h.text)));
	assert_true(json_is(d, json_get(d, expect, "finish_reason"), h.finish));
	assert_int_equal(d->tok[calls].count, h.call_count);
	JSON_EACH (i, d, calls) {
		buf_clear(&text);
		assert_true(text_of(d, json_get(d, i, "name"), &text));
		assert_true(str_eq(buf_view(&text), buf_view(&h.name[k])));
		assert_true(
			arguments_alike(d, json_get(d, i, "arguments"), buf_view(&h.arguments[k])));
		k++;
	}
	heard_finish(&h);
	buf_finish(&text);
	json_doc_finish(&messages);
	gather_destroy(g);
}

static void the_vectors_are_said_as_they_expect(void **state)
{
	(void)state;
	struct buf      text;
	struct json_doc d = { 0 };
	size_t          checked = 0;
	char            part[4096];
	FILE           *f = fopen(FIXTURES "/lmc/stream_lmc_to_openai.json", "rb");

	assert_non_null(f);
	buf_init(&text, MIB);
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		assert_true(buf_add(&text, part, n));
	fclose(f);
	scan(&d, text.data, text.len);

	json_at vectors = json_get(&d, 0, "vectors");
	JSON_EACH (i, &d, vectors) {
		check_vector(&d, i);
		checked++;
	}
	assert_true(checked >= 7);
	json_doc_finish(&d);
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_the_assistant_says_to_itself_or_all_is_heard),
		cmocka_unit_test(text_is_said_as_it_is_on_lines_of_its_own),
		cmocka_unit_test(code_is_a_fenced_block_in_fence_mode),
		cmocka_unit_test(code_and_calls_are_tool_calls_in_tools_mode),
		cmocka_unit_test(without_room_nothing_is_added),
		cmocka_unit_test(the_vectors_are_said_as_they_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
