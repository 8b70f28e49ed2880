/* Files of a message's context in front of its content, as the template says. */
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "shape/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FILES(list) "\"context\":{\"files\":[" list "]}"
#define FILE_A      "{\"name\":\"a.txt\",\"content\":\"A\"}"
#define FILE_B      "{\"content\":\"B\",\"name\":\"b \\u00e9\"}"
#define SEEN_A      "<file name=\\\"a.txt\\\">\\nA\\n</file>\\n\\n"
#define SEEN_B      "<file name=\\\"b \\u00e9\\\">\\nB\\n</file>\\n\\n"

struct row {
	const char *why, *message, *want;
};

static void check_row(const struct row *row)
{
	struct arena    arena;
	struct str      got = STR_NONE;
	struct err      e;
	struct json_doc doc = { 0 };

	print_message("case: %s\n", row->why);
	arena_init(&arena, MIB);
	assert_int_equal(context_render(str_of(row->message), CONTEXT_PROMPT, &arena, &got, &e),
			 ERR_OK);
	assert_int_equal(json_scan(&doc, got.p, got.n, &json_limits_request, &e), ERR_OK);
	if (!str_is(got, row->want))
		fail_msg("%.*s", STR_ARG(got));
	json_doc_finish(&doc);
	arena_finish(&arena);
}

