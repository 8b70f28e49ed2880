/* LMC's dialect: streams as events, however they are cut and whatever they hold. */
#include "lmc/translate.h"
#include "tests/unit/lmc_heard.h"
#include "upstream/sse.h"

/* --- chunks --- */

/* clang-format off */
#define BARE(members)       "{\"role\":\"assistant\"," members "}"
#define A(type, members)    "{\"role\":\"assistant\",\"type\":\"" type "\"" members "}"
#define C(type, members)    "{\"role\":\"computer\",\"type\":\"" type "\"" members "}"
#define S(type, members)    "{\"role\":\"server\",\"type\":\"" type "\"" members "}"
#define FORMAT(format)      ",\"format\":\"" format "\""
#define TO(recipient)       ",\"recipient\":\"" recipient "\""
#define CONTENT(json)       ",\"content\":" json
#define TEXT(text)          CONTENT("\"" text "\"")
#define START               ",\"start\":true"
#define END                 ",\"end\":true"

#define MESSAGE(text)       A("message", TEXT(text))
#define CODE(text)          A("code", FORMAT("python") TEXT(text))
#define COMPLETE            S("status", TEXT("complete"))

/* --- events --- */

#define SAID(text)          "=(\"" text "\") TEXT(" text ") "
/* Behind a message that ended without an LF. */
#define SAID_BELOW(text)    "=(\"" text "\") TEXT(\\n) TEXT(" text ") "
#define CODED(text)         "=(\"" text "\") ARGS0(" text ") "
#define EXECUTE(n, language) \
	"TOOL" n "(call_" n ",execute) ARGS" n "({\\\"language\\\":\\\") ARGS" n "(" language ") " \
	"ARGS" n "(\\\",\\\"code\\\":\\\") "
#define CLOSE(n)            "ARGS" n "(\\\"}) "
#define PYTHON_ON           "+assistant/code/python " EXECUTE("0", "python")
#define PYTHON_OFF          CLOSE("0") "-assistant/code/python "

