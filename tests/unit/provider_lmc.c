/* LMC's dialect: requests as they leave, and recorded answers as events. */
#include "base/limits.h"
#include "lmc/gather.h"
#include "lmc/say.h"
#include "lmc/text.h"
#include "provider/dialect.h"
#include "upstream/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* --- events as text ---
 *
 * What is said in LMC: +HEAD a start, =(CONTENT), -HEAD an end, ~(LINE) an active line,
 * !(CONTENT) a confirmation; a head is role/type/format@recipient,other.  The rest: KIND(…). */

struct heard {
	struct buf      out;
	struct json_doc doc;         /* of the LMC chunk at hand */
	char            open[256];   /* the head of the open segment, or "" */
	bool            filled;      /* it has content, or had its own further members */
	struct gather  *gather;      /* of all LMC chunks; NULL: not wanted */
	struct buf      text;        /* what the assistant says, decoded */
	struct buf      calls[8][2]; /* names and arguments, decoded */
	uint32_t        call_count;
};

static struct str member(const struct heard *t, const char *key)
{
	json_at at = json_get_some(&t->doc, 0, key);

	return at == JSON_ABSENT ? STR_NONE : json_raw(&t->doc, at);
}

static struct str bare(struct str quoted)
{
	return quoted.n >= 2 && quoted.p[0] == '"' ? (struct str){ quoted.p + 1, quoted.n - 2 }
						   : quoted;
}

static void head_of(const struct heard *t, char *ret, size_t size)
{
	struct str role = bare(member(t, "role")), type = bare(member(t, "type"));
	struct str format = bare(member(t, "format")), to = bare(member(t, "recipient"));
	int        n = snprintf(ret, size, "%.*s/%.*s", STR_ARG(role), STR_ARG(type));

	if (format.n > 0)
		n += snprintf(ret + n, size - (size_t)n, "/%.*s", STR_ARG(format));
	if (to.n > 0)
		snprintf(ret + n, size - (size_t)n, "@%.*s", STR_ARG(to));
	assert_true(role.n > 0 && type.n > 0 && !str_is(role, "server"));
}

static bool is_head(const char *head, const char *start)
{
	return strncmp(head, start, strlen(start)) == 0;
}

/* put_lmc: prints a chunk, and holds it against the grammar. */
static void put_lmc(struct heard *t, struct str chunk)
{
	struct err e;
	char       head[256];

	assert_true(!memchr(chunk.p, '\n', chunk.n) && !memchr(chunk.p, '\r', chunk.n));
	assert_int_equal(json_scan(&t->doc, chunk.p, chunk.n, &json_limits_upstream, &e), ERR_OK);
	assert_int_equal(json_kind(&t->doc, 0), JSON_OBJECT);
	head_of(t, head, sizeof head);

	bool start = json_get(&t->doc, 0, "start") != JSON_ABSENT;
	bool end = json_get(&t->doc, 0, "end") != JSON_ABSENT;
	bool content = json_get(&t->doc, 0, "content") != JSON_ABSENT;
	if (start + end + content != 1)
		fail_msg("not one of start, content and end: %.*s", STR_ARG(chunk));
	if (t->gather)
		assert_int_equal(gather_chunk(t->gather, &t->doc, 0, "chunk", 0, &e), ERR_OK);

	struct str other = member(t, "id");
	if (start || end) {
		assert_true(str_is(member(t, start ? "start" : "end"), "true"));
		assert_true(start ? !t->open[0] : t->open[0]);
		assert_true(buf_fmt(&t->out, "%s%s%s%.*s ", start ? "+" : "-", head,
				    other.n > 0 ? "," : "", STR_ARG(other)));
		memcpy(t->open, start ? head : "", start ? strlen(head) + 1 : 1);
		return;
	}

	bool confirmation = strstr(head, "/confirmation") != NULL;
	assert_true(confirmation ? !t->open[0] : t->open[0]);
	/* Content is of the open segment's role and type. */
	if (!confirmation) {
		char short_head[256];

		snprintf(short_head, sizeof short_head, "%.*s/%.*s",
			 STR_ARG(bare(member(t, "role"))), STR_ARG(bare(member(t, "type"))));
		assert_true(is_head(t->open, short_head));
	}
	assert_true(
		buf_fmt(&t->out, "%c",
			confirmation                          ? '!'
			: strstr(head, "console/active_line") ? '~'
							      : '=') &&
		buf_text(&t->out, "(") &&
		buf_str(&t->out, member(t, "content").n > 0 ? member(t, "content") : STR("null")) &&
		buf_text(&t->out, other.n > 0 ? ",id) " : ") "));
}

/* put_id: the random part of a call's id is left out. */
static void put_call(struct heard *t, const struct event *ev)
{
	const char *tail = memrchr(ev->id.p, '_', ev->id.n);

	assert_true(tail && (size_t)(ev->id.p + ev->id.n - tail) == 17);
	assert_true(buf_fmt(&t->out, "TOOL%u(%.*s,%.*s) ", ev->block, (int)(tail - ev->id.p),
			    ev->id.p, STR_ARG(ev->name)));
	assert_int_equal(ev->block, t->call_count);
	if (ev->block < 8) {
		buf_init(&t->calls[ev->block][0], 1 << 20);
		buf_init(&t->calls[ev->block][1], 1 << 20);
		assert_true(text_add(&t->calls[ev->block][0], ev->name));
	}
	t->call_count++;
}

static void on_event(void *arg, const struct event *ev)
{
	struct heard *t = arg;
	bool          lmc = ev->kind == EVENT_LMC || ev->kind == EVENT_TEXT ||
		   ev->kind == EVENT_TOOL_START || ev->kind == EVENT_TOOL_ARGS ||
		   ev->kind == EVENT_MESSAGE;
	bool ok = true;

	assert_int_equal(ev->from_lmc, lmc);
	if (ev->kind == EVENT_LMC) {
		put_lmc(t, ev->text);
	} else if (ev->kind == EVENT_TOOL_START) {
		put_call(t, ev);
	} else if (ev->kind == EVENT_TOOL_ARGS) {
		assert_true(ev->block + 1 == t->call_count && ev->text.n > 0);
		ok = buf_fmt(&t->out, "ARGS%u(%.*s) ", ev->block, STR_ARG(ev->text)) &&
		     (ev->block >= 8 || text_add(&t->calls[ev->block][1], ev->text));
	} else if (ev->kind == EVENT_USAGE) {
		ok = buf_fmt(&t->out, "USAGE(%d,%d) ", (int)ev->usage.in, (int)ev->usage.out);
	} else {
		ok = buf_fmt(&t->out, "%s(%.*s) ",
			     ev->kind == EVENT_START    ? "START"
			     : ev->kind == EVENT_TEXT   ? "TEXT"
			     : ev->kind == EVENT_FINISH ? "FINISH"
							: "MESSAGE",
			     STR_ARG(ev->text));
		if (ev->kind == EVENT_TEXT) {
			assert_true(ev->text.n > 0);
			ok = ok && text_add(&t->text, ev->text);
		}
	}
	assert_true(ok);
}

