/* OpenAI's stream chunks read into a turn: the rules K1 to K8, and the vectors in any cut. */
#include "lmc/translate.h"
#include "lmc/to_lmc.h"
#include "lmc_spooled.h"

#define M(s)          LMC("assistant", "message", PLAIN(s))
#define CODE(f, s)    LMC("assistant", "code", FORMAT(f, s))
#define CALL(f, s)    LMC("assistant", "tool_call", FORMAT(f, s))

#define CHOICES(list) "{\"choices\":[" list "]}"
#define D(rest)       CHOICES("{\"index\":0,\"delta\":{" rest "}}")
#define TEXT(s)       "\"content\":\"" s "\""
#define TOOLS(list)   "\"tool_calls\":[" list "]"
#define TOOL(i, rest) "{\"index\":" #i ",\"function\":{" rest "}}"
#define NAME(s)       "\"name\":\"" s "\""
#define ARGS(s)       "\"arguments\":\"" s "\""

struct rig {
	struct warnings w;
	struct buf      messages;
	struct buf      chunks;
	struct spool    spool;
	struct speech  *turn;
	struct delta    delta;
	size_t          index;
};

static void rig_make(struct rig *r, bool fences)
{
	warnings_init(&r->w);
	buf_init(&r->messages, 64 * MIB);
	buf_init(&r->chunks, 64 * MIB);
	spool_init(&r->spool, &r->messages, &r->chunks);
	r->turn = speech_create(&(struct speech_options){ .fences = fences,
							  .sink = &spool_sink,
							  .arg = &r->spool,
							  .warnings = &r->w,
							  .max = 64 * MIB });
	assert_non_null(r->turn);
	r->delta = (struct delta){ 0 };
	r->index = 0;
}

static void rig_drop(struct rig *r)
{
	speech_destroy(r->turn);
	spool_finish(&r->spool);
	buf_finish(&r->messages);
	buf_finish(&r->chunks);
	warnings_finish(&r->w);
}

/* rig_take: one chunk, from a copy that dies with the call. */
static void rig_take(struct rig *r, struct str chunk)
{
	struct json_doc d = { 0 };
	char           *copy = malloc(chunk.n);

	assert_non_null(copy);
	memcpy(copy, chunk.p, chunk.n);
	scan(&d, (struct str){ copy, chunk.n });
	assert_true(delta_add(&r->delta, &d, 0, r->index++, r->turn, &r->w));
	json_doc_finish(&d);
	free(copy);
}