static const struct stream_case streams[] = {
	{ "a message",
	  { A("message", START), MESSAGE("Hel"), MESSAGE("l\\u00f6"), A("message", END), COMPLETE },
	  "START() " M_ON SAID("Hel") SAID("l\\u00f6") M_OFF "FINISH(stop) " },
	{ "code, its confirmation, what it printed, and an answer",
	  { A("code", FORMAT("python") START), CODE("2380"), CODE("*3875"),
	    A("code", FORMAT("python") END),
	    C("confirmation", FORMAT("execution")
	      CONTENT("{\"type\":\"code\",\"format\":\"python\",\"content\":\"2380*3875\"}")),
	    C("console", START), C("console", FORMAT("active_line") CONTENT("1")),
	    C("console", FORMAT("output") TEXT("9222500\\n")),
	    C("console", FORMAT("active_line") CONTENT("null")), C("console", END),
	    A("message", START), MESSAGE("Done"), A("message", END), COMPLETE },
	  "START() " PYTHON_ON CODED("2380") CODED("*3875") PYTHON_OFF
	  "!({\"type\":\"code\",\"format\":\"python\",\"content\":\"2380*3875\"}) "
	  "+computer/console ~(1) =(\"9222500\\n\") ~(null) -computer/console "
	  M_ON SAID("Done") M_OFF "FINISH(tool_calls) " },
	{ "no flags at all",
	  { MESSAGE("a"), MESSAGE("b"), CODE("c"), MESSAGE("d"), COMPLETE },
	  "START() " M_ON SAID("a") SAID("b") M_OFF PYTHON_ON CODED("c") PYTHON_OFF M_ON
	  SAID_BELOW("d") M_OFF "FINISH(tool_calls) " },
	{ "no end, and a second start",
	  { A("message", START), MESSAGE("a\\n"), A("message", START), MESSAGE("b"), COMPLETE },
	  "START() " M_ON SAID("a\\n") M_OFF M_ON SAID("b") M_OFF "FINISH(stop) " },
	{ "an LF that is written as a number, and one that is none",
	  { MESSAGE("a\\u000A"), A("message", START), MESSAGE("b\\\\n"), A("message", START),
	    MESSAGE("c"), COMPLETE },
	  "START() " M_ON SAID("a\\u000A") M_OFF M_ON SAID("b\\\\n") M_OFF M_ON
	  SAID_BELOW("c") M_OFF "FINISH(stop) " },
	{ "all in one chunk",
	  { A("message", START TEXT("a") END), COMPLETE },
	  "START() " M_ON SAID("a") M_OFF "FINISH(stop) " },
	{ "flags that are false say nothing",
	  { A("message", ",\"start\":false,\"end\":null" TEXT("a")), COMPLETE },
	  "START() " M_ON SAID("a") M_OFF "FINISH(stop) " },
	{ "the end of another segment is none",
	  { MESSAGE("a"), A("code", END), C("message", END), MESSAGE("b"), COMPLETE },
	  "START() " M_ON SAID("a") SAID("b") M_OFF "FINISH(stop) " },
	{ "a start without a type waits for it",
	  { BARE("\"start\":true"), CODE("x"), BARE("\"end\":true"), COMPLETE },
	  "START() " PYTHON_ON CODED("x") PYTHON_OFF "FINISH(tool_calls) " },
	{ "and is forgotten where none comes",
	  { BARE("\"start\":true"), BARE("\"end\":true"), "{\"role\":\"computer\",\"start\":true}",
	    MESSAGE("a"), COMPLETE },
	  "START() " M_ON SAID("a") M_OFF "FINISH(stop) " },
	{ "the language comes with the first content",
	  { A("code", START), A("code", FORMAT("r") TEXT("x")), A("code", TEXT("y")),
	    A("code", END), COMPLETE },
	  "START() +assistant/code " EXECUTE("0", "r") CODED("x") CODED("y") CLOSE("0")
	  "-assistant/code FINISH(tool_calls) " },
	{ "or with a later one",
	  { A("code", START), A("code", TEXT("x")), A("code", FORMAT("r") TEXT("y")), COMPLETE },
	  "START() +assistant/code TOOL0(call_0,execute) ARGS0({\\\"code\\\":\\\") " CODED("x")
	  CODED("y") "ARGS0(\\\",\\\"language\\\":\\\") ARGS0(r) " CLOSE("0")
	  "-assistant/code FINISH(tool_calls) " },
	{ "or never; code may be empty",
	  { A("code", START), A("code", END), COMPLETE },
	  "START() +assistant/code TOOL0(call_0,execute) ARGS0({\\\"code\\\":\\\") "
	  "ARGS0(\\\",\\\"language\\\":\\\") ARGS0(python) " CLOSE("0")
	  "-assistant/code FINISH(tool_calls) " },
	{ "another language is another segment",
	  { CODE("x"), A("code", FORMAT("r") TEXT("y")), COMPLETE },
	  "START() " PYTHON_ON CODED("x") PYTHON_OFF "+assistant/code/r " EXECUTE("1", "r")
	  "=(\"y\") ARGS1(y) " CLOSE("1") "-assistant/code/r FINISH(tool_calls) " },
	{ "code is escaped once more inside its arguments",
	  { CODE("a\\\"b\\\\c\\n"), COMPLETE },
	  "START() " PYTHON_ON "=(\"a\\\"b\\\\c\\n\") ARGS0(a\\\\\\\"b\\\\\\\\c\\\\n) " PYTHON_OFF
	  "FINISH(tool_calls) " },
	{ "a language too",
	  { A("code", FORMAT("a\\\"") TEXT("x")), COMPLETE },
	  "START() +assistant/code/a\\\" " EXECUTE("0", "a\\\\\\\"") CODED("x") CLOSE("0")
	  "-assistant/code/a\\\" FINISH(tool_calls) " },
	{ "a surrogate pair that is cut",
	  { CODE("\\ud83d"), CODE("\\ude00"), MESSAGE("\\ud83d"), MESSAGE("\\ude00"), COMPLETE },
	  "START() " PYTHON_ON "=(\"\\ud83d\") ARGS0(\\\\ud83d) =(\"\\ude00\") ARGS0(\\\\ude00) "
	  PYTHON_OFF M_ON SAID("\\ud83d") SAID("\\ude00") M_OFF "FINISH(tool_calls) " },
	{ "a call of a function",
	  { A("tool_call", FORMAT("f") START), A("tool_call", FORMAT("f") TEXT("{\\\"a\\\"")),
	    A("tool_call", FORMAT("f") TEXT(":1}")), A("tool_call", FORMAT("f") END), COMPLETE },
	  "START() +assistant/tool_call/f TOOL0(call_0,f) " CODED("{\\\"a\\\"") CODED(":1}")
	  "-assistant/tool_call/f FINISH(tool_calls) " },
	{ "whose name comes late",
	  { A("tool_call", TEXT("{")), A("tool_call", FORMAT("f") TEXT("}")), COMPLETE },
	  "START() +assistant/tool_call =(\"{\") =(\"}\") TOOL0(call_0,f) ARGS0({) ARGS0(}) "
	  "-assistant/tool_call FINISH(tool_calls) " },
	{ "or never",
	  { A("tool_call", TEXT("{}")), COMPLETE },
	  "START() +assistant/tool_call =(\"{}\") TOOL0(call_0,) ARGS0({}) -assistant/tool_call "
	  "FINISH(tool_calls) " },
	{ "what is for the user alone is not in OpenAI's view",
	  { A("message", TO("user") TEXT("a")), A("message", TO("assistant") TEXT("b")), COMPLETE },
	  "START() +assistant/message@user =(\"a\") -assistant/message@user "
	  "+assistant/message@assistant " SAID("b") "-assistant/message@assistant FINISH(stop) " },
	{ "the recipient of a start holds for its contents",
	  { A("message", TO("user") START), MESSAGE("a"), A("message", END), MESSAGE("b"),
	    COMPLETE },
	  "START() +assistant/message@user =(\"a\") -assistant/message@user " M_ON SAID("b") M_OFF
	  "FINISH(stop) " },
	{ "a recipient that comes with the first content",
	  { A("message", START), A("message", TO("user") TEXT("a")), MESSAGE("b"), COMPLETE },
	  "START() " M_ON "=(\"a\") " M_OFF M_ON SAID("b") M_OFF "FINISH(stop) " },
	{ "a review is a segment, and nothing to OpenAI",
	  { MESSAGE("a"), A("review", FORMAT("safe") TEXT("ok")), MESSAGE("b"), COMPLETE },
	  "START() " M_ON SAID("a") M_OFF "+assistant/review/safe =(\"ok\") -assistant/review/safe "
	  M_ON SAID_BELOW("b") M_OFF "FINISH(stop) " },
	{ "images stand alone",
	  { C("image", FORMAT("base64.png") TEXT("QQ==")),
	    C("image", FORMAT("base64.png") TEXT("Qg==")), C("image", END), COMPLETE },
	  "START() +computer/image/base64.png =(\"QQ==\") -computer/image/base64.png "
	  "+computer/image/base64.png =(\"Qg==\") -computer/image/base64.png FINISH(stop) " },
	{ "a confirmation ends what is open, and its flags are none",
	  { CODE("x"), C("confirmation", START), C("confirmation", CONTENT("{\"a\": [1]}")),
	    C("confirmation", END), COMPLETE },
	  "START() " PYTHON_ON CODED("x") PYTHON_OFF "!({\"a\": [1]}) FINISH(tool_calls) " },
	{ "an active line waits for its console, and the newest one counts",
	  { CODE("x"), C("console", FORMAT("active_line") CONTENT("1")),
	    C("console", FORMAT("active_line") CONTENT("2")), CODE("y"),
	    C("console", FORMAT("output") TEXT("o")), COMPLETE },
	  "START() " PYTHON_ON CODED("x") CODED("y") PYTHON_OFF
	  "+computer/console/output ~(2) =(\"o\") -computer/console/output FINISH(tool_calls) " },
	{ "content that is no text",
	  { A("message", CONTENT("5")), A("message", CONTENT("{\"a\": \"\\n\"}")),
	    A("code", FORMAT("python") CONTENT("[ 1 ]")), COMPLETE },
	  "START() " M_ON "=(5) TEXT(5) =({\"a\": \"\\n\"}) TEXT({\\\"a\\\":\\\"\\\\n\\\"}) " M_OFF
	  PYTHON_ON "=([ 1 ]) ARGS0([1]) " PYTHON_OFF "FINISH(tool_calls) " },
	{ "content that adds nothing",
	  { MESSAGE(""), A("message", CONTENT("null")), A("message", START), MESSAGE(""),
	    A("message", END), COMPLETE },
	  "START() " M_ON M_OFF "FINISH(stop) " },
	{ "further members go along",
	  { BARE("\"id\":7,\"type\":\"message\",\"start\":true"),
	    A("message", TEXT("a") ",\"id\":8"), A("message", ",\"id\":9" END), COMPLETE },
	  "START() +assistant/message,7 =(\"a\",id) TEXT(a) -assistant/message,9 FINISH(stop) " },
	{ "chunks in several lines become one",
	  { "{\n \"role\": \"assistant\",\r\n \"type\": \"message\",\n \"id\": [\n1],\n"
	    " \"content\": \"a\"\n}",
	    COMPLETE },
	  "START() " M_ON "=(\"a\",id) TEXT(a) " M_OFF "FINISH(stop) " },
	{ "a member that is there twice is there once",
	  { A("message", TEXT("a") TEXT("b") ",\"role\":\"server\""), COMPLETE },
	  "START() " M_ON SAID("a") M_OFF "FINISH(stop) " },
	{ "names and values written with escapes",
	  { BARE("\"type\":\"mess\\u0061ge\",\"start\":true"),
	    BARE("\"typ\\u0065\":\"message\",\"content\":\"a\""),
	    A("message", ",\"st\\u0061rt\":false" TEXT("b")),
	    "{\"role\":\"s\\u0065rver\",\"type\":\"status\",\"content\":\"compl\\u0065te\"}" },
	  "START() " M_ON SAID("a") SAID("b") M_OFF "FINISH(stop) " },
	{ "other chunks of the server are not handed on, and end what is open",
	  { MESSAGE("a"), S("status", TEXT("running")), "{\"role\":\"server\",\"start\":true}",
	    MESSAGE("b"), COMPLETE },
	  "START() " M_ON SAID("a") M_OFF M_ON SAID_BELOW("b") M_OFF "FINISH(stop) " },
	{ "an answer without anything",
	  { COMPLETE },
	  "START() FINISH(stop) " },
	{ "usage and a finish reason with the status, and nothing is read behind it",
	  { MESSAGE("a"),
	    S("status", TEXT("complete") ",\"finish_reason\":\"length\","
				     "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}"),
	    "nonsense" },
	  "START() " M_ON SAID("a") M_OFF "USAGE(3,4) FINISH(length) " },
	{ "the older terminator",
	  { MESSAGE("a"), S("completion", TEXT("DONE")) },
	  "START() " M_ON SAID("a") M_OFF "FINISH(stop) " },
	{ "OpenAI's terminator",
	  { MESSAGE("a"), " [DONE]\n", "nonsense" },
	  "START() " M_ON SAID("a") M_OFF "FINISH(stop) " },
};
/* clang-format on */