static void files_stand_in_front_of_the_content(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "a string", "{\"role\":\"user\",\"content\":\"hi\"," FILES(FILE_A) "}",
		  "{\"role\":\"user\",\"content\":\"" SEEN_A "hi\"}" },
		{ "the context in front", "{" FILES(FILE_A)
		  ",\"content\":\"hi\",\"role\":\"user\"}",
		  "{\"role\":\"user\",\"content\":\"" SEEN_A "hi\"}" },
		{ "two files in their order", "{\"content\":\"hi\"," FILES(FILE_A "," FILE_B) "}",
		  "{\"content\":\"" SEEN_A SEEN_B "hi\"}" },
		{ "an empty string", "{\"content\":\"\"," FILES(FILE_A) "}", "{\"content\":\""
		  SEEN_A "\"}" },
		{ "escapes stay as they were written",
		  "{\"content\":\"\\u0041\\\"\\n\",\"context\":{\"files\":[{\"name\":\"x\","
		  "\"content\":\"\\ud83d\\ude00 \\\\ \\\"q\\\"\\t\"}]}}",
		  "{\"content\":\"<file name=\\\"x\\\">\\n\\ud83d\\ude00 "
		  "\\\\ \\\"q\\\"\\t\\n</file>\\n\\n"
		  "\\u0041\\\"\\n\"}" },
		{ "an empty file", "{\"content\":\"hi\"," FILES("{\"name\":\"e\",\"content\":\"\"}")
		  "}",
		  "{\"content\":\"<file name=\\\"e\\\">\\n\\n</file>\\n\\nhi\"}" },
		{ "parts get a text part in front",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}, {\"type\":\"x\"}],"
		  FILES(FILE_A) "}",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"" SEEN_A
		  "\"},{\"type\":\"text\",\"text\":\"hi\"}, {\"type\":\"x\"}]}" },
		{ "no parts at all", "{\"content\":[]," FILES(FILE_A) "}",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"" SEEN_A "\"}]}" },
		{ "an empty list with a blank in it", "{\"content\":[ ]," FILES(FILE_A) "}",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"" SEEN_A "\"} ]}" },
		{ "no content beside calls", "{\"role\":\"assistant\",\"tool_calls\":[{}],"
		  FILES(FILE_A) "}",
		  "{\"role\":\"assistant\",\"tool_calls\":[{}],\"content\":\"" SEEN_A "\"}" },
		{ "null content", "{\"content\":null," FILES(FILE_A) "}", "{\"content\":\"" SEEN_A
		  "\"}" },
		{ "other members as they came", "{ \"name\" : \"bob\", \"content\" : \"hi\" , "
		  FILES(FILE_A) " }",
		  "{\"name\":\"bob\",\"content\":\"" SEEN_A "hi\"}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

static void a_context_without_files_only_goes_away(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "empty", "{\"content\":\"hi\",\"context\":{}}", "{\"content\":\"hi\"}" },
		{ "no files", "{\"content\":\"hi\"," FILES("") "}", "{\"content\":\"hi\"}" },
		{ "files are null", "{\"content\":\"hi\",\"context\":{\"files\":null}}",
		  "{\"content\":\"hi\"}" },
		{ "parts stay", "{\"context\":{},\"content\":[{\"type\":\"x\"}]}",
		  "{\"content\":[{\"type\":\"x\"}]}" },
		{ "no content beside calls",
		  "{\"role\":\"assistant\",\"tool_calls\":[{}],\"context\":{}}",
		  "{\"role\":\"assistant\",\"tool_calls\":[{}],\"content\":null}" },
		{ "other things than files", "{\"content\":\"hi\"," FILES("5,{\"uuid\":5},[],{\"name\":"
		  "\"n\"}") "}",
		  "{\"content\":\"hi\"}" },
		{ "no list of files", "{\"content\":\"hi\",\"context\":{\"files\":{\"uuid\":\"u\"}}}",
		  "{\"content\":\"hi\"}" },
		{ "no object", "{\"content\":\"hi\",\"context\":[\"files\"]}", "{\"content\":\"hi\"}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

static void a_message_without_context_is_not_copied(void **state)
{
	(void)state;
	static const char *const messages[] = {
		"{ \"role\":\"user\", \"content\":\"hi\" }",
		"{\"content\":\"the word \\\"context\\\"\"}",
		"{\"content\":[{\"type\":\"x\",\"context\":{\"files\":[]}}]}",
		"{\"content\":\"context\"}",
		"{\"name\":\"context\",\"content\":\"\"}",
	};

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		struct arena arena;
		struct str   got = STR_NONE;
		struct err   e;

		arena_init(&arena, MIB);
		assert_int_equal(
			context_render(str_of(messages[i]), CONTEXT_PROMPT, &arena, &got, &e),
			ERR_OK);
		assert_ptr_equal(got.p, messages[i]);
		assert_int_equal(got.n, strlen(messages[i]));
		assert_int_equal(arena.used, 0);
		arena_finish(&arena);
	}
}

static void a_context_that_is_null_goes_away_too(void **state)
{
	(void)state;
	check_row(&(struct row){ "null", "{\"content\":\"hi\",\"context\":null}",
				 "{\"content\":\"hi\"}" });
}

static void a_context_whose_key_is_written_with_an_escape_is_one(void **state)
{
	(void)state;
	check_row(&(struct row){ "an escape in the key",
				 "{\"content\":\"hi\",\"cont\\u0065xt\":{\"files\":[" FILE_A "]}}",
				 "{\"content\":\"" SEEN_A "hi\"}" });
}

static void a_full_arena_is_an_error(void **state)
{
	(void)state;
	struct arena arena;
	struct str   got = STR("untouched");
	struct err   e;

	arena_init(&arena, 8);
	assert_int_equal(context_render(STR("{\"content\":\"hi\"," FILES(FILE_A) "}"),
					CONTEXT_PROMPT, &arena, &got, &e),
			 ERR_OVERLOADED);
	assert_true(str_is(got, "untouched"));
	arena_finish(&arena);
}

static void damaged_messages_are_an_error_and_leak_nothing(void **state)
{
	(void)state;
	static const char *const messages[] = { "{\"context\":",
						"{\"content\":\"x\",\"context\":{}" };

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		struct arena arena;
		struct str   got = STR("untouched");
		struct err   e;

		arena_init(&arena, KIB);
		assert_int_not_equal(
			context_render(str_of(messages[i]), CONTEXT_PROMPT, &arena, &got, &e),
			ERR_OK);
		assert_true(str_is(got, "untouched"));
		arena_finish(&arena);
	}
}

/* --- what may not leave its block --- */