/* clang-format off */
static const struct row {
	const char *why;
	const char *chunks[8];
	const char *want;
	const char *warned;
} rows[] = {
	/* What counts (K1). */
	{ "a choice without index", { CHOICES("{\"delta\":{" TEXT("a") "}}") }, M("a"), "" },
	{ "a choice whose index is null", { CHOICES("{\"index\":null,\"delta\":{" TEXT("a") "}}") },
	  M("a"), "" },
	{ "other choices are dropped", { CHOICES("{\"index\":1,\"delta\":{" TEXT("b") "}},"
	  "{\"index\":0,\"delta\":{" TEXT("a") "}}"),
	  CHOICES("{\"index\":2,\"message\":{" TEXT("c") "}}") },
	  M("a"), "0:other_choice 1:other_choice" },
	{ "what adds nothing", { D("\"role\":\"assistant\""), D(""), D("\"content\":null"),
	  D(TEXT("")),
	  CHOICES(""), "{\"usage\":{}}", "{}",
	  CHOICES("{\"index\":0,\"finish_reason\":\"stop\"}") }, "", "" },
	{ "what adds nothing in other words", { "{\"choices\":null,\"error\":null}",
	  CHOICES("{\"delta\":null,\"message\":null}"),
	  D("\"tool_calls\":null,\"function_call\":null"),
	  D(TOOLS("")), D("\"refusal\":\"x\",\"reasoning_content\":\"y\"") }, "", "" },
	{ "an empty list of calls does not end the early text", { D(TEXT("a")), D(TOOLS("")),
	  D(TEXT("b")) }, M("ab"), "" },
	{ "a pair cut between chunks", { D(TEXT("a\\ud83d")), D(TEXT("\\ude00")) },
	  M("a\xf0\x9f\x98\x80"), "" },
	/* Parts of the turn (K2). */
	{ "content beside the first call is early text, wherever it stands in the delta",
	  { D(TEXT("a")), D(TOOLS(TOOL(0, NAME("python"))) "," TEXT("b")), D(TEXT("c")) },
	  M("ab") "," CODE("python", "") "," M("c"), "" },
	{ "content beside a later call is late text",
	  { D(TOOLS(TOOL(0, NAME("python")))), D(TOOLS(TOOL(0, ARGS("1"))) "," TEXT("b")) },
	  CODE("python", "1") "," M("b"), "" },
	{ "content beside the older form", { D("\"function_call\":{" NAME("python") "}," TEXT("a")),
	  D(TEXT("b")) }, M("a") "," CODE("python", "") "," M("b"), "" },
	/* Calls (K3, T8). */
	{ "an entry without index has its place",
	  { D(TOOLS("{\"function\":{" NAME("python") "," ARGS("0")
	    "}},{\"index\":null,\"function\":{"
	    NAME("python") "," ARGS("1") "}}")),
	    D(TOOLS("{\"function\":{" ARGS("a") "}},{\"function\":{" ARGS("b") "}}")) },
	  CODE("python", "0a") "," CODE("python", "1b"), "" },
	{ "indices in falling order", { D(TOOLS(TOOL(2, NAME("python") "," ARGS("c")))),
	  D(TOOLS(TOOL(1, NAME("python") "," ARGS("b")))),
	  D(TOOLS(TOOL(0, NAME("python") "," ARGS("a")))) },
	  CODE("python", "a") "," CODE("python", "b") "," CODE("python", "c"), "" },
	{ "a name in pieces", { D(TOOLS(TOOL(0, NAME("py")))), D(TOOLS(TOOL(0,
	  NAME("thon") "," ARGS("")))),
	  D(TOOLS(TOOL(0, ARGS("1")))), D(TOOLS(TOOL(0, NAME("x")))) }, CODE("python", "1"), "" },
	{ "the older form has index 0", { D(TOOLS(TOOL(1, NAME("python") "," ARGS("b")))),
	  D("\"function_call\":{" NAME("python") "}"), D("\"function_call\":{" ARGS("a") "}") },
	  CODE("python", "a") "," CODE("python", "b"), "" },
	{ "arguments as an object, or null", { D(TOOLS(TOOL(0,
	  NAME("f") ",\"arguments\":{\"a\": 1}")
	  "," TOOL(1, NAME("python") ",\"arguments\":null"))) },
	  CALL("f", "{\\\"a\\\":1}") "," CODE("python", ""), "0:unknown_function" },
	{ "an entry without function is a call", { D(TOOLS("{\"index\":0,\"id\":\"c\"}")),
	  D(TOOLS(TOOL(0, NAME("python")))), D(TOOLS("{\"index\":1}")) },
	  CODE("python", "") "," CALL("", ""), "2:unknown_function" },
	{ "a warning of a call has the index of its first chunk", { D(TEXT("a")),
	  D(TOOLS(TOOL(3, NAME("f")))), D(TOOLS(TOOL(1, NAME("g")))),
	  D(TOOLS(TOOL(3, ARGS("x")))) },
	  M("a") "," CALL("g", "") "," CALL("f", "x"), "2:unknown_function 1:unknown_function" },
	/* Whole messages and errors (K4). */
	{ "a message in place of a delta", { D("\"role\":\"assistant\""), CHOICES("{\"message\":{"
	  TEXT("a") "," TOOLS(TOOL(0, NAME("python") "," ARGS("1"))) "}}"), D(TEXT("b")) },
	  M("a") "," CODE("python", "1") "," M("b"), "" },
	{ "is ignored behind text", { D(TEXT("a")), CHOICES("{\"message\":{" TEXT("a") "}}") },
	  M("a"), "" },
	{ "is ignored behind a call", { D(TOOLS(TOOL(0, NAME("python")))), CHOICES("{\"message\":{"
	  TEXT("a") "}}") }, CODE("python", ""), "" },
	{ "is ignored behind another", { CHOICES("{\"message\":{" TEXT("a") "}}"),
	  CHOICES("{\"message\":{" TEXT("b") "}}") }, M("a"), "" },
	{ "is ignored beside a delta",
	  { CHOICES("{\"message\":{" TEXT("a") "},\"delta\":{" TEXT("b")
	  "}}") }, M("b"), "" },
	{ "an error ends the stream", { D(TEXT("a")), "{\"error\":{\"message\":\"over\"}}",
	  D(TEXT("b")),
	  "{\"error\":\"again\"}" }, M("a"), "1:stream_error" },
	{ "an error that is a string", { D(TEXT("a")), "{\"error\":\"\",\"choices\":[{\"delta\":{"
	  TEXT("b") "}}]}", D(TEXT("c")) }, M("a"), "1:stream_error" },
	{ "an error without a message", { "{\"error\":{}}" }, "", "0:stream_error" },
	{ "what is neither object nor string is no error",
	  { "{\"error\":false,\"choices\":[{\"delta\":{"
	  TEXT("a") "}}]}" }, M("a"), "" },
	{ "an early end closes what is open (K7)", { D(TEXT("```sh\\nls")), "{\"error\":\"x\"}" },
	  CODE("sh", "ls"), "1:stream_error" },
	/* What no provider should send. */
	{ "choices that are no array", { "{\"choices\":{}}", D(TEXT("a")) }, M("a"), "0:ignored" },
	{ "a choice that is no object", { CHOICES("5,{\"delta\":{" TEXT("a") "}}") }, M("a"),
	  "0:ignored" },
	{ "a choice whose index is a string",
	  { CHOICES("{\"index\":\"0\",\"delta\":{" TEXT("a") "}}") },
	  "", "0:other_choice" },
	{ "a delta that is no object", { CHOICES("{\"delta\":\"a\"}") }, "", "0:ignored" },
	{ "content as a number", { D("\"content\":5") }, "", "0:ignored" },
	{ "content as a list of parts",
	  { D("\"content\":[{\"type\":\"text\",\"text\":\"a\\ud83d\"},"
	  "{\"type\":\"text\",\"text\":\"\\ude00\"},{\"type\":\"image_url\"},7]") },
	  M("a\xf0\x9f\x98\x80"), "0:ignored 0:ignored" },
	{ "calls that are no array", { D("\"tool_calls\":{}"), D(TEXT("a")) }, M("a"),
	  "0:ignored" },
	{ "a call that is no object keeps its place",
	  { D(TOOLS("null,{\"function\":{" NAME("python") ","
	  ARGS("b") "}}," TOOL(0, NAME("python") "," ARGS("a")))) },
	  CODE("python", "a") "," CODE("python", "b"), "0:ignored" },
	{ "an index below zero", { D(TOOLS(TOOL(-1, NAME("python")))) }, CODE("python", ""),
	  "0:ignored" },
	{ "an index beyond all", { D(TOOLS(TOOL(4294967296, NAME("python")))) }, CODE("python", ""),
	  "0:ignored" },
	{ "a function that is no object", { D(TOOLS("{\"function\":5}")) }, CALL("", ""),
	  "0:ignored 0:unknown_function" },
	{ "a name that is no string", { D(TOOLS(TOOL(0, "\"name\":5," ARGS("x")))) }, CALL("", "x"),
	  "0:ignored 0:unknown_function" },
	{ "an old call that is no object", { D("\"function_call\":\"auto\""), D(TEXT("a")) },
	  M("a"),
	  "0:ignored" },
};
/* clang-format on */