static void chunks_become_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct heard t;

		heard_open(&t);
		check_stream(&t.in, &streams[i]);
		assert_true(t.in.decode.done_mark);
		heard_close(&t);
	}
}

static enum errc on_sse(void *arg, struct str name, struct str data, struct err *e)
{
	return dialect_lmc.decode_event(arg, name, data, e);
}

/* The bytes of a stream, as a server sends them: ids and names are nobody's business. */
static void put_stream(const struct stream_case *c, struct buf *out)
{
	static const char *const fronts[] = { "", "id: 7.1\r\n", "event: done\n", ": ping\n\n" };

	for (size_t k = 0; k < ARRAY_LEN(c->chunks) && c->chunks[k]; k++) {
		const char *line = c->chunks[k];

		assert_true(buf_text(out, fronts[k % ARRAY_LEN(fronts)]));
		for (const char *lf; *line; line = lf) {
			lf = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
			assert_true(buf_text(out, "data: ") &&
				    buf_add(out, line, (size_t)(lf - line)) &&
				    (lf[-1] == '\n' || buf_text(out, "\n")));
		}
		assert_true(buf_text(out, "\n"));
	}
}

static void check_cut(const struct stream_case *c, const struct buf *bytes, size_t cut)
{
	struct heard t;
	struct sse   sse;
	struct err   e;

	heard_open(&t);
	sse_init(&sse);
	for (size_t at = 0; at < bytes->len; at += cut) {
		size_t n = bytes->len - at < cut ? bytes->len - at : cut;

		if (sse_feed(&sse, bytes->data + at, n, on_sse, &t.in.decode, &e) != ERR_OK)
			fail_msg("%s, cut at %zu: %s", c->why, cut, e.text);
	}
	assert_int_equal(sse_end(&sse, on_sse, &t.in.decode, &e), ERR_OK);
	expect_text(c->why, buf_view(&t.in.out), c->want);
	sse_finish(&sse);
	heard_close(&t);
}

