/* OpenAI's messages as LMC messages: the rules O1 to O7 and T8, and the vectors. */
#include "lmc/to_lmc.h"
#include "lmc_spooled.h"

#define U(s)            LMC("user", "message", PLAIN(s))
#define S(s)            LMC("system", "message", PLAIN(s))
#define M(s)            LMC("assistant", "message", PLAIN(s))
#define OUT(s)          LMC("computer", "console", FORMAT("output", s))
#define CODE(f, s)      LMC("assistant", "code", FORMAT(f, s))
#define CALL(f, s)      LMC("assistant", "tool_call", FORMAT(f, s))
#define IMAGE(f, s)     LMC("user", "image", FORMAT(f, s))
#define AUDIO(f, s)     LMC("user", "audio", FORMAT(f, s))

#define USER(rest)      "{\"role\":\"user\"," rest "}"
#define PARTS(parts)    USER("\"content\":[" parts "]")
#define TEXT(s)         "{\"type\":\"text\",\"text\":\"" s "\"}"
#define URL(s)          "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" s "\"}}"
#define SOUND(rest)     "{\"type\":\"input_audio\",\"input_audio\":{" rest "}}"
#define ASSISTANT(rest) "{\"role\":\"assistant\"," rest "}"
#define CALLS(list)     ASSISTANT("\"content\":null,\"tool_calls\":[" list "]")
#define FN(name, args)                                                       \
	"{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":" args "}}"

struct outcome {
	enum errc       code;
	struct err      e;
	struct buf      out;
	struct warnings w;
};

static void translate_with(struct to_lmc_scratch *scratch, struct str text, bool fences,
			   struct outcome *o)
{
	struct json_doc       d = { 0 };
	struct to_lmc_options options = { .fences = fences, .warnings = &o->w, .scratch = scratch };

	warnings_init(&o->w);
	buf_init(&o->out, 64 * MIB);
	o->e = (struct err){ 0 };
	scan(&d, text);
	o->code = to_lmc_message(&d, 0, "messages[2]", 2, &options, &o->out, &o->e);
	json_doc_finish(&d);
}

static void translate_one(struct str text, bool fences, struct outcome *o)
{
	translate_with(NULL, text, fences, o);
}

static void outcome_drop(struct outcome *o)
{
	buf_finish(&o->out);
	warnings_finish(&o->w);
}

