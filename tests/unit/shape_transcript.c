/* Stored messages of all kinds as a provider's prompt, and the checks of what comes in. */
#include "shape/transcript.h"
#include "tests/unit/lmc_spooled.h"

#define USER(text)     "{\"role\":\"user\",\"content\":\"" text "\"}"
#define SAID(text)     "{\"role\":\"assistant\",\"content\":\"" text "\"}"
#define CODE(text)     LMC("assistant", "code", FORMAT("python", text))
#define OUTPUT(text)   LMC("computer", "console", FORMAT("output", text))
#define IMAGE(path)    LMC("user", "image", FORMAT("path", path))
#define CALL(id, code) SAID_CALL("", id, code)
#define SAID_CALL(text, id, code)                                                        \
	"{\"role\":\"assistant\",\"content\":\"" text "\",\"tool_calls\":[{\"id\":\"" id \
	"\",\"type\":\"function\",\"function\":{\"name\":\"execute\",\"arguments\":"     \
	"\"{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"" code "\\\"}\"}}]}"
#define TOOL(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"
#define SHOWN(format, data)                                                               \
	"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":" \
	"\"data:image/" format ";base64," data "\",\"detail\":\"low\"}}]}"

enum { MESSAGES = 6, IMAGES = 3 };

struct row {
	const char             *why;
	bool                    fence, lmc, view;
	size_t                  old;
	const char             *messages[MESSAGES];
	struct transcript_image images[IMAGES];
	size_t                  image_count;
	const char             *want; /* one a line; at an error its path */
	const char             *warnings;
	enum errc               rc;
};

static size_t list_of(const char *const messages[MESSAGES], struct str ret[MESSAGES])
{
	size_t n = 0;

	while (n < MESSAGES && messages[n]) {
		ret[n] = str_of(messages[n]);
		n++;
	}
	return n;
}

static void check_row(const struct row *row)
{
	struct str      messages[MESSAGES];
	size_t          n = list_of(row->messages, messages);
	struct str     *made = NULL;
	size_t          count = 0;
	struct warnings warnings;
	struct arena    arena;
	struct buf      got;
	struct err      e = { 0 };

	print_message("case: %s\n", row->why);
	warnings_init(&warnings);
	arena_init(&arena, 4 * MIB);
	buf_init(&got, 4 * MIB);
	const struct transcript_options o = {
		.fence = row->fence,
		.answers_calls = row->lmc,
		.view = row->view,
		.old = row->old,
		.warnings = &warnings,
		.images = row->images,
		.image_count = row->image_count,
		.arena = &arena,
	};
	enum errc rc = transcript_render(messages, n, &o, &made, &count, &e);
	if (rc != row->rc)
		fail_msg("%d: %s %s", rc, e.path, e.text);
	for (size_t i = 0; i < count; i++)
		assert_true(buf_str(&got, made[i]) && buf_text(&got, "\n"));
	if (rc != ERR_OK)
		assert_true(buf_text(&got, e.path) && buf_text(&got, "\n"));
	assert_true(buf_add(&got, "", 1));
	assert_string_equal(got.data, row->want);
	codes_of(&warnings, &got);
	assert_text(&got, row->warnings ? row->warnings : "");
	warnings_finish(&warnings);
	arena_finish(&arena);
	buf_finish(&got);
}