static void streams_mean_the_same_wherever_they_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct buf bytes;

		buf_init(&bytes, 1 << 20);
		put_stream(&streams[i], &bytes);
		for (size_t cut = 1; cut <= bytes.len; cut += cut < 8 ? 1 : 37)
			check_cut(&streams[i], &bytes, cut);
		buf_finish(&bytes);
	}
}

/* What a loop would be held by is several chunks, which say the same. */
static void a_long_chunk_is_given_in_pieces(void **state)
{
	static const char front[] = "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"";
	static const char text[] = "a\\ud83d\\ude00\\n"; /* 6 bytes, once it is decoded */
	static const char back[] = "\",\"id\":7}";
	struct heard      t;
	struct buf        data;
	struct err        e;
	size_t            chunks = 0;
	size_t            others = 0;

	(void)state;
	heard_open(&t);
	heard_gather(&t);
	buf_init(&data, MIB);
	assert_true(buf_text(&data, front));
	while (data.len < LIMIT_LOOP_JSON + 1000)
		assert_true(buf_text(&data, text));
	assert_true(buf_text(&data, back));
	assert_int_equal(dialect_lmc.decode_event(&t.in.decode, STR_NONE, buf_view(&data), &e),
			 ERR_OK);
	decode_good(&t.in, COMPLETE);

	struct str out = buf_view(&t.in.out);
	for (size_t i = 0; i + 5 < out.n; i++) {
		chunks += memcmp(out.p + i, "=(", 2) == 0;
		others += memcmp(out.p + i, ",id) ", 5) == 0;
	}
	assert_int_equal(chunks, LIMIT_LOOP_JSON / LIMIT_PIECE + 1);
	assert_int_equal(others, 1);

	struct str all;
	size_t     n = data.len - strlen(front) - strlen(back);
	assert_int_equal(gather_end(t.gather, &all, &e), ERR_OK);
	assert_true(all.n > n + strlen(front));
	assert_memory_equal(all.p, front, strlen(front));
	assert_memory_equal(all.p + strlen(front), data.data + strlen(front), n);
	assert_int_equal(t.text.len, n / strlen(text) * 6);
	buf_finish(&data);
	heard_close(&t);
}