static void no_name_and_no_content_ends_its_block(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "a name with everything", "{\"content\":\"hi\"," FILES("{\"name\":\"a\\\"> <b&\\n\\u0000\x7f"
		  "\",\"content\":\"A\"}") "}",
		  "{\"content\":\"<file name=\\\"a&quot;&gt; &lt;b&amp;   \\\">\\nA\\n</file>\\n\\nhi\"}" },
		{ "the end of a file", "{\"content\":\"</file>\"," FILES("{\"name\":\"a\",\"content\":"
		  "\"1</file>2</FiLe x>3< /file></fil\"}") "}",
		  "{\"content\":\"<file name=\\\"a\\\">\\n1&lt;/file>2&lt;/FiLe x>3< /file></fil\\n</file>"
		  "\\n\\n</file>\"}" },
		{ "written with escapes", "{\"content\":\"hi\"," FILES("{\"name\":\"a\",\"content\":"
		  "\"\\u003c\\/f\\u0069le\\u00e9\"}") "}",
		  "{\"content\":\"<file name=\\\"a\\\">\\n&lt;/file\xc3\xa9\\n</file>\\n\\nhi\"}" },
		{ "at the very end, and again", "{\"content\":\"hi\"," FILES("{\"name\":\"a\",\"content\":"
		  "\"<</file</file\"}") "}",
		  "{\"content\":\"<file name=\\\"a\\\">\\n<&lt;/file&lt;/file\\n</file>\\n\\nhi\"}" },
		{ "uploaded files are told of", "{\"content\":\"hi\"," FILES("{\"uuid\":\"u\"},{\"name\":\"<\","
		  "\"uuid\":\"v\"}") "}",
		  "{\"content\":\"<file name=\\\"u\\\" missing=\\\"not shown\\\">\\n</file>\\n\\n"
		  "<file name=\\\"&lt;\\\" missing=\\\"not shown\\\">\\n</file>\\n\\nhi\"}" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

/* --- uploaded files --- */

static void uploads_are_listed(void **state)
{
	struct arena          arena;
	struct context_named *named = NULL;
	size_t                n = 9;
	struct err            e;

	(void)state;
	arena_init(&arena, MIB);
	assert_int_equal(
		context_uploads(
			STR("{\"role\":\"user\",\"content\":\"\"," FILES(
				FILE_A
				",{\"uuid\":"
				"\"x\\u0031\"},5,{\"uuid\":null},{\"uuid\":7},{\"name\":\"n\\\"\",\"uuid\":\"y\"}") "}"),
			&arena, &named, &n, &e),
		ERR_OK);
	assert_int_equal(n, 2);
	assert_int_equal(named[0].file, 1);
	assert_true(str_is(named[0].uuid, "x1") && named[0].name.n == 0 && named[0].user);
	assert_int_equal(named[1].file, 5);
	assert_true(str_is(named[1].uuid, "y") && str_is(named[1].name, "n\""));

	static const char *const none[] = {
		"{\"role\":\"user\",\"content\":\"\"," FILES(FILE_A) "}",
		"{\"role\":\"user\",\"content\":\"{\\\"uuid\\\":1}\"}",
		"{\"role\":\"user\",\"type\":\"message\",\"content\":\"\"," FILES(
			"{\"uuid\":\"x\"}") "}",
		"{\"content\":\"\",\"context\":{\"files\":\"uuid\"}}",
		"{\"context\":[\"uuid\"]}",
		"[\"uuid\"]",
		"{\"uuid\":\"x\"}",
	};
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		assert_int_equal(context_uploads(str_of(none[i]), &arena, &named, &n, &e), ERR_OK);
		assert_int_equal(n, 0);
	}
	assert_int_equal(context_uploads(STR("{\"role\":\"tool\"," FILES("{\"uuid\":\"x\"}") "}"),
					 &arena, &named, &n, &e),
			 ERR_OK);
	assert_true(n == 1 && !named[0].user);
	static const char *const escaped[] = { "\\u0075uid", "u\\u0075id", "uu\\u0069d",
					       "uui\\u0064", "\\u0075\\u0075\\u0069\\u0064" };
	for (size_t i = 0; i < ARRAY_LEN(escaped); i++) {
		char message[256];

		snprintf(message, sizeof message, "{\"role\":\"user\"," FILES("{\"%s\":\"x\"}") "}",
			 escaped[i]);
		assert_int_equal(context_uploads(str_of(message), &arena, &named, &n, &e), ERR_OK);
		assert_int_equal(n, 1);
	}
	arena_finish(&arena);
}

static enum errc read_fn(void *arg, size_t n, struct str *ret, struct err *e)
{
	const struct str *contents = arg;

	if (!contents[n].p)
		return err_set(e, ERR_STORAGE, "", "no");
	*ret = contents[n];
	return ERR_OK;
}

/* clang-format off */
#define U "{\"uuid\":\"u\"}"
#define PART_PNG "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,UE5H\"}}"
#define PART_MP3 "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"TQ==\",\"format\":\"mp3\"}}"
#define PART_PDF "{\"type\":\"file\",\"file\":{\"filename\":\"\\\"d\\\"\",\"file_data\":"                    \
		 "\"data:application/pdf;base64,UERG\"}}"
#define TEXT(t)  "{\"type\":\"text\",\"text\":\"" t "\"}"
#define SEEN_T   "<file name=\\\"&lt;t\\\">\\nx\\n&lt;/file>\\n</file>\\n\\n"
#define SEEN_GONE "<file name=\\\"g\\\" missing=\\\"deleted\\\">\\n</file>\\n\\n"
/* clang-format on */