/* clang-format off */
static const struct row rows[] = {
	{ .why = "nothing", .want = "" },
	{ .why = "nothing, of a client that speaks LMC", .lmc = true, .want = "" },
	{ .why = "OpenAI's go through, whatever they hold",
	  .messages = { USER("a"), "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}",
			"{ \"x\" : [ 1 ] , \"role\":\"tool\"}", CALL("c", "1") },
	  .want = USER("a") "\n{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}\n"
		  "{ \"x\" : [ 1 ] , \"role\":\"tool\"}\n" CALL("c", "1") "\n" },
	{ .why = "a call that a client of LMC left without an answer gets one", .lmc = true,
	  .messages = { CALL("c", "1"), USER("a") },
	  .want = CALL("c", "1") "\n" TOOL("c", "No output") "\n" USER("a") "\n" },
	{ .why = "files stand in front of their text",
	  .messages = { "{\"role\":\"user\",\"content\":\"a\",\"context\":{\"files\":[{\"name\":\"f\","
			"\"content\":\"x\"}]}}" },
	  .want = USER("<file name=\\\"f\\\">\\nx\\n</file>\\n\\na") "\n" },
	{ .why = "files beside LMC messages, too",
	  .messages = { "{\"role\":\"user\",\"content\":\"a\",\"context\":{\"files\":[{\"name\":\"f\","
			"\"content\":\"x\"}]}}", LMC("user", "message", PLAIN("b")) },
	  .want = USER("<file name=\\\"f\\\">\\nx\\n</file>\\n\\na") "\n" USER("b") "\n" },
	{ .why = "LMC messages become OpenAI's",
	  .messages = { LMC("user", "message", PLAIN("q")), CODE("1"), OUTPUT("2"), SAID("3") },
	  .want = USER("q") "\n" CALL("call_lmc_1", "1") "\n" TOOL("call_lmc_1", "2") "\n" SAID("3")
		  "\n" },
	{ .why = "an answer's text and the code behind it are one message",
	  .messages = { SAID("3"), CODE("1"), OUTPUT("2"), LMC("assistant", "message", PLAIN("4")),
			CODE("5") },
	  .want = SAID_CALL("3", "call_lmc_1", "1") "\n" TOOL("call_lmc_1", "2") "\n"
		  SAID_CALL("4", "call_lmc_2", "5") "\n" TOOL("call_lmc_2", "No output") "\n" },
	{ .why = "as fenced text", .fence = true,
	  .messages = { LMC("user", "message", PLAIN("q")), CODE("1"), OUTPUT("2"), USER("z") },
	  .want = USER("q") "\n" SAID("```python\\n1\\n```") "\n"
		  USER("Output of the code:\\n2") "\n" USER("z") "\n" },
	{ .why = "console output answers a provider's call",
	  .messages = { CALL("c", "1"), OUTPUT("2"), USER("a") },
	  .want = CALL("c", "1") "\n" TOOL("c", "2") "\n" USER("a") "\n" },
	{ .why = "a type that is written with escapes",
	  .messages = { "{\"role\":\"user\",\"t\\u0079pe\":\"message\",\"content\":\"a\"}" },
	  .want = USER("a") "\n" },
	{ .why = "a type that is null is none",
	  .messages = { "{\"role\":\"user\",\"type\":null,\"content\":\"a\"}", CODE("1") },
	  .want = "{\"role\":\"user\",\"type\":null,\"content\":\"a\"}\n" CALL("call_lmc_1", "1") "\n"
		  TOOL("call_lmc_1", "No output") "\n" },
	{ .why = "made ids are none that comes later",
	  .messages = { CODE("1"), CALL("call_lmc_7", "2"), TOOL("call_lmc_9", "x"), CODE("3") },
	  .want = CALL("call_lmc_10", "1") "\n" TOOL("call_lmc_10", "No output") "\n"
		  CALL("call_lmc_7", "2") "\n" TOOL("call_lmc_9", "x") "\n"
		  TOOL("call_lmc_7", "No output") "\n" CALL("call_lmc_11", "3") "\n"
		  TOOL("call_lmc_11", "No output") "\n" },
	{ .why = "what is not sent is told, with its place behind the old ones", .old = 1,
	  .messages = { LMC("server", "status", PLAIN("old")), USER("a"),
			LMC("server", "status", PLAIN("new")) },
	  .want = USER("a") "\n", .warnings = "1:not_sent" },
	{ .why = "in a view all are new", .view = true,
	  .messages = { LMC("server", "status", PLAIN("old")), USER("a"),
			LMC("server", "status", PLAIN("new")) },
	  .want = USER("a") "\n", .warnings = "0:not_sent 2:not_sent" },
	{ .why = "a message that breaks the rules is named",
	  .messages = { USER("a"), "{\"role\":\"user\",\"type\":5,\"content\":\"b\"}" },
	  .want = "messages[1].type\n", .rc = ERR_INVALID_TYPE },
	{ .why = "behind old ones it is counted from there", .old = 1,
	  .messages = { USER("a"), LMC("robot", "message", PLAIN("b")) },
	  .want = "messages[0].role\n", .rc = ERR_INVALID_VALUE },
	{ .why = "an old one was stored by OpenAI's routes, which take any member", .old = 2,
	  .messages = { "{\"role\":\"user\",\"content\":\"b\",\"type\":5}",
			LMC("developer", "message", PLAIN("c")), USER("a") },
	  .want = "{\"role\":\"user\",\"content\":\"b\",\"type\":5}\n"
		  LMC("developer", "message", PLAIN("c")) "\n" USER("a") "\n" },
	{ .why = "so may be any in a view", .view = true,
	  .messages = { "{\"role\":\"user\",\"content\":\"b\",\"type\":5}" },
	  .want = "{\"role\":\"user\",\"content\":\"b\",\"type\":5}\n" },
	{ .why = "an answer's own LMC messages stand for it",
	  .messages = { "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[" CODE("1") "," OUTPUT("2")
			"," LMC("assistant", "message", PLAIN("3")) "]}", USER("z") },
	  .want = CALL("call_lmc_1", "1") "\n" TOOL("call_lmc_1", "2") "\n" SAID("3") "\n" USER("z")
		  "\n" },
	{ .why = "unless one of them breaks a rule",
	  .messages = { "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[" CODE("1")
			",{\"role\":\"robot\",\"type\":\"message\",\"content\":\"x\"}]}", CODE("2") },
	  .want = SAID_CALL("a", "call_lmc_1", "2") "\n" TOOL("call_lmc_1", "No output") "\n" },
	{ .why = "or is none",
	  .messages = { "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[5]}",
			"{\"role\":\"assistant\",\"content\":\"b\",\"lmc\":[{\"role\":\"user\"}]}" },
	  .want = SAID("a") "\n" SAID("b") "\n" },
	{ .why = "or an image that is no image",
	  .messages = { "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":["
			LMC("computer", "image", FORMAT("base64.png", "AAAA")) "]}" },
	  .want = SAID("a") "\n" },
	{ .why = "or one from a path of the provider's own",
	  .messages = { "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[" IMAGE("/etc/passwd") "]}" },
	  .images = { { .message = 0, .format = { "base64.png", 10 }, .data = { "AAAA", 4 } } },
	  .image_count = 1, .want = SAID("a") "\n" },
	{ .why = "a member of that name that is no list, or empty, is somebody else's", .lmc = true,
	  .messages = { "{\"role\":\"user\",\"content\":\"a\",\"lmc\":[]}",
			"{\"role\":\"user\",\"lmc\":5,\"content\":\"b\"}",
			"{\"lmc\":{},\"role\":\"user\",\"content\":\"c\"}",
			"{\"role\":\"user\",\"content\":\"d\" ,\"lmc\": null}",
			"{\"role\":\"user\",\"content\":\"e\",\"lmc\":null }" },
	  .want = USER("a") "\n{\"role\":\"user\",\"lmc\":5,\"content\":\"b\"}\n"
		  "{\"lmc\":{},\"role\":\"user\",\"content\":\"c\"}\n"
		  "{\"role\":\"user\",\"content\":\"d\" ,\"lmc\": null}\n"
		  "{\"role\":\"user\",\"content\":\"e\",\"lmc\":null }\n" },
	{ .why = "images that were read", .old = 1,
	  .messages = { IMAGE("a"), USER("x"), IMAGE("b") },
	  .images = { { .message = 0, .format = { "base64.png", 10 }, .data = { "AAAA", 4 } },
		      { .message = 2, .format = { "base64.webp", 11 }, .data = { "BBBB", 4 } } },
	  .image_count = 2,
	  .want = SHOWN("png", "AAAA") "\n" USER("x") "\n" SHOWN("webp", "BBBB") "\n" },
	{ .why = "an old one that can't be read any more, and one that nobody looked for", .old = 2,
	  .messages = { IMAGE("a"), IMAGE("b"), USER("x") },
	  .images = { { .message = 0 } }, .image_count = 1,
	  .want = USER("x") "\n", .warnings = "0:image_unreadable 0:image_unreadable" },
	{ .why = "a new one that nobody looked for",
	  .messages = { USER("x"), IMAGE("a") },
	  .images = { { .message = 0, .format = { "base64.png", 10 }, .data = { "AAAA", 4 } } },
	  .image_count = 1, .want = "messages[1].format\n", .rc = ERR_INVALID_VALUE },
	{ .why = "a new one without data", .messages = { IMAGE("a") },
	  .images = { { .message = 0 } }, .image_count = 1,
	  .want = "messages[0].format\n", .rc = ERR_INVALID_VALUE },
	{ .why = "a view reads no files", .view = true, .messages = { USER("x"), IMAGE("a") },
	  .want = USER("x") "\n", .warnings = "1:image_not_shown" },
	{ .why = "one for somebody else is not sent, so nothing of it is missed", .old = 1,
	  .messages = { LMC("user", "image", "\"recipient\":\"user\"," FORMAT("path", "a")), USER("x"),
			LMC("user", "image", "\"recipient\":\"user\"," FORMAT("path", "a")) },
	  .want = USER("x") "\n", .warnings = "1:not_sent" },
	{ .why = "damage is told", .lmc = true, .messages = { "{" }, .want = "\n",
	  .rc = ERR_INVALID_JSON },
	{ .why = "also where ids are looked for", .messages = { CODE("1"), "\"call_lmc_" },
	  .want = "\n", .rc = ERR_INVALID_JSON },
};
/* clang-format on */

static void messages_become_a_prompt(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(&rows[i]);
}

static void messages_of_openais_are_not_copied(void **state)
{
	(void)state;
	const struct str messages[] = {
		STR(USER("a")),
		STR("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\"}]}"),
		STR("{\"role\":\"user\",\"content\":\"\\u0041\"}"),
		STR(CALL("call_lmc_1", "x")),
	};
	struct arena arena;
	struct str  *made;
	size_t       count;
	struct err   e;

	arena_init(&arena, MIB);
	const struct transcript_options o = { .arena = &arena };
	assert_int_equal(transcript_render(messages, ARRAY_LEN(messages), &o, &made, &count, &e),
			 ERR_OK);
	assert_int_equal(count, ARRAY_LEN(messages));
	for (size_t i = 0; i < count; i++)
		assert_ptr_equal(made[i].p, messages[i].p);
	arena_finish(&arena);
}

/* More than the first room of the list; and in memory that is too small for it. */
static void a_long_conversation_is_made_or_refused(void **state)
{
	(void)state;
	enum { LONG = 300 };
	struct str  messages[LONG];
	struct str *made = NULL;
	size_t      count = 0;
	struct err  e;

	for (size_t i = 0; i < LONG; i++)
		messages[i] =
			i % 3 == 1   ? STR(CODE("1"))
			: i % 3 == 2 ? STR("{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[5]}")
				     : STR("{\"role\":\"user\",\"content\":\"a\",\"context\":{}}");
	for (size_t plain = 0; plain < 2; plain++) {
		size_t enough = 0;

		for (size_t max = 0; !enough; max = max ? max + max / 3 : 16) {
			struct arena arena;

			arena_init(&arena, max);
			const struct transcript_options o = { .arena = &arena };
			enum errc rc = transcript_render(messages, plain ? 1 : LONG, &o, &made,
							 &count, &e);
			if (rc == ERR_OK) {
				enough = max;
				assert_int_equal(count, plain ? 1 : LONG + LONG / 3);
			} else {
				assert_int_equal(rc, ERR_OVERLOADED);
				assert_null(made);
			}
			arena_finish(&arena);
		}
		made = NULL;
	}
}

/* --- what comes in --- */

/* clang-format off */
#define PNG   "iVBORw0KGgoAAAAA"
#define JPEG  "/9j/4AAA"
#define GIF   "R0lGODlhAAAA"
#define WEBP  "UklGRgAAAABXRUJQ"
#define PICTURE(format, data) "{\"role\":\"user\",\"type\":\"image\"," format "\"content\":\"" data "\"}"
#define OF(format) "\"format\":\"" format "\","
/* clang-format on */

static void what_comes_in_is_checked_strictly(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *message;
		bool        paths;
		const char *member; /* NULL: it is fine */
		enum errc   rc;
	} cases[] = {
		{ "a message", LMC("user", "message", PLAIN("a")), false, NULL, ERR_OK },
		{ "code without an answer", CODE("1"), false, NULL, ERR_OK },
		{ "what is never sent", LMC("computer", "confirmation", "\"x\":1"), false, NULL, ERR_OK },
		{ "no role", "{\"type\":\"message\",\"content\":\"a\"}", false, "role",
		  ERR_MISSING_PARAMETER },
		{ "an unknown role", LMC("robot", "message", PLAIN("a")), false, "role",
		  ERR_INVALID_VALUE },
		{ "a type that is none", "{\"role\":\"user\",\"type\":5}", false, "type",
		  ERR_INVALID_TYPE },
		{ "no content", "{\"role\":\"user\",\"type\":\"message\"}", false, "content",
		  ERR_MISSING_PARAMETER },
		{ "an image without content", "{\"role\":\"user\",\"type\":\"image\"}", false,
		  "content", ERR_MISSING_PARAMETER },
		{ "no format means PNG", PICTURE("", PNG), false, NULL, ERR_OK },
		{ "so does null", PICTURE("\"format\":null,", PNG), false, NULL, ERR_OK },
		{ "and base64", PICTURE(OF("base64"), PNG), false, NULL, ERR_OK },
		{ "PNG", PICTURE(OF("base64.png"), PNG), false, NULL, ERR_OK },
		{ "JPEG", PICTURE(OF("base64.jpeg"), JPEG), false, NULL, ERR_OK },
		{ "by its other name", PICTURE(OF("base64.jpg"), JPEG), false, NULL, ERR_OK },
		{ "GIF", PICTURE(OF("base64.gif"), GIF), false, NULL, ERR_OK },
		{ "WebP", PICTURE(OF("base64.webp"), WEBP), false, NULL, ERR_OK },
		{ "escaped slashes are slashes", PICTURE(OF("base64.jpeg"), "\\/9j\\/4AAA"), false, NULL,
		  ERR_OK },
		{ "an escaped format is that format", PICTURE(OF("base64\\u002ejpeg"), JPEG), false,
		  NULL, ERR_OK },
		{ "and checked as such", PICTURE(OF("\\u0062ase64.png"), JPEG), false, "content",
		  ERR_INVALID_VALUE },
		{ "no format, and JPEG", PICTURE("", JPEG), false, "content", ERR_INVALID_VALUE },
		{ "another kind than it says", PICTURE(OF("base64.gif"), PNG), false, "content",
		  ERR_INVALID_VALUE },
		{ "no kind that is known", PICTURE(OF("base64.png"), "AAAA"), false, "content",
		  ERR_INVALID_VALUE },
		{ "empty", PICTURE(OF("base64.png"), ""), false, "content", ERR_INVALID_VALUE },
		{ "no base64", PICTURE(OF("base64.png"), "!!!!"), false, "content", ERR_INVALID_VALUE },
		{ "no padding", PICTURE(OF("base64.jpeg"), "/9j/4AA"), false, "content",
		  ERR_INVALID_VALUE },
		{ "white space", PICTURE(OF("base64.jpeg"), "/9j/4AAA\\n"), false, "content",
		  ERR_INVALID_VALUE },
		{ "the alphabet for URLs", PICTURE(OF("base64.jpeg"), "_9j_4AAA"), false, "content",
		  ERR_INVALID_VALUE },
		{ "a content that is no string", "{\"role\":\"user\",\"type\":\"image\",\"content\":5}",
		  false, "content", ERR_INVALID_TYPE },
		{ "a format that there is not", PICTURE(OF("base64.tiff"), PNG), false, "format",
		  ERR_INVALID_VALUE },
		{ "a URL", PICTURE(OF("url"), "HTTP://x"), false, NULL, ERR_OK },
		{ "one that can't be fetched", PICTURE(OF("url"), "file:///x"), false, "content",
		  ERR_INVALID_VALUE },
		{ "a description", PICTURE(OF("description"), "a cat"), false, NULL, ERR_OK },
		{ "a description that is no string",
		  "{\"role\":\"user\",\"type\":\"image\",\"format\":\"description\",\"content\":5}", false,
		  NULL, ERR_OK },
		{ "a path", IMAGE("a.png"), true, NULL, ERR_OK },
		{ "a path where none may be", IMAGE("a.png"), false, "format", ERR_INVALID_VALUE },
		{ "an image for somebody else may be anything",
		  PICTURE("\"recipient\":\"user\",", "!"), false, NULL, ERR_OK },
		{ "one for the assistant may not",
		  PICTURE("\"recipient\":\"assistant\",", "!!!!"), false, "content", ERR_INVALID_VALUE },
		{ "nor one for null, which is nobody else",
		  PICTURE("\"recipient\":null,", "!!!!"), false, "content", ERR_INVALID_VALUE },
		{ "what the server says may", LMC("server", "image", FORMAT("base64.png", "!")), false,
		  NULL, ERR_OK },
		{ "sound", LMC("user", "audio", FORMAT("wav", "AAAA")), false, NULL, ERR_OK },
		{ "sound that is none", LMC("user", "audio", FORMAT("wav", "A")), false, "content",
		  ERR_INVALID_VALUE },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_doc d = { 0 };
		struct err      e = { 0 };
		char            want[64] = "";

		print_message("case: %s\n", cases[i].why);
		scan(&d, str_of(cases[i].message));
		enum errc rc = transcript_check(&d, 0, "messages[3]", cases[i].paths, &e);
		if (rc != cases[i].rc)
			fail_msg("%d: %s %s", rc, e.path, e.text);
		if (cases[i].member)
			snprintf(want, sizeof want, "messages[3].%s", cases[i].member);
		assert_string_equal(e.path, want);
		json_doc_finish(&d);
	}
}