static void a_stream_without_its_status_is_not_finished(void **state)
{
	struct heard         t;
	const struct decode *d = &t.in.decode;

	(void)state;
	heard_open(&t);
	decode_good(&t.in, MESSAGE("a"));
	decode_good(&t.in, A("message", END));
	assert_true(d->started && !d->finished && !d->done_mark);
	heard_close(&t);

	/* A terminator alone is no answer. */
	heard_open(&t);
	decode_good(&t.in, "[DONE]");
	assert_true(!d->started && !d->finished && d->done_mark);
	assert_int_equal(t.in.out.len, 0);
	heard_close(&t);
}

/* clang-format off */
static const struct event_error_case event_errors[] = {
	{ "an error of the server, a text", "", S("error", TEXT("Traceback at 10.0.0.1")), FAILED,
	  "Traceback at [host]" },
	{ "an object", "",
	  S("error", CONTENT("{\"message\":\"boom\",\"type\":\"server_error\",\"param\":null,"
			     "\"code\":\"x\"}")),
	  { ERR_UPSTREAM_ERROR, 502, "server_error", "x" }, "boom" },
	{ "with a status", "", S("error", CONTENT("{\"message\":\"slow\",\"status\":429}")),
	  { ERR_UPSTREAM_RATE_LIMIT, 429, "requests", "rate_limit_exceeded" }, "slow" },
	{ "nothing", "", S("error", CONTENT("null")), FAILED,
	  "the provider reported an error without a message" },
	{ "finish_reason error", "", S("status", TEXT("complete") ",\"finish_reason\":\"error\""), FAILED,
	  "the provider ended the answer with finish_reason \"error\"" },
	{ "OpenAI's error object", "", "{\"error\":{\"message\":\"boom\",\"code\":\"x\"}}",
	  { ERR_UPSTREAM_ERROR, 502, "upstream_error", "x" }, "boom" },
	{ "an error event of prose", "error", "out of memory", FAILED, "out of memory" },
	{ "an error event", "error", "{\"message\":\"ctx\"}", FAILED, "ctx" },
	{ "no JSON", "", "{\"role\":", BAD_RESPONSE, "the provider sent a stream event that is not JSON" },
	{ "no object", "", "\"hello\"", BAD_RESPONSE,
	  "the provider sent a stream event that is no JSON object" },
	{ "OpenAI's chunks", "", "{\"choices\":[]}", BAD_RESPONSE,
	  "the provider sent a chunk without a role" },
	{ "a null role", "", "{\"role\":null,\"type\":\"message\",\"content\":\"a\"}", BAD_RESPONSE,
	  "the provider sent a chunk without a role" },
	{ "an unknown role", "", "{\"role\":\"judge\",\"type\":\"message\",\"content\":\"a\"}", BAD_RESPONSE,
	  "the provider sent a chunk with a role that LMC does not have" },
	{ "no type", "", BARE("\"content\":\"a\""), BAD_RESPONSE,
	  "the provider sent a chunk without a type" },
	{ "no type beside a flag with content", "", BARE("\"content\":\"a\"" START), BAD_RESPONSE,
	  "the provider sent a chunk without a type" },
	{ "a type of a wrong type", "", BARE("\"type\":1" TEXT("a")), BAD_RESPONSE,
	  "the provider sent a chunk with a type that is no string" },
	{ "a format of a wrong type", "", A("code", ",\"format\":[]" TEXT("a")), BAD_RESPONSE,
	  "the provider sent a chunk with a format that is no string" },
};
/* clang-format on */