/* clang-format off */
static const struct row {
	const char *why;
	const char *message;
	const char *want;
	const char *warned;
} rows[] = {
	/* Roles and text (O2, O6). */
	{ "user", USER("\"content\":\" a\\n\""), U(" a\\n"), "" },
	{ "system", "{\"role\":\"system\",\"content\":\"a\"}", S("a"), "" },
	{ "developer", "{\"role\":\"developer\",\"content\":\" \"}", S(" "), "" },
	{ "members that nobody named are ignored (O7)",
	  "{\"role\":\"user\",\"name\":5,\"content\":\"a\",\"tool_calls\":7,\"x\":[]}", U("a"),
	  "" },
	{ "a role written with escapes", "{\"role\":\"\\u0075ser\",\"content\":\"a\"}", U("a"),
	  "" },
	{ "empty text of a user (O2)", USER("\"content\":\"\""), "", "2:empty_message" },
	{ "empty text of a system (O2)", "{\"role\":\"system\",\"content\":[]}", "",
	  "2:empty_message" },
	{ "text is kept exactly, NUL and lone halves included (G4)",
	  USER("\"content\":\"\\u0000\\ud83d \\ud83d\\ude00\\/\""),
	  U("\\u0000\\ud83d \xf0\x9f\x98\x80/"), "" },
	{ "tool", "{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\" a\\n\"}", OUT(" a\\n"),
	  "" },
	{ "function", "{\"role\":\"function\",\"name\":\"f\",\"content\":\"a\"}", OUT("a"), "" },
	{ "No output is none (O6)", "{\"role\":\"tool\",\"content\":\"No output\"}", OUT(""), "" },
	{ "but only exactly", "{\"role\":\"tool\",\"content\":\"No output\\n\"}",
	  OUT("No output\\n"), "" },
	{ "No output in parts",
	  "{\"role\":\"tool\",\"content\":[" TEXT("No ") "," TEXT("output") "]}",
	  OUT(""), "" },
	{ "a tool without content (O1)", "{\"role\":\"tool\"}", OUT(""), "" },
	{ "a function whose content is null (O1)", "{\"role\":\"function\",\"content\":null}",
	  OUT(""), "" },
	/* Parts (O3). */
	{ "each part of a user is a message", PARTS(TEXT("a") "," URL("http://x") "," TEXT("b")),
	  U("a") "," IMAGE("url", "http://x") "," U("b"), "" },
	{ "an empty text part gives nothing", PARTS(TEXT("") "," TEXT("a")), U("a"), "" },
	{ "only empty parts", PARTS(TEXT("")), "", "2:empty_message" },
	{ "no parts", PARTS(""), "", "2:empty_message" },
	{ "an unknown part is dropped", PARTS("{\"type\":\"hologram\"}," TEXT("a")), U("a"),
	  "2:part_dropped" },
	{ "a part without a type is unknown", PARTS("{\"text\":\"a\"},{\"type\":5}," TEXT("a")),
	  U("a"),
	  "2:part_dropped 2:part_dropped" },
	{ "nothing but unknown parts", PARTS("{\"type\":\"hologram\"}"), "",
	  "2:part_dropped 2:empty_message" },
	{ "text parts of others are joined, pairs too",
	  "{\"role\":\"system\",\"content\":[" TEXT("a\\ud83d") "," TEXT("\\ude00b") "]}",
	  S("a\xf0\x9f\x98\x80" "b"), "" },
	{ "images of others are dropped, and not looked at",
	  "{\"role\":\"tool\",\"content\":[" TEXT("a") "," URL("ftp://") "," TEXT("b") "]}",
	  OUT("ab"),
	  "2:part_dropped" },
	{ "an assistant's parts", ASSISTANT("\"content\":[" TEXT("a\\n``") "," TEXT("`sh\\nls") ","
	  SOUND("") "]"), M("a") "," CODE("sh", "ls"), "2:part_dropped" },
	/* Images (O4). */
	{ "a link, in any case, handed on as it is", PARTS(URL("HTTPS://Example.com/A b")),
	  IMAGE("url", "HTTPS://Example.com/A b"), "" },
	{ "png", PARTS(URL("data:image/png;base64,AAAA")), IMAGE("base64.png", "AAAA"), "" },
	{ "jpg is written jpeg; case is ignored but in the data",
	  PARTS(URL("DATA:Image/JPG;Base64,aAaA==")), IMAGE("base64.jpeg", "aAaA=="), "" },
	{ "gif, with parameters in front", PARTS(URL("data:image/gif;charset=x;a;base64,AA,AA")),
	  IMAGE("base64.gif", "AA,AA"), "" },
	{ "webp, the data is not looked at", PARTS(URL("data:image/webp;base64,")),
	  IMAGE("base64.webp", ""), "" },
	{ "escaped slashes", PARTS(URL("data:image\\/png;base64,\\/9j\\/")),
	  IMAGE("base64.png", "/9j/"), "" },
	/* Sound (O3). */
	{ "wav", PARTS(SOUND("\"data\":\"AA==\",\"format\":\"wav\"")), AUDIO("wav", "AA=="), "" },
	{ "mp3", PARTS(SOUND("\"format\":\"mp3\",\"data\":\"x\"")), AUDIO("mp3", "x"), "" },
	/* The assistant (O5). */
	{ "fences", ASSISTANT("\"content\":\"a\\n```py\\n1\\n```\""), M("a") "," CODE("py", "1"),
	  "" },
	{ "text, then calls, then the old form",
	  ASSISTANT("\"function_call\":{\"name\":\"python\",\"arguments\":\"3\"},\"tool_calls\":["
	  FN("python", "\"1\"") "," FN("execute",
	  "\"{\\\"code\\\":\\\"2\\\"}\"") "],\"content\":\"a\""),
	  M("a") "," CODE("python", "1") "," CODE("python", "2") "," CODE("python", "3"), "" },
	{ "calls keep their order whatever their index says",
	  CALLS("{\"index\":1,\"function\":{\"name\":\"python\",\"arguments\":\"1\"}},"
	  "{\"index\":0,\"function\":{\"name\":\"python\",\"arguments\":\"2\"}}"),
	  CODE("python", "1") "," CODE("python", "2"), "" },
	{ "text of a message is never a review",
	  ASSISTANT("\"content\":\"<safe>a</safe>\",\"tool_calls\":["
	  FN("python", "\"1\"") "]"), M("<safe>a</safe>") "," CODE("python", "1"), "" },
	{ "an object of arguments counts as its text (T8)",
	  CALLS(FN("f", "{\"a\" : [1, \"\\n\"]}")),
	  CALL("f", "{\\\"a\\\":[1,\\\"\\\\n\\\"]}"), "2:unknown_function" },
	{ "an object for execute", CALLS(FN("execute", "{\"code\":\"a\\nb\",\"language\":\"R\"}")),
	  CODE("r", "a\\nb"), "" },
	{ "null arguments are empty (T8)", CALLS(FN("python", "null")), CODE("python", ""), "" },
	{ "absent arguments are empty (T8)", CALLS("{\"function\":{\"name\":\"python\"}}"),
	  CODE("python", ""), "" },
	{ "empty arguments of execute (T6)", CALLS(FN("execute", "\"\"")), CODE("python", ""),
	  "2:arguments_incomplete 2:arguments_no_code" },
	{ "a call without a function is one all the same (T1)", CALLS("{},{\"function\":null}"),
	  CALL("", "") "," CALL("", ""), "2:unknown_function 2:unknown_function" },
	{ "a name that is null", CALLS("{\"function\":{\"name\":null,\"arguments\":\"x\"}}"),
	  CALL("", "x"),
	  "2:unknown_function" },
	{ "the old form alone", ASSISTANT("\"function_call\":{\"name\":\"execute\",\"arguments\":"
	  "{\"code\":\"1\"}}"), CODE("python", "1"), "" },
	{ "calls that are null",
	  ASSISTANT("\"content\":\"a\",\"tool_calls\":null,\"function_call\":null"),
	  M("a"), "" },
	{ "an assistant that says nothing (O7)", ASSISTANT("\"content\":null,\"tool_calls\":[]"),
	  "",
	  "2:empty_message" },
	{ "an assistant's white space (F9)", ASSISTANT("\"content\":\" \\n\""), "",
	  "2:empty_message" },
};
/* clang-format on */