static void trace_init(struct heard *t)
{
	*t = (struct heard){ 0 };
	buf_init(&t->out, 1 << 24);
	buf_init(&t->text, 1 << 20);
}

static void trace_finish(struct heard *t)
{
	buf_finish(&t->out);
	buf_finish(&t->text);
	for (size_t i = 0; i < 8; i++) {
		buf_finish(&t->calls[i][0]);
		buf_finish(&t->calls[i][1]);
	}
	json_doc_finish(&t->doc);
	gather_destroy(t->gather);
}

static struct decode decode_for(struct json_doc *doc, struct heard *t)
{
	return (struct decode){ .doc = doc, .on_event = on_event, .arg = t };
}

/* Decodes a copy without a byte to spare. */
static enum errc event_of(struct decode *d, const char *name, const char *data, struct err *e)
{
	size_t n = strlen(data);
	char  *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, data, n);
	enum errc rc = dialect_lmc.decode_event(d, str_of(name), (struct str){ copy, n }, e);
	free(copy);
	return rc;
}

static void expect_text(const char *why, struct str got, const char *want)
{
	if (!str_is(got, want))
		fail_msg("%s:\n got  %.*s\n want %s", why, STR_ARG(got), want);
}

/* --- streams --- */

#define A(rest)       "{\"role\":\"assistant\"," rest "}"
#define C(rest)       "{\"role\":\"computer\"," rest "}"
#define MESSAGE(text) A("\"type\":\"message\",\"content\":" text)
#define CODE(text)    A("\"type\":\"code\",\"format\":\"python\",\"content\":" text)
#define START         ",\"start\":true"
#define END           ",\"end\":true"
#define COMPLETE      "{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\"}"

#define M_ON          "+assistant/message "
#define M_OFF         "-assistant/message "
#define P_ON          "+assistant/code/python "
#define P_OFF         "-assistant/code/python "
#define EXECUTE(n, language)                                                                  \
	"TOOL" n "(call_" n ",execute) ARGS" n "({\\\"language\\\":\\\") ARGS" n "(" language \
	") ARGS" n "(\\\",\\\"code\\\":\\\") "
#define CLOSE(n) "ARGS" n "(\\\"}) "