static void errors_in_a_stream_are_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(event_errors); i++) {
		const struct event_error_case *c = &event_errors[i];
		struct heard                   t;

		heard_open(&t);
		check_event_error(&t.in, c);
		/* Nothing comes before the error but, with the status, the start. */
		expect_text(c->why, buf_view(&t.in.out),
			    strstr(c->data, "\"type\":\"status\"") ? "START() " : "");
		heard_close(&t);
	}
}

static void an_error_ends_the_open_segment(void **state)
{
	struct heard t;

	(void)state;
	heard_open(&t);
	decode_good(&t.in, CODE("x"));
	assert_int_equal(decode_copy(&t.in, "", S("error", TEXT("no"))), ERR_UPSTREAM_ERROR);
	expect_text("its end", buf_view(&t.in.out), "START() " PYTHON_ON CODED("x") PYTHON_OFF);
	assert_false(t.in.decode.finished);
	heard_close(&t);
}

/* --- whatever is sent: the same messages, and the same words in OpenAI's terms --- */

/* Chunks that may stand in any order; few enough for every pair of states to meet. */
static const char *const alphabet[] = {
	A("message", START),
	A("message", END),
	MESSAGE("a"),
	MESSAGE("b\\n"),
	A("message", TO("user") TEXT("c")),
	A("message", TO("user") START),
	A("code", START),
	A("code", FORMAT("r") START),
	A("code", END),
	A("code", TEXT("d")),
	CODE("e\\\"\\\\"),
	A("code", FORMAT("r") TEXT("f") END),
	BARE("\"start\":true"),
	BARE("\"start\":true,\"recipient\":\"user\",\"id\":1"),
	BARE("\"end\":true,\"id\":2"),
	A("tool_call", TEXT("g") START),
	A("tool_call", FORMAT("f") TEXT("h")),
	A("review", TEXT("i")),
	C("console", START),
	C("console", FORMAT("active_line") CONTENT("1")),
	C("console", FORMAT("active_line") CONTENT("null") START),
	C("console", FORMAT("output") TEXT("j") ",\"id\":3"),
	C("console", END),
	C("image", FORMAT("base64") TEXT("QQ==")),
	C("image", FORMAT("base64") START),
	C("confirmation", CONTENT("{}")),
	C("message", TEXT("k")),
	S("status", TEXT("x")),
	MESSAGE(""),
	A("message", CONTENT("[1]")),
};

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void put_call_text(struct buf *out, const struct buf call[2])
{
	struct json_doc doc = { 0 };
	struct str      name = buf_view(&call[0]), args = buf_view(&call[1]);
	struct err      e;

	assert_true(buf_text(out, "\ncall ") && buf_str(out, name) && buf_text(out, ": "));
	if (!str_is(name, "execute")) {
		assert_true(buf_str(out, args));
		return;
	}
	/* The order of its members is free. */
	assert_int_equal(json_scan(&doc, args.p, args.n, &json_limits_request, &e), ERR_OK);
	assert_int_equal(doc.tok[0].count, 2);
	assert_true(text_of(&doc, json_get(&doc, 0, "language"), out) && buf_text(out, "|") &&
		    text_of(&doc, json_get(&doc, 0, "code"), out));
	json_doc_finish(&doc);
}

