/* LMC messages put into OpenAI's form: the rules L1 to L17, lists of both kinds, the vectors. */
#include "lmc/to_openai.h"

#include "lmc_same.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* LMC messages written short; content is JSON. */
/* clang-format off */
#define M(role, type, content)                                                                     \
	"{\"role\":\"" role "\",\"type\":\"" type "\",\"content\":" content "}"
#define MF(role, type, format, content)                                                            \
	"{\"role\":\"" role "\",\"type\":\"" type "\",\"format\":\"" format "\",\"content\":" content "}"
#define TO(recipient, role, type, content)                                                         \
	"{\"role\":\"" role "\",\"type\":\"" type "\",\"recipient\":" recipient ",\"content\":" content "}"
#define USER(text) M("user", "message", "\"" text "\"")
#define SAY(text)  M("assistant", "message", "\"" text "\"")
#define CODE(text) MF("assistant", "code", "python", "\"" text "\"")
#define OUT(text)  MF("computer", "console", "output", "\"" text "\"")
#define LINE(n)    MF("computer", "console", "active_line", #n)
#define PNG        MF("computer", "image", "base64.png", "\"iVBORw0KGgoA\"")
#define NOTE(text) M("computer", "message", "\"" text "\"")
/* clang-format on */

/* OpenAI's. */
#define SAID(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}"
#define CALLS(calls)     "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[" calls "]}"
#define FUNCTION(id, name, arguments)                                             \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":" arguments "}}"
#define RUN(language, code) \
	"{\"language\":\"" language "\",\"code\":\"" code "\"}" /* an object stands for its text */
#define RAN(id, code) CALLS(FUNCTION(id, "execute", RUN("python", code)))
#define SAID_CALLS(text, calls) \
	"{\"role\":\"assistant\",\"content\":\"" text "\",\"tool_calls\":[" calls "]}"
#define SAID_RAN(text, id, code) SAID_CALLS(text, FUNCTION(id, "execute", RUN("python", code)))
#define TOOL(id, text)           "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"
#define PICTURE(url)                                                                            \
	"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"" url \
	"\",\"detail\":\"low\"}}]}"
#define PLOT                                                                              \
	"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":" \
	"\"data:image/png;base64,iVBORw0KGgoA\",\"detail\":\"low\"}},"                    \
	"{\"type\":\"text\",\"text\":\"The computer produced this image.\"}]}"
#define SOUND(data, format)                                                                           \
	"{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"" data \
	"\",\"format\":\"" format "\"}}]}"
/* A whole message as its owner sends it. */
#define OWN(a)     CALLS(FUNCTION(a, "f", "\"{}\""))
#define OWN2(a, b) CALLS(FUNCTION(a, "f", "\"{}\"") "," FUNCTION(b, "g", "\"\""))

/* --- running --- */

struct result {
	struct buf      list; /* [message,…] */
	struct warnings warnings;
	struct err      e; /* path: the culprit's; code ERR_OK: none */
};

static bool collect(void *arg, struct str message)
{
	struct result *r = arg;

	assert_true(message.n > 0);
	return (r->list.len == 1 || buf_text(&r->list, ",")) && buf_str(&r->list, message);
}

static void scan(struct json_doc *d, struct str text)
{
	struct err e = { 0 };

	if (json_scan(d, text.p, text.n, &json_limits_request, &e) != ERR_OK)
		fail_msg("%s: %.*s", e.text, (int)(text.n < 2000 ? text.n : 2000), text.p);
}

/* hand: one element, scanned for itself from a copy that dies with the call.  In a mixed list what
 * has no type is OpenAI's. */
static enum errc hand(struct to_openai *t, struct str raw, bool mixed, size_t index, struct err *e)
{
	struct json_doc one = { 0 };
	char           *copy = malloc(raw.n);
	char            path[32];
	enum errc       rc;

	assert_non_null(copy);
	memcpy(copy, raw.p, raw.n);
	scan(&one, (struct str){ copy, raw.n });
	snprintf(path, sizeof path, "messages[%zu]", index);
	rc = mixed && json_get(&one, 0, "type") == JSON_ABSENT
		     ? to_openai_own(t, &one, 0, (struct str){ copy, raw.n }, e)
		     : to_openai_lmc(t, &one, 0, path, index, e);
	json_doc_finish(&one);
	free(copy);
	return rc;
}

static void result_finish(struct result *r)
{
	buf_finish(&r->list);
	warnings_finish(&r->warnings);
}

static void run_list(struct result *r, const struct json_doc *d, json_at list, bool mixed,
		     struct to_openai_options o)
{
	size_t    index = 0;
	enum errc rc = ERR_OK;

	*r = (struct result){ 0 };
	buf_init(&r->list, 64 * MIB);
	warnings_init(&r->warnings);
	assert_true(buf_text(&r->list, "["));
	o.warnings = &r->warnings;
	o.arg = r;
	o.made = collect;
	struct to_openai *t = to_openai_create(&o);

	assert_non_null(t);
	for (json_at i = json_first(d, list); i != json_end(d, list) && rc == ERR_OK;
	     i = json_next(d, i))
		rc = hand(t, json_raw(d, i), mixed, index++, &r->e);
	if (rc == ERR_OK)
		rc = to_openai_end(t, &r->e);
	assert_int_equal(rc, r->e.code);
	assert_true(rc == ERR_OK || r->e.text[0]);
	to_openai_destroy(t);
	assert_true(buf_text(&r->list, "]"));
}

/* --- comparing --- */

/* Ids that stand for each other.  An expected id T… may be any; every other one is meant. */
struct ids {
	char   want[64][24];
	char   got[64][64];
	size_t count;
};

static bool same_id(struct ids *ids, struct str want, struct str got)
{
	if (want.p[0] != 'T')
		return str_eq(want, got);
	for (size_t i = 0; i < ids->count; i++) {
		bool left = str_is(want, ids->want[i]);
		bool right = str_is(got, ids->got[i]);

		if (left || right)
			return left && right;
	}
	assert_true(ids->count < ARRAY_LEN(ids->want) && got.n > 0);
	str_copy(ids->want[ids->count], sizeof ids->want[0], want);
	str_copy(ids->got[ids->count], sizeof ids->got[0], got);
	ids->count++;
	return true;
}

