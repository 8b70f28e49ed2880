/* Stored messages as readers see them, in the three shapes and one by one. */
#include "shape/transcript.h"
#include "tests/unit/lmc_spooled.h"

#define USER(text)   "{\"role\":\"user\",\"content\":\"" text "\"}"
#define SAID(text)   "{\"role\":\"assistant\",\"content\":\"" text "\"}"
#define CODE(text)   LMC("assistant", "code", FORMAT("python", text))
#define OUTPUT(text) LMC("computer", "console", FORMAT("output", text))
#define ODD          "{ \"x\" : [ 1.50 ] , \"type\":\"message\",\"role\":\"user\",\"content\":\"o\" }"
#define CALL(id, code)                                                               \
	"{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"" id     \
	"\",\"type\":\"function\",\"function\":{\"name\":\"execute\",\"arguments\":" \
	"\"{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"" code "\\\"}\"}}]}"
#define TOOL(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"
#define WITH_LMC \
	"{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[" CODE("1") "," OUTPUT("2") "]}"

#define UPLOAD    "{\"role\":\"user\",\"content\":\"b\",\"context\":{\"files\":[{\"uuid\":\"u\"}]}}"
#define NOT_SHOWN "<file name=\\\"u\\\" missing=\\\"not shown\\\">\\n</file>\\n\\n"

enum { MESSAGES = 6 };

/* clang-format off */
static const struct row {
	const char      *why;
	enum view_format format;
	const char      *messages[MESSAGES];
	const char      *want;
	const char      *warnings;
} rows[] = {
	{ "nothing, native", VIEW_NATIVE, { 0 }, "", NULL },
	{ "nothing, OpenAI's", VIEW_OPENAI, { 0 }, "", NULL },
	{ "nothing, LMC", VIEW_LMC, { 0 }, "", NULL },
	{ "native: as they are kept", VIEW_NATIVE, { USER("a"), ODD, WITH_LMC },
	  USER("a") "," ODD "," WITH_LMC, NULL },
	{ "OpenAI's: as a provider would be asked", VIEW_OPENAI,
	  { USER("a"), ODD, WITH_LMC, CODE("3"), LMC("server", "status", PLAIN("x")) },
	  USER("a") "," USER("o") "," CALL("call_lmc_1", "1") "," TOOL("call_lmc_1", "2") ","
	  CALL("call_lmc_2", "3") "," TOOL("call_lmc_2", "No output"), "4:not_sent" },
	{ "a provider's call without an answer gets one there, too", VIEW_OPENAI,
	  { CALL("c", "1"), USER("a") }, CALL("c", "1") "," TOOL("c", "No output") "," USER("a"),
	  NULL },
	{ "images from paths are not read for it", VIEW_OPENAI,
	  { USER("a"), LMC("user", "image", FORMAT("path", "x.png")) }, USER("a"),
	  "1:image_not_shown" },
	{ "what OpenAI's routes kept is shown, whatever it holds", VIEW_OPENAI,
	  { "{\"role\":\"user\",\"type\":5,\"content\":\"a\"}" },
	  "{\"role\":\"user\",\"type\":5,\"content\":\"a\"}", NULL },
	{ "LMC: those that were sent as such with all their keys", VIEW_LMC,
	  { ODD, CODE("1"), LMC("server", "status", PLAIN("x")) },
	  ODD "," CODE("1") "," LMC("server", "status", PLAIN("x")), NULL },
	{ "an answer's own LMC messages", VIEW_LMC, { USER("a"), WITH_LMC, OUTPUT("3") },
	  LMC("user", "message", PLAIN("a")) "," CODE("1") "," OUTPUT("2") "," OUTPUT("3"), NULL },
	{ "one that had none", VIEW_LMC,
	  { USER("a"), "{\"role\":\"assistant\",\"content\":\"b\",\"lmc\":[]}", USER("c") },
	  LMC("user", "message", PLAIN("a")) "," LMC("user", "message", PLAIN("c")), NULL },
	{ "such a list first and alone", VIEW_LMC,
	  { "{\"role\":\"assistant\",\"content\":\"b\",\"lmc\":[]}", WITH_LMC }, CODE("1") ","
	  OUTPUT("2"), NULL },
	{ "OpenAI's are translated, fences and calls", VIEW_LMC,
	  { SAID("a\\n```sh\\nls\\n```"), CALL("c", "1"), TOOL("c", "2") },
	  LMC("assistant", "message", PLAIN("a")) "," LMC("assistant", "code", FORMAT("sh", "ls")) ","
	  CODE("1") "," OUTPUT("2"), NULL },
	{ "contents of uploaded files are not shown", VIEW_OPENAI,
	  { USER("a"), UPLOAD }, USER("a") ",{\"role\":\"user\",\"content\":\"" NOT_SHOWN "b\"}",
	  "1:file_not_shown" },
	{ "nor in LMC", VIEW_LMC, { USER("a"), UPLOAD },
	  LMC("user", "message", PLAIN("a")) "," LMC("user", "message", PLAIN(NOT_SHOWN "b")),
	  "1:file_not_shown" },
	{ "with their files in front", VIEW_LMC,
	  { "{\"role\":\"user\",\"content\":\"a\",\"context\":{\"files\":[{\"name\":\"f\","
	    "\"content\":\"x\"}]}}" },
	  LMC("user", "message", PLAIN("<file name=\\\"f\\\">\\nx\\n</file>\\n\\na")), NULL },
	{ "a refusal is said", VIEW_LMC,
	  { USER("a"), "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}" },
	  LMC("user", "message", PLAIN("a")) "," LMC("assistant", "message", PLAIN("no")), NULL },
	{ "what is lost is told", VIEW_LMC, { USER("a"), SAID("") },
	  LMC("user", "message", PLAIN("a")), "1:empty_message" },
	{ "what can't be said is told", VIEW_LMC,
	  { "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image_url\","
	    "\"image_url\":{\"url\":\"ftp://x\"}}]}", USER("b") },
	  LMC("user", "message", PLAIN("b")), "0:not_shown" },
};
/* clang-format on */