/* take_call: what a delta adds to its call; how many calls there are so far. */
static uint32_t take_call(const struct json_doc *doc, json_at call, struct buf calls[][2])
{
	json_at function = json_get(doc, call, "function");
	json_at name = json_get(doc, function, "name");
	json_at args = json_get(doc, function, "arguments");
	int64_t index = 0;

	assert_true(json_int(doc, json_get(doc, call, "index"), &index));
	assert_true(index >= 0 && index < HEARD_CALLS);
	assert_true(name == JSON_ABSENT || text_of(doc, name, &calls[index][0]));
	assert_true(args == JSON_ABSENT || text_of(doc, args, &calls[index][1]));
	return (uint32_t)index + 1;
}

/* What rules S1 to S7 make of the stored messages, put together again. */
static void put_expected(struct str messages, struct buf *out)
{
	struct json_doc doc = { 0 };
	struct buf      list, chunks, calls[HEARD_CALLS][2];
	struct err      e;
	uint32_t        count = 0;

	buf_init(&list, 1 << 20);
	buf_init(&chunks, 1 << 20);
	for (size_t i = 0; i < 2 * HEARD_CALLS; i++)
		buf_init(&calls[i / 2][i % 2], 1 << 20);
	assert_true(buf_text(&list, "[") && buf_str(&list, messages) && buf_text(&list, "]"));
	assert_int_equal(json_scan(&doc, list.data, list.len, &json_limits_upstream, &e), ERR_OK);
	assert_true(buf_text(&chunks, "[") &&
		    say_chunks(&doc, 0, false, STR("i"), STR("m"), 1, &chunks) &&
		    buf_text(&chunks, "]"));
	assert_int_equal(json_scan(&doc, chunks.data, chunks.len, &json_limits_upstream, &e),
			 ERR_OK);
	JSON_EACH (i, &doc, 0) {
		json_at choice = json_first(&doc, json_get(&doc, i, "choices"));
		json_at delta = json_get(&doc, choice, "delta");
		json_at content = json_get_some(&doc, delta, "content");
		json_at tools = json_get_some(&doc, delta, "tool_calls");

		assert_true(content == JSON_ABSENT || text_of(&doc, content, out));
		if (tools == JSON_ABSENT)
			continue;
		uint32_t so_far = take_call(&doc, json_first(&doc, tools), calls);
		count = so_far > count ? so_far : count;
	}
	for (uint32_t i = 0; i < count; i++)
		put_call_text(out, calls[i]);
	for (size_t i = 0; i < 2 * HEARD_CALLS; i++)
		buf_finish(&calls[i / 2][i % 2]);
	buf_finish(&list);
	buf_finish(&chunks);
	json_doc_finish(&doc);
}