static void an_image_may_have_so_many_bytes(void **state)
{
	(void)state;
	static const char head[] = "{\"role\":\"user\",\"type\":\"image\",\"content\":\"" PNG;
	static const struct json_limits limits = { .depth = 4, .tokens = 100 };
	struct json_doc                 d = { 0 };
	struct buf                      text;
	struct err                      e;

	for (size_t more = 0; more <= 4; more += 4) {
		size_t n = LIMIT_IMAGE / 3 * 4 + more;

		buf_init(&text, 64 * MIB);
		assert_true(buf_text(&text, head) && buf_reserve(&text, n));
		memset(text.data + text.len, 'A', n - strlen(PNG));
		text.len += n - strlen(PNG);
		assert_true(buf_text(&text, "\"}"));
		assert_int_equal(json_scan(&d, text.data, text.len, &limits, &e), ERR_OK);
		assert_int_equal(transcript_check(&d, 0, "messages[0]", false, &e),
				 more ? ERR_INVALID_VALUE : ERR_OK);
		assert_true(!more || strstr(e.text, "too large"));
		buf_finish(&text);
	}
	json_doc_finish(&d);
}

static void images_that_are_named_by_a_path_are_found(void **state)
{
	(void)state;
	const struct str messages[] = {
		STR(USER("x")),
		STR(IMAGE("a.png")),
		STR(LMC("computer", "image", FORMAT("p\\u0061th", "\\u00e9/b.png"))),
		STR(LMC("user", "image",
			"\"format\":\"path\",\"content\":5")), /* refused elsewhere */
		STR(LMC("user", "image", "\"format\":\"path\"")),
		STR(LMC("user", "image", FORMAT("url", "http://x"))),
		STR(LMC("user", "file", FORMAT("path", "c.png"))),
		STR(LMC("user", "image", "\"recipient\":\"user\"," FORMAT("path", "d.png"))),
		STR(LMC("server", "image", FORMAT("path", "e.png"))),
		STR("{\"type\""), /* damage is told elsewhere */
		STR(IMAGE("a.png")),
	};
	struct transcript_image *list;
	struct arena             arena;
	size_t                   count;
	struct err               e;

	arena_init(&arena, MIB);
	assert_int_equal(
		transcript_images(messages, ARRAY_LEN(messages), &arena, &list, &count, &e),
		ERR_OK);
	assert_int_equal(count, 3);
	assert_int_equal(list[0].message, 1);
	assert_true(str_is(list[0].path, "a.png"));
	assert_int_equal(list[1].message, 2);
	assert_true(str_is(list[1].path, "\xc3\xa9/b.png"));
	assert_int_equal(list[2].message, 10);
	assert_int_equal(list[2].format.n + list[2].data.n, 0);
	arena_finish(&arena);
	assert_int_equal(transcript_images(messages, 0, &arena, &list, &count, &e), ERR_OK);
	assert_int_equal(count, 0);
	arena_finish(&arena);
}