static bool same_arguments(const struct json_doc *a, json_at i, const struct json_doc *b, json_at j)
{
	struct json_doc inside = { 0 };
	struct buf      text;

	if (json_kind(b, j) != JSON_STRING)
		return false;
	buf_init(&text, 64 * MIB);
	assert_true(text_of(b, j, &text));
	scan(&inside, buf_view(&text));
	bool same = json_alike(a, i, &inside, 0);
	json_doc_finish(&inside);
	buf_finish(&text);
	return same;
}

static bool fits(struct ids *ids, const struct json_doc *a, json_at i, const struct json_doc *b,
		 json_at j);

static bool member_fits(struct ids *ids, const struct json_doc *a, json_at key,
			const struct json_doc *b, json_at object)
{
	json_at want = json_value(key);
	char    name[64];

	str_copy(name, sizeof name, json_inner(a, key));
	json_at got = json_get(b, object, name);
	if (got == JSON_ABSENT)
		return false;
	if (json_is(a, key, "id") || json_is(a, key, "tool_call_id"))
		return json_kind(b, got) == JSON_STRING &&
		       same_id(ids, json_inner(a, want), json_inner(b, got));
	if (json_is(a, key, "arguments") && json_kind(a, want) == JSON_OBJECT)
		return same_arguments(a, want, b, got);
	return fits(ids, a, want, b, got);
}

static bool fits(struct ids *ids, const struct json_doc *a, json_at i, const struct json_doc *b,
		 json_at j)
{
	if (json_kind(a, i) != json_kind(b, j) || a->tok[i].count != b->tok[j].count)
		return false;
	if (json_kind(a, i) == JSON_OBJECT) {
		JSON_EACH_MEMBER (k, a, i)
			if (!member_fits(ids, a, k, b, j))
				return false;
		return true;
	}
	if (json_kind(a, i) == JSON_ARRAY) {
		json_at v = json_first(b, j);

		JSON_EACH (u, a, i) {
			if (!fits(ids, a, u, b, v))
				return false;
			v = json_next(b, v);
		}
		return true;
	}
	return json_alike(a, i, b, j);
}

static bool list_fits(const struct json_doc *a, json_at want, const struct result *r)
{
	struct json_doc got = { 0 };
	struct ids      ids = { 0 };

	scan(&got, buf_view(&r->list));
	bool same = fits(&ids, a, want, &got, 0);
	json_doc_finish(&got);
	return same;
}

struct row {
	const char *why;
	const char *list;
	const char *want; /* a list, or the path of what is refused */
	size_t      warned;
};

static void check_row(const struct row *row, bool mixed, const struct to_openai_options *o)
{
	struct json_doc d = { 0 };
	struct json_doc want = { 0 };
	struct result   r;

	scan(&d, str_of(row->list));
	run_list(&r, &d, 0, mixed, *o);
	if (row->want[0] != '[') {
		if (r.e.code == ERR_OK || strcmp(r.e.path, row->want) != 0)
			fail_msg("%s: refused at '%s': %s", row->why, r.e.path, r.e.text);
	} else {
		if (r.e.code != ERR_OK)
			fail_msg("%s: %s: %s", row->why, r.e.path, r.e.text);
		scan(&want, str_of(row->want));
		if (!list_fits(&want, 0, &r))
			fail_msg("%s:\n%.*s\nnot\n%s", row->why, STR_ARG(buf_view(&r.list)),
				 row->want);
		if (r.warnings.count != row->warned)
			fail_msg("%s: warnings: %.*s", row->why,
				 STR_ARG(buf_view(&r.warnings.json)));
	}
	json_doc_finish(&d);
	json_doc_finish(&want);
	result_finish(&r);
}

#define CHECK_ROWS(rows, mixed, ...)                    \
	for (size_t n_ = 0; n_ < ARRAY_LEN(rows); n_++) \
	check_row(&(rows)[n_], mixed, &(struct to_openai_options){ __VA_ARGS__ })

/* --- each message by itself --- */

