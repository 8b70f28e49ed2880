/* LMC messages put into OpenAI's form: the rules L1 to L17, and the vectors. */
#include "tests/unit/lmc_openai.h"

/* --- each message by itself --- */

static void roles_types_and_formats_are_checked_first(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "no object", "5", "messages[0]", 0 },
		{ "no role", "{\"type\":\"message\",\"content\":\"\"}", "messages[0].role", 0 },
		{ "null is none", "{\"role\":null,\"type\":\"message\",\"content\":\"\"}",
		  "messages[0].role", 0 },
		{ "role no string", "{\"role\":1,\"type\":\"message\"}", "messages[0].role", 0 },
		{ "unknown role, second message", USER("a") M("tool", "message", "1"), "messages[1].role",
		  0 },
		{ "letter case of a role", M("User", "message", "\"a\""), "messages[0].role", 0 },
		{ "role before type", "{\"role\":\"x\",\"type\":1}", "messages[0].role", 0 },
		{ "no type", "{\"role\":\"user\",\"content\":\"x\"}", "messages[0].type", 0 },
		{ "type null", "{\"role\":\"user\",\"type\":null}", "messages[0].type", 0 },
		{ "type before format", "{\"role\":\"user\",\"type\":[],\"format\":1}", "messages[0].type",
		  0 },
		{ "format no string",
		  "{\"role\":\"user\",\"type\":\"message\",\"format\":1,\"content\":\"x\"}",
		  "messages[0].format", 0 },
		{ "format null",
		  "{\"role\":\"user\",\"type\":\"message\",\"format\":null,\"content\":\"x\"}",
		  SAID("user", "x"), 0 },
		{ "even where the message would be skipped", "{\"role\":\"server\",\"content\":\"\"}",
		  "messages[0].type", 0 },
		{ "format too", "{\"role\":\"server\",\"type\":\"status\",\"format\":{}}",
		  "messages[0].format", 0 },
		{ "role written with escapes", M("us\\u0065r", "m\\u0065ssage", "\"x\""), SAID("user", "x"),
		  0 },
		{ "other members mean nothing",
		  "{\"id\":1,\"role\":\"user\",\"type\":\"message\",\"content\":\"x\",\"start\":true}",
		  SAID("user", "x"), 0 },
		{ "none at all", "", "", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void some_messages_are_not_sent(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "server", M("server", "message", "\"x\""), "", 1 },
		{ "server without content", "{\"role\":\"server\",\"type\":\"status\"}", "", 1 },
		{ "for the user", TO("\"user\"", "computer", "message", "\"x\""), "", 1 },
		{ "without content", "{\"role\":\"user\",\"type\":\"message\",\"recipient\":\"user\"}", "",
		  1 },
		{ "a recipient of another kind", TO("5", "computer", "message", "\"x\""), "", 1 },
		{ "no recipient", TO("null", "computer", "message", "\"x\""), SAID("user", "x"), 0 },
		{ "for the assistant", TO("\"assistant\"", "computer", "message", "\"x\""),
		  SAID("user", "x"), 0 },
		{ "not even a bad image", TO("\"user\"", "computer", "image", "5"), "", 1 },
		{ "the line that runs", LINE(1) LINE(null), "", 2 },
		{ "a console's other format", MF("computer", "console", "", "\"x\""), "", 1 },
		{ "unknown types",
		  M("computer", "confirmation", "{}") M("assistant", "review", "\"x\"")
		  M("user", "command", "\"stop\"") M("user", "", "1"), "", 4 },
		{ "an unknown type without content", "{\"role\":\"user\",\"type\":\"x\"}", "", 1 },
		{ "a long name, cut between characters",
		  M("user", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddd\xc3\xa4", "1"), "", 1 },
		{ "a name with half a pair",
		  M("user", "aaaaaaaaaabbbbbbbbbbccccccccccddddddd\\ud83d\\u0000", "1"), "", 1 },
		{ "kept, but no content", "{\"role\":\"user\",\"type\":\"message\"}", "messages[0].content",
		  0 },
		{ "console, no content", "{\"role\":\"computer\",\"type\":\"console\"}",
		  "messages[0].content", 0 },
		{ "content before the format of an image",
		  "{\"role\":\"user\",\"type\":\"image\",\"format\":\"tiff\"}", "messages[0].content", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void texts_are_trimmed(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "every role", M("system", "message", "\"s\"") USER("u") SAY("a") NOTE("c"),
		  SAID("system", "s") SAID("user", "u") SAID("assistant", "a") SAID("user", "c"), 0 },
		{ "spaces", USER("  x y  "), SAID("user", "x y"), 0 },
		{ "all four", USER(" \\t\\r\\nx\\u0020\\n"), SAID("user", "x"), 0 },
		{ "others are text", USER("\\u000bx\xc2\xa0"), SAID("user", "\\u000bx\xc2\xa0"), 0 },
		{ "an escaped backslash in front of n", USER("x\\\\n"), SAID("user", "x\\\\n"), 0 },
		{ "nothing is left", USER("") USER(" \\n") M("user", "message", "null"), "", 3 },
		{ "any value has a text",
		  M("user", "message", "5") M("user", "message", "true")
		  M("user", "message", "{\"a\": [1, \"\\u0062\"]}") M("user", "message", "[ ]"),
		  SAID("user", "5") SAID("user", "true") SAID("user", "{\\\"a\\\":[1,\\\"b\\\"]}")
		  SAID("user", "[]"), 0 },
		{ "every character survives", USER("\\u0000\\ud83d\\ude00\\ud83d\xf0\x9f\x98\x80\\\""),
		  SAID("user", "\\u0000\xf0\x9f\x98\x80\\ud83d\xf0\x9f\x98\x80\\\""), 0 },
		{ "a message's format means nothing", MF("user", "message", "x", "\"a\""),
		  SAID("user", "a"), 0 },
		{ "a file is its path",
		  M("user", "file", "\" /a.txt \"") M("assistant", "file", "\"b\"")
		  M("user", "file", "\" \""), SAID("user", "/a.txt") SAID("user", "b"), 1 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void calls_carry_language_and_code(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "code as it is", CODE("  a\\n"), RAN("T1", "  a\\n") NO_OUTPUT("T1"), 0 },
		{ "a language as it stands", MF("assistant", "code", " {R} \\u0022", "\"1\""),
		  CALLS(FUNCTION("T1", "execute", RUN(" {R} \\u0022", "1"))) NO_OUTPUT("T1"), 0 },
		{ "no language", M("assistant", "code", "\"1\""), RAN("T1", "1") NO_OUTPUT("T1"), 0 },
		{ "an empty language", MF("assistant", "code", "", "\"1\""), RAN("T1", "1") NO_OUTPUT("T1"),
		  0 },
		{ "empty code, and code that is no string",
		  M("assistant", "code", "\"\"") M("assistant", "code", "{\"a\": \"\\\"\"}"),
		  RAN("T1", "") NO_OUTPUT("T1") RAN("T2", "{\\\"a\\\":\\\"\\\\\\\"\\\"}") NO_OUTPUT("T2"),
		  0 },
		{ "quotes, backslashes, controls, halves",
		  CODE("print(\\\"\\\\n\\t\\u0001\\ud83d\\ude00\\udc00\\\")"),
		  RAN("T1", "print(\\\"\\\\n\\t\\u0001\xf0\x9f\x98\x80\\udc00\\\")") NO_OUTPUT("T1"), 0 },
		{ "other functions keep their arguments",
		  MF("assistant", "tool_call", "get_\\\"x", "\" {\\\"a\\\": 1\""),
		  CALLS(FUNCTION("T1", "get_\\\"x", "\" {\\\"a\\\": 1\"")) NO_OUTPUT("T1"), 0 },
		{ "arguments that are no string", MF("assistant", "tool_call", "f", "{\"a\": \"b\"}"),
		  CALLS(FUNCTION("T1", "f", "\"{\\\"a\\\":\\\"b\\\"}\"")) NO_OUTPUT("T1"), 0 },
		{ "a tool_call of others",
		  MF("user", "tool_call", "f", "\"{}\"") MF("computer", "tool_call", "f", "1"), "", 2 },
		{ "code of others is text",
		  MF("computer", "code", "html", "\"<b>\"") MF("user", "code", "sh", "\"ls\\n\"")
		  M("system", "code", "\"x\""),
		  SAID("user", "```html\\n<b>\\n```") SAID("user", "```sh\\nls\\n\\n```")
		  SAID("user", "```\\nx\\n```"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void images_become_urls(void **state)
{
	(void)state;
#define IMAGE(format, content) MF("user", "image", format, content)
	/* clang-format off */
	static const struct row rows[] = {
		{ "no format is PNG", M("user", "image", "\"AA==\""), DATA("png", "AA=="), 0 },
		{ "base64", IMAGE("base64", "\"AA==\""), DATA("png", "AA=="), 0 },
		{ "png", IMAGE("base64.png", "\"AA==\""), DATA("png", "AA=="), 0 },
		{ "jpeg", IMAGE("base64.jpeg", "\"A\\/==\""), DATA("jpeg", "A/=="), 0 },
		{ "jpg", IMAGE("base64.jpg", "\"AA==\""), DATA("jpeg", "AA=="), 0 },
		{ "gif", IMAGE("base64.gif", "\"AA==\""), DATA("gif", "AA=="), 0 },
		{ "webp", IMAGE("base64.webp", "\"AA==\""), DATA("webp", "AA=="), 0 },
		{ "the data is not looked into", IMAGE("base64", "\"\""), DATA("png", ""), 0 },
		{ "of the computer", PNG, PLOT, 0 },
		{ "of the assistant", M("assistant", "image", "\"AA==\""), DATA("png", "AA=="), 0 },
		{ "another kind", IMAGE("base64.bmp", "\"AA==\""), "messages[0].format", 0 },
		{ "letter case of a kind", IMAGE("base64.PNG", "\"AA==\""), "messages[0].format", 0 },
		{ "an empty format", IMAGE("", "\"AA==\""), "messages[0].format", 0 },
		{ "data that is no string", IMAGE("base64", "5"), "messages[0].content", 0 },
		{ "null", IMAGE("base64", "null"), "messages[0].content", 0 },
		{ "the format first", IMAGE("tiff", "5"), "messages[0].format", 0 },
		{ "a URL", IMAGE("url", "\"HTTPS:\\/\\/a\\/\\\"\""), PICTURE("HTTPS://a/\\\""), 0 },
		{ "http", IMAGE("url", "\"http://a\""), PICTURE("http://a"), 0 },
		{ "no such URL", IMAGE("url", "\"ftp://a\""), "messages[0].content", 0 },
		{ "space in front", IMAGE("url", "\" http://a\""), "messages[0].content", 0 },
		{ "short", IMAGE("url", "\"http\""), "messages[0].content", 0 },
		{ "data as a URL", IMAGE("url", "\"data:image/png;base64,AA==\""), "messages[0].content",
		  0 },
		{ "URL no string", IMAGE("url", "{}"), "messages[0].content", 0 },
		{ "path", IMAGE("path", "\"/a.png\""), "messages[0].format", 0 },
		{ "path no string", IMAGE("path", "1"), "messages[0].format", 0 },
		{ "description", IMAGE("description", "\" a \""), SAID("user", "a"), 0 },
		{ "of the assistant", MF("assistant", "image", "description", "\"a\""),
		  SAID("assistant", "a"), 0 },
		{ "of the computer, no string", MF("computer", "image", "description", "7"),
		  SAID("user", "7"), 0 },
		{ "empty", IMAGE("description", "\"\""), "", 1 },
	};
	static const struct row blind[] = {
		{ "images", M("user", "image", "\"AA==\"") PNG, "", 2 },
		{ "bad ones too", MF("user", "image", "path", "1") M("user", "image", "1"), "", 2 },
		{ "but not without content", "{\"role\":\"user\",\"type\":\"image\"}",
		  "messages[0].content", 0 },
		{ "description", IMAGE("description", "\"a\""), SAID("user", "a"), 0 },
		{ "sound is none", M("user", "audio", "\"AAAA\""), SOUND("AAAA", "wav"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
	CHECK_ROWS(blind, false, .vision = false);
#undef IMAGE
}

static bool give_image(void *arg, size_t index, struct str *ret_format, struct str *ret_data)
{
	(void)arg;
	if (index > 2)
		return false;
	*ret_format = index == 0 ? STR("base64.gif") : index == 1 ? STR("base64.jpg") : STR("url");
	*ret_data = STR("QUJD");
	return true;
}

static void paths_of_images_may_be_somebodys_to_read(void **state)
{
	(void)state;
#define IMAGE(role) MF(role, "image", "path", "\"/a\"")
	/* clang-format off */
	static const struct row rows[] = {
		{ "given", IMAGE("user") IMAGE("user"), DATA("gif", "QUJD") DATA("jpeg", "QUJD"), 0 },
		{ "given as what it can't be", USER("a") USER("b") IMAGE("user"), "messages[2].format", 0 },
		{ "not given", USER("a") USER("b") USER("c") IMAGE("user"), "messages[3].format", 0 },
	};
	static const struct row blind[] = {
		{ "nobody is asked", IMAGE("user"), "", 1 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true, .image_path = give_image);
	CHECK_ROWS(blind, false, .vision = false, .image_path = give_image);
#undef IMAGE
}

static void audio_becomes_a_part(void **state)
{
	(void)state;
#define AUDIO(format, content) MF("user", "audio", format, content)
	/* clang-format off */
	static const struct row rows[] = {
		{ "wav", AUDIO("wav", "\"UklG\""), SOUND("UklG", "wav"), 0 },
		{ "no format", M("computer", "audio", "\"UklG\""), SOUND("UklG", "wav"), 0 },
		{ "mp3, padded, escaped", AUDIO("mp3", "\"+\\/\\u0041=\""), SOUND("+/A=", "mp3"), 0 },
		{ "two pads, unused bits set", AUDIO("mp3", "\"QR==\""), SOUND("QR==", "mp3"), 0 },
		{ "another format", AUDIO("ogg", "\"UklG\""), "messages[0].format", 0 },
		{ "an empty one", AUDIO("", "\"UklG\""), "messages[0].format", 0 },
		{ "empty", AUDIO("wav", "\"\""), "messages[0].content", 0 },
		{ "not padded", AUDIO("wav", "\"QQ\""), "messages[0].content", 0 },
		{ "only pads", AUDIO("wav", "\"====\""), "messages[0].content", 0 },
		{ "three pads", AUDIO("wav", "\"Q===\""), "messages[0].content", 0 },
		{ "pads within", AUDIO("wav", "\"QQ==QUJD\""), "messages[0].content", 0 },
		{ "the other alphabet", AUDIO("wav", "\"-_-_\""), "messages[0].content", 0 },
		{ "white space", AUDIO("wav", "\"QUJD\\nQUI\""), "messages[0].content", 0 },
		{ "no string", AUDIO("wav", "1234"), "messages[0].content", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
#undef AUDIO
}

/* --- groups --- */

static void outputs_are_dealt_to_calls(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "one each", CODE("1") OUT("a\\n"), RAN("T1", "1") TOOL("T1", "a"), 0 },
		{ "none", CODE("1") USER("x"), RAN("T1", "1") NO_OUTPUT("T1") SAID("user", "x"), 0 },
		{ "two calls, one output", CODE("1") CODE("2") OUT("a"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") NO_OUTPUT("T2"), 0 },
		{ "two calls, three outputs and an image between them",
		  CODE("1") CODE("2") OUT("a") PNG OUT("b") OUT("c") SAY("x"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") TOOL("T2", "b\\nc") PLOT
		  SAID("assistant", "x"), 0 },
		{ "output that goes on behind an image",
		  CODE("1") CODE("2") OUT("a") PNG
		  "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"b\","
		  "\"continued\":true}" OUT("c"),
		  RAN("T1", "1") TOOL("T1", "a\\nb") RAN("T2", "2") TOOL("T2", "c") PLOT, 0 },
		{ "empty outputs are dealt too", CODE("1") CODE("2") OUT("") OUT("b"),
		  RAN("T1", "1") NO_OUTPUT("T1") RAN("T2", "2") TOOL("T2", "b"), 0 },
		{ "but leave no line", CODE("1") OUT("a") OUT(" \\n") OUT("b") OUT(""),
		  RAN("T1", "1") TOOL("T1", "a\\nb"), 0 },
		{ "an output of null, one of a number",
		  CODE("1") M("computer", "console", "null") M("computer", "console", "1.50"),
		  RAN("T1", "1") TOOL("T1", "1.50"), 0 },
		{ "of whatever role",
		  CODE("1") M("user", "console", "\"a\"") M("assistant", "console", "\"b\""),
		  RAN("T1", "1") TOOL("T1", "a\\nb"), 0 },
		{ "No output is what it says", CODE("1") OUT("No output"),
		  RAN("T1", "1") TOOL("T1", "No output"), 0 },
		{ "other functions are calls as well",
		  CODE("1") MF("assistant", "tool_call", "f", "\"{}\"") OUT("a") OUT("b"),
		  RAN("T1", "1") TOOL("T1", "a") CALLS(FUNCTION("T2", "f", "\"{}\"")) TOOL("T2", "b"), 0 },
		{ "a call after an output is another group's",
		  CODE("1") OUT("a") CODE("2") OUT("b") OUT("c"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") TOOL("T2", "b\\nc"), 0 },
		{ "whoever's output it was",
		  CODE("1") M("user", "console", "\"a\"") CODE("2") OUT("b") OUT("c"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") TOOL("T2", "b\\nc"), 0 },
		{ "a call after an image as well", CODE("1") PNG CODE("2") OUT("b"),
		  RAN("T1", "1") NO_OUTPUT("T1") PLOT RAN("T2", "2") TOOL("T2", "b"), 0 },
		{ "halves of a pair in two outputs stay apart", CODE("1") OUT("\\ud83d") OUT("\\ude00"),
		  RAN("T1", "1") TOOL("T1", "\\ud83d\\n\\ude00"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void what_else_the_computer_said_follows_the_answers(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "all kinds, in their own order",
		  CODE("1") NOTE("n") PNG MF("computer", "code", "html", "\"h\"") OUT("a")
		  M("computer", "file", "\"f\"") M("computer", "audio", "\"AAAA\"")
		  MF("computer", "image", "description", "\"d\""),
		  RAN("T1", "1") TOOL("T1", "a") SAID("user", "n") PLOT SAID("user", "```html\\nh\\n```")
		  SAID("user", "f") SOUND("AAAA", "wav") SAID("user", "d"), 0 },
		{ "a user's image ends the group", CODE("1") M("user", "image", "\"AA==\"") OUT("a"),
		  RAN("T1", "1") NO_OUTPUT("T1") DATA("png", "AA==") OUTPUT("a"), 0 },
		{ "a user's code too", CODE("1") M("user", "code", "\"x\"") OUT("a"),
		  RAN("T1", "1") NO_OUTPUT("T1") SAID("user", "```\\nx\\n```") OUTPUT("a"), 0 },
		{ "a system's text too", CODE("1") M("system", "message", "\"x\"") NOTE("n"),
		  RAN("T1", "1") NO_OUTPUT("T1") SAID("system", "x") SAID("user", "n"), 0 },
		{ "an output without a group", OUT(" a ") OUT("") CODE("1"),
		  OUTPUT("a") NO_PRINT RAN("T1", "1") NO_OUTPUT("T1"), 0 },
		{ "a text and the call behind it are one message (L14)",
		  SAY("c") CODE("1") OUT("x") SAY("d") CODE("2") CODE("3"),
		  SAID_RAN("c", "T1", "1") TOOL("T1", "x") SAID_RAN("d", "T2", "2") NO_OUTPUT("T2")
		  RAN("T3", "3") NO_OUTPUT("T3"), 0 },
		{ "so is a call of another function", SAY("c") MF("assistant", "tool_call", "f", "\"{}\""),
		  SAID_CALLS("c", FUNCTION("T1", "f", "\"{}\"")) NO_OUTPUT("T1"), 0 },
		{ "only the last of several texts", SAY("a") SAY("b") CODE("1"),
		  SAID("assistant", "a") SAID_RAN("b", "T1", "1") NO_OUTPUT("T1"), 0 },
		{ "what is not sent does not part them",
		  SAY("c") M("server", "status", "1") LINE(1) CODE("1"),
		  SAID_RAN("c", "T1", "1") NO_OUTPUT("T1"), 2 },
		{ "what is sent does", SAY("c") USER("u") CODE("1") OUT("x") SAY("d") OUT("y") CODE("2"),
		  SAID("assistant", "c") SAID("user", "u") RAN("T1", "1") TOOL("T1", "x")
		  SAID("assistant", "d") OUTPUT("y") RAN("T2", "2") NO_OUTPUT("T2"), 0 },
		{ "nothing else is merged", USER("a") USER("b") SAY("c") CODE("1") SAY("d"),
		  SAID("user", "a") SAID("user", "b") SAID_RAN("c", "T1", "1") NO_OUTPUT("T1")
		  SAID("assistant", "d"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void skipped_messages_leave_groups_whole(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "between a call and its output",
		  CODE("1") LINE(1) M("server", "status", "1") SAY(" ") OUT("a") LINE(null) OUT("b"),
		  RAN("T1", "1") TOOL("T1", "a\\nb"), 4 },
		{ "one of the computer parts two calls", CODE("1") LINE(1) CODE("2") OUT("a"),
		  RAN("T1", "1") NO_OUTPUT("T1") RAN("T2", "2") TOOL("T2", "a"), 1 },
		{ "whyever it is skipped",
		  CODE("1") NOTE("") CODE("2") TO("\"user\"", "computer", "console", "\"x\"") CODE("3")
		  OUT("a"),
		  RAN("T1", "1") NO_OUTPUT("T1") RAN("T2", "2") NO_OUTPUT("T2") RAN("T3", "3")
		  TOOL("T3", "a"), 2 },
		{ "others do not",
		  CODE("1") SAY("") M("server", "status", "1") TO("\"x\"", "user", "message", "\"x\"")
		  CODE("2") OUT("a") OUT("b"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") TOOL("T2", "b"), 3 },
		{ "nor does a call of somebody else",
		  CODE("1") MF("user", "tool_call", "f", "1") CODE("2") OUT("a") OUT("b"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") TOOL("T2", "b"), 1 },
	};
	static const struct row blind[] = {
		{ "an image of the computer that is not sent parts them",
		  CODE("1") PNG CODE("2") OUT("a") PNG OUT("b"),
		  RAN("T1", "1") NO_OUTPUT("T1") RAN("T2", "2") TOOL( "T2", "a\\nb"), 2 },
		{ "one of the user does not",
		  CODE("1") M("user", "image", "\"AA==\"") CODE("2") OUT("a") OUT("b"),
		  RAN("T1", "1") TOOL("T1", "a") RAN("T2", "2") TOOL("T2", "b"), 1 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
	CHECK_ROWS(blind, false, .vision = false);
}

/* --- fence mode --- */

static void fenced_text_takes_the_place_of_calls(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "neighbours of one role are merged",
		  USER("a") USER("b") NOTE("c") SAY("d") CODE("1") SAY("e"),
		  SAID("user", "a\\nb\\nc") SAID("assistant", "d\\n```python\\n1\\n```\\ne"), 0 },
		{ "system too", M("system", "message", "\"a\"") M("system", "message", "\"b\""),
		  SAID("system", "a\\nb"), 0 },
		{ "skipped ones between do not matter",
		  USER("a") M("server", "status", "1") SAY("") USER("b"), SAID("user", "a\\nb"), 2 },
		{ "parts end a run", USER("a") PNG PNG USER("b") USER("c"),
		  SAID("user", "a") PLOT PLOT SAID("user", "b\\nc"), 0 },
		{ "outputs are the user's", CODE("1") OUT("a") OUT("") USER("b") CODE("2") SAY("c"),
		  SAID("assistant", "```python\\n1\\n```")
		  OUTPUT("a\\nThe code ran without printing anything.\\nb")
		  SAID("assistant", "```python\\n2\\n```\\nc"), 0 },
		{ "order is kept", CODE("1") PNG OUT("a"),
		  SAID("assistant", "```python\\n1\\n```") PLOT OUTPUT("a"), 0 },
		{ "calls of other functions have no form",
		  MF("assistant", "tool_call", "f", "\"{}\"") MF("user", "tool_call", "f", "\"{}\"")
		  OUT("a"), OUTPUT("a"), 2 },
		{ "two backticks do no harm", M("assistant", "code", "\"``\""),
		  SAID("assistant", "```\\n``\\n```"), 0 },
		{ "five do, written as they like", MF("assistant", "code", "a b\\n", "\"`\\u0060``` ```\""),
		  SAID("assistant", "``````a b\\n\\n````` ```\\n``````"), 0 },
		{ "code of others", MF("computer", "code", "html", "\"```\"") USER("a"),
		  SAID("user", "````html\\n```\\n````\\na"), 0 },
		{ "code that is empty", CODE(""), SAID("assistant", "```python\\n\\n```"), 0 },
		{ "halves of a pair meet no more", USER("\\ud83d") USER("\\ude00"),
		  SAID("user", "\\ud83d\\n\\ude00"), 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .fence = true, .vision = true);
}

/* --- the vectors --- */

static struct buf file_read(const char *path)
{
	FILE      *f = fopen(path, "rb");
	struct buf text;
	char       part[4096];
	size_t     n;

	buf_init(&text, 16 * MIB);
	assert_non_null(f);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		assert_true(buf_add(&text, part, n));
	fclose(f);
	return text;
}

static bool meets(const struct json_doc *d, json_at expect, const struct result *r)
{
	json_at error = json_get(d, expect, "error");

	if (error == JSON_ABSENT)
		return r->e.code == ERR_OK && list_fits(d, json_get(d, expect, "messages"), r);
	return r->e.code != ERR_OK && (json_get(d, error, "param") == JSON_ABSENT ||
				       json_is(d, json_get(d, error, "param"), r->e.path));
}

static bool vector_holds(const struct json_doc *d, json_at vector)
{
	json_at       request = json_get(d, vector, "request");
	json_at       vision = json_get(d, request, "vision");
	json_at       code = json_get(d, request, "code");
	json_at       expect = json_get(d, vector, "expect");
	json_at       any = json_get(d, vector, "expect_any");
	json_at       warned = json_get(d, vector, "warnings");
	struct result r;
	bool          ok = false;

	run_list(&r, d, json_get(d, request, "messages"), false,
		 (struct to_openai_options){
			 .fence = code != JSON_ABSENT && json_is(d, code, "fence"),
			 .vision = vision == JSON_ABSENT || json_kind(d, vision) != JSON_FALSE,
		 });
	if (any == JSON_ABSENT)
		ok = meets(d, expect, &r);
	else
		JSON_EACH (i, d, any)
			ok = ok || meets(d, i, &r);
	if (warned != JSON_ABSENT && json_is(d, warned, "some") != (r.warnings.count > 0))
		ok = false;
	if (!ok)
		fprintf(stderr, "%.*s:\n%.*s %s\n",
			STR_ARG(json_raw(d, json_get(d, vector, "name"))),
			STR_ARG(buf_view(&r.list)), r.e.path);
	result_finish(&r);
	return ok;
}

static void the_vectors_hold(void **state)
{
	(void)state;
	struct buf      text = file_read(FIXTURES "/lmc/lmc_to_openai.json");
	struct json_doc d = { 0 };
	size_t          held = 0;

	scan(&d, buf_view(&text));
	json_at list = json_get(&d, 0, "vectors");
	JSON_EACH (i, &d, list) {
		json_at code = json_get(&d, json_get(&d, i, "request"), "code");

		/* Options are checked where requests are read. */
		if (code != JSON_ABSENT && json_is(&d, code, "xml"))
			continue;
		assert_true(vector_holds(&d, i));
		held++;
	}
	assert_true(held >= 30);
	json_doc_finish(&d);
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_types_and_formats_are_checked_first),
		cmocka_unit_test(some_messages_are_not_sent),
		cmocka_unit_test(texts_are_trimmed),
		cmocka_unit_test(calls_carry_language_and_code),
		cmocka_unit_test(images_become_urls),
		cmocka_unit_test(paths_of_images_may_be_somebodys_to_read),
		cmocka_unit_test(audio_becomes_a_part),
		cmocka_unit_test(outputs_are_dealt_to_calls),
		cmocka_unit_test(what_else_the_computer_said_follows_the_answers),
		cmocka_unit_test(skipped_messages_leave_groups_whole),
		cmocka_unit_test(fenced_text_takes_the_place_of_calls),
		cmocka_unit_test(the_vectors_hold),
	};

	return cmocka_run_group_tests_name("lmc/to_openai", tests, NULL, NULL);
}
