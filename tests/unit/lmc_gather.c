/* Chunks put together to messages: each of the rules C1 to C9, and the vectors. */
#include "lmc/lmc_gather.h"
#include "lmc_same.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Chunks written short. */
#define C(role, rest) "{\"role\":\"" role "\"," rest "}"
#define T(type)       "\"type\":\"" type "\""
#define F(format)     "\"format\":\"" format "\""
#define R(recipient)  "\"recipient\":\"" recipient "\""
#define TEXT(text)    "\"content\":\"" text "\""
#define START         "\"start\":true"
#define END           "\"end\":true"
#define U(text)       C("user", T("message") "," TEXT(text))
#define A(text)       C("assistant", T("message") "," TEXT(text))

struct row {
	const char *why;
	const char *chunks;
	const char *want;
	size_t      warned; /* how many warnings */
};

static void scan(struct json_doc *d, const char *text, size_t n)
{
	struct err e = { 0 };

	if (json_scan(d, text, n, &json_limits_upstream, &e) != ERR_OK)
		fail_msg("%s: %.*s", e.text, (int)(n < 2000 ? n : 2000), text);
}

/* gather_list: feeds an array of chunks; each is scanned for itself from a copy that dies with the
 * call, as on a stream.  The error, if any, is e's. */
static enum errc gather_list(struct gather *g, const struct json_doc *d, json_at list,
			     struct err *e)
{
	size_t    index = 0;
	enum errc rc = ERR_OK;

	for (json_at i = json_first(d, list); i != json_end(d, list) && rc == ERR_OK;
	     i = json_next(d, i)) {
		struct json_doc one = { 0 };
		struct str      raw = json_raw(d, i);
		char           *copy = malloc(raw.n);
		char            path[32];

		assert_non_null(copy);
		memcpy(copy, raw.p, raw.n);
		scan(&one, copy, raw.n);
		snprintf(path, sizeof path, "chunks[%zu]", index);
		rc = gather_chunk(g, &one, 0, path, index, e);
		json_doc_finish(&one);
		free(copy);
		index++;
	}
	return rc;
}

/* put_together: the messages of chunks as an array. */
static void put_together(const struct json_doc *d, json_at list, struct warnings *w,
			 struct buf *out)
{
	struct gather *g = gather_create(16 * MIB, w);
	struct str     got = STR_NONE;
	struct err     e = { 0 };

	assert_non_null(g);
	if (gather_list(g, d, list, &e) != ERR_OK)
		fail_msg("%s: %s", e.path, e.text);
	assert_int_equal(gather_end(g, &got, &e), ERR_OK);
	buf_clear(out);
	assert_true(buf_text(out, "[") && buf_str(out, got) && buf_text(out, "]"));
	gather_destroy(g);
}

static void check_row(const struct row *row)
{
	struct json_doc chunks = { 0 }, got = { 0 }, want = { 0 };
	struct warnings w;
	struct buf      out;

	print_message("case: %s\n", row->why);
	warnings_init(&w);
	buf_init(&out, 16 * MIB);
	scan(&chunks, row->chunks, strlen(row->chunks));
	put_together(&chunks, 0, &w, &out);
	scan(&got, out.data, out.len);
	scan(&want, row->want, strlen(row->want));
	if (!json_alike(&got, 0, &want, 0))
		fail_msg("got  %.*s\nwant %s", STR_ARG(buf_view(&out)), row->want);
	if (w.count != row->warned)
		fail_msg("warnings: %.*s", STR_ARG(buf_view(&w.json)));
	json_doc_finish(&chunks);
	json_doc_finish(&got);
	json_doc_finish(&want);
	buf_finish(&out);
	warnings_finish(&w);
}

#define CHECK_ROWS(rows)                                      \
	for (size_t row_ = 0; row_ < ARRAY_LEN(rows); row_++) \
	check_row(&(rows)[row_])