static void compare(const struct heard *t, struct gather *sent, const char *stream)
{
	struct str a = STR_NONE, b = STR_NONE;
	struct buf got, want;
	struct err e;

	assert_int_equal(gather_end(t->gather, &a, &e), ERR_OK);
	assert_int_equal(gather_end(sent, &b, &e), ERR_OK);
	if (!str_eq(a, b))
		fail_msg("%s\n given  %.*s\n stored %.*s", stream, STR_ARG(a), STR_ARG(b));
	buf_init(&got, 1 << 20);
	buf_init(&want, 1 << 20);
	put_expected(b, &want);
	assert_true(buf_str(&got, buf_view(&t->text)));
	for (uint32_t i = 0; i < t->call_count; i++)
		put_call_text(&got, t->calls[i]);
	if (!str_eq(buf_view(&got), buf_view(&want)))
		fail_msg("%s\n said   %.*s\n should %.*s", stream, STR_ARG(buf_view(&got)),
			 STR_ARG(buf_view(&want)));
	buf_finish(&got);
	buf_finish(&want);
}

static void any_stream_keeps_its_messages_and_obeys_the_grammar(void **state)
{
	/* each place that may be refused memory has a run of its own, and is met by the first few streams */
	const int       rounds = getenv("PARLEY_REFUSE_UNIT") ? 300 : 30000;
	uint64_t        seed = 88172645463325252u;
	struct json_doc raw = { 0 };

	(void)state;
	for (int round = 0; round < rounds; round++) {
		struct heard   t;
		struct gather *sent = gather_create(1 << 20, NULL);
		struct err     e;
		char           stream[2048] = "";
		size_t         n = 1 + next_random(&seed) % 7;

		assert_non_null(sent);
		heard_open(&t);
		heard_gather(&t);
		for (size_t k = 0; k < n; k++) {
			const char *chunk = alphabet[next_random(&seed) % ARRAY_LEN(alphabet)];

			strncat(stream, chunk, sizeof stream - strlen(stream) - 1);
			assert_int_equal(
				json_scan(&raw, chunk, strlen(chunk), &json_limits_upstream, &e),
				ERR_OK);
			assert_int_equal(gather_chunk(sent, &raw, 0, "chunk", 0, &e), ERR_OK);
			decode_good(&t.in, chunk);
		}
		decode_good(&t.in, COMPLETE);
		if (t.open[0])
			fail_msg("%s leaves %s open", stream, t.open);
		compare(&t, sent, stream);
		gather_destroy(sent);
		heard_close(&t);
	}
	json_doc_finish(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_become_events),
		cmocka_unit_test(streams_mean_the_same_wherever_they_are_cut),
		cmocka_unit_test(a_long_chunk_is_given_in_pieces),
		cmocka_unit_test(a_stream_without_its_status_is_not_finished),
		cmocka_unit_test(errors_in_a_stream_are_told_apart),
		cmocka_unit_test(an_error_ends_the_open_segment),
		cmocka_unit_test(any_stream_keeps_its_messages_and_obeys_the_grammar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