static void messages_become_lmc(void **state)
{
	struct buf codes;

	(void)state;
	buf_init(&codes, MIB);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct outcome o;

		print_message("case: %s\n", rows[i].why);
		translate_one(str_of(rows[i].message), true, &o);
		if (o.code != ERR_OK)
			fail_msg("%s: %s", o.e.path, o.e.text);
		assert_text(&o.out, rows[i].want);
		codes_of(&o.w, &codes);
		/* args decides which of its flaws go together; that there is a warning is ours. */
		if (!strstr(rows[i].warned, "arguments_"))
			assert_text(&codes, rows[i].warned);
		else
			assert_true(o.w.count > 0);
		outcome_drop(&o);
	}
	buf_finish(&codes);
}

static void without_fences_text_is_one_message(void **state)
{
	struct outcome o;

	(void)state;
	translate_one(STR(ASSISTANT("\"content\":\" ```py\\n1\\n```\\n\"")), false, &o);
	assert_int_equal(o.code, ERR_OK);
	assert_text(&o.out, M(" ```py\\n1\\n```\\n"));
	outcome_drop(&o);
}

/* clang-format off */
static const struct {
	const char *why;
	const char *message;
	const char *path;
} errors[] = {
	{ "no role", "{\"content\":\"a\"}", ".role" },
	{ "a role that is LMC's", "{\"role\":\"computer\",\"content\":\"a\"}", ".role" },
	{ "a role in another case", "{\"role\":\"User\",\"content\":\"a\"}", ".role" },
	{ "a role that is no string", "{\"role\":null,\"content\":\"a\"}", ".role" },
	{ "the role is checked first", "{\"role\":\"x\",\"content\":5}", ".role" },
	{ "a user without content", "{\"role\":\"user\"}", ".content" },
	{ "a user's null", USER("\"content\":null"), ".content" },
	{ "a system's null", "{\"role\":\"system\",\"content\":null}", ".content" },
	{ "a developer without content", "{\"role\":\"developer\"}", ".content" },
	{ "a number", USER("\"content\":5"), ".content" },
	{ "an object", USER("\"content\":{}"), ".content" },
	{ "an assistant's false", ASSISTANT("\"content\":false"), ".content" },
	{ "a tool's number", "{\"role\":\"tool\",\"content\":0}", ".content" },
	{ "a part that is no object", PARTS(TEXT("a") ",\"b\""), ".content[1]" },
	{ "a part that is no object, of a tool", "{\"role\":\"tool\",\"content\":[null]}",
	  ".content[0]" },
	{ "a text part without text", PARTS("{\"type\":\"text\"}"), ".content[0].text" },
	{ "a text part whose text is no string", "{\"role\":\"system\",\"content\":[" TEXT("a")
	  ",{\"type\":\"text\",\"text\":null}]}", ".content[1].text" },
	{ "an image without image_url", PARTS("{\"type\":\"image_url\"}"),
	  ".content[0].image_url.url" },
	{ "an image_url that is a string",
	  PARTS("{\"type\":\"image_url\",\"image_url\":\"http://x\"}"),
	  ".content[0].image_url.url" },
	{ "an image without url", PARTS(TEXT("a") ",{\"type\":\"image_url\",\"image_url\":{}}"),
	  ".content[1].image_url.url" },
	{ "another scheme", PARTS(URL("ftp://x")), ".content[0].image_url.url" },
	{ "white space in front of it", PARTS(URL(" http://x")), ".content[0].image_url.url" },
	{ "an empty url", PARTS(URL("")), ".content[0].image_url.url" },
	{ "another kind of image", PARTS(URL("data:image/svg+xml;base64,AA")),
	  ".content[0].image_url.url" },
	{ "a kind that only begins well", PARTS(URL("data:image/pngs;base64,AA")),
	  ".content[0].image_url.url" },
	{ "another media type", PARTS(URL("data:text/png;base64,AA")),
	  ".content[0].image_url.url" },
	{ "no base64", PARTS(URL("data:image/png,AA")), ".content[0].image_url.url" },
	{ "base64 not last", PARTS(URL("data:image/png;base64;x=1,AA")),
	  ".content[0].image_url.url" },
	{ "no comma", PARTS(URL("data:image/png;base64")), ".content[0].image_url.url" },
	{ "no media type", PARTS(URL("data:;base64,AA")), ".content[0].image_url.url" },
	{ "nothing behind data:", PARTS(URL("data:")), ".content[0].image_url.url" },
	{ "sound without input_audio", PARTS("{\"type\":\"input_audio\"}"),
	  ".content[0].input_audio.format" },
	{ "another format of sound", PARTS(SOUND("\"data\":\"AA==\",\"format\":\"ogg\"")),
	  ".content[0].input_audio.format" },
	{ "sound without data", PARTS(SOUND("\"format\":\"wav\"")),
	  ".content[0].input_audio.data" },
	{ "calls that are no array", ASSISTANT("\"tool_calls\":{}"), ".tool_calls" },
	{ "a call that is no object", CALLS(FN("python", "\"1\"") ",5"), ".tool_calls[1]" },
	{ "a function that is no object", CALLS("{\"function\":\"f\"}"),
	  ".tool_calls[0].function" },
	{ "a name that is no string", CALLS("{\"function\":{\"name\":5}}"),
	  ".tool_calls[0].function.name" },
	{ "an old call that is no object", ASSISTANT("\"function_call\":\"auto\""),
	  ".function_call" },
	{ "an old call's name", ASSISTANT("\"function_call\":{\"name\":{}}"),
	  ".function_call.name" },
};
/* clang-format on */