static void roles_types_and_formats_are_checked_first(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "no object", "[5]", "messages[0]", 0 },
		{ "no role", "[{\"type\":\"message\",\"content\":\"\"}]", "messages[0].role", 0 },
		{ "null is none", "[{\"role\":null,\"type\":\"message\",\"content\":\"\"}]",
		  "messages[0].role", 0 },
		{ "role no string", "[{\"role\":1,\"type\":\"message\"}]", "messages[0].role", 0 },
		{ "unknown role, second message", "[" USER("a") "," M("tool", "message", "1") "]",
		  "messages[1].role", 0 },
		{ "letter case of a role", "[" M("User", "message", "\"a\"") "]", "messages[0].role", 0 },
		{ "role before type", "[{\"role\":\"x\",\"type\":1}]", "messages[0].role", 0 },
		{ "no type", "[{\"role\":\"user\",\"content\":\"x\"}]", "messages[0].type", 0 },
		{ "type null", "[{\"role\":\"user\",\"type\":null}]", "messages[0].type", 0 },
		{ "type before format", "[{\"role\":\"user\",\"type\":[],\"format\":1}]",
		  "messages[0].type", 0 },
		{ "format no string",
		  "[{\"role\":\"user\",\"type\":\"message\",\"format\":1,\"content\":\"x\"}]",
		  "messages[0].format", 0 },
		{ "format null",
		  "[{\"role\":\"user\",\"type\":\"message\",\"format\":null,\"content\":\"x\"}]",
		  "[" SAID("user", "x") "]", 0 },
		{ "even where the message would be skipped", "[{\"role\":\"server\",\"content\":\"\"}]",
		  "messages[0].type", 0 },
		{ "format too", "[{\"role\":\"server\",\"type\":\"status\",\"format\":{}}]",
		  "messages[0].format", 0 },
		{ "role written with escapes", "[" M("us\\u0065r", "m\\u0065ssage", "\"x\"") "]",
		  "[" SAID("user", "x") "]", 0 },
		{ "other members mean nothing",
		  "[{\"id\":1,\"role\":\"user\",\"type\":\"message\",\"content\":\"x\",\"start\":true}]",
		  "[" SAID("user", "x") "]", 0 },
		{ "none at all", "[]", "[]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void some_messages_are_not_sent(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "server", "[" M("server", "message", "\"x\"") "]", "[]", 1 },
		{ "server without content", "[{\"role\":\"server\",\"type\":\"status\"}]", "[]", 1 },
		{ "for the user", "[" TO("\"user\"", "computer", "message", "\"x\"") "]", "[]", 1 },
		{ "without content", "[{\"role\":\"user\",\"type\":\"message\",\"recipient\":\"user\"}]",
		  "[]", 1 },
		{ "a recipient of another kind", "[" TO("5", "computer", "message", "\"x\"") "]", "[]", 1 },
		{ "no recipient", "[" TO("null", "computer", "message", "\"x\"") "]",
		  "[" SAID("user", "x") "]", 0 },
		{ "for the assistant", "[" TO("\"assistant\"", "computer", "message", "\"x\"") "]",
		  "[" SAID("user", "x") "]", 0 },
		{ "not even a bad image", "[" TO("\"user\"", "computer", "image", "5") "]", "[]", 1 },
		{ "the line that runs", "[" LINE(1) "," LINE(null) "]", "[]", 2 },
		{ "a console's other format", "[" MF("computer", "console", "", "\"x\"") "]", "[]", 1 },
		{ "unknown types",
		  "[" M("computer", "confirmation", "{}") "," M("assistant", "review", "\"x\"") ","
		  M("user", "command", "\"stop\"") "," M("user", "", "1") "]", "[]", 4 },
		{ "an unknown type without content", "[{\"role\":\"user\",\"type\":\"x\"}]", "[]", 1 },
		{ "a long name, cut between characters",
		  "[" M("user", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddd\xc3\xa4", "1") "]", "[]", 1 },
		{ "a name with half a pair",
		  "[" M("user", "aaaaaaaaaabbbbbbbbbbccccccccccddddddd\\ud83d\\u0000", "1") "]", "[]", 1 },
		{ "kept, but no content", "[{\"role\":\"user\",\"type\":\"message\"}]",
		  "messages[0].content", 0 },
		{ "console, no content", "[{\"role\":\"computer\",\"type\":\"console\"}]",
		  "messages[0].content", 0 },
		{ "content before the format of an image",
		  "[{\"role\":\"user\",\"type\":\"image\",\"format\":\"tiff\"}]", "messages[0].content", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void texts_are_trimmed(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "every role",
		  "[" M("system", "message", "\"s\"") "," USER("u") "," SAY("a") "," NOTE("c") "]",
		  "[" SAID("system", "s") "," SAID("user", "u") "," SAID("assistant", "a") ","
		  SAID("user", "c") "]", 0 },
		{ "spaces", "[" USER("  x y  ") "]", "[" SAID("user", "x y") "]", 0 },
		{ "all four", "[" USER(" \\t\\r\\nx\\u0020\\n") "]", "[" SAID("user", "x") "]", 0 },
		{ "others are text", "[" USER("\\u000bx\xc2\xa0") "]", "[" SAID("user", "\\u000bx\xc2\xa0") "]",
		  0 },
		{ "an escaped backslash in front of n", "[" USER("x\\\\n") "]", "[" SAID("user", "x\\\\n") "]",
		  0 },
		{ "nothing is left", "[" USER("") "," USER(" \\n") "," M("user", "message", "null") "]", "[]",
		  3 },
		{ "any value has a text",
		  "[" M("user", "message", "5") "," M("user", "message", "true") ","
		  M("user", "message", "{\"a\": [1, \"\\u0062\"]}") "," M("user", "message", "[ ]") "]",
		  "[" SAID("user", "5") "," SAID("user", "true") ","
		  SAID("user", "{\\\"a\\\":[1,\\\"b\\\"]}") "," SAID("user", "[]") "]", 0 },
		{ "every character survives", "[" USER("\\u0000\\ud83d\\ude00\\ud83d\xf0\x9f\x98\x80\\\"") "]",
		  "[" SAID("user", "\\u0000\xf0\x9f\x98\x80\\ud83d\xf0\x9f\x98\x80\\\"") "]", 0 },
		{ "a message's format means nothing", "[" MF("user", "message", "x", "\"a\"") "]",
		  "[" SAID("user", "a") "]", 0 },
		{ "a file is its path", "[" M("user", "file", "\" /a.txt \"") ","
		  M("assistant", "file", "\"b\"") "," M("user", "file", "\" \"") "]",
		  "[" SAID("user", "/a.txt") "," SAID("user", "b") "]", 1 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void calls_carry_language_and_code(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "code as it is", "[" CODE("  a\\n") "]",
		  "[" RAN("T1", "  a\\n") "," TOOL("T1", "No output") "]", 0 },
		{ "a language as it stands", "[" MF("assistant", "code", " {R} \\u0022", "\"1\"") "]",
		  "[" CALLS(FUNCTION("T1", "execute", RUN(" {R} \\u0022", "1"))) ","
		  TOOL("T1", "No output") "]", 0 },
		{ "no language", "[" M("assistant", "code", "\"1\"") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "]", 0 },
		{ "an empty language", "[" MF("assistant", "code", "", "\"1\"") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "]", 0 },
		{ "empty code, and code that is no string",
		  "[" M("assistant", "code", "\"\"") "," M("assistant", "code", "{\"a\": \"\\\"\"}") "]",
		  "[" RAN("T1", "") "," TOOL("T1", "No output") ","
		  RAN("T2", "{\\\"a\\\":\\\"\\\\\\\"\\\"}") "," TOOL("T2", "No output") "]", 0 },
		{ "quotes, backslashes, controls, halves",
		  "[" CODE("print(\\\"\\\\n\\t\\u0001\\ud83d\\ude00\\udc00\\\")") "]",
		  "[" RAN("T1", "print(\\\"\\\\n\\t\\u0001\xf0\x9f\x98\x80\\udc00\\\")") ","
		  TOOL("T1", "No output") "]", 0 },
		{ "other functions keep their arguments",
		  "[" MF("assistant", "tool_call", "get_\\\"x", "\" {\\\"a\\\": 1\"") "]",
		  "[" CALLS(FUNCTION("T1", "get_\\\"x", "\" {\\\"a\\\": 1\"")) ","
		  TOOL("T1", "No output") "]", 0 },
		{ "arguments that are no string", "[" MF("assistant", "tool_call", "f", "{\"a\": \"b\"}") "]",
		  "[" CALLS(FUNCTION("T1", "f", "\"{\\\"a\\\":\\\"b\\\"}\"")) ","
		  TOOL("T1", "No output") "]", 0 },
		{ "a tool_call of others",
		  "[" MF("user", "tool_call", "f", "\"{}\"") "," MF("computer", "tool_call", "f", "1") "]",
		  "[]", 2 },
		{ "code of others is text",
		  "[" MF("computer", "code", "html", "\"<b>\"") "," MF("user", "code", "sh", "\"ls\\n\"") ","
		  M("system", "code", "\"x\"") "]",
		  "[" SAID("user", "```html\\n<b>\\n```") "," SAID("user", "```sh\\nls\\n\\n```") ","
		  SAID("user", "```\\nx\\n```") "]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .vision = true);
}

static void images_become_urls(void **state)
{
	(void)state;
#define IMAGE(format, content) "[" MF("user", "image", format, content) "]"
	/* clang-format off */
	static const struct row rows[] = {
		{ "no format is PNG", "[" M("user", "image", "\"AA==\"") "]",
		  "[" PICTURE("data:image/png;base64,AA==") "]", 0 },
		{ "base64", IMAGE("base64", "\"AA==\""), "[" PICTURE("data:image/png;base64,AA==") "]", 0 },
		{ "png", IMAGE("base64.png", "\"AA==\""), "[" PICTURE("data:image/png;base64,AA==") "]", 0 },
		{ "jpeg", IMAGE("base64.jpeg", "\"A\\/==\""), "[" PICTURE("data:image/jpeg;base64,A/==") "]",
		  0 },
		{ "jpg", IMAGE("base64.jpg", "\"AA==\""), "[" PICTURE("data:image/jpeg;base64,AA==") "]", 0 },
		{ "gif", IMAGE("base64.gif", "\"AA==\""), "[" PICTURE("data:image/gif;base64,AA==") "]", 0 },
		{ "webp", IMAGE("base64.webp", "\"AA==\""), "[" PICTURE("data:image/webp;base64,AA==") "]", 0 },
		{ "the data is not looked into", IMAGE("base64", "\"\""),
		  "[" PICTURE("data:image/png;base64,") "]", 0 },
		{ "of the computer", "[" PNG "]", "[" PLOT "]", 0 },
		{ "of the assistant", "[" M("assistant", "image", "\"AA==\"") "]",
		  "[" PICTURE("data:image/png;base64,AA==") "]", 0 },
		{ "another kind", IMAGE("base64.bmp", "\"AA==\""), "messages[0].format", 0 },
		{ "letter case of a kind", IMAGE("base64.PNG", "\"AA==\""), "messages[0].format", 0 },
		{ "an empty format", IMAGE("", "\"AA==\""), "messages[0].format", 0 },
		{ "data that is no string", IMAGE("base64", "5"), "messages[0].content", 0 },
		{ "null", IMAGE("base64", "null"), "messages[0].content", 0 },
		{ "the format first", IMAGE("tiff", "5"), "messages[0].format", 0 },
		{ "a URL", IMAGE("url", "\"HTTPS:\\/\\/a\\/\\\"\""), "[" PICTURE("HTTPS://a/\\\"") "]", 0 },
		{ "http", IMAGE("url", "\"http://a\""), "[" PICTURE("http://a") "]", 0 },
		{ "no such URL", IMAGE("url", "\"ftp://a\""), "messages[0].content", 0 },
		{ "space in front", IMAGE("url", "\" http://a\""), "messages[0].content", 0 },
		{ "short", IMAGE("url", "\"http\""), "messages[0].content", 0 },
		{ "data as a URL", IMAGE("url", "\"data:image/png;base64,AA==\""), "messages[0].content", 0 },
		{ "URL no string", IMAGE("url", "{}"), "messages[0].content", 0 },
		{ "path", IMAGE("path", "\"/a.png\""), "messages[0].format", 0 },
		{ "path no string", IMAGE("path", "1"), "messages[0].format", 0 },
		{ "description", IMAGE("description", "\" a \""), "[" SAID("user", "a") "]", 0 },
		{ "of the assistant", "[" MF("assistant", "image", "description", "\"a\"") "]",
		  "[" SAID("assistant", "a") "]", 0 },
		{ "of the computer, no string", "[" MF("computer", "image", "description", "7") "]",
		  "[" SAID("user", "7") "]", 0 },
		{ "empty", IMAGE("description", "\"\""), "[]", 1 },
	};
	static const struct row blind[] = {
		{ "images", "[" M("user", "image", "\"AA==\"") "," PNG "]", "[]", 2 },
		{ "bad ones too", "[" MF("user", "image", "path", "1") "," M("user", "image", "1") "]", "[]", 2 },
		{ "but not without content", "[{\"role\":\"user\",\"type\":\"image\"}]", "messages[0].content",
		  0 },
		{ "description", IMAGE("description", "\"a\""), "[" SAID("user", "a") "]", 0 },
		{ "sound is none", "[" M("user", "audio", "\"AAAA\"") "]", "[" SOUND("AAAA", "wav") "]", 0 },
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
		{ "given", "[" IMAGE("user") "," IMAGE("user") "]",
		  "[" PICTURE("data:image/gif;base64,QUJD") "," PICTURE("data:image/jpeg;base64,QUJD") "]", 0 },
		{ "given as what it can't be", "[" USER("a") "," USER("b") "," IMAGE("user") "]",
		  "messages[2].format", 0 },
		{ "not given", "[" USER("a") "," USER("b") "," USER("c") "," IMAGE("user") "]",
		  "messages[3].format", 0 },
	};
	/* clang-format on */
	static const struct row blind[] = {
		{ "nobody is asked", "[" IMAGE("user") "]", "[]", 1 },
	};

	CHECK_ROWS(rows, false, .vision = true, .image_path = give_image);
	CHECK_ROWS(blind, false, .vision = false, .image_path = give_image);
#undef IMAGE
}

static void audio_becomes_a_part(void **state)
{
	(void)state;
#define AUDIO(format, content) "[" MF("user", "audio", format, content) "]"
	/* clang-format off */
	static const struct row rows[] = {
		{ "wav", AUDIO("wav", "\"UklG\""), "[" SOUND("UklG", "wav") "]", 0 },
		{ "no format", "[" M("computer", "audio", "\"UklG\"") "]", "[" SOUND("UklG", "wav") "]", 0 },
		{ "mp3, padded, escaped", AUDIO("mp3", "\"+\\/\\u0041=\""), "[" SOUND("+/A=", "mp3") "]", 0 },
		{ "two pads, unused bits set", AUDIO("mp3", "\"QR==\""), "[" SOUND("QR==", "mp3") "]", 0 },
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
		{ "one each", "[" CODE("1") "," OUT("a\\n") "]", "[" RAN("T1", "1") "," TOOL("T1", "a") "]", 0 },
		{ "none", "[" CODE("1") "," USER("x") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," SAID("user", "x") "]", 0 },
		{ "two calls, one output", "[" CODE("1") "," CODE("2") "," OUT("a") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "No output") "]", 0 },
		{ "two calls, three outputs and an image between them",
		  "[" CODE("1") "," CODE("2") "," OUT("a") "," PNG "," OUT("b") "," OUT("c") "," SAY("x") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "b\\nc") "," PLOT
		  "," SAID("assistant", "x") "]", 0 },
		{ "output that goes on behind an image",
		  "[" CODE("1") "," CODE("2") "," OUT("a") "," PNG ","
		  "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"b\","
		  "\"continued\":true}," OUT("c") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a\\nb") "," RAN("T2", "2") "," TOOL("T2", "c") "," PLOT "]", 0 },
		{ "empty outputs are dealt too", "[" CODE("1") "," CODE("2") "," OUT("") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," RAN("T2", "2") "," TOOL("T2", "b") "]", 0 },
		{ "but leave no line", "[" CODE("1") "," OUT("a") "," OUT(" \\n") "," OUT("b") "," OUT("") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a\\nb") "]", 0 },
		{ "an output of null, one of a number",
		  "[" CODE("1") "," M("computer", "console", "null") "," M("computer", "console", "1.50") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "1.50") "]", 0 },
		{ "of whatever role", "[" CODE("1") "," M("user", "console", "\"a\"") ","
		  M("assistant", "console", "\"b\"") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a\\nb") "]", 0 },
		{ "No output is what it says", "[" CODE("1") "," OUT("No output") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "]", 0 },
		{ "other functions are calls as well",
		  "[" CODE("1") "," MF("assistant", "tool_call", "f", "\"{}\"") "," OUT("a") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," CALLS(FUNCTION("T2", "f", "\"{}\"")) ","
		  TOOL("T2", "b") "]", 0 },
		{ "a call after an output is another group's",
		  "[" CODE("1") "," OUT("a") "," CODE("2") "," OUT("b") "," OUT("c") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "b\\nc") "]", 0 },
		{ "whoever's output it was",
		  "[" CODE("1") "," M("user", "console", "\"a\"") "," CODE("2") "," OUT("b") "," OUT("c") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "b\\nc") "]", 0 },
		{ "a call after an image as well", "[" CODE("1") "," PNG "," CODE("2") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," PLOT "," RAN("T2", "2") ","
		  TOOL("T2", "b") "]", 0 },
		{ "halves of a pair in two outputs stay apart", "[" CODE("1") "," OUT("\\ud83d") ","
		  OUT("\\ude00") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "\\ud83d\\n\\ude00") "]", 0 },
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
		  "[" CODE("1") "," NOTE("n") "," PNG "," MF("computer", "code", "html", "\"h\"") "," OUT("a") ","
		  M("computer", "file", "\"f\"") "," M("computer", "audio", "\"AAAA\"") ","
		  MF("computer", "image", "description", "\"d\"") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," SAID("user", "n") "," PLOT ","
		  SAID("user", "```html\\nh\\n```") "," SAID("user", "f") "," SOUND("AAAA", "wav") ","
		  SAID("user", "d") "]", 0 },
		{ "a user's image ends the group",
		  "[" CODE("1") "," M("user", "image", "\"AA==\"") "," OUT("a") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," PICTURE("data:image/png;base64,AA==") ","
		  SAID("user", "Output of the code:\\na") "]", 0 },
		{ "a user's code too", "[" CODE("1") "," M("user", "code", "\"x\"") "," OUT("a") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," SAID("user", "```\\nx\\n```") ","
		  SAID("user", "Output of the code:\\na") "]", 0 },
		{ "a system's text too", "[" CODE("1") "," M("system", "message", "\"x\"") "," NOTE("n") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," SAID("system", "x") ","
		  SAID("user", "n") "]", 0 },
		{ "an output without a group", "[" OUT(" a ") "," OUT("") "," CODE("1") "]",
		  "[" SAID("user", "Output of the code:\\na") ","
		  SAID("user", "The code ran without printing anything.") "," RAN("T1", "1") ","
		  TOOL("T1", "No output") "]", 0 },
		{ "a text and the call behind it are one message (L14)",
		  "[" SAY("c") "," CODE("1") "," OUT("x") "," SAY("d") "," CODE("2") "," CODE("3") "]",
		  "[" SAID_RAN("c", "T1", "1") "," TOOL("T1", "x") "," SAID_RAN("d", "T2", "2") ","
		  TOOL("T2", "No output") "," RAN("T3", "3") "," TOOL("T3", "No output") "]", 0 },
		{ "so is a call of another function",
		  "[" SAY("c") "," MF("assistant", "tool_call", "f", "\"{}\"") "]",
		  "[" SAID_CALLS("c", FUNCTION("T1", "f", "\"{}\"")) "," TOOL("T1", "No output") "]", 0 },
		{ "only the last of several texts", "[" SAY("a") "," SAY("b") "," CODE("1") "]",
		  "[" SAID("assistant", "a") "," SAID_RAN("b", "T1", "1") "," TOOL("T1", "No output") "]", 0 },
		{ "what is not sent does not part them",
		  "[" SAY("c") "," M("server", "status", "1") "," LINE(1) "," CODE("1") "]",
		  "[" SAID_RAN("c", "T1", "1") "," TOOL("T1", "No output") "]", 2 },
		{ "what is sent does", "[" SAY("c") "," USER("u") "," CODE("1") "," OUT("x") "," SAY("d") ","
		  OUT("y") "," CODE("2") "]",
		  "[" SAID("assistant", "c") "," SAID("user", "u") "," RAN("T1", "1") "," TOOL("T1", "x") ","
		  SAID("assistant", "d") "," SAID("user", "Output of the code:\\ny") "," RAN("T2", "2") ","
		  TOOL("T2", "No output") "]", 0 },
		{ "nothing else is merged", "[" USER("a") "," USER("b") "," SAY("c") "," CODE("1") "," SAY("d") "]",
		  "[" SAID("user", "a") "," SAID("user", "b") "," SAID_RAN("c", "T1", "1") ","
		  TOOL("T1", "No output") "," SAID("assistant", "d") "]", 0 },
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
		  "[" CODE("1") "," LINE(1) "," M("server", "status", "1") "," SAY(" ") "," OUT("a") ","
		  LINE(null) "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a\\nb") "]", 4 },
		{ "one of the computer parts two calls", "[" CODE("1") "," LINE(1) "," CODE("2") "," OUT("a") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," RAN("T2", "2") "," TOOL("T2", "a") "]", 1 },
		{ "whyever it is skipped", "[" CODE("1") "," NOTE("") "," CODE("2") ","
		  TO("\"user\"", "computer", "console", "\"x\"") "," CODE("3") "," OUT("a") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," RAN("T2", "2") ","
		  TOOL("T2", "No output") "," RAN("T3", "3") "," TOOL("T3", "a") "]", 2 },
		{ "others do not", "[" CODE("1") "," SAY("") "," M("server", "status", "1") ","
		  TO("\"x\"", "user", "message", "\"x\"") "," CODE("2") "," OUT("a") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "b") "]", 3 },
		{ "nor does a call of somebody else", "[" CODE("1") "," MF("user", "tool_call", "f", "1") ","
		  CODE("2") "," OUT("a") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "b") "]", 1 },
	};
	/* clang-format on */
	static const struct row blind[] = {
		{ "an image of the computer that is not sent parts them",
		  "[" CODE("1") "," PNG "," CODE("2") "," OUT("a") "," PNG "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," RAN("T2", "2") "," TOOL(
			  "T2", "a\\nb") "]",
		  2 },
		{ "one of the user does not",
		  "[" CODE("1") "," M("user", "image",
				      "\"AA==\"") "," CODE("2") "," OUT("a") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," RAN("T2", "2") "," TOOL("T2", "b") "]",
		  1 },
	};

	CHECK_ROWS(rows, false, .vision = true);
	CHECK_ROWS(blind, false, .vision = false);
}