static void chunks_become_a_turn(void **state)
{
	struct buf codes;

	(void)state;
	buf_init(&codes, MIB);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;

		print_message("case: %s\n", rows[i].why);
		rig_make(&r, true);
		for (size_t k = 0; k < ARRAY_LEN(rows[i].chunks) && rows[i].chunks[k]; k++)
			rig_take(&r, str_of(rows[i].chunks[k]));
		assert_true(speech_close(r.turn));
		assert_text(&r.messages, rows[i].want);
		chunks_agree(&r.messages, &r.chunks);
		codes_of(&r.w, &codes);
		assert_text(&codes, rows[i].warned);
		rig_drop(&r);
	}
	buf_finish(&codes);
}

static void an_error_is_quoted_in_whole_characters(void **state)
{
	struct buf chunk;

	(void)state;
	buf_init(&chunk, MIB);
	for (size_t n = 100; n < 130; n++) {
		struct rig      r;
		struct json_doc d = { 0 };

		rig_make(&r, true);
		buf_clear(&chunk);
		assert_true(buf_text(&chunk, "{\"error\":\""));
		for (size_t i = 0; i < n; i++)
			assert_true(buf_text(&chunk, "a"));
		for (size_t i = 0; i < 100; i++)
			assert_true(buf_text(&chunk, "\xf0\x9f\x98\x80\\ud83d"));
		assert_true(buf_text(&chunk, "\"}"));
		rig_take(&r, buf_view(&chunk));
		/* The scan refuses what is cut inside a character. */
		scan(&d, buf_view(&r.w.json));
		assert_true(json_raw(&d, json_get(&d, 0, "message")).n < 200);
		json_doc_finish(&d);
		rig_drop(&r);
	}
	buf_finish(&chunk);
}