static void what_the_rules_forbid_is_refused_with_its_path(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct outcome o;

		print_message("case: %s\n", errors[i].why);
		translate_one(str_of(errors[i].message), true, &o);
		assert_int_equal(err_http(&o.e), 400);
		assert_int_equal(o.code, o.e.code);
		assert_memory_equal(o.e.path, "messages[2]", 11);
		assert_string_equal(o.e.path + 11, errors[i].path);
		assert_true(o.e.text[0] != '\0');
		assert_int_equal(o.out.len, 0);
		outcome_drop(&o);
	}
}

/* check_behind: every message that is translated with what the first one left behind. */
static void check_behind(const char *first, bool fences)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct to_lmc_scratch scratch;
		struct outcome        before;
		struct outcome        alone;
		struct outcome        behind;

		to_lmc_scratch_init(&scratch);
		translate_with(&scratch, str_of(first), fences, &before);
		translate_with(&scratch, str_of(rows[i].message), !fences, &behind);
		to_lmc_scratch_finish(&scratch);
		translate_one(str_of(rows[i].message), !fences, &alone);
		if (behind.code != alone.code ||
		    !str_eq(buf_view(&behind.out), buf_view(&alone.out)) ||
		    !str_eq(buf_view(&behind.w.json), buf_view(&alone.w.json)))
			fail_msg("%s behind %s: %.*s", rows[i].why, first,
				 STR_ARG(buf_view(&behind.out)));
		outcome_drop(&before);
		outcome_drop(&alone);
		outcome_drop(&behind);
	}
}