/* --- fence mode --- */

static void fenced_text_takes_the_place_of_calls(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "neighbours of one role are merged", "[" USER("a") "," USER("b") "," NOTE("c") "," SAY("d") ","
		  CODE("1") "," SAY("e") "]",
		  "[" SAID("user", "a\\nb\\nc") "," SAID("assistant", "d\\n```python\\n1\\n```\\ne") "]", 0 },
		{ "system too", "[" M("system", "message", "\"a\"") "," M("system", "message", "\"b\"") "]",
		  "[" SAID("system", "a\\nb") "]", 0 },
		{ "skipped ones between do not matter", "[" USER("a") "," M("server", "status", "1") "," SAY("")
		  "," USER("b") "]",
		  "[" SAID("user", "a\\nb") "]", 2 },
		{ "parts end a run", "[" USER("a") "," PNG "," PNG "," USER("b") "," USER("c") "]",
		  "[" SAID("user", "a") "," PLOT "," PLOT "," SAID("user", "b\\nc") "]", 0 },
		{ "outputs are the user's", "[" CODE("1") "," OUT("a") "," OUT("") "," USER("b") "," CODE("2") ","
		  SAY("c") "]",
		  "[" SAID("assistant", "```python\\n1\\n```") ","
		  SAID("user", "Output of the code:\\na\\nThe code ran without printing anything.\\nb") ","
		  SAID("assistant", "```python\\n2\\n```\\nc") "]", 0 },
		{ "order is kept", "[" CODE("1") "," PNG "," OUT("a") "]",
		  "[" SAID("assistant", "```python\\n1\\n```") "," PLOT ","
		  SAID("user", "Output of the code:\\na") "]", 0 },
		{ "calls of other functions have no form", "[" MF("assistant", "tool_call", "f", "\"{}\"") ","
		  MF("user", "tool_call", "f", "\"{}\"") "," OUT("a") "]",
		  "[" SAID("user", "Output of the code:\\na") "]", 2 },
		{ "two backticks do no harm", "[" M("assistant", "code", "\"``\"") "]",
		  "[" SAID("assistant", "```\\n``\\n```") "]", 0 },
		{ "five do, written as they like",
		  "[" MF("assistant", "code", "a b\\n", "\"`\\u0060``` ```\"") "]",
		  "[" SAID("assistant", "``````a b\\n\\n````` ```\\n``````") "]", 0 },
		{ "code of others", "[" MF("computer", "code", "html", "\"```\"") "," USER("a") "]",
		  "[" SAID("user", "````html\\n```\\n````\\na") "]", 0 },
		{ "code that is empty", "[" CODE("") "]", "[" SAID("assistant", "```python\\n\\n```") "]", 0 },
		{ "halves of a pair meet no more", "[" USER("\\ud83d") "," USER("\\ude00") "]",
		  "[" SAID("user", "\\ud83d\\n\\ude00") "]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(rows, false, .fence = true, .vision = true);
}