/* clang-format off */
static const struct {
	const char *why;
	const char *chunks[20];
	const char *want;
} streams[] = {
	{ "a message",
	  { A("\"type\":\"message\"" START), MESSAGE("\"Hel\""), MESSAGE("\"l\\u00f6\""),
	    A("\"type\":\"message\"" END), COMPLETE },
	  "START() " M_ON "=(\"Hel\") TEXT(Hel) =(\"l\\u00f6\") TEXT(l\\u00f6) " M_OFF
	  "FINISH(stop) " },
	{ "code, its confirmation, what it printed, and an answer",
	  { A("\"type\":\"code\",\"format\":\"python\"" START), CODE("\"2380\""), CODE("\"*3875\""),
	    A("\"type\":\"code\",\"format\":\"python\"" END),
	    C("\"type\":\"confirmation\",\"format\":\"execution\",\"content\":{\"type\":\"code\","
	      "\"format\":\"python\",\"content\":\"2380*3875\"}"),
	    C("\"type\":\"console\"" START),
	    C("\"type\":\"console\",\"format\":\"active_line\",\"content\":1"),
	    C("\"type\":\"console\",\"format\":\"output\",\"content\":\"9222500\\n\""),
	    C("\"type\":\"console\",\"format\":\"active_line\",\"content\":null"),
	    C("\"type\":\"console\"" END), A("\"type\":\"message\"" START), MESSAGE("\"Done\""),
	    A("\"type\":\"message\"" END), COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"2380\") ARGS0(2380) =(\"*3875\") ARGS0(*3875) "
	  CLOSE("0") P_OFF
	  "!({\"type\":\"code\",\"format\":\"python\",\"content\":\"2380*3875\"}) "
	  "+computer/console ~(1) =(\"9222500\\n\") ~(null) -computer/console "
	  M_ON "=(\"Done\") TEXT(Done) " M_OFF "FINISH(tool_calls) " },
	{ "no flags at all",
	  { MESSAGE("\"a\""), MESSAGE("\"b\""), CODE("\"c\""), MESSAGE("\"d\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) =(\"b\") TEXT(b) " M_OFF P_ON EXECUTE("0", "python")
	  "=(\"c\") ARGS0(c) " CLOSE("0") P_OFF M_ON "=(\"d\") TEXT(\\n) TEXT(d) " M_OFF
	  "FINISH(tool_calls) " },
	{ "no end, and a second start",
	  { A("\"type\":\"message\"" START), MESSAGE("\"a\\n\""), A("\"type\":\"message\"" START),
	    MESSAGE("\"b\""), COMPLETE },
	  "START() " M_ON "=(\"a\\n\") TEXT(a\\n) " M_OFF M_ON "=(\"b\") TEXT(b) " M_OFF
	  "FINISH(stop) " },
	{ "an LF that is written as a number, and one that is none",
	  { MESSAGE("\"a\\u000A\""), A("\"type\":\"message\"" START), MESSAGE("\"b\\\\n\""),
	    A("\"type\":\"message\"" START), MESSAGE("\"c\""), COMPLETE },
	  "START() " M_ON "=(\"a\\u000A\") TEXT(a\\u000A) " M_OFF M_ON "=(\"b\\\\n\") TEXT(b\\\\n) "
	  M_OFF M_ON "=(\"c\") TEXT(\\n) TEXT(c) " M_OFF "FINISH(stop) " },
	{ "all in one chunk",
	  { A("\"type\":\"message\",\"start\":true,\"content\":\"a\",\"end\":true"), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "FINISH(stop) " },
	{ "flags that are false say nothing",
	  { A("\"type\":\"message\",\"start\":false,\"end\":null,\"content\":\"a\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "FINISH(stop) " },
	{ "the end of another segment is none",
	  { MESSAGE("\"a\""), A("\"type\":\"code\"" END), C("\"type\":\"message\"" END),
	    MESSAGE("\"b\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) =(\"b\") TEXT(b) " M_OFF "FINISH(stop) " },
	{ "a start without a type waits for it",
	  { A("\"start\":true"), CODE("\"x\""), A("\"end\":true"), COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"x\") ARGS0(x) " CLOSE("0") P_OFF
	  "FINISH(tool_calls) " },
	{ "and is forgotten where none comes",
	  { A("\"start\":true"), A("\"end\":true"), C("\"start\":true"), MESSAGE("\"a\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "FINISH(stop) " },
	{ "the language comes with the first content",
	  { A("\"type\":\"code\"" START), A("\"type\":\"code\",\"format\":\"r\",\"content\":\"x\""),
	    A("\"type\":\"code\",\"content\":\"y\""), A("\"type\":\"code\"" END), COMPLETE },
	  "START() +assistant/code " EXECUTE("0", "r") "=(\"x\") ARGS0(x) =(\"y\") ARGS0(y) "
	  CLOSE("0") "-assistant/code FINISH(tool_calls) " },
	{ "or with a later one",
	  { A("\"type\":\"code\"" START), A("\"type\":\"code\",\"content\":\"x\""),
	    A("\"type\":\"code\",\"format\":\"r\",\"content\":\"y\""), COMPLETE },
	  "START() +assistant/code TOOL0(call_0,execute) ARGS0({\\\"code\\\":\\\") =(\"x\") ARGS0(x) "
	  "=(\"y\") ARGS0(y) ARGS0(\\\",\\\"language\\\":\\\") ARGS0(r) ARGS0(\\\"}) "
	  "-assistant/code FINISH(tool_calls) " },
	{ "or never; code may be empty",
	  { A("\"type\":\"code\"" START), A("\"type\":\"code\"" END), COMPLETE },
	  "START() +assistant/code TOOL0(call_0,execute) ARGS0({\\\"code\\\":\\\") "
	  "ARGS0(\\\",\\\"language\\\":\\\") ARGS0(python) ARGS0(\\\"}) -assistant/code "
	  "FINISH(tool_calls) " },
	{ "another language is another segment",
	  { CODE("\"x\""), A("\"type\":\"code\",\"format\":\"r\",\"content\":\"y\""), COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"x\") ARGS0(x) " CLOSE("0") P_OFF
	  "+assistant/code/r " EXECUTE("1", "r") "=(\"y\") ARGS1(y) " CLOSE("1")
	  "-assistant/code/r FINISH(tool_calls) " },
	{ "code is escaped once more inside its arguments",
	  { CODE("\"a\\\"b\\\\c\\n\""), COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"a\\\"b\\\\c\\n\") "
	  "ARGS0(a\\\\\\\"b\\\\\\\\c\\\\n) " CLOSE("0") P_OFF "FINISH(tool_calls) " },
	{ "a language too",
	  { A("\"type\":\"code\",\"format\":\"a\\\"\",\"content\":\"x\""), COMPLETE },
	  "START() +assistant/code/a\\\" " EXECUTE("0", "a\\\\\\\"") "=(\"x\") ARGS0(x) " CLOSE("0")
	  "-assistant/code/a\\\" FINISH(tool_calls) " },
	{ "a surrogate pair that is cut",
	  { CODE("\"\\ud83d\""), CODE("\"\\ude00\""), MESSAGE("\"\\ud83d\""), MESSAGE("\"\\ude00\""),
	    COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"\\ud83d\") ARGS0(\\\\ud83d) =(\"\\ude00\") "
	  "ARGS0(\\\\ude00) " CLOSE("0") P_OFF M_ON "=(\"\\ud83d\") TEXT(\\ud83d) =(\"\\ude00\") "
	  "TEXT(\\ude00) " M_OFF "FINISH(tool_calls) " },
	{ "a call of a function",
	  { A("\"type\":\"tool_call\",\"format\":\"f\"" START),
	    A("\"type\":\"tool_call\",\"format\":\"f\",\"content\":\"{\\\"a\\\"\""),
	    A("\"type\":\"tool_call\",\"format\":\"f\",\"content\":\":1}\""),
	    A("\"type\":\"tool_call\",\"format\":\"f\"" END), COMPLETE },
	  "START() +assistant/tool_call/f TOOL0(call_0,f) =(\"{\\\"a\\\"\") ARGS0({\\\"a\\\") "
	  "=(\":1}\") ARGS0(:1}) -assistant/tool_call/f FINISH(tool_calls) " },
	{ "whose name comes late",
	  { A("\"type\":\"tool_call\",\"content\":\"{\""),
	    A("\"type\":\"tool_call\",\"format\":\"f\",\"content\":\"}\""), COMPLETE },
	  "START() +assistant/tool_call =(\"{\") =(\"}\") TOOL0(call_0,f) ARGS0({) ARGS0(}) "
	  "-assistant/tool_call FINISH(tool_calls) " },
	{ "or never",
	  { A("\"type\":\"tool_call\",\"content\":\"{}\""), COMPLETE },
	  "START() +assistant/tool_call =(\"{}\") TOOL0(call_0,) ARGS0({}) -assistant/tool_call "
	  "FINISH(tool_calls) " },
	{ "what is for the user alone is not in OpenAI's view",
	  { A("\"type\":\"message\",\"recipient\":\"user\",\"content\":\"a\""),
	    A("\"type\":\"message\",\"recipient\":\"assistant\",\"content\":\"b\""), COMPLETE },
	  "START() +assistant/message@user =(\"a\") -assistant/message@user "
	  "+assistant/message@assistant =(\"b\") TEXT(b) -assistant/message@assistant "
	  "FINISH(stop) " },
	{ "the recipient of a start holds for its contents",
	  { A("\"type\":\"message\",\"recipient\":\"user\"" START), MESSAGE("\"a\""),
	    A("\"type\":\"message\"" END), MESSAGE("\"b\""), COMPLETE },
	  "START() +assistant/message@user =(\"a\") -assistant/message@user " M_ON
	  "=(\"b\") TEXT(b) " M_OFF "FINISH(stop) " },
	{ "a recipient that comes with the first content",
	  { A("\"type\":\"message\"" START),
	    A("\"type\":\"message\",\"recipient\":\"user\",\"content\":\"a\""), MESSAGE("\"b\""),
	    COMPLETE },
	  "START() " M_ON "=(\"a\") " M_OFF M_ON "=(\"b\") TEXT(b) " M_OFF
	  "FINISH(stop) " },
	{ "a review is a segment, and nothing to OpenAI",
	  { MESSAGE("\"a\""), A("\"type\":\"review\",\"format\":\"safe\",\"content\":\"ok\""),
	    MESSAGE("\"b\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "+assistant/review/safe =(\"ok\") "
	  "-assistant/review/safe " M_ON "=(\"b\") TEXT(\\n) TEXT(b) " M_OFF "FINISH(stop) " },
	{ "images stand alone",
	  { C("\"type\":\"image\",\"format\":\"base64.png\",\"content\":\"QQ==\""),
	    C("\"type\":\"image\",\"format\":\"base64.png\",\"content\":\"Qg==\""),
	    C("\"type\":\"image\"" END), COMPLETE },
	  "START() +computer/image/base64.png =(\"QQ==\") -computer/image/base64.png "
	  "+computer/image/base64.png =(\"Qg==\") -computer/image/base64.png FINISH(stop) " },
	{ "a confirmation ends what is open, and its flags are none",
	  { CODE("\"x\""), C("\"type\":\"confirmation\"" START),
	    C("\"type\":\"confirmation\",\"content\":{\"a\": [1]}"),
	    C("\"type\":\"confirmation\"" END), COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"x\") ARGS0(x) " CLOSE("0") P_OFF
	  "!({\"a\": [1]}) FINISH(tool_calls) " },
	{ "an active line waits for its console, and the newest one counts",
	  { CODE("\"x\""), C("\"type\":\"console\",\"format\":\"active_line\",\"content\":1"),
	    C("\"type\":\"console\",\"format\":\"active_line\",\"content\":2"), CODE("\"y\""),
	    C("\"type\":\"console\",\"format\":\"output\",\"content\":\"o\""), COMPLETE },
	  "START() " P_ON EXECUTE("0", "python") "=(\"x\") ARGS0(x) =(\"y\") ARGS0(y) " CLOSE("0")
	  P_OFF "+computer/console/output ~(2) =(\"o\") -computer/console/output "
	  "FINISH(tool_calls) " },
	{ "content that is no text",
	  { MESSAGE("5"), MESSAGE("{\"a\": \"\\n\"}"), CODE("[ 1 ]"), COMPLETE },
	  "START() " M_ON "=(5) TEXT(5) =({\"a\": \"\\n\"}) TEXT({\\\"a\\\":\\\"\\\\n\\\"}) " M_OFF
	  P_ON EXECUTE("0", "python") "=([ 1 ]) ARGS0([1]) " CLOSE("0") P_OFF
	  "FINISH(tool_calls) " },
	{ "content that adds nothing",
	  { MESSAGE("\"\""), MESSAGE("null"), A("\"type\":\"message\"" START), MESSAGE("\"\""),
	    A("\"type\":\"message\"" END), COMPLETE },
	  "START() " M_ON M_OFF "FINISH(stop) " },
	{ "further members go along",
	  { A("\"id\":7,\"type\":\"message\"" START),
	    A("\"type\":\"message\",\"content\":\"a\",\"id\":8"),
	    A("\"type\":\"message\",\"id\":9" END), COMPLETE },
	  "START() +assistant/message,7 =(\"a\",id) TEXT(a) -assistant/message,9 FINISH(stop) " },
	{ "chunks in several lines become one",
	  { "{\n \"role\": \"assistant\",\r\n \"type\": \"message\",\n \"id\": [\n1],\n"
	    " \"content\": \"a\"\n}",
	    COMPLETE },
	  "START() " M_ON "=(\"a\",id) TEXT(a) " M_OFF "FINISH(stop) " },
	{ "a member that is there twice is there once",
	  { A("\"type\":\"message\",\"content\":\"a\",\"content\":\"b\",\"role\":\"server\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "FINISH(stop) " },
	{ "names and values written with escapes",
	  { A("\"type\":\"mess\\u0061ge\"" START), A("\"typ\\u0065\":\"message\",\"content\":\"a\""),
	    A("\"type\":\"message\",\"st\\u0061rt\":false,\"content\":\"b\""),
	    "{\"role\":\"s\\u0065rver\",\"type\":\"status\",\"content\":\"compl\\u0065te\"}" },
	  "START() " M_ON "=(\"a\") TEXT(a) =(\"b\") TEXT(b) " M_OFF "FINISH(stop) " },
	{ "other chunks of the server are not handed on, and end what is open",
	  { MESSAGE("\"a\""), "{\"role\":\"server\",\"type\":\"status\",\"content\":\"running\"}",
	    "{\"role\":\"server\",\"start\":true}", MESSAGE("\"b\""), COMPLETE },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF M_ON "=(\"b\") TEXT(\\n) TEXT(b) " M_OFF
	  "FINISH(stop) " },
	{ "an answer without anything", { COMPLETE }, "START() FINISH(stop) " },
	{ "usage and a finish reason with the status, and nothing is read behind it",
	  { MESSAGE("\"a\""),
	    "{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\","
	    "\"finish_reason\":\"length\",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}",
	    "nonsense" },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "USAGE(3,4) FINISH(length) " },
	{ "the older terminator",
	  { MESSAGE("\"a\""), "{\"role\":\"server\",\"type\":\"completion\",\"content\":\"DONE\"}" },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "FINISH(stop) " },
	{ "OpenAI's terminator", { MESSAGE("\"a\""), " [DONE]\n", "nonsense" },
	  "START() " M_ON "=(\"a\") TEXT(a) " M_OFF "FINISH(stop) " },
};
/* clang-format on */

static void chunks_become_events(void **state)
{
	struct json_doc doc = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct heard  t;
		struct decode d = decode_for(&doc, &t);
		struct err    e;

		trace_init(&t);
		for (size_t k = 0; k < 20 && streams[i].chunks[k]; k++)
			if (event_of(&d, "", streams[i].chunks[k], &e) != ERR_OK)
				fail_msg("%s, chunk %zu: %s", streams[i].why, k, e.text);
		expect_text(streams[i].why, buf_view(&t.out), streams[i].want);
		assert_true(d.finished && d.done_mark);
		dialect_lmc.finish(&d);
		assert_null(d.state);
		trace_finish(&t);
	}
	json_doc_finish(&doc);
}

static enum errc on_sse(void *arg, struct str name, struct str data, struct err *e)
{
	return dialect_lmc.decode_event(arg, name, data, e);
}

/* The bytes of a stream, as a server sends them: ids and names are nobody's business. */
static void put_stream(const char *const chunks[], struct buf *out)
{
	static const char *const fronts[] = { "", "id: 7.1\r\n", "event: done\n", ": ping\n\n" };

	for (size_t k = 0; k < 20 && chunks[k]; k++) {
		const char *line = chunks[k];

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

static void streams_mean_the_same_wherever_they_are_cut(void **state)
{
	struct json_doc doc = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct buf bytes;

		buf_init(&bytes, 1 << 20);
		put_stream(streams[i].chunks, &bytes);
		for (size_t cut = 1; cut <= bytes.len; cut += cut < 8 ? 1 : 37) {
			struct heard  t;
			struct decode d = decode_for(&doc, &t);
			struct sse    sse;
			struct err    e;

			trace_init(&t);
			sse_init(&sse);
			for (size_t at = 0; at < bytes.len; at += cut) {
				size_t n = bytes.len - at < cut ? bytes.len - at : cut;

				if (sse_feed(&sse, bytes.data + at, n, on_sse, &d, &e) != ERR_OK)
					fail_msg("%s, cut at %zu: %s", streams[i].why, cut, e.text);
			}
			assert_int_equal(sse_end(&sse, on_sse, &d, &e), ERR_OK);
			expect_text(streams[i].why, buf_view(&t.out), streams[i].want);
			sse_finish(&sse);
			dialect_lmc.finish(&d);
			trace_finish(&t);
		}
		buf_finish(&bytes);
	}
	json_doc_finish(&doc);
}

/* What a loop would be held by is several chunks, which say the same. */
static void a_long_chunk_is_given_in_pieces(void **state)
{
	static const char front[] = "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"";
	struct json_doc   doc = { 0 };
	struct heard      t;
	struct decode     d = decode_for(&doc, &t);
	struct buf        data;
	struct err        e;
	size_t            chunks = 0;
	size_t            others = 0;

	(void)state;
	trace_init(&t);
	t.gather = gather_create(MIB, NULL);
	assert_non_null(t.gather);
	buf_init(&data, MIB);
	assert_true(buf_text(&data, front));
	while (data.len < LIMIT_LOOP_JSON + 1000)
		assert_true(buf_text(&data, "a\\ud83d\\ude00\\n"));
	assert_true(buf_text(&data, "\",\"id\":7}"));
	assert_int_equal(dialect_lmc.decode_event(&d, STR_NONE, buf_view(&data), &e), ERR_OK);
	assert_int_equal(event_of(&d, "", COMPLETE, &e), ERR_OK);

	struct str out = buf_view(&t.out);
	for (size_t i = 0; i + 5 < out.n; i++) {
		chunks += memcmp(out.p + i, "=(", 2) == 0;
		others += memcmp(out.p + i, ",id) ", 5) == 0;
	}
	assert_int_equal(chunks, LIMIT_LOOP_JSON / LIMIT_PIECE + 1);
	assert_int_equal(others, 1);

	struct str all;
	size_t     n = data.len - strlen(front) - strlen("\",\"id\":7}");
	assert_int_equal(gather_end(t.gather, &all, &e), ERR_OK);
	assert_true(all.n > n + strlen(front));
	assert_memory_equal(all.p, front, strlen(front));
	assert_memory_equal(all.p + strlen(front), data.data + strlen(front), n);
	assert_int_equal(t.text.len, n / strlen("a\\ud83d\\ude00\\n") * 6);
	buf_finish(&data);
	dialect_lmc.finish(&d);
	trace_finish(&t);
	json_doc_finish(&doc);
}

static void a_stream_without_its_status_is_not_finished(void **state)
{
	struct json_doc doc = { 0 };
	struct heard    t;
	struct decode   d = decode_for(&doc, &t);
	struct err      e;

	(void)state;
	trace_init(&t);
	assert_int_equal(event_of(&d, "", MESSAGE("\"a\""), &e), ERR_OK);
	assert_int_equal(event_of(&d, "", A("\"type\":\"message\"" END), &e), ERR_OK);
	assert_true(d.started && !d.finished && !d.done_mark);
	dialect_lmc.finish(&d);
	trace_finish(&t);

	/* A terminator alone is no answer. */
	trace_init(&t);
	d = decode_for(&doc, &t);
	assert_int_equal(event_of(&d, "", "[DONE]", &e), ERR_OK);
	assert_true(!d.started && !d.finished && d.done_mark);
	assert_int_equal(t.out.len, 0);
	dialect_lmc.finish(&d);
	trace_finish(&t);
	json_doc_finish(&doc);
}

/* clang-format off */
static const struct {
	const char *why;
	const char *name;
	const char *data;
	enum errc   code;
	int         http;
	const char *type;
	const char *wire;
	const char *text;
} stream_errors[] = {
	{ "an error of the server, a text", "",
	  "{\"role\":\"server\",\"type\":\"error\",\"content\":\"Traceback at 10.0.0.1\"}",
	  ERR_UPSTREAM_ERROR, 502, "upstream_error", "upstream_error", "Traceback at [host]" },
	{ "an object", "",
	  "{\"role\":\"server\",\"type\":\"error\",\"content\":{\"message\":\"boom\",\"type\":"
	  "\"server_error\",\"param\":null,\"code\":\"x\"}}",
	  ERR_UPSTREAM_ERROR, 502, "server_error", "x", "boom" },
	{ "with a status", "",
	  "{\"role\":\"server\",\"type\":\"error\",\"content\":{\"message\":\"slow\",\"status\":429}}",
	  ERR_UPSTREAM_RATE_LIMIT, 429, "requests", "rate_limit_exceeded", "slow" },
	{ "nothing", "", "{\"role\":\"server\",\"type\":\"error\",\"content\":null}", ERR_UPSTREAM_ERROR,
	  502, "upstream_error", "upstream_error",
	  "the provider reported an error without a message" },
	{ "finish_reason error", "",
	  "{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\",\"finish_reason\":\"error\"}",
	  ERR_UPSTREAM_ERROR, 502, "upstream_error", "upstream_error",
	  "the provider ended the answer with finish_reason \"error\"" },
	{ "OpenAI's error object", "", "{\"error\":{\"message\":\"boom\",\"code\":\"x\"}}",
	  ERR_UPSTREAM_ERROR, 502, "upstream_error", "x", "boom" },
	{ "an error event of prose", "error", "out of memory", ERR_UPSTREAM_ERROR, 502,
	  "upstream_error", "upstream_error", "out of memory" },
	{ "an error event", "error", "{\"message\":\"ctx\"}", ERR_UPSTREAM_ERROR, 502,
	  "upstream_error", "upstream_error", "ctx" },
	{ "no JSON", "", "{\"role\":", ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error",
	  "upstream_bad_response", "the provider sent a stream event that is not JSON" },
	{ "no object", "", "\"hello\"", ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error",
	  "upstream_bad_response", "the provider sent a stream event that is no JSON object" },
	{ "OpenAI's chunks", "", "{\"choices\":[]}", ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error",
	  "upstream_bad_response", "the provider sent a chunk without a role" },
	{ "a null role", "", "{\"role\":null,\"type\":\"message\",\"content\":\"a\"}",
	  ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error", "upstream_bad_response",
	  "the provider sent a chunk without a role" },
	{ "an unknown role", "", "{\"role\":\"judge\",\"type\":\"message\",\"content\":\"a\"}",
	  ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error", "upstream_bad_response",
	  "the provider sent a chunk with a role that LMC does not have" },
	{ "no type", "", A("\"content\":\"a\""), ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error",
	  "upstream_bad_response", "the provider sent a chunk without a type" },
	{ "no type beside a flag with content", "", A("\"content\":\"a\"" START),
	  ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error", "upstream_bad_response",
	  "the provider sent a chunk without a type" },
	{ "a type of a wrong type", "", A("\"type\":1,\"content\":\"a\""), ERR_UPSTREAM_BAD_RESPONSE, 502,
	  "upstream_error", "upstream_bad_response",
	  "the provider sent a chunk with a type that is no string" },
	{ "a format of a wrong type", "", A("\"type\":\"code\",\"format\":[],\"content\":\"a\""),
	  ERR_UPSTREAM_BAD_RESPONSE, 502, "upstream_error", "upstream_bad_response",
	  "the provider sent a chunk with a format that is no string" },
};
/* clang-format on */

static void errors_in_a_stream_are_told_apart(void **state)
{
	struct json_doc doc = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(stream_errors); i++) {
		struct heard  t;
		struct decode d = decode_for(&doc, &t);
		struct err    e = { 0 };

		trace_init(&t);
		enum errc rc = event_of(&d, stream_errors[i].name, stream_errors[i].data, &e);
		if (rc != stream_errors[i].code)
			fail_msg("%s: code %d, %s", stream_errors[i].why, (int)rc, e.text);
		expect_text(stream_errors[i].why, str_of(e.text), stream_errors[i].text);
		assert_int_equal(err_http(&e), stream_errors[i].http);
		assert_string_equal(err_type(&e), stream_errors[i].type);
		assert_string_equal(err_wire(&e), stream_errors[i].wire);
		/* Nothing comes before the error but, with the status, the start. */
		assert_true(t.out.len == 0 || str_is(buf_view(&t.out), "START() "));
		dialect_lmc.finish(&d);
		trace_finish(&t);
	}
	json_doc_finish(&doc);
}

static void an_error_ends_the_open_segment(void **state)
{
	struct json_doc doc = { 0 };
	struct heard    t;
	struct decode   d = decode_for(&doc, &t);
	struct err      e;

	(void)state;
	trace_init(&t);
	assert_int_equal(event_of(&d, "", CODE("\"x\""), &e), ERR_OK);
	assert_int_equal(
		event_of(&d, "", "{\"role\":\"server\",\"type\":\"error\",\"content\":\"no\"}", &e),
		ERR_UPSTREAM_ERROR);
	expect_text("its end", buf_view(&t.out),
		    "START() " P_ON EXECUTE("0", "python") "=(\"x\") ARGS0(x) " CLOSE("0") P_OFF);
	assert_false(d.finished);
	dialect_lmc.finish(&d);
	trace_finish(&t);
	json_doc_finish(&doc);
}

/* --- whatever is sent: the same messages, and the same words in OpenAI's terms --- */

/* Chunks that may stand in any order; few enough for every pair of states to meet. */
static const char *const alphabet[] = {
	A("\"type\":\"message\"" START),
	A("\"type\":\"message\"" END),
	MESSAGE("\"a\""),
	MESSAGE("\"b\\n\""),
	A("\"type\":\"message\",\"recipient\":\"user\",\"content\":\"c\""),
	A("\"type\":\"message\",\"recipient\":\"user\"" START),
	A("\"type\":\"code\"" START),
	A("\"type\":\"code\",\"format\":\"r\"" START),
	A("\"type\":\"code\"" END),
	A("\"type\":\"code\",\"content\":\"d\""),
	CODE("\"e\\\"\\\\\""),
	A("\"type\":\"code\",\"format\":\"r\",\"content\":\"f\",\"end\":true"),
	A("\"start\":true"),
	A("\"start\":true,\"recipient\":\"user\",\"id\":1"),
	A("\"end\":true,\"id\":2"),
	A("\"type\":\"tool_call\",\"content\":\"g\",\"start\":true"),
	A("\"type\":\"tool_call\",\"format\":\"f\",\"content\":\"h\""),
	A("\"type\":\"review\",\"content\":\"i\""),
	C("\"type\":\"console\"" START),
	C("\"type\":\"console\",\"format\":\"active_line\",\"content\":1"),
	C("\"type\":\"console\",\"format\":\"active_line\",\"content\":null,\"start\":true"),
	C("\"type\":\"console\",\"format\":\"output\",\"content\":\"j\",\"id\":3"),
	C("\"type\":\"console\"" END),
	C("\"type\":\"image\",\"format\":\"base64\",\"content\":\"QQ==\""),
	C("\"type\":\"image\",\"format\":\"base64\"" START),
	C("\"type\":\"confirmation\",\"content\":{}"),
	C("\"type\":\"message\",\"content\":\"k\""),
	"{\"role\":\"server\",\"type\":\"status\",\"content\":\"x\"}",
	MESSAGE("\"\""),
	MESSAGE("[1]"),
};

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void put_call_text(struct buf *out, struct str name, struct str args)
{
	struct json_doc doc = { 0 };
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

/* What rules S1 to S7 make of the stored messages, put together again. */
static void put_expected(struct str messages, struct buf *out)
{
	struct json_doc doc = { 0 };
	struct buf      list, chunks, calls[8][2];
	struct err      e;
	uint32_t        count = 0;

	buf_init(&list, 1 << 20);
	buf_init(&chunks, 1 << 20);
	for (size_t i = 0; i < 16; i++)
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
		int64_t index = 0;

		assert_true(content == JSON_ABSENT || text_of(&doc, content, out));
		if (tools == JSON_ABSENT)
			continue;
		json_at function = json_get(&doc, json_first(&doc, tools), "function");
		json_at name = json_get(&doc, function, "name");
		json_at args = json_get(&doc, function, "arguments");
		assert_true(
			json_int(&doc, json_get(&doc, json_first(&doc, tools), "index"), &index));
		assert_true(index >= 0 && index < 8);
		count = (uint32_t)index + 1 > count ? (uint32_t)index + 1 : count;
		assert_true(name == JSON_ABSENT || text_of(&doc, name, &calls[index][0]));
		assert_true(args == JSON_ABSENT || text_of(&doc, args, &calls[index][1]));
	}
	for (size_t i = 0; i < 8; i++) {
		if (i < count)
			put_call_text(out, buf_view(&calls[i][0]), buf_view(&calls[i][1]));
		buf_finish(&calls[i][0]);
		buf_finish(&calls[i][1]);
	}
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
		put_call_text(&got, buf_view(&t->calls[i][0]), buf_view(&t->calls[i][1]));
	if (!str_eq(buf_view(&got), buf_view(&want)))
		fail_msg("%s\n said   %.*s\n should %.*s", stream, STR_ARG(buf_view(&got)),
			 STR_ARG(buf_view(&want)));
	buf_finish(&got);
	buf_finish(&want);
}

static void any_stream_keeps_its_messages_and_obeys_the_grammar(void **state)
{
	uint64_t        seed = 88172645463325252u;
	struct json_doc doc = { 0 }, raw = { 0 };

	(void)state;
	for (int round = 0; round < 30000; round++) {
		struct heard   t;
		struct decode  d = decode_for(&doc, &t);
		struct gather *sent = gather_create(1 << 20, NULL);
		struct err     e;
		char           stream[2048] = "";
		size_t         n = 1 + next_random(&seed) % 7;

		assert_non_null(sent);
		trace_init(&t);
		t.gather = gather_create(1 << 20, NULL);
		assert_non_null(t.gather);
		for (size_t k = 0; k < n; k++) {
			const char *chunk = alphabet[next_random(&seed) % ARRAY_LEN(alphabet)];

			strncat(stream, chunk, sizeof stream - strlen(stream) - 1);
			assert_int_equal(
				json_scan(&raw, chunk, strlen(chunk), &json_limits_upstream, &e),
				ERR_OK);
			assert_int_equal(gather_chunk(sent, &raw, 0, "chunk", 0, &e), ERR_OK);
			assert_int_equal(event_of(&d, "", chunk, &e), ERR_OK);
		}
		assert_int_equal(event_of(&d, "", COMPLETE, &e), ERR_OK);
		if (t.open[0])
			fail_msg("%s leaves %s open", stream, t.open);
		compare(&t, sent, stream);
		gather_destroy(sent);
		dialect_lmc.finish(&d);
		trace_finish(&t);
	}
	json_doc_finish(&doc);
	json_doc_finish(&raw);
}

/* --- plain answers --- */

/* clang-format off */
static const struct {
	const char *why;
	const char *body;
	enum errc   code;
	const char *want; /* the trace, or the error's text */
} wholes[] = {
	{ "as Parley sends it",
	  "{\"object\":\"lmc.messages\",\"run\":\"run_1\",\"messages\":["
	  "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"Look:\"},\n"
	  "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"here\"},"
	  "{\"role\":\"computer\",\"type\":\"image\",\"format\":\"base64.png\",\"content\":\"QQ==\"}],"
	  "\"finish_reason\":\"length\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}",
	  ERR_OK,
	  "START() " M_ON "=(\"Look:\") " M_OFF M_ON "=(\"here\") " M_OFF
	  "+computer/image/base64.png =(\"QQ==\") -computer/image/base64.png "
	  "MESSAGE({\"role\":\"assistant\",\"content\":\"Look:\\nhere\"}) USAGE(1,2) FINISH(length) " },
	{ "nothing said, no finish reason",
	  "{\"messages\":[{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"\"},"
	  "{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\"}]}",
	  ERR_OK,
	  "START() " M_ON M_OFF "MESSAGE({\"role\":\"assistant\",\"content\":\"\"}) FINISH(stop) " },
	{ "no messages are an answer", "{\"messages\":[]}", ERR_OK,
	  "START() MESSAGE({\"role\":\"assistant\",\"content\":\"\"}) FINISH(stop) " },
	{ "an error with status 200", "{\"error\":{\"code\":502,\"message\":\"bad gateway\"}}",
	  ERR_UPSTREAM_ERROR, "bad gateway" },
	{ "an error among the messages",
	  "{\"messages\":[{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"a\"},"
	  "{\"role\":\"server\",\"type\":\"error\",\"content\":\"no\"}]}",
	  ERR_UPSTREAM_ERROR, "no" },
	{ "no messages", "{\"choices\":[]}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer without messages" },
	{ "messages of a wrong type", "{\"messages\":{}}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer without messages" },
	{ "a message that is none", "{\"messages\":[7]}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent a message that is no JSON object" },
	{ "a message without a type", "{\"messages\":[{\"role\":\"user\",\"start\":true}]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent a message without a type" },
	{ "a bad message behind a good one",
	  "{\"messages\":[{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"a\"},"
	  "{\"role\":\"x\",\"type\":\"message\",\"content\":\"a\"}]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent a chunk with a role that LMC does not have" },
	{ "HTML", "<html><body>hi</body></html>", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer that is not JSON" },
	{ "nothing", "", ERR_UPSTREAM_BAD_RESPONSE, "the provider sent an answer that is not JSON" },
	{ "a list", "[]", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer that is no JSON object" },
};
/* clang-format on */

static void whole_answers_become_events(void **state)
{
	struct json_doc doc = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
		struct heard  t;
		struct decode d = decode_for(&doc, &t);
		struct err    e = { 0 };

		trace_init(&t);
		enum errc rc = dialect_lmc.decode_whole(&d, str_of(wholes[i].body), &e);
		if (rc != wholes[i].code)
			fail_msg("%s: code %d, %s", wholes[i].why, (int)rc, e.text);
		expect_text(wholes[i].why, rc == ERR_OK ? buf_view(&t.out) : str_of(e.text),
			    wholes[i].want);
		assert_true(rc == ERR_OK || t.out.len == 0);
		assert_int_equal(d.finished, rc == ERR_OK);
		dialect_lmc.finish(&d);
		trace_finish(&t);
	}
	json_doc_finish(&doc);
}

static void code_in_a_whole_answer_is_a_tool_call(void **state)
{
	struct json_doc doc = { 0 };
	struct heard    t;
	struct decode   d = decode_for(&doc, &t);
	struct err      e;
	char            got[1024];

	(void)state;
	trace_init(&t);
	assert_int_equal(
		dialect_lmc.decode_whole(
			&d,
			STR("{\"messages\":[{\"role\":\"assistant\",\"type\":\"message\",\"content\":"
			    "\"Look\"},{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"r\","
			    "\"content\":\"a\\\"\\n\"},{\"role\":\"assistant\",\"type\":\"tool_call\","
			    "\"format\":\"f\",\"content\":\"{}\"}]}"),
			&e),
		ERR_OK);
	str_copy(got, sizeof got, buf_view(&t.out));

	/* The ids are random behind their number. */
	for (char *id = strstr(got, "call_"); id; id = strstr(id + 7, "\"call_"))
		memmove(strchr(id, '_') + 2, strchr(id, '_') + 2 + 17,
			strlen(strchr(id, '_') + 2 + 17) + 1);
	expect_text(
		"code", str_of(got),
		"START() " M_ON "=(\"Look\") " M_OFF "+assistant/code/r =(\"a\\\"\\n\") "
		"-assistant/code/r +assistant/tool_call/f =(\"{}\") -assistant/tool_call/f "
		"MESSAGE({\"role\":\"assistant\",\"content\":\"Look\",\"tool_calls\":["
		"{\"id\":\"call_0\",\"type\":\"function\",\"function\":{\"name\":\"execute\","
		"\"arguments\":\"{\\\"language\\\":\\\"r\\\",\\\"code\\\":\\\"a\\\\\\\"\\\\n\\\"}\"}},"
		"{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
		"\"arguments\":\"{}\"}}]}) FINISH(tool_calls) ");
	dialect_lmc.finish(&d);
	trace_finish(&t);
	json_doc_finish(&doc);
}

static void statuses_become_errors(void **state)
{
	struct err e = { 0 };

	(void)state;
	dialect_lmc.decode_error(&(struct decode){ .doc = NULL }, 400,
				 STR("{\"error\":{\"message\":\"no\",\"param\":\"config.seed\"}}"),
				 &e);
	assert_int_equal(e.code, ERR_UPSTREAM_REJECTED);
	assert_string_equal(e.path, "config.seed");
	dialect_lmc.decode_error(&(struct decode){ .doc = NULL }, 503, STR("<html>"), &e);
	assert_int_equal(e.code, ERR_UPSTREAM_UNAVAILABLE);
}

/* --- requests --- */

/* clang-format off */
static const struct {
	const char *why;
	const char *messages[6];
	const char *members[6];
	const char *max_tokens;
	bool        stream;
	bool        forward;
	enum errc   code;
	const char *want; /* the request, or PATH: TEXT of the error */
} requests[] = {
	{ "text",
	  { "{\"role\":\"system\",\"content\":\"s\"}", "{\"role\":\"user\", \"content\":\"\\u00e4\"}" },
	  { 0 }, "", true, false, ERR_OK,
	  "{\"messages\":[{\"role\":\"system\",\"type\":\"message\",\"content\":\"s\"},"
	  "{\"role\":\"user\",\"type\":\"message\",\"content\":\"\xC3\xA4\"}],\"format\":\"lmc\","
	  "\"stream\":true,\"store\":false,\"config\":{\"model\":\"org/\\\"m\\\"\"}}" },
	{ "a call and what it printed",
	  { "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","
	    "\"function\":{\"name\":\"execute\",\"arguments\":\"{\\\"language\\\":\\\"r\\\",\\\"code\\\":"
	    "\\\"x\\\"}\"}}]}",
	    "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"No output\"}" },
	  { 0 }, "", false, false, ERR_OK,
	  "{\"messages\":[{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"r\",\"content\":\"x\"},"
	  "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"\"}],"
	  "\"format\":\"lmc\",\"stream\":false,\"store\":false,\"config\":{\"model\":\"org/\\\"m\\\"\"}}" },
	{ "fenced code is code, and an empty message is none",
	  { "{\"role\":\"assistant\",\"content\":\"```r\\nx\\n```\"}", "{\"role\":\"user\",\"content\":\"\"}" },
	  { 0 }, "", false, false, ERR_OK,
	  "{\"messages\":[{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"r\",\"content\":\"x\"}],"
	  "\"format\":\"lmc\",\"stream\":false,\"store\":false,\"config\":{\"model\":\"org/\\\"m\\\"\"}}" },
	{ "members have their places, max_tokens too, and n is one anyway",
	  { "{\"role\":\"user\",\"content\":\"a\"}" },
	  { "\"temperature\":0.10", "\"user\":\"u\"", "\"n\" : 1", "\"tools\":[]", "\"logit_bias\":{}" },
	  "7", false, false, ERR_OK,
	  "{\"messages\":[{\"role\":\"user\",\"type\":\"message\",\"content\":\"a\"}],\"format\":\"lmc\","
	  "\"stream\":false,\"store\":false,\"config\":{\"model\":\"org/\\\"m\\\"\",\"temperature\":0.10,"
	  "\"tools\":[],\"max_tokens\":7,\"extra\":{\"user\":\"u\",\"logit_bias\":{}}}}" },
	{ "store and metadata where they are wanted",
	  { "{\"role\":\"user\",\"content\":\"a\"}" }, { 0 }, "", false, true, ERR_OK,
	  "{\"messages\":[{\"role\":\"user\",\"type\":\"message\",\"content\":\"a\"}],\"format\":\"lmc\","
	  "\"stream\":false,\"store\":true,\"metadata\":{},\"config\":{\"model\":\"org/\\\"m\\\"\"}}" },
	{ "more than one choice", { "{\"role\":\"user\",\"content\":\"a\"}" }, { "\"n\":2" }, "", false,
	  false, ERR_UNSUPPORTED_PARAMETER,
	  "n: must be 1: a provider that speaks LMC gives one choice" },
	{ "an image that LMC can't say",
	  { "{\"role\":\"user\",\"content\":\"a\"}",
	    "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"ftp://x\"}}]}" },
	  { 0 }, "", false, false, ERR_INVALID_VALUE,
	  "messages[1].content[0].image_url.url: the URL of an image must begin with http:// or "
	  "https://, or be a data URL of a png, jpeg, gif or webp image in base64" },
	{ "a part that LMC has not",
	  { "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"file\"}]}" },
	  { 0 }, "", false, false, ERR_UNSUPPORTED_PARAMETER,
	  "messages[0].content[1]: this provider speaks LMC, which has no message for this part; it takes "
	  "text, and of a user also image_url and input_audio" },
	{ "nothing to say", { "{\"role\":\"user\",\"content\":\"\"}" }, { 0 }, "", false, false,
	  ERR_INVALID_VALUE, "messages: all of them are empty; this provider needs one with content" },
};
/* clang-format on */

static size_t list_of(const char *const from[6], struct str to[6])
{
	size_t n = 0;

	for (; n < 6 && from[n]; n++)
		to[n] = str_of(from[n]);
	return n;
}

static void requests_are_llm_chat_in_lmc(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct str              messages[6], members[6];
		struct provider_options o = { .stream_usage = true,
					      .forward_store = requests[i].forward };
		struct prompt           p = {
				  .model = STR("org/\"m\""),
				  .messages = messages,
				  .message_count = list_of(requests[i].messages, messages),
				  .members = members,
				  .member_count = list_of(requests[i].members, members),
				  .max_tokens = str_of(requests[i].max_tokens),
				  .stream = requests[i].stream,
				  .want_usage = requests[i].stream,
				  .forward = { STR("\"store\":true"), STR("\"metadata\":{}") },
		};
		struct buf out;
		struct err e = { 0 };
		char       failure[512];

		buf_init(&out, 1 << 20);
		enum errc rc = dialect_lmc.encode(&o, &p, &out, &e);
		snprintf(failure, sizeof failure, "%s: %s", e.path, e.text);
		if (rc != requests[i].code)
			fail_msg("%s: code %d, %s", requests[i].why, (int)rc, failure);
		expect_text(requests[i].why, rc == ERR_OK ? buf_view(&out) : str_of(failure),
			    requests[i].want);
		buf_finish(&out);
	}
}

static void a_request_above_the_buffers_maximum_is_refused(void **state)
{
	const struct str        message = STR("{\"role\":\"user\",\"content\":\"0123456789\"}");
	struct provider_options o = { 0 };
	struct prompt           p = { .model = STR("m"), .messages = &message, .message_count = 1 };

	(void)state;
	for (size_t max = 70; max < 140; max += 10) {
		struct buf out;
		struct err e;

		buf_init(&out, max);
		assert_int_equal(dialect_lmc.encode(&o, &p, &out, &e), ERR_REQUEST_TOO_LARGE);
		buf_finish(&out);
	}
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
		cmocka_unit_test(whole_answers_become_events),
		cmocka_unit_test(code_in_a_whole_answer_is_a_tool_call),
		cmocka_unit_test(statuses_become_errors),
		cmocka_unit_test(requests_are_llm_chat_in_lmc),
		cmocka_unit_test(a_request_above_the_buffers_maximum_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