static const struct context_shown shown_text = { { "<t", sizeof "<t" - 1 },
						 { ATTACHMENT_TEXT, "" },
						 NULL };
static const struct context_shown shown_png = { { "p", sizeof "p" - 1 },
						{ ATTACHMENT_IMAGE, "png" },
						NULL };
static const struct context_shown shown_mp3 = { { "m", sizeof "m" - 1 },
						{ ATTACHMENT_AUDIO, "mp3" },
						NULL };
static const struct context_shown shown_pdf = { { "\"d\"", sizeof "\"d\"" - 1 },
						{ ATTACHMENT_PDF, "" },
						NULL };
static const struct context_shown shown_gone = { { "g", sizeof "g" - 1 },
						 { ATTACHMENT_IMAGE, "png" },
						 "deleted" };

static struct str content_of(const struct context_shown *f)
{
	return f == &shown_text  ? STR("x\n</file>")
	       : f == &shown_png ? STR("PNG")
	       : f == &shown_mp3 ? STR("M")
				 : STR("PDF");
}

static void contents_of_uploads_are_put_in(void **state)
{
	/* clang-format off */
	static const struct {
		const char                 *why;
		const char                 *message;
		const struct context_shown *files[4];
		const char                 *want;
	} cases[] = {
		{ "text before a string", "{\"content\":\"hi\"," FILES(U) "}", { &shown_text },
		  "{\"content\":\"" SEEN_T "hi\"}" },
		{ "between inline files", "{\"content\":\"hi\"," FILES(FILE_A "," U "," FILE_A) "}",
		  { &shown_text }, "{\"content\":\"" SEEN_A SEEN_T SEEN_A "hi\"}" },
		{ "deleted: a string", "{\"content\":\"hi\"," FILES(U "," U) "}", { &shown_gone, &shown_text },
		  "{\"content\":\"" SEEN_GONE SEEN_T "hi\"}" },
		{ "an image", "{\"content\":\"hi\"," FILES(U) "}", { &shown_png },
		  "{\"content\":[" PART_PNG "," TEXT("hi") "]}" },
		{ "an image, and nothing said", "{\"content\":\"\"," FILES(U) "}", { &shown_png },
		  "{\"content\":[" PART_PNG "]}" },
		{ "an image beside null", "{\"content\":null," FILES(U) "}", { &shown_png },
		  "{\"content\":[" PART_PNG "]}" },
		{ "all of them, in their order",
		  "{\"content\":\"h\\u00e9\"," FILES(U "," FILE_A "," U "," U "," U) "}",
		  { &shown_mp3, &shown_text, &shown_gone, &shown_pdf },
		  "{\"content\":[" PART_MP3 "," TEXT(SEEN_A SEEN_T SEEN_GONE) "," PART_PDF ","
		  TEXT("h\\u00e9") "]}" },
		{ "parts", "{\"content\":[{\"type\":\"x\"}]," FILES(U "," U) "}",
		  { &shown_text, &shown_png },
		  "{\"content\":[" TEXT(SEEN_T) "," PART_PNG ",{\"type\":\"x\"}]}" },
		{ "no parts", "{\"content\":[ ]," FILES(U) "}", { &shown_png },
		  "{\"content\":[" PART_PNG " ]}" },
		{ "parts that name files, behind a context",
		  "{\"content\":[{\"type\":\"x\"},{\"type\":\"file\",\"file\":{\"uuid\":\"u\"}},"
		  "{\"type\":\"image_url\",\"image_url\":{\"uuid\":\"v\"}}]," FILES(U) "}",
		  { &shown_png, &shown_text, &shown_png },
		  "{\"content\":[" PART_PNG ",{\"type\":\"x\"}," TEXT(SEEN_T) "," PART_PNG "]}" },
		{ "parts that name a file, without a context",
		  "{\"content\":[{\"type\":\"image_url\",\"image_url\":{\"uuid\":\"v\"}},"
		  "{\"type\":\"file\",\"file\":{\"file_id\":\"theirs\"}}]}",
		  { &shown_gone },
		  "{\"content\":[" TEXT(SEEN_GONE) ",{\"type\":\"file\",\"file\":"
		  "{\"file_id\":\"theirs\"}}]}" },
		{ "text before parts", "{\"content\":[{\"type\":\"x\"}]," FILES(U) "}", { &shown_text },
		  "{\"content\":[" TEXT(SEEN_T) ",{\"type\":\"x\"}]}" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct context_shown shown[4];
		struct str           contents[4];
		struct buf           out;
		struct err           e;
		size_t               n = 0;

		print_message("case: %s\n", cases[i].why);
		for (; n < 4 && cases[i].files[n]; n++) {
			shown[n] = *cases[i].files[n];
			contents[n] = content_of(cases[i].files[n]);
		}
		buf_init(&out, MIB);
		assert_int_equal(context_fill(str_of(cases[i].message),
					      &(struct context_contents){ CONTEXT_PROMPT, shown, n,
									  read_fn, contents },
					      &out, &e),
				 ERR_OK);
		assert_true(buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
	}
}

static void what_can_not_be_put_in_is_an_error(void **state)
{
	struct str              content = STR_NONE;
	struct context_contents c = { CONTEXT_PROMPT, &shown_text, 1, read_fn, &content };
	struct buf              out;
	struct err              e;

	(void)state;
	buf_init(&out, MIB);
	assert_int_equal(context_fill(STR("{\"content\":\"hi\"," FILES(U) "}"), &c, &out, &e),
			 ERR_STORAGE);
	assert_int_equal(context_fill(STR("{\"content\""), &c, &out, &e), ERR_INVALID_JSON);
	c.list = &shown_png;
	content = STR("PNG");
	const size_t whole = sizeof("{\"content\":[" PART_PNG "," TEXT("hi") "]}") - 1;
	for (size_t max = 0; max <= whole; max++) {
		buf_finish(&out);
		buf_init(&out, max);
		assert_int_equal(
			context_fill(STR("{\"content\":\"hi\"," FILES(U) "}"), &c, &out, &e),
			max < whole ? ERR_OVERLOADED : ERR_OK);
	}
	buf_finish(&out);
}

/* clang-format off */
#define AT_A "<file name=\\\"a.txt\\\" path=\\\"/space/in/a.txt\\\">\\n"
#define AT_P "<file name=\\\"p\\\" path=\\\"/space/in/p\\\">\\n</file>\\n\\n"
#define END  "</file>\\n\\n"
/* clang-format on */

static void files_may_be_elsewhere(void **state)
{
	/* clang-format off */
	static const struct {
		const char                 *why;
		enum context_files          files;
		const char                 *message;
		const struct context_shown *file;
		const char                 *want;
	} cases[] = {
		{ "inline", CONTEXT_WORKSPACE, "{\"content\":\"hi\"," FILES(FILE_A) "}", &shown_text,
		  "{\"content\":\"" AT_A END "hi\"}" },
		{ "inline, both", CONTEXT_BOTH, "{\"content\":\"hi\"," FILES(FILE_A) "}", &shown_text,
		  "{\"content\":\"" AT_A "A\\n" END "hi\"}" },
		{ "uploaded", CONTEXT_WORKSPACE, "{\"content\":\"hi\"," FILES(U) "}", &shown_png,
		  "{\"content\":\"" AT_P "hi\"}" },
		{ "uploaded, both", CONTEXT_BOTH, "{\"content\":\"hi\"," FILES(U) "}", &shown_png,
		  "{\"content\":[" TEXT(AT_P) "," PART_PNG "," TEXT("hi") "]}" },
		{ "text, both", CONTEXT_BOTH, "{\"content\":\"hi\"," FILES(U) "}", &shown_text,
		  "{\"content\":\"<file name=\\\"&lt;t\\\" path=\\\"/space/in/&lt;t\\\">\\nx\\n&lt;/file>\\n"
		  END "hi\"}" },
		{ "deleted", CONTEXT_WORKSPACE, "{\"content\":\"hi\"," FILES(U) "}", &shown_gone,
		  "{\"content\":\"" SEEN_GONE "hi\"}" },
		{ "a part", CONTEXT_WORKSPACE,
		  "{\"content\":[{\"type\":\"file\",\"file\":{\"uuid\":\"u\"}},{\"type\":\"x\"}]}", &shown_png,
		  "{\"content\":[" TEXT(AT_P) ",{\"type\":\"x\"}]}" },
		{ "an escaped name", CONTEXT_WORKSPACE,
		  "{\"content\":\"\"," FILES("{\"name\":\"a\\/\\u0041\",\"content\":\"\"}") "}", &shown_text,
		  "{\"content\":\"<file name=\\\"a\\/\\u0041\\\" path=\\\"/space/in/a_A\\\">\\n" END "\"}" },
		{ "no name", CONTEXT_WORKSPACE, "{\"content\":\"\"," FILES("{\"content\":\"x\"}") "}", &shown_text,
		  "{\"content\":\"<file name=\\\"\\\" path=\\\"/space/in/file\\\">\\n" END "\"}" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str content = content_of(cases[i].file);
		struct buf out;
		struct err e;

		print_message("case: %s\n", cases[i].why);
		buf_init(&out, MIB);
		assert_int_equal(
			context_fill(str_of(cases[i].message),
				     &(struct context_contents){ cases[i].files, cases[i].file, 1,
								 read_fn, &content },
				     &out, &e),
			ERR_OK);
		assert_true(buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
	}
}

static void names_become_names_of_files(void **state)
{
	static const char *const cases[][2] = {
		{ "a.csv", "a.csv" },   { "/etc/passwd", "_etc_passwd" },
		{ "", "file" },         { ".", "file" },
		{ "..", "file" },       { "...", "..." },
		{ "a\nb\x7f", "a_b_" },
	};
	char name[LIMIT_FILE_NAME + 1];
	char text[LIMIT_FILE_NAME + 3];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str got = context_place(str_of(cases[i][0]), name);

		assert_true(str_is(got, cases[i][1]));
		assert_string_equal(name, cases[i][1]);
	}
	memset(text, 'x', sizeof text - 1);
	memcpy(text + LIMIT_FILE_NAME - 1, "\xc3\xa9", 2);
	assert_int_equal(context_place((struct str){ text, sizeof text - 1 }, name).n,
			 LIMIT_FILE_NAME - 1);
}

static bool walked_inlined(void *arg, struct str name, struct str content)
{
	return buf_fmt(arg, "[%.*s: %.*s]", STR_ARG(name), STR_ARG(content));
}

static bool walked_uploaded(void *arg, size_t n)
{
	return buf_fmt(arg, "[%zu]", n);
}

static void a_walk_tells_files_in_their_order(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"content\":\"hi\"}", "" },
		{ "{\"content\":\"the context\"}", "" },
		{ "{\"content\":\"hi\"," FILES(U "," FILE_A ",5,{}," U "," FILE_B) "}",
		  "[0][a.txt: A][1][b \u00e9: B]" },
		{ "{\"content\":[{\"type\":\"file\",\"file\":{\"uuid\":\"v\"}},{\"type\":\"x\"}]," FILES(
			  U) "}",
		  "[0][1]" },
		{ "{\"content\":[{\"type\":\"file\",\"file\":{\"uuid\":\"v\"}}]}", "[0]" },
		{ "{\"type\":\"message\",\"content\":\"hi\"," FILES(FILE_A) "}", "" },
	};
	struct buf            out;
	struct context_walker w = { walked_inlined, walked_uploaded, &out };
	struct err            e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_init(&out, KIB);
		assert_int_equal(context_walk(str_of(cases[i][0]), &w, &e), ERR_OK);
		assert_true(str_is(buf_view(&out), cases[i][1]));
		buf_finish(&out);
	}
	buf_init(&out, 3); /* who is told wants no more */
	assert_int_equal(context_walk(str_of(cases[2][0]), &w, &e), ERR_OVERLOADED);
	buf_finish(&out);
	assert_int_equal(context_walk(STR("{\"context\""), &w, &e), ERR_INVALID_JSON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_stand_in_front_of_the_content),
		cmocka_unit_test(a_context_without_files_only_goes_away),
		cmocka_unit_test(a_message_without_context_is_not_copied),
		cmocka_unit_test(a_context_that_is_null_goes_away_too),
		cmocka_unit_test(a_context_whose_key_is_written_with_an_escape_is_one),
		cmocka_unit_test(a_full_arena_is_an_error),
		cmocka_unit_test(damaged_messages_are_an_error_and_leak_nothing),
		cmocka_unit_test(no_name_and_no_content_ends_its_block),
		cmocka_unit_test(uploads_are_listed),
		cmocka_unit_test(contents_of_uploads_are_put_in),
		cmocka_unit_test(what_can_not_be_put_in_is_an_error),
		cmocka_unit_test(files_may_be_elsewhere),
		cmocka_unit_test(names_become_names_of_files),
		cmocka_unit_test(a_walk_tells_files_in_their_order),
	};

	return cmocka_run_group_tests_name("shape/context", tests, NULL, NULL);
}