/* --- lists of both kinds --- */

#define ASK SAID("user", "own")

static void own_messages_go_through(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "as they came", "[" ASK "," USER("a") ",{\"role\":\"assistant\",\"content\":null},"
		  "{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"1\"}]",
		  "[" ASK "," SAID("user", "a") ",{\"role\":\"assistant\",\"content\":null},"
		  TOOL("x", "1") "]", 0 },
		{ "and end a group", "[" CODE("1") "," ASK "," OUT("a") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "No output") "," ASK ","
		  SAID("user", "Output of the code:\\na") "]", 0 },
		{ "own tool messages too", "[" CODE("1") "," OUT("a") "," TOOL("x", "1") "," OUT("b") "]",
		  "[" RAN("T1", "1") "," TOOL("T1", "a") "," TOOL("x", "1") ","
		  SAID("user", "Output of the code:\\nb") "]", 0 },
		{ "an answer's text and the call behind it are one message (L14)",
		  "[{\"role\":\"assistant\", \"x\":{} , \"content\":\"a\" }," CODE("1") "," OUT("b") "]",
		  "[{\"role\":\"assistant\",\"x\":{},\"content\":\"a\",\"tool_calls\":["
		  FUNCTION("T1", "execute", RUN("python", "1")) "]}," TOOL("T1", "b") "]", 0 },
		{ "nothing else is", "[" SAID("assistant", "a") "," SAY("b") "," SAID("assistant", "c") ","
		  SAY("d") "," OWN("z") "," SAID("user", "e") "," CODE("1") "]",
		  "[" SAID("assistant", "a") "," SAID("assistant", "b") "," SAID("assistant", "c") ","
		  SAID("assistant", "d") "," OWN("z") "," TOOL("z", "No output") "," SAID("user", "e") ","
		  RAN("T1", "1") "," TOOL("T1", "No output") "]", 0 },
		{ "not with somebody of another name, and not where there are calls, if only by name",
		  "[{\"role\":\"assistant\",\"name\":\"ann\",\"content\":\"a\"}," CODE("1") ","
		  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":null}," CODE("2") ","
		  "{\"role\":\"assistant\",\"content\":\"a\",\"function_call\":{}}," CODE("3") ","
		  "{\"role\":\"assistant\",\"content\":null}," CODE("4") "]",
		  "[{\"role\":\"assistant\",\"name\":\"ann\",\"content\":\"a\"}," RAN("T1", "1") ","
		  TOOL("T1", "No output") ",{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":null},"
		  RAN("T2", "2") "," TOOL("T2", "No output")
		  ",{\"role\":\"assistant\",\"content\":\"a\",\"function_call\":{}}," RAN("T3", "3") ","
		  TOOL("T3", "No output") ",{\"role\":\"assistant\",\"content\":null}," RAN("T4", "4") ","
		  TOOL("T4", "No output") "]", 0 },
		{ "no calls in the list of calls",
		  "[{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]},"
		  OUT("a") "]",
		  "[{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]},"
		  SAID("user", "Output of the code:\\na") "]", 0 },
	};
	/* clang-format on */
	static const struct row fenced[] = {
		{ "never merged", "[" USER("a") "," ASK "," USER("b") "," ASK "," ASK "]",
		  "[" SAID("user", "a") "," ASK "," SAID("user", "b") "," ASK "," ASK "]", 0 },
	};

	CHECK_ROWS(rows, true, .vision = true);
	CHECK_ROWS(fenced, true, .vision = true, .fence = true);
}