/* --- the vectors --- */

enum cut {
	WHOLE,
	POINTS, /* single code points */
	UNITS,  /* also between the halves of a pair */
	RANDOM,
};

struct runner {
	struct rig *rig;
	enum cut    cut;
	unsigned    seed;
	struct buf  chunk;
};

static void give_delta(struct runner *x, const char *rest)
{
	buf_clear(&x->chunk);
	assert_true(buf_fmt(&x->chunk,
			    "{\"id\":\"chatcmpl-v\",\"object\":\"chat.completion.chunk\","
			    "\"created\":1700000000,\"model\":\"m\",\"choices\":[{\"index\":0,"
			    "\"delta\":{%s},"
			    "\"finish_reason\":null}]}",
			    rest));
	rig_take(x->rig, buf_view(&x->chunk));
}

/* next_piece: cuts a piece off the text's front, escaped as it may stand between quotes. */
static void next_piece(struct runner *x, struct str *text, struct buf *out)
{
	size_t n = text->n;

	buf_clear(out);
	if (x->cut != WHOLE)
		n = x->cut == RANDOM ? 1 + chance(&x->seed, 12) : 1;
	n = n < text->n ? n : text->n;
	while (n < text->n && ((unsigned char)text->p[n] & 0xc0) == 0x80)
		n++;
	assert_true(text_put(out, (struct str){ text->p, n }));
	text->p += n;
	text->n -= n;
}

/* as_halves: a single character beyond the first plane as two pieces. */
static bool as_halves(const struct runner *x, struct buf *piece, char second[8])
{
	const char *p = piece->data;

	if (x->cut != UNITS || piece->len != 4 || (unsigned char)p[0] < 0xf0)
		return false;

	unsigned c = ((unsigned)p[0] & 7) << 18 | ((unsigned)p[1] & 63) << 12 |
		     ((unsigned)p[2] & 63) << 6 | ((unsigned)p[3] & 63);
	c -= 0x10000;
	buf_clear(piece);
	assert_true(buf_fmt(piece, "\\u%04x", 0xd800 + (c >> 10)));
	snprintf(second, 8, "\\u%04x", 0xdc00 + (c & 1023));
	return true;
}