static void chunks_that_break_the_form_are_refused_with_their_member(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *chunks;
		enum errc   code;
		const char *path;
	} cases[] = {
		{ "no object", "[5]", ERR_INVALID_TYPE, "chunks[0]" },
		{ "no role", "[{" T("message") "," TEXT("x") "}]", ERR_MISSING_PARAMETER,
		  "chunks[0].role" },
		{ "a null role", "[{\"role\":null," T("message") "}]", ERR_MISSING_PARAMETER,
		  "chunks[0].role" },
		{ "a role that is a number", "[{\"role\":1," T("message") "}]", ERR_INVALID_TYPE,
		  "chunks[0].role" },
		{ "an unknown role", "[" U("x") "," C("tool", T("message")) "]", ERR_INVALID_VALUE,
		  "chunks[1].role" },
		{ "a role in capitals", "[" C("User", T("message")) "]", ERR_INVALID_VALUE,
		  "chunks[0].role" },
		{ "content without a type", "[" C("user", TEXT("x")) "]", ERR_MISSING_PARAMETER,
		  "chunks[0].type" },
		{ "a flag with content is no bare flag", "[" C("user", START "," TEXT("x")) "]",
		  ERR_MISSING_PARAMETER, "chunks[0].type" },
		{ "nothing at all", "[{\"role\":\"user\"}]", ERR_MISSING_PARAMETER,
		  "chunks[0].type" },
		{ "start: false is no flag", "[{\"role\":\"user\",\"start\":false}]",
		  ERR_MISSING_PARAMETER, "chunks[0].type" },
		{ "start: null is no flag", "[{\"role\":\"user\",\"start\":null}]",
		  ERR_MISSING_PARAMETER, "chunks[0].type" },
		{ "start: \"true\" is no flag", "[{\"role\":\"user\",\"start\":\"true\"}]",
		  ERR_MISSING_PARAMETER, "chunks[0].type" },
		{ "a type that is a number, with a flag", "[{\"role\":\"user\",\"type\":1," START "}]",
		  ERR_INVALID_TYPE, "chunks[0].type" },
		{ "a format that is a number", "[" C("user", T("image") ",\"format\":1") "]",
		  ERR_INVALID_TYPE, "chunks[0].format" },
		{ "the role comes first", "[{\"role\":1,\"type\":1,\"format\":1}]", ERR_INVALID_TYPE,
		  "chunks[0].role" },
		{ "then the type", "[{\"format\":1,\"type\":1,\"role\":\"user\"}]", ERR_INVALID_TYPE,
		  "chunks[0].type" },
		{ "chunks that are never stored are checked too",
		  "[" C("server", TEXT("x")) "]", ERR_MISSING_PARAMETER, "chunks[0].type" },
		{ "an active line too", "[{" T("console") "," F("active_line") ",\"content\":1}]",
		  ERR_MISSING_PARAMETER, "chunks[0].role" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gather  *g = gather_create(MIB, NULL);
		struct json_doc d = { 0 };
		struct err      e = { 0 };

		print_message("case: %s\n", cases[i].why);
		assert_non_null(g);
		scan(&d, cases[i].chunks, strlen(cases[i].chunks));
		assert_int_equal(gather_list(g, &d, 0, &e), cases[i].code);
		assert_int_equal(e.code, cases[i].code);
		assert_string_equal(e.path, cases[i].path);
		assert_true(e.text[0] != '\0');
		json_doc_finish(&d);
		gather_destroy(g);
	}
}

static void a_refused_chunk_changes_nothing(void **state)
{
	(void)state;
	static const char *const chunks[] = { U("a"), C("user", START "," TEXT("x")), U("b") };
	struct gather           *g = gather_create(MIB, NULL);
	struct str               got;
	struct err               e = { 0 };

	assert_non_null(g);
	for (size_t i = 0; i < ARRAY_LEN(chunks); i++) {
		struct json_doc d = { 0 };

		scan(&d, chunks[i], strlen(chunks[i]));
		assert_int_equal(gather_chunk(g, &d, 0, "", i, &e) == ERR_OK, i != 1);
		json_doc_finish(&d);
	}
	assert_string_equal(e.path, "type"); /* no path of a chunk was given */
	assert_int_equal(gather_end(g, &got, &e), ERR_OK);
	assert_true(str_is(got, "{\"role\":\"user\",\"type\":\"message\",\"content\":\"ab\"}"));
	/* A second end tells the same. */
	assert_int_equal(gather_end(g, &got, &e), ERR_OK);
	assert_true(str_is(got, "{\"role\":\"user\",\"type\":\"message\",\"content\":\"ab\"}"));
	gather_destroy(g);
}