static void own_calls_are_answered(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row rows[] = {
		{ "by their own", "[" OWN2("a", "b") "," TOOL("b", "2") "," TOOL("a", "1") "," ASK "]",
		  "[" OWN2("a", "b") "," TOOL("b", "2") "," TOOL("a", "1") "," ASK "]", 0 },
		{ "by output", "[" OWN2("a", "b") "," OUT("1") "," OUT("2") "," OUT("3") "," USER("x") "]",
		  "[" OWN2("a", "b") "," TOOL("a", "1") "," TOOL("b", "2\\n3") "," SAID("user", "x") "]", 0 },
		{ "by both", "[" OWN2("a", "b") "," TOOL("a", "1") "," PNG "," OUT("2") "," OUT("3") "]",
		  "[" OWN2("a", "b") "," TOOL("a", "1") "," TOOL("b", "2\\n3") "," PLOT "]", 0 },
		{ "the last one by its own: outputs beyond are told",
		  "[" OWN2("a", "b") "," TOOL("b", "2") "," OUT("1") "," OUT("3") "," PNG "," OUT("") "]",
		  "[" OWN2("a", "b") "," TOOL("b", "2") "," TOOL("a", "1") ","
		  SAID("user", "Output of the code:\\n3") "," PLOT ","
		  SAID("user", "The code ran without printing anything.") "]", 0 },
		{ "by nobody", "[" OWN2("a", "b") "," TOOL("b", "2") "," ASK "," OWN("c") "]",
		  "[" OWN2("a", "b") "," TOOL("b", "2") "," TOOL("a", "No output") "," ASK "," OWN("c") ","
		  TOOL("c", "No output") "]", 0 },
		{ "what the computer said waits", "[" OWN2("a", "b") "," NOTE("n") "," TOOL("a", "1") "," LINE(1)
		  "," TOOL("b", "2") "," USER("x") "]",
		  "[" OWN2("a", "b") "," TOOL("a", "1") "," TOOL("b", "2") "," SAID("user", "n") ","
		  SAID("user", "x") "]", 1 },
		{ "by their own after an output: that one is told behind",
		  "[" OWN2("a", "b") "," OUT("1") "," TOOL("a", "own") "," OUT("2") "]",
		  "[" OWN2("a", "b") "," TOOL("a", "own") "," TOOL("b", "2") ","
		  SAID("user", "Output of the code:\\n1") "]", 0 },
		{ "twice by their own", "[" OWN("a") "," TOOL("a", "1") "," TOOL("a", "2") "]",
		  "[" OWN("a") "," TOOL("a", "1") "," TOOL("a", "2") "]", 0 },
		{ "a strange answer passes and ends nothing",
		  "[" OWN("a") "," TOOL("x", "1") ",{\"role\":\"tool\",\"content\":\"\"}," OUT("2") "]",
		  "[" OWN("a") "," TOOL("x", "1") ",{\"role\":\"tool\",\"content\":\"\"}," TOOL("a", "2") "]",
		  0 },
		{ "too late", "[" OWN("a") "," ASK "," TOOL("a", "1") "," OUT("2") "]",
		  "[" OWN("a") "," TOOL("a", "No output") "," ASK "," TOOL("a", "1") ","
		  SAID("user", "Output of the code:\\n2") "]", 0 },
		{ "each message's calls are a group",
		  "[" OWN("a") "," OWN("b") "," OUT("1") "," TOOL("a", "2") "]",
		  "[" OWN("a") "," TOOL("a", "No output") "," OWN("b") "," TOOL("a", "2") "," TOOL("b", "1") "]",
		  0 },
		{ "LMC calls behind are another group", "[" OWN("a") "," CODE("1") "," OUT("x") "," OWN("b") ","
		  OUT("y") "]",
		  "[" OWN("a") "," TOOL("a", "No output") "," RAN("T1", "1") "," TOOL("T1", "x") "," OWN("b") ","
		  TOOL("b", "y") "]", 0 },
		{ "one id twice has one answer", "[" OWN2("a", "a") "," OUT("1") "," OUT("2") "]",
		  "[" OWN2("a", "a") "," TOOL("a", "1") "," SAID("user", "Output of the code:\\n2") "]", 0 },
		{ "an id written with escapes", "[" OWN("\\u0061\\\"") "," TOOL("a\\u0022", "1") "]",
		  "[" OWN("\\u0061\\\"") "," TOOL("a\\u0022", "1") "]", 0 },
		{ "the same, answered by output", "[" OWN("x\\u0061\\\"\\/") "," OUT("1") "]",
		  "[" OWN("x\\u0061\\\"\\/") "," TOOL("xa\\\"/", "1") "]", 0 },
		{ "a call without an id can't be",
		  "[{\"role\":\"assistant\",\"tool_calls\":[{},5]}," OUT("1") "]",
		  "[{\"role\":\"assistant\",\"tool_calls\":[{},5]},"
		  SAID("user", "Output of the code:\\n1") "]", 0 },
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
		  "[" USER("a") "," OWN("a") "," OUT("1") "," NOTE("n") "," NOTE("o") "," USER("b") ","
		  SAY("c") "]",
		  "[" SAID("user", "a") "," OWN("a") "," TOOL("a", "1") "," SAID("user", "n\\no\\nb") ","
		  SAID("assistant", "c") "]", 0 },
		{ "code ends the group", "[" OWN("a") "," CODE("1") "," OUT("2") "]",
		  "[" OWN("a") "," TOOL("a", "No output") "," SAID("assistant", "```python\\n1\\n```") ","
		  SAID("user", "Output of the code:\\n2") "]", 0 },
		{ "images part texts", "[" OWN("a") "," NOTE("n") "," PNG "," NOTE("o") "," OUT("1") "]",
		  "[" OWN("a") "," TOOL("a", "1") "," SAID("user", "n") "," PLOT "," SAID("user", "o") "]", 0 },
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
		{ "counted from one", "[" CODE("1") "," CODE("2") "," SAY("x") "," CODE("3") "]",
		  "[" RAN("call_lmc_1", "1") "," TOOL("call_lmc_1", "No output") "," RAN("call_lmc_2", "2") ","
		  TOOL("call_lmc_2", "No output") "," SAID_RAN("x", "call_lmc_3", "3") ","
		  TOOL("call_lmc_3", "No output") "]", 0 },
		{ "behind the highest that came", "[" OWN2("call_lmc_7", "call_lmc_2") "," CODE("1") "]",
		  "[" OWN2("call_lmc_7", "call_lmc_2") "," TOOL("call_lmc_7", "No output") ","
		  TOOL("call_lmc_2", "No output") "," RAN("call_lmc_8", "1") ","
		  TOOL("call_lmc_8", "No output") "]", 0 },
		{ "or answered something", "[" TOOL("call_lmc_1", "") "," CODE("1") "]",
		  "[" TOOL("call_lmc_1", "") "," RAN("call_lmc_2", "1") "," TOOL("call_lmc_2", "No output") "]",
		  0 },
		{ "what looks different does not count",
		  "[" OWN2("call_lmc_5x", "call_lmc_99999999999999999999") "," CODE("1") "]",
		  "[" OWN2("call_lmc_5x", "call_lmc_99999999999999999999") "," TOOL("call_lmc_5x", "No output")
		  "," TOOL("call_lmc_99999999999999999999", "No output") "," RAN("call_lmc_1", "1") ","
		  TOOL("call_lmc_1", "No output") "]", 0 },
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
		{ USER("a"), 1, false },      { CODE("1"), 1, false }, { OUT("1"), 1, false },
		{ SAY("b"), 3, false },       { OWN2("a", "b"), 5, true }, { TOOL("a", "1"), 6, true },
		{ TOOL("b", "1"), 7, true },  { NOTE("n"), 7, false }, { CODE("2"), 8, false },
	};
	/* clang-format on */
	size_t            made = 0;
	struct err        e = { 0 };
	struct to_openai *t =
		to_openai_create(&(struct to_openai_options){ .arg = &made, .made = count_made });

	assert_non_null(t);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct str raw = str_of(steps[i].message);

		assert_int_equal(hand(t, raw, steps[i].own, i, &e), ERR_OK);
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
		cmocka_unit_test(own_messages_go_through),
		cmocka_unit_test(own_calls_are_answered),
		cmocka_unit_test(own_calls_are_answered_in_fence_mode),
		cmocka_unit_test(made_ids_are_not_those_of_others),
		cmocka_unit_test(ids_of_later_messages_can_be_reserved),
		cmocka_unit_test(messages_are_given_as_soon_as_they_are_complete),
		cmocka_unit_test(whoever_takes_no_more_ends_it),
		cmocka_unit_test(large_groups_take_no_longer),
		cmocka_unit_test(the_vectors_hold),
	};

	return cmocka_run_group_tests_name("lmc/to_openai", tests, NULL, NULL);
}