static void give_pieces(struct runner *x, struct str text, const char *front, const char *back)
{
	struct buf piece, rest;
	char       second[8];

	buf_init(&piece, MIB);
	buf_init(&rest, MIB);
	while (text.n > 0) {
		next_piece(x, &text, &piece);
		bool two = as_halves(x, &piece, second);

		buf_clear(&rest);
		assert_true(buf_text(&rest, front) && buf_str(&rest, buf_view(&piece)) &&
			    buf_text(&rest, back) && buf_add(&rest, "", 1));
		give_delta(x, rest.data);
		if (two) {
			buf_clear(&rest);
			assert_true(buf_fmt(&rest, "%s%s%s", front, second, back));
			assert_true(buf_add(&rest, "", 1));
			give_delta(x, rest.data);
		}
	}
	buf_finish(&piece);
	buf_finish(&rest);
}

static void give_tool(struct runner *x, const struct json_doc *d, json_at tool)
{
	struct str index = json_raw(d, json_get(d, tool, "index"));
	json_at    name = json_get(d, tool, "name");
	json_at    args = json_get(d, tool, "arguments");
	struct buf text;
	char       rest[400];

	buf_init(&text, MIB);
	if (name != JSON_ABSENT) {
		snprintf(rest, sizeof rest,
			 "\"tool_calls\":[{\"index\":%.*s,\"id\":%.*s,\"type\":\"function\","
			 "\"function\":{\"name\":%.*s,\"arguments\":\"\"}}]",
			 STR_ARG(index), STR_ARG(json_raw(d, json_get(d, tool, "id"))),
			 STR_ARG(json_raw(d, name)));
		give_delta(x, rest);
	}
	assert_true(text_of(d, args, &text));
	snprintf(rest, sizeof rest,
		 "\"tool_calls\":[{\"index\":%.*s,\"function\":{\"arguments\":\"", STR_ARG(index));
	give_pieces(x, buf_view(&text), rest, "\"}}]");
	buf_finish(&text);
}

static void give_legacy(struct runner *x, const struct json_doc *d, json_at call)
{
	struct buf text;
	char       rest[400];

	buf_init(&text, MIB);
	snprintf(rest, sizeof rest, "\"function_call\":{\"name\":%.*s,\"arguments\":\"\"}",
		 STR_ARG(json_raw(d, json_get(d, call, "name"))));
	give_delta(x, rest);
	assert_true(text_of(d, json_get(d, call, "arguments"), &text));
	give_pieces(x, buf_view(&text), "\"function_call\":{\"arguments\":\"", "\"}");
	buf_finish(&text);
}

static void give_stream(struct runner *x, const struct json_doc *d, json_at stream)
{
	give_delta(x, "\"role\":\"assistant\"");
	JSON_EACH (i, d, stream) {
		json_at    key = json_first(d, i);
		json_at    value = json_value(key);
		struct buf text;

		buf_init(&text, MIB);
		if (json_is(d, key, "text")) {
			assert_true(text_of(d, value, &text));
			give_pieces(x, buf_view(&text), "\"content\":\"", "\"");
		} else if (json_is(d, key, "tool")) {
			give_tool(x, d, value);
		} else if (json_is(d, key, "legacy")) {
			give_legacy(x, d, value);
		} else {
			assert_true(json_is(d, key, "raw"));
			rig_take(x->rig, json_raw(d, value));
		}
		buf_finish(&text);
	}
	rig_take(x->rig, STR(CHOICES("{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}")));
}

static bool fences_of(const struct json_doc *d, json_at vector)
{
	json_at fences = json_get(d, json_get(d, vector, "request"), "fences");

	return fences == JSON_ABSENT || json_kind(d, fences) == JSON_TRUE;
}

static void expect_messages(const struct json_doc *d, json_at vector, const struct buf *messages)
{
	json_at         want = json_get(d, json_get(d, vector, "expect"), "messages");
	struct json_doc got = { 0 };
	struct buf      text;

	buf_init(&text, MIB);
	scan(&got, in_brackets(messages, &text));
	if (!json_alike(&got, 0, d, want))
		fail_msg("got %.*s", (int)text.len, text.data);
	json_doc_finish(&got);
	buf_finish(&text);
}