static void flags_and_content_in_one_chunk_keep_their_order(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C2: all three at once", "[" C("user", END "," TEXT("x") "," T("message") "," START)
		  "]", "[" U("x") "]", 0 },
		{ "C2: twice", "[" C("user", T("message") "," START "," TEXT("x") "," END) ","
		  C("user", T("message") "," START "," TEXT("y") "," END) "]",
		  "[" U("x") "," U("y") "]", 0 },
		{ "C2: start and end make an empty message",
		  "[" C("user", T("message") "," START "," END) "]", "[" U("") "]", 0 },
		{ "C2: end behind content that parts", "[" A("a") ","
		  C("user", T("message") "," TEXT("b") "," END) "," U("c") "]",
		  "[" A("a") "," U("b") "," U("c") "]", 0 },
		{ "C2: null content opens nothing", "[" C("user", T("message") ",\"content\":null")
		  "]", "[]", 0 },
		{ "C2: empty content opens nothing", "[" U("") "]", "[]", 0 },
		{ "C2: neither does a chunk without content", "[" C("user", T("message")) "]", "[]",
		  0 },
		{ "C2: empty content ends nothing", "[" U("a") "," A("") "," U("b") "]",
		  "[" U("ab") "]", 0 },
		{ "C2: false flags are none", "[" U("a") ","
		  C("user", T("message") "," TEXT("b") ",\"start\":false,\"end\":null") "," U("c")
		  "]", "[" U("abc") "]", 0 },
		{ "C1: an empty content leaves a flag a flag",
		  "[" C("user", START "," TEXT("")) "," U("a") "," C("user", END ",\"content\":null")
		  "," U("b") "]", "[" U("a") "," U("b") "]", 0 },
		{ "an empty list", "[]", "[]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void what_is_never_stored_ends_the_open_message_and_warns(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C3: a confirmation", "[" A("a") ","
		  C("computer", T("confirmation") "," F("execution") ",\"content\":{\"a\":1}") ","
		  A("b") "]", "[" A("a") "," A("b") "]", 1 },
		{ "C3: a review and its flags", "[" A("a") ","
		  C("assistant", T("review") "," F("safe") "," START) ","
		  C("assistant", T("review") "," F("safe") "," TEXT("x")) ","
		  C("assistant", T("review") "," F("safe") "," END) "," A("b") "]",
		  "[" A("a") "," A("b") "]", 3 },
		{ "C3: a status of the server", "[" A("a") ","
		  C("server", T("status") "," TEXT("complete")) "," A("b") "]",
		  "[" A("a") "," A("b") "]", 1 },
		{ "C3: a flag of the server, without type", "[" A("a") "," C("server", START) ","
		  A("b") "]", "[" A("a") "," A("b") "]", 1 },
		{ "C3: the server's active line is the server's", "[" A("a") ","
		  C("server", T("console") "," F("active_line") ",\"content\":1") "," A("b") "]",
		  "[" A("a") "," A("b") "]", 1 },
		{ "C3: with an escape in the type", "[" C("user", "\"type\":\"r\\u0065view\","
		  TEXT("x")) "]", "[]", 1 },
		{ "C3: what a flag opened is stored", "[" C("assistant", T("code") "," START) ","
		  C("computer", T("confirmation") "," TEXT("x")) "]",
		  "[" C("assistant", T("code") "," TEXT("")) "]", 1 },
		{ "C3: its recipient is no longer said",
		  "[" C("computer", T("console") "," R("user") "," START) ","
		  C("server", T("status") "," TEXT("x")) ","
		  C("computer", T("console") "," TEXT("y")) "]",
		  "[" C("computer", T("console") "," F("output") "," R("user") "," TEXT("")) ","
		  C("computer", T("console") "," F("output") "," TEXT("y")) "]", 1 },
		{ "an error is stored like any type", "[" C("computer", T("error") "," TEXT("x")) "]",
		  "[" C("computer", T("error") "," TEXT("x")) "]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

#define CONSOLE(rest) C("computer", T("console") "," rest)

static void active_lines_neither_open_nor_end(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C4: between outputs", "[" CONSOLE(F("output") "," TEXT("a")) ","
		  CONSOLE(F("active_line") ",\"content\":3") "," CONSOLE(F("output") "," TEXT("b"))
		  "]", "[" CONSOLE(F("output") "," TEXT("ab")) "]", 1 },
		{ "C4: opens nothing", "[" CONSOLE(F("active_line") "," TEXT("1")) "]", "[]", 1 },
		{ "C4: null, which says that no line is active",
		  "[" CONSOLE(F("active_line") ",\"content\":null") "]", "[]", 1 },
		{ "C4: between messages of others", "[" A("a") ","
		  CONSOLE(F("active_line") ",\"content\":3") "," A("b") "]", "[" A("ab") "]", 1 },
		{ "C4: its format is not the message's", "[" CONSOLE(START) ","
		  CONSOLE(F("active_line") ",\"content\":3") "," CONSOLE(TEXT("a")) "]",
		  "[" CONSOLE(F("output") "," TEXT("a")) "]", 1 },
		{ "C4: flags of this format are flags", "[" CONSOLE(F("active_line") "," START) ","
		  CONSOLE(F("active_line") ",\"content\":3") ","
		  CONSOLE(F("active_line") "," END) "]",
		  "[" CONSOLE(F("active_line") "," TEXT("")) "]", 1 },
		{ "C4: other types may have the format", "[" C("user", T("code") ","
		  F("active_line") "," TEXT("a")) "]",
		  "[" C("user", T("code") "," F("active_line") "," TEXT("a")) "]", 0 },
		{ "C2, C4: with an end that ends", "[" CONSOLE(TEXT("a")) ","
		  CONSOLE(F("active_line") ",\"content\":null," END) "," CONSOLE(TEXT("b")) "]",
		  "[" CONSOLE(F("output") "," TEXT("a")) "," CONSOLE(F("output") "," TEXT("b"))
		  "]", 1 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

#define CODE(rest)  C("assistant", T("code") "," rest)
#define IMAGE(rest) C("user", T("image") "," rest)

static void content_goes_on_where_all_is_the_same(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C5: start ends what is open", "[" U("a") "," C("user", T("message") "," START) ","
		  U("b") "]", "[" U("a") "," U("b") "]", 0 },
		{ "C5: another role parts", "[" U("a") "," A("b") "]", "[" U("a") "," A("b") "]", 0 },
		{ "C5: another type parts", "[" A("a") "," CODE(TEXT("b")) "]",
		  "[" A("a") "," CODE(TEXT("b")) "]", 0 },
		{ "C5: another format parts", "[" CODE(F("r") "," TEXT("a")) ","
		  CODE(F("python") "," TEXT("b")) "]",
		  "[" CODE(F("r") "," TEXT("a")) "," CODE(F("python") "," TEXT("b")) "]", 0 },
		{ "C5: an absent format does not", "[" CODE(F("r") "," TEXT("a")) ","
		  CODE(TEXT("b")) "," CODE("\"format\":null," TEXT("c")) "]",
		  "[" CODE(F("r") "," TEXT("abc")) "]", 0 },
		{ "C5, C6: a late format is the message's", "[" CODE(TEXT("a")) ","
		  CODE(F("r") "," TEXT("b")) "," CODE(F("q") "," TEXT("c")) "]",
		  "[" CODE(F("r") "," TEXT("ab")) "," CODE(F("q") "," TEXT("c")) "]", 0 },
		{ "C5: an empty format is one", "[" CODE(F("") "," TEXT("a")) ","
		  CODE(F("r") "," TEXT("b")) "]",
		  "[" CODE(F("") "," TEXT("a")) "," CODE(F("r") "," TEXT("b")) "]", 0 },
		{ "C5: one format written in two ways", "[" CODE(F("r\\u0075st") "," TEXT("a")) ","
		  CODE(F("rust") "," TEXT("b")) "," CODE(F("\\u0072ust") "," TEXT("c")) "]",
		  "[" CODE(F("rust") "," TEXT("abc")) "]", 0 },
		{ "C5: another recipient parts", "[" CODE(R("user") "," TEXT("a")) ","
		  CODE(R("assistant") "," TEXT("b")) "]",
		  "[" CODE(R("user") "," TEXT("a")) "," CODE(R("assistant") "," TEXT("b")) "]", 0 },
		{ "C5: so does none behind one", "[" CODE(R("user") "," TEXT("a")) ","
		  CODE(TEXT("b")) "]", "[" CODE(R("user") "," TEXT("a")) "," CODE(TEXT("b")) "]",
		  0 },
		{ "C5: and one behind none", "[" CODE(TEXT("a")) "," CODE(R("user") "," TEXT("b"))
		  "]", "[" CODE(TEXT("a")) "," CODE(R("user") "," TEXT("b")) "]", 0 },
		{ "C5: the same recipient goes on", "[" CODE(R("user") "," TEXT("a")) ","
		  CODE(R("\\u0075ser") "," TEXT("b")) "]", "[" CODE(R("user") "," TEXT("ab")) "]",
		  0 },
		{ "C5: a number is another recipient than its digits",
		  "[" CODE("\"recipient\":5," TEXT("a")) "," CODE(R("5") "," TEXT("b")) "]",
		  "[" CODE("\"recipient\":5," TEXT("a")) "," CODE(R("5") "," TEXT("b")) "]", 0 },
		{ "C5, C7: a second image", "[" IMAGE(START) "," IMAGE(TEXT("QUJD")) ","
		  IMAGE(TEXT("QUJE")) "," IMAGE(END) "]",
		  "[" IMAGE(TEXT("QUJD")) "," IMAGE(TEXT("QUJE")) "]", 0 },
		{ "C5: a second sound", "[" C("user", T("audio") "," TEXT("a")) ","
		  C("user", T("audio") "," TEXT("b")) "]",
		  "[" C("user", T("audio") "," TEXT("a")) "," C("user", T("audio") "," TEXT("b"))
		  "]", 0 },
		{ "C5: a second file", "[" C("user", T("file") "," TEXT("a")) ","
		  C("user", T("file") "," TEXT("b")) "]",
		  "[" C("user", T("file") "," TEXT("a")) "," C("user", T("file") "," TEXT("b"))
		  "]", 0 },
		{ "other types are joined", "[" C("user", T("command") "," TEXT("g")) ","
		  C("user", T("command") "," TEXT("o")) "]",
		  "[" C("user", T("command") "," TEXT("go")) "]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void what_the_flag_leaves_open_comes_with_the_content(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C6: the type", "[" C("user", START) "," C("user", T("code") "," TEXT("a")) "]",
		  "[" C("user", T("code") "," TEXT("a")) "]", 0 },
		{ "C6: but not of another role", "[" C("user", START) "," A("a") "]",
		  "[" A("a") "]", 0 },
		{ "C6: the format", "[" CODE(START) "," CODE(F("r") "," TEXT("a")) "]",
		  "[" CODE(F("r") "," TEXT("a")) "]", 0 },
		{ "C6: the recipient", "[" CONSOLE(START) "," CONSOLE(R("user") "," TEXT("a")) ","
		  CONSOLE(R("user") "," TEXT("b")) "," CONSOLE(END) "]",
		  "[" CONSOLE(F("output") "," R("user") "," TEXT("ab")) "]", 0 },
		{ "C6: the flag's recipient is the content's",
		  "[" CONSOLE(R("user") "," START) "," CONSOLE(TEXT("a")) ","
		  CONSOLE("\"recipient\":null," TEXT("b")) "," CONSOLE(R("user") "," TEXT("c"))
		  "]", "[" CONSOLE(F("output") "," R("user") "," TEXT("abc")) "]", 0 },
		{ "C6: also of a second image", "[" IMAGE(R("user") "," START) "," IMAGE(TEXT("QQ=="))
		  "," IMAGE(TEXT("Qg==")) "," IMAGE(END) "," IMAGE(TEXT("Qw==")) "]",
		  "[" IMAGE(R("user") "," TEXT("QQ==")) "," IMAGE(R("user") "," TEXT("Qg==")) ","
		  IMAGE(TEXT("Qw==")) "]", 0 },
		{ "C6: not behind its end", "[" CONSOLE(R("user") "," START) "," CONSOLE(END) ","
		  CONSOLE(TEXT("a")) "]",
		  "[" CONSOLE(F("output") "," R("user") "," TEXT("")) ","
		  CONSOLE(F("output") "," TEXT("a")) "]", 0 },
		{ "C6: not of another type", "[" CONSOLE(R("user") "," START) ","
		  C("computer", T("code") "," TEXT("a")) "]",
		  "[" CONSOLE(F("output") "," R("user") "," TEXT("")) ","
		  C("computer", T("code") "," TEXT("a")) "]", 0 },
		{ "C6: another recipient than the flag's", "[" CONSOLE(R("user") "," START) ","
		  CONSOLE(R("assistant") "," TEXT("a")) "]",
		  "[" CONSOLE(F("output") "," R("user") "," TEXT("")) ","
		  CONSOLE(F("output") "," R("assistant") "," TEXT("a")) "]", 0 },
		{ "C6: a recipient of the content is not the next one's",
		  "[" CONSOLE(START) "," CONSOLE(R("user") "," TEXT("a")) "," CONSOLE(TEXT("b"))
		  "]",
		  "[" CONSOLE(F("output") "," R("user") "," TEXT("a")) ","
		  CONSOLE(F("output") "," TEXT("b")) "]", 0 },
		{ "C6: other members, the first of each name",
		  "[" C("user", T("message") ",\"id\":1," START) ","
		  C("user", T("message") ",\"id\":2,\"x\":{ \"y\" : [1, 2] }," TEXT("a")) ","
		  C("user", T("message") ",\"x\":0,\"z\":null," END) "]",
		  "[" C("user", T("message") "," TEXT("a")
			",\"id\":1,\"x\":{\"y\":[1,2]},\"z\":null") "]", 0 },
		{ "C6: one name written in two ways",
		  "[" C("user", T("message") "," TEXT("a") ",\"id\":1") ","
		  C("user", T("message") "," TEXT("b") ",\"\\u0069d\":2") "]",
		  "[" C("user", T("message") "," TEXT("ab") ",\"id\":1") "]", 0 },
		{ "C6: an empty name is one", "[" C("user", T("message") "," TEXT("a") ",\"\":1") ","
		  C("user", T("message") "," TEXT("b") ",\"\":2") "]",
		  "[" C("user", T("message") "," TEXT("ab") ",\"\":1") "]", 0 },
		{ "C6: of the message alone", "[" C("user", T("message") "," TEXT("a") ",\"id\":1")
		  "," A("b") "]",
		  "[" C("user", T("message") "," TEXT("a") ",\"id\":1") "," A("b") "]", 0 },
		{ "C6: not of an end that is ignored", "[" U("a") ","
		  C("user", T("code") ",\"id\":1," END) "]", "[" U("a") "]", 0 },
		{ "of two members with one name the first counts",
		  "[{" T("message") ",\"role\":\"user\"," TEXT("a") "," T("code")
		  ",\"role\":\"computer\"," TEXT("b") ",\"x\":1,\"x\":2}]",
		  "[" C("user", T("message") "," TEXT("a") ",\"x\":1") "]", 0 },
		{ "flags are never kept", "[" C("user", T("message") "," TEXT("a")
		  ",\"start\":0,\"end\":\"no\"") "]", "[" U("a") "]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void content_is_appended_as_text(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C7: a number", "[" U("a") "," C("user", T("message") ",\"content\":5") "]",
		  "[" U("a5") "]", 0 },
		{ "C7: an object, without spaces",
		  "[" C("user", T("message") ",\"content\":{\"a\": [1, \"\\\"\"] }") "," U("b") "]",
		  "[" U("{\\\"a\\\":[1,\\\"\\\\\\\"\\\"]}b") "]", 0 },
		{ "C7: false is content", "[" C("user", T("message") ",\"content\":false") "]",
		  "[" U("false") "]", 0 },
		{ "C7: an empty list too", "[" C("user", T("message") ",\"content\":[]") "]",
		  "[" U("[]") "]", 0 },
		{ "G4: a NUL", "[" U("a\\u0000") "," U("b") "]", "[" U("a\\u0000b") "]", 0 },
		{ "G4: a pair that was cut", "[" U("\\ud83d") "," U("\\ude00") "]",
		  "[" U("\xf0\x9f\x98\x80") "]", 0 },
		{ "G4: halves that stay alone", "[" U("\\ude00") "," U("\\ud83d") "]",
		  "[" U("\\ude00\\ud83d") "]", 0 },
		{ "escapes and quotes", "[" U("\\\\") "," U("n\\\"\\/") "]", "[" U("\\\\n\\\"/") "]",
		  0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void an_end_ends_only_what_it_fits(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C8: the same role and type", "[" U("a") "," C("user", T("message") "," END) ","
		  U("b") "]", "[" U("a") "," U("b") "]", 0 },
		{ "C8: a flag without type", "[" U("a") "," C("user", END) "," U("b") "]",
		  "[" U("a") "," U("b") "]", 0 },
		{ "C8: another role", "[" U("a") "," C("assistant", END) "," U("b") "]",
		  "[" U("ab") "]", 0 },
		{ "C8: another type", "[" U("a") "," C("user", T("code") "," END) "," U("b") "]",
		  "[" U("ab") "]", 0 },
		{ "C8: the format does not matter", "[" CODE(F("r") "," TEXT("a")) ","
		  CODE(F("q") "," END) "," CODE(F("r") "," TEXT("b")) "]",
		  "[" CODE(F("r") "," TEXT("a")) "," CODE(F("r") "," TEXT("b")) "]", 0 },
		{ "C8: with nothing open", "[" C("user", END) "]", "[]", 0 },
		{ "C8: twice", "[" U("a") "," C("user", END) "," C("user", END) "]", "[" U("a") "]",
		  0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void empty_messages_are_stored_or_forgotten(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "C9: a message", "[" C("user", T("message") "," START) "]", "[" U("") "]", 0 },
		{ "C9: code keeps its format", "[" CODE(F("r") "," START) "," CODE(END) "]",
		  "[" CODE(F("r") "," TEXT("")) "]", 0 },
		{ "C9: an unknown type", "[" C("user", T("x") "," START) "]",
		  "[" C("user", T("x") "," TEXT("")) "]", 0 },
		{ "C9: console output", "[" CONSOLE(START) "," CONSOLE(END) "]",
		  "[" CONSOLE(F("output") "," TEXT("")) "]", 0 },
		{ "C9: an image is forgotten", "[" IMAGE(F("url") "," START) "," IMAGE(END) "]", "[]",
		  0 },
		{ "C9: so is a sound", "[" C("user", T("audio") "," START) "]", "[]", 0 },
		{ "C9: and a file", "[" C("user", T("file") "," START) "]", "[]", 0 },
		{ "C9: and what never got a type", "[" C("user", START) "," C("user", END) "]", "[]",
		  0 },
		{ "C9: its members go with it", "[" C("user", START ",\"id\":1") "," A("a") "]",
		  "[" A("a") "]", 0 },
		{ "C9: an empty type is a type", "[" C("user", T("") "," START) "]",
		  "[" C("user", T("") "," TEXT("")) "]", 0 },
		{ "C9: console content without a format", "[" CONSOLE(TEXT("a")) "]",
		  "[" CONSOLE(F("output") "," TEXT("a")) "]", 0 },
	};
	/* clang-format on */

	CHECK_ROWS(cases);
}

static void warnings_name_the_chunk(void **state)
{
	(void)state;
	static const char chunks[] =
		"[" U("a") "," C("server", T("status") "," TEXT("x")) "," CONSOLE(
			F("active_line") ",\"content\":1") "]";
	struct json_doc d = { 0 };
	struct warnings w;
	struct buf      out;

	warnings_init(&w);
	buf_init(&out, MIB);
	scan(&d, chunks, strlen(chunks));
	put_together(&d, 0, &w, &out);
	assert_int_equal(w.count, 2);
	buf_clear(&out);
	assert_true(buf_text(&out, "[") && buf_str(&out, buf_view(&w.json)) && buf_text(&out, "]"));
	json_doc_finish(&d);
	scan(&d, out.data, out.len);
	json_at first = json_first(&d, 0);
	int64_t index = -1;
	assert_true(json_int(&d, json_get(&d, first, "index"), &index) && index == 1);
	assert_true(json_is(&d, json_get(&d, first, "code"), "not_stored"));
	assert_true(json_int(&d, json_get(&d, json_next(&d, first), "index"), &index) &&
		    index == 2);
	json_doc_finish(&d);
	buf_finish(&out);
	warnings_finish(&w);
}

/* many: one chunk, again and again, until it fails or n is reached; how often it was taken. */
static size_t many(struct gather *g, const char *chunk, size_t n)
{
	struct json_doc d = { 0 };
	struct err      e = { 0 };
	size_t          i = 0;

	scan(&d, chunk, strlen(chunk));
	while (i < n && gather_chunk(g, &d, 0, "chunk", i, &e) == ERR_OK)
		i++;
	if (i < n)
		assert_int_equal(e.code, ERR_OVERLOADED);
	json_doc_finish(&d);
	return i;
}

static void the_maximum_holds_for_all_there_is(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *chunk;
		size_t      least, most; /* chunks that fit into 10000 bytes */
	} cases[] = {
		{ "one open message", U("0123456789"), 950, 1000 },
		{ "many finished ones", C("user", T("message") "," START "," TEXT("0123456789")), 100,
		  200 },
		{ "images, each its own", IMAGE(TEXT("0123456789")), 100, 250 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gather *g = gather_create(10000, NULL);
		struct str     got = STR("untouched");
		struct err     e = { 0 };

		print_message("case: %s\n", cases[i].why);
		assert_non_null(g);
		size_t n = many(g, cases[i].chunk, 100000);
		if (n < cases[i].least || n > cases[i].most)
			fail_msg("%zu", n);
		/* From here on there is nothing to be had: a part would be told as the whole. */
		assert_int_equal(gather_end(g, &got, &e), ERR_OVERLOADED);
		assert_true(str_is(got, "untouched"));
		gather_destroy(g);
	}
}

static void what_is_open_counts_beside_what_is_finished(void **state)
{
	(void)state;
	struct gather *g = gather_create(10000, NULL);

	assert_non_null(g);
	assert_int_equal(many(g, C("user", T("message") "," TEXT("0123456789")), 600), 600);
	size_t n = many(g, C("assistant", T("message") "," TEXT("0123456789")), 600);
	assert_true(n > 350 && n < 400);
	gather_destroy(g);
}

static void members_by_the_thousand_take_no_time(void **state)
{
	(void)state;
	enum { CHUNKS = 300, EACH = 300 };
	struct gather  *g = gather_create(64 * MIB, NULL);
	struct json_doc d = { 0 };
	struct buf      text;
	struct str      got;
	struct err      e = { 0 };
	size_t          commas = 0;

	assert_non_null(g);
	buf_init(&text, MIB);
	for (int i = 0; i < CHUNKS; i++) {
		buf_clear(&text);
		assert_true(buf_text(&text,
				     "{\"role\":\"user\",\"type\":\"message\",\"content\":\"a\""));
		/* Half of each chunk's names are known from the one before. */
		for (int k = 0; k < EACH; k++)
			assert_true(buf_fmt(&text, ",\"m%d\":%d", i * EACH / 2 + k, i));
		assert_true(buf_text(&text, "}"));
		scan(&d, text.data, text.len);
		assert_int_equal(gather_chunk(g, &d, 0, "", 0, &e), ERR_OK);
	}
	/* A message behind it, which must not pay for the table of the first. */
	assert_int_equal(many(g, C("user", T("message") "," START ",\"id\":1"), 20000), 20000);
	assert_int_equal(gather_end(g, &got, &e), ERR_OK);
	for (const char *p = got.p; *p != '}'; p++)
		commas += *p == ',';
	assert_int_equal(commas, 2 + (CHUNKS + 1) * EACH / 2);
	json_doc_finish(&d);
	buf_finish(&text);
	gather_destroy(g);
}

static void the_vectors_give_their_stored_messages(void **state)
{
	(void)state;
	struct buf      text, out;
	struct json_doc d = { 0 }, got = { 0 };
	size_t          checked = 0;
	char            part[4096];
	FILE           *f = fopen(FIXTURES "/lmc/chunk_accumulation.json", "rb");

	assert_non_null(f);
	buf_init(&text, MIB);
	buf_init(&out, MIB);
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		assert_true(buf_add(&text, part, n));
	fclose(f);
	scan(&d, text.data, text.len);

	json_at vectors = json_get(&d, 0, "vectors");
	JSON_EACH (i, &d, vectors) {
		json_at want = json_get(&d, i, "accumulated");
		json_at chunks = json_get(&d, json_get(&d, i, "request"), "chunks");

		if (want == JSON_ABSENT)
			continue; /* an error */
		print_message("vector: %.*s\n", STR_ARG(json_raw(&d, json_get(&d, i, "name"))));
		put_together(&d, chunks, NULL, &out);
		scan(&got, out.data, out.len);
		if (!json_alike(&got, 0, &d, want))
			fail_msg("got %.*s", STR_ARG(buf_view(&out)));
		checked++;
	}
	assert_true(checked >= 9);
	json_doc_finish(&d);
	json_doc_finish(&got);
	buf_finish(&text);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_that_break_the_form_are_refused_with_their_member),
		cmocka_unit_test(a_refused_chunk_changes_nothing),
		cmocka_unit_test(flags_and_content_in_one_chunk_keep_their_order),
		cmocka_unit_test(what_is_never_stored_ends_the_open_message_and_warns),
		cmocka_unit_test(active_lines_neither_open_nor_end),
		cmocka_unit_test(content_goes_on_where_all_is_the_same),
		cmocka_unit_test(what_the_flag_leaves_open_comes_with_the_content),
		cmocka_unit_test(content_is_appended_as_text),
		cmocka_unit_test(an_end_ends_only_what_it_fits),
		cmocka_unit_test(empty_messages_are_stored_or_forgotten),
		cmocka_unit_test(warnings_name_the_chunk),
		cmocka_unit_test(the_maximum_holds_for_all_there_is),
		cmocka_unit_test(what_is_open_counts_beside_what_is_finished),
		cmocka_unit_test(members_by_the_thousand_take_no_time),
		cmocka_unit_test(the_vectors_give_their_stored_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