static void images_are_not_looked_for_without_memory(void **state)
{
	(void)state;
	const struct str messages[] = { STR(LMC("user", "image", FORMAT("path", "\\u00e9"))) };
	struct transcript_image *list;
	size_t                   count;
	struct err               e;

	for (size_t max = 0, rc = ERR_OVERLOADED; rc != ERR_OK; max += 16) {
		struct arena arena;

		arena_init(&arena, max);
		rc = transcript_images(messages, 1, &arena, &list, &count, &e);
		assert_true(rc == ERR_OK || rc == ERR_OVERLOADED);
		assert_true(max < KIB);
		arena_finish(&arena);
	}
}

/* Many images are looked up in a time that does not grow with their square. */
static void many_images_are_found_quickly(void **state)
{
	(void)state;
	enum { MANY = 60000 };
	struct str              *messages = calloc(MANY, sizeof *messages);
	struct transcript_image *images = calloc(MANY, sizeof *images);
	struct str              *made;
	struct arena             arena;
	size_t                   count;
	struct err               e;

	assert_true(messages && images);
	for (size_t i = 0; i < MANY; i++) {
		messages[i] = STR(IMAGE("a"));
		images[i] = (struct transcript_image){ .message = i,
						       .format = STR("base64.gif"),
						       .data = STR("AAAA") };
	}
	arena_init(&arena, 64 * MIB);
	const struct transcript_options o = { .arena = &arena,
					      .images = images,
					      .image_count = MANY };
	assert_int_equal(transcript_render(messages, MANY, &o, &made, &count, &e), ERR_OK);
	assert_int_equal(count, MANY);
	assert_true(str_is(made[MANY - 1], SHOWN("gif", "AAAA")));
	arena_finish(&arena);
	free(messages);
	free(images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_become_a_prompt),
		cmocka_unit_test(messages_of_openais_are_not_copied),
		cmocka_unit_test(a_long_conversation_is_made_or_refused),
		cmocka_unit_test(what_comes_in_is_checked_strictly),
		cmocka_unit_test(an_image_may_have_so_many_bytes),
		cmocka_unit_test(images_that_are_named_by_a_path_are_found),
		cmocka_unit_test(images_are_not_looked_for_without_memory),
		cmocka_unit_test(many_images_are_found_quickly),
	};

	return cmocka_run_group_tests_name("shape/transcript", tests, NULL, NULL);
}