static void check_cut(const struct json_doc *d, json_at vector, enum cut cut, unsigned seed)
{
	json_at       warned = json_get(d, vector, "warnings");
	struct rig    r;
	struct runner x = { .rig = &r, .cut = cut, .seed = seed };

	buf_init(&x.chunk, MIB);
	rig_make(&r, fences_of(d, vector));
	give_stream(&x, d, json_get(d, vector, "stream"));
	assert_true(speech_close(r.turn));
	expect_messages(d, vector, &r.messages);
	chunks_agree(&r.messages, &r.chunks);
	if (warned != JSON_ABSENT)
		assert_int_equal(r.w.count > 0, json_is(d, warned, "some"));
	rig_drop(&r);
	buf_finish(&x.chunk);
}

/* check_whole: the turn as one message gives the same (K8), if it has no text behind its calls and
 * no chunk of its own making. */
static bool check_whole(const struct json_doc *d, json_at vector)
{
	json_at     stream = json_get(d, vector, "stream");
	struct buf  text, calls, out;
	const char *legacy = "";
	bool        fit = true;

	buf_init(&text, MIB);
	buf_init(&calls, MIB);
	buf_init(&out, MIB);
	JSON_EACH (i, d, stream) {
		json_at key = json_first(d, i);
		json_at value = json_value(key);

		if (json_is(d, key, "text")) {
			fit = fit && calls.len == 0;
			assert_true(text_of(d, value, &text));
			continue;
		}
		fit = fit && !json_is(d, key, "raw");
		if (json_is(d, key, "legacy"))
			legacy = "\"function_call\":";
		assert_true(buf_text(&calls, calls.len > 0 ? "," : "") &&
			    buf_text(&calls, *legacy ? "" : "{\"function\":") &&
			    json_print(d, value, &calls) && buf_text(&calls, *legacy ? "" : "}"));
	}
	if (fit) {
		struct to_lmc_options o = { .fences = fences_of(d, vector) };
		struct json_doc       whole = { 0 };
		struct buf            message;
		struct err            e = { 0 };

		buf_init(&message, MIB);
		assert_true(buf_text(&message, "{\"role\":\"assistant\",\"content\":") &&
			    text_quote(&message, buf_view(&text)) && buf_text(&message, ",") &&
			    buf_text(&message, *legacy ? legacy : "\"tool_calls\":[") &&
			    buf_str(&message, buf_view(&calls)) &&
			    buf_text(&message, *legacy ? "}" : "]}"));
		scan(&whole, buf_view(&message));
		assert_int_equal(to_lmc_message(&whole, 0, "messages[0]", 0, &o, &out, &e), ERR_OK);
		expect_messages(d, vector, &out);
		json_doc_finish(&whole);
		buf_finish(&message);
	}
	buf_finish(&text);
	buf_finish(&calls);
	buf_finish(&out);
	return fit;
}

static void all_vectors_hold_in_any_cut_and_as_a_whole(void **state)
{
	struct json_doc d = { 0 };
	struct buf      text;
	unsigned        whole = 0;
	unsigned        count = 0;

	(void)state;
	buf_init(&text, MIB);
	read_fixture(FIXTURES "/lmc/stream_openai_to_lmc.json", &text);
	scan(&d, buf_view(&text));

	json_at vectors = json_get(&d, 0, "vectors");
	JSON_EACH (i, &d, vectors) {
		print_message("vector: %.*s\n", STR_ARG(json_inner(&d, json_get(&d, i, "name"))));
		check_cut(&d, i, WHOLE, 0);
		check_cut(&d, i, POINTS, 0);
		check_cut(&d, i, UNITS, 0);
		for (unsigned seed = 1; seed <= 25; seed++)
			check_cut(&d, i, RANDOM, seed);
		whole += check_whole(&d, i);
		count++;
	}
	assert_int_in_range(count, 35, 1000);
	assert_int_in_range(whole, 30, 1000);
	json_doc_finish(&d);
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_become_a_turn),
		cmocka_unit_test(an_error_is_quoted_in_whole_characters),
		cmocka_unit_test(all_vectors_hold_in_any_cut_and_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