static void memory_that_is_used_again_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		check_behind(rows[i].message, false);
		check_behind(rows[i].message, true);
	}
	for (size_t i = 0; i < ARRAY_LEN(errors); i++)
		check_behind(errors[i].message, true);
}

static void a_call_too_many_is_refused_before_any_is_read(void **state)
{
	struct buf     text;
	struct outcome o;

	(void)state;
	buf_init(&text, MIB);
	for (unsigned extra = 0; extra < 2; extra++) {
		buf_clear(&text);
		assert_true(buf_text(&text, "{\"role\":\"assistant\",\"tool_calls\":[{}"));
		for (unsigned i = 1; i < LIMIT_TOOLS; i++)
			assert_true(buf_text(&text, ",{}"));
		assert_true(buf_text(&text, "]") &&
			    buf_text(&text, extra ? ",\"function_call\":{}}" : "}"));
		translate_one(buf_view(&text), true, &o);
		assert_int_equal(o.code, extra ? ERR_INVALID_VALUE : ERR_OK);
		if (extra)
			assert_string_equal(o.e.path, "messages[2].tool_calls");
		outcome_drop(&o);
	}
	buf_finish(&text);
}

static void a_full_buffer_is_an_error_that_leaves_no_trace(void **state)
{
	static const char *const messages[] = {
		USER("\"content\":\"abcdef\""),
		PARTS(TEXT("a") "," TEXT("b")),
		"{\"role\":\"tool\",\"content\":\"abcdef\"}",
		ASSISTANT("\"content\":\"a\\n```sh\\nls\\n```\\nb\","
			  "\"tool_calls\":[" FN("python", "\"1\"") "]"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(messages); i++)
		for (size_t max = 3;; max++) {
			struct json_doc       d = { 0 };
			struct to_lmc_options options = { .fences = true };
			struct buf            out;
			struct err            e = { 0 };

			buf_init(&out, max);
			assert_true(buf_text(&out, "{}"));
			scan(&d, str_of(messages[i]));
			enum errc code =
				to_lmc_message(&d, 0, "messages[0]", 0, &options, &out, &e);
			size_t len = out.len;
			json_doc_finish(&d);
			buf_finish(&out);
			if (code == ERR_OK) {
				assert_int_in_range(max, 50, 400);
				break;
			}
			assert_int_equal(code, ERR_OVERLOADED);
			assert_int_equal(len, 2);
		}
}

/* --- the vectors --- */

static void check_messages(const struct json_doc *d, json_at vector)
{
	json_at         request = json_get(d, vector, "request");
	json_at         messages = json_get(d, request, "messages");
	json_at         expect = json_get(d, vector, "expect");
	json_at         fences = json_get(d, request, "fences");
	json_at         error = json_get(d, expect, "error");
	json_at         warned = json_get(d, vector, "warnings");
	struct json_doc got = { 0 };
	struct buf      out, text;
	struct warnings w;
	struct err      e = { 0 };
	enum errc       code = ERR_OK;
	size_t          index = 0;

	warnings_init(&w);
	buf_init(&out, MIB);
	buf_init(&text, MIB);

	struct to_lmc_options o = { .warnings = &w,
				    .fences = !fences || json_kind(d, fences) == JSON_TRUE };
	for (json_at i = json_first(d, messages); i != json_end(d, messages) && code == ERR_OK;
	     i = json_next(d, i), index++) {
		char path[40];

		snprintf(path, sizeof path, "messages[%zu]", index);
		code = to_lmc_message(d, i, path, index, &o, &out, &e);
	}
	assert_int_equal(code != ERR_OK, error != JSON_ABSENT);
	if (code != ERR_OK) {
		assert_int_equal(err_http(&e), 400);
		assert_true(json_is(d, json_get(d, error, "param"), e.path));
	} else {
		scan(&got, in_brackets(&out, &text));
		assert_true(json_alike(&got, 0, d, json_get(d, expect, "messages")));
	}
	if (warned != JSON_ABSENT)
		assert_int_equal(w.count > 0, json_is(d, warned, "some"));
	json_doc_finish(&got);
	buf_finish(&out);
	buf_finish(&text);
	warnings_finish(&w);
}

static void all_vectors_hold(void **state)
{
	struct json_doc d = { 0 };
	struct buf      text;
	unsigned        count = 0;

	(void)state;
	buf_init(&text, MIB);
	read_fixture(FIXTURES "/lmc/openai_to_lmc.json", &text);
	scan(&d, buf_view(&text));

	json_at vectors = json_get(&d, 0, "vectors");
	JSON_EACH (i, &d, vectors) {
		struct str name = json_inner(&d, json_get(&d, i, "name"));

		/* It is about the request around the messages. */
		if (str_is(name, "same_side_twice"))
			continue;
		print_message("vector: %.*s\n", STR_ARG(name));
		check_messages(&d, i);
		count++;
	}
	assert_int_in_range(count, 15, 1000);
	json_doc_finish(&d);
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_become_lmc),
		cmocka_unit_test(without_fences_text_is_one_message),
		cmocka_unit_test(what_the_rules_forbid_is_refused_with_its_path),
		cmocka_unit_test(memory_that_is_used_again_changes_nothing),
		cmocka_unit_test(a_call_too_many_is_refused_before_any_is_read),
		cmocka_unit_test(a_full_buffer_is_an_error_that_leaves_no_trace),
		cmocka_unit_test(all_vectors_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