static void conversations_are_shown_in_three_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str      messages[MESSAGES];
		size_t          n = 0;
		struct warnings warnings;
		struct buf      out, codes;
		struct err      e = { 0 };

		print_message("case: %s\n", rows[i].why);
		warnings_init(&warnings);
		buf_init(&out, MIB);
		buf_init(&codes, MIB);
		for (; n < MESSAGES && rows[i].messages[n]; n++)
			messages[n] = str_of(rows[i].messages[n]);
		assert_int_equal(view_print(messages, n, rows[i].format, &warnings, &out, &e),
				 ERR_OK);
		assert_text(&out, rows[i].want);
		codes_of(&warnings, &codes);
		assert_text(&codes, rows[i].warnings ? rows[i].warnings : "");
		for (size_t max = 0; max < out.len; max++) {
			struct buf small;

			buf_init(&small, max);
			assert_int_equal(view_print(messages, n, rows[i].format, NULL, &small, &e),
					 ERR_OVERLOADED);
			buf_finish(&small);
		}
		warnings_finish(&warnings);
		buf_finish(&out);
		buf_finish(&codes);
	}
}

static void damage_is_told(void **state)
{
	(void)state;
	const struct str messages[] = { STR(USER("a")), STR("{\"type\":") };

	for (int format = VIEW_OPENAI; format < VIEW__COUNT; format++) {
		struct buf out;
		struct err e = { 0 };

		buf_init(&out, MIB);
		/* A message of OpenAI's goes through unread unless it could be LMC's. */
		if (format == VIEW_OPENAI)
			assert_int_equal(view_print((struct str[]){ messages[0] }, 1, VIEW_OPENAI,
						    NULL, &out, &e),
					 ERR_OK);
		assert_int_equal(view_print(messages, 2, (enum view_format)format, NULL, &out, &e),
				 ERR_INVALID_JSON);
		buf_finish(&out);
	}
}

static void the_shapes_have_their_names(void **state)
{
	(void)state;
	assert_string_equal(view_formats[VIEW_NATIVE], "native");
	assert_string_equal(view_formats[VIEW_OPENAI], "openai");
	assert_string_equal(view_formats[VIEW_LMC], "lmc");
	assert_null(view_formats[VIEW__COUNT]);
}

static void one_message_is_shown_as_one(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *message, *want;
	} cases[] = {
		{ "a message", LMC("user", "message", PLAIN(" a\\u00e9")), USER("a\xc3\xa9") },
		{ "of the system", LMC("system", "message", PLAIN("a")),
		  "{\"role\":\"system\",\"content\":\"a\"}" },
		{ "of the computer", LMC("computer", "message", PLAIN("a")), USER("a") },
		{ "code is fenced", CODE("1"), SAID("```python\\n1\\n```") },
		{ "code of anybody else", LMC("user", "code", FORMAT("html", "<p>")),
		  USER("```html\\n<p>\\n```") },
		{ "output", OUTPUT("2"), USER("Output of the code:\\n2") },
		{ "no output", OUTPUT(""), USER("The code ran without printing anything.") },
		{ "an image",
		  LMC("user", "image", FORMAT("base64.png", "AAAA")),
		  "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
		  "\"data:image/png;base64,AAAA\",\"detail\":\"low\"}}]}" },
		{ "an image that is in a file", LMC("user", "image", FORMAT("path", "a.png")),
		  USER("a.png") },
		{ "a review is not sent, but shown", LMC("assistant", "review", FORMAT("safe", "fine")),
		  SAID("fine") },
		{ "a call that has no text form", LMC("assistant", "tool_call", FORMAT("f", "{\\\"a\\\":1}")),
		  SAID("{\\\"a\\\":1}") },
		{ "a confirmation", LMC("computer", "confirmation", "\"content\":{\"a\": [1, null]}"),
		  USER("{\\\"a\\\":[1,null]}") },
		{ "the server", LMC("server", "status", PLAIN("complete")), USER("complete") },
		{ "somebody else's", LMC("assistant", "message", "\"recipient\":\"user\"," PLAIN("a")),
		  SAID("a") },
		{ "nothing in it", LMC("user", "message", PLAIN(" ")), USER(" ") },
		{ "no content", LMC("server", "status", "\"x\":1"), USER("") },
		{ "null", LMC("user", "x", "\"content\":null"), USER("") },
		{ "what OpenAI's routes kept", "{\"role\":\"assistant\",\"type\":5,\"content\":\"a\"}",
		  SAID("a") },
		{ "without a role", "{\"type\":\"message\",\"content\":\"a\"}", USER("a") },
		{ "half a pair", LMC("user", "x", PLAIN("\\ud83d")), USER("\\ud83d") },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_doc d = { 0 };
		struct buf      out;

		print_message("case: %s\n", cases[i].why);
		scan(&d, str_of(cases[i].message));
		buf_init(&out, MIB);
		assert_true(view_single(&d, 0, &out));
		assert_text(&out, cases[i].want);
		for (size_t max = 0; max < out.len; max++) {
			struct buf small;

			buf_init(&small, max);
			assert_false(view_single(&d, 0, &small));
			buf_finish(&small);
		}
		buf_finish(&out);
		json_doc_finish(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversations_are_shown_in_three_shapes),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(the_shapes_have_their_names),
		cmocka_unit_test(one_message_is_shown_as_one),
	};

	return cmocka_run_group_tests_name("shape/view", tests, NULL, NULL);
}
