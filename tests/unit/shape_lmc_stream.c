/* Answers in LMC's shape: exact bytes of streams and whole answers, and what holds for any of them. */
#include "shape/lmc_stream.h"
#include "tests/unit/lmc_spooled.h"

/* clang-format off */
#define TEXT(s)        { .kind = EVENT_TEXT, .text = { s, sizeof s - 1 } }
#define REFUSAL(s)     { .kind = EVENT_REFUSAL, .text = { s, sizeof s - 1 } }
#define REASONING(s)   { .kind = EVENT_REASONING, .text = { s, sizeof s - 1 } }
#define MEDIA          { .kind = EVENT_MEDIA, .text = { "{}", 2 } }
#define PICTURE(s)     { .kind = EVENT_MEDIA, .text = { s, sizeof s - 1 } }
#define CALL(n, name_) { .kind = EVENT_TOOL_START, .block = n, .name = { name_, sizeof name_ - 1 } }
#define ARGS(n, s)     { .kind = EVENT_TOOL_ARGS, .block = n, .text = { s, sizeof s - 1 } }
#define FINISH(s)      { .kind = EVENT_FINISH, .text = { s, sizeof s - 1 } }
#define CHUNK(s)       { .kind = EVENT_LMC, .from_lmc = true, .text = { s, sizeof s - 1 } }
#define TOLD(s)        { .kind = EVENT_TEXT, .from_lmc = true, .text = { s, sizeof s - 1 } }
#define OTHER_CHOICE(k, s) { .kind = k, .choice = 1, .text = { s, sizeof s - 1 } }
/* clang-format on */

/* Blocks, by their id. */
#define BLOCK(id, json) "id: " id "\ndata: " json "\n\n"
#define LAST(id, name, more)                                                           \
	"id: " id "\nevent: " name "\ndata: {\"role\":\"server\",\"type\":\"status\"," \
	"\"content\":\"complete\"" more "}\n\n"
#define DONE(id)          LAST(id, "done", "")
#define M                 "{\"role\":\"assistant\",\"type\":\"message\""
#define I(kind)           "{\"role\":\"assistant\",\"type\":\"image\",\"format\":\"base64." kind "\""
#define C(format)         "{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"" format "\""
#define T(format)         "{\"role\":\"assistant\",\"type\":\"tool_call\",\"format\":\"" format "\""
#define START(id, head)   BLOCK(id, head ",\"start\":true}")
#define SAYS(id, head, s) BLOCK(id, head ",\"content\":\"" s "\"}")
#define ENDS(id, head)    BLOCK(id, head ",\"end\":true}")
#define CONFIRM(id, format, code)                                                                \
	BLOCK(id, "{\"role\":\"computer\",\"type\":\"confirmation\",\"format\":\"execution\","   \
		  "\"content\":{\"type\":\"code\",\"format\":\"" format "\",\"content\":\"" code \
		  "\"}}")
#define FAILED(id)                                                                                 \
	BLOCK(id, "{\"role\":\"server\",\"type\":\"error\",\"content\":{\"message\":\"it broke\"," \
		  "\"type\":\"upstream_error\",\"param\":null,\"code\":\"upstream_error\","        \
		  "\"request_id\":\"req_1\"}}")

/* What a provider that speaks LMC sends. */
#define CONSOLE "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\""

enum { EVENTS = 10 };

struct stream {
	struct encoder *n;
	struct warnings warnings;
	struct buf      out;
	uint64_t        seq;
};

static void stream_begin(struct stream *s, bool fences, size_t max)
{
	s->seq = 0;
	warnings_init(&s->warnings);
	buf_init(&s->out, max);
	s->n = lmc_stream_create(&(struct encoder_about){
		.fences = fences,
		.run = { 1, 2 },
		.conversation = { 1, 3 },
		.warnings = &s->warnings,
	});
	assert_non_null(s->n);
}

static void stream_finish(struct stream *s)
{
	encoder_destroy(s->n);
	warnings_finish(&s->warnings);
	buf_finish(&s->out);
}

static bool give(struct stream *s, const struct event *ev)
{
	return s->n->ops->event(s->n, ev, ++s->seq, &s->out);
}

static bool give_done(struct stream *s)
{
	return s->n->ops->done(s->n, ++s->seq, &s->out);
}

static bool give_error(struct stream *s)
{
	struct err e;

	err_set(&e, ERR_UPSTREAM_ERROR, "", "it broke");
	return s->n->ops->error(s->n, &e, STR("req_1"), ++s->seq, &s->out);
}

/* --- reading what came out --- */

/* One message put together, and what may come next. */
struct seen {
	struct buf text;    /* of all: heads, contents, ends, and what is to be confirmed */
	struct buf head;    /* of the open segment; empty: none */
	struct buf content; /* of it, decoded */
	struct buf scratch;
	size_t     codes;
	size_t     confirmations;
	size_t     last; /* blocks that end the stream */
};

static void see_head(struct seen *v, const struct json_doc *d)
{
	head_of(d, 0, &v->scratch);
}

static void see_segment(struct seen *v, const struct json_doc *d)
{
	json_at content = json_get(d, 0, "content");
	bool    starts = json_get(d, 0, "start") != JSON_ABSENT;
	bool    ends = json_get(d, 0, "end") != JSON_ABSENT;

	/* K6: one of the three, in a segment that is open. */
	assert_int_equal(starts + ends + (content != JSON_ABSENT), 1);
	see_head(v, d);
	if (starts) {
		assert_int_equal(v->head.len, 0);
		assert_true(buf_str(&v->head, buf_view(&v->scratch)));
		buf_clear(&v->content);
		return;
	}
	assert_true(str_eq(buf_view(&v->head), buf_view(&v->scratch)));
	if (content != JSON_ABSENT) {
		assert_true(json_inner(d, content).n > 0);
		assert_true(text_add(&v->content, json_inner(d, content)));
		return;
	}
	v->codes += memmem(v->head.data, v->head.len, "\"code\"", 6) != NULL;
	assert_true(buf_str(&v->text, buf_view(&v->head)) && buf_text(&v->text, "<") &&
		    buf_str(&v->text, buf_view(&v->content)) && buf_text(&v->text, ">\n"));
	buf_clear(&v->head);
}

static void see_confirmation(struct seen *v, const struct json_doc *d)
{
	json_at content = json_get(d, 0, "content");

	/* Behind the code, and with all of it. */
	assert_int_equal(v->head.len, 0);
	buf_clear(&v->scratch);
	assert_true(text_add(&v->scratch, json_inner(d, json_get(d, content, "content"))));
	assert_true(str_eq(buf_view(&v->scratch), buf_view(&v->content)));
	assert_int_equal(++v->confirmations, v->codes);
}

static void see_data(struct seen *v, struct str data)
{
	struct json_doc d = { 0 };

	scan(&d, data);
	assert_int_equal(v->last, 0);
	if (json_is(&d, json_get(&d, 0, "role"), "server")) {
		assert_int_equal(v->head.len, 0);
		v->last += json_is(&d, json_get(&d, 0, "type"), "status");
	} else if (json_is(&d, json_get(&d, 0, "type"), "confirmation")) {
		see_confirmation(v, &d);
	} else {
		see_segment(v, &d);
	}
	json_doc_finish(&d);
}

static struct str line_of(struct str *rest)
{
	const char *end = memchr(rest->p, '\n', rest->n);

	assert_non_null(end);
	struct str line = { rest->p, (size_t)(end - rest->p) };
	rest->p += line.n + 1;
	rest->n -= line.n + 1;
	return line;
}

static void see(struct seen *v, struct str out)
{
	struct buf *bufs[] = { &v->text, &v->head, &v->content, &v->scratch };

	*v = (struct seen){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_init(bufs[i], 64 * MIB);
	while (out.n > 0) {
		assert_true(str_starts(line_of(&out), STR("id: ")));
		struct str line = line_of(&out);
		if (str_starts(line, STR("event: ")))
			line = line_of(&out);
		assert_true(str_starts(line, STR("data: ")));
		see_data(v, (struct str){ line.p + 6, line.n - 6 });
		assert_int_equal(line_of(&out).n, 0);
	}
}

static void seen_finish(struct seen *v)
{
	struct buf *bufs[] = { &v->text, &v->head, &v->content, &v->scratch };

	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_finish(bufs[i]);
}

/* --- streams --- */

struct row {
	const char  *why;
	bool         unfenced;
	struct event events[EVENTS];
	const char  *want;
	const char  *warnings; /* as codes_of has them; NULL: none */
};

static void give_row(struct stream *s, const struct row *row)
{
	/* A zero event is a start, which prints nothing: it stands for the end of the list. */
	for (size_t i = 0; i < EVENTS && row->events[i].kind != EVENT_START; i++)
		assert_true(give(s, &row->events[i]));
}

static void check_row(const struct row *row, bool (*end)(struct stream *s))
{
	struct stream s;
	struct seen   v;
	struct buf    codes;

	print_message("case: %s\n", row->why);
	buf_init(&codes, MIB);
	stream_begin(&s, !row->unfenced, 64 * MIB);
	give_row(&s, row);
	assert_true(end(&s));
	assert_text(&s.out, row->want);
	see(&v, buf_view(&s.out));
	assert_int_equal(v.last, 1);
	codes_of(&s.warnings, &codes);
	assert_text(&codes, row->warnings ? row->warnings : "");
	seen_finish(&v);
	buf_finish(&codes);
	stream_finish(&s);
}

/* clang-format off */
static const struct row streams[] = {
	{ "no event at all", false, { { 0 } }, DONE("1"), NULL },
	{ "text, as it comes; the event's number is the id, .1 is its second block",
	  false, { TEXT("Hi"), TEXT(" you"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "Hi") SAYS("2", M, " you") ENDS("3", M) DONE("4"), NULL },
	{ "one event with everything: one block for each piece of a segment",
	  false, { TEXT("a\\n```py\\nx\\ny\\n```\\nb"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("1.2", M)
	  START("1.3", C("py")) SAYS("1.4", C("py"), "x\\ny") ENDS("1.5", C("py"))
	  CONFIRM("1.6", "py", "x\\ny")
	  START("1.7", M) SAYS("1.8", M, "b") ENDS("2", M) DONE("3"), NULL },
	{ "fences are off", true, { TEXT("```py\\nx\\n```"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "```py\\nx\\n```") ENDS("2", M) DONE("3"), NULL },
	{ "what was held goes out with the finish, not with the end",
	  false, { TEXT("a"), TEXT(" \\n``"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("3", M, " \\n``") ENDS("3.1", M) DONE("4"), NULL },
	{ "without a finish it goes out with the end",
	  false, { TEXT("a"), TEXT("``") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("3", M, "``") ENDS("3.1", M)
	  DONE("3.2"), NULL },
	{ "white space alone is nothing", false, { TEXT(" \\n"), FINISH("stop") }, DONE("3"), NULL },
	{ "what comes behind the finish counts no more, nor does another finish",
	  false, { TEXT("a"), FINISH("stop"), TEXT("b"), CALL(0, "python"), ARGS(0, "c"),
	    FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("2", M) DONE("7"), NULL },
	{ "only the first choice counts",
	  false, { OTHER_CHOICE(EVENT_TEXT, "x"), TEXT("a"), OTHER_CHOICE(EVENT_FINISH, "length"),
	    OTHER_CHOICE(EVENT_TOOL_START, ""), OTHER_CHOICE(EVENT_TOOL_ARGS, "{}"),
	    OTHER_CHOICE(EVENT_REFUSAL, "no"), TEXT("b"), FINISH("stop") },
	  START("2", M) SAYS("2.1", M, "a") SAYS("7", M, "b") ENDS("8", M) DONE("9"), NULL },
	{ "halves of a pair meet",
	  false, { TEXT("a\\ud83d"), TEXT("\\ude00b"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, "\xf0\x9f\x98\x80" "b") ENDS("3", M)
	  DONE("4"), NULL },
	{ "a half whose other half never comes is kept as the escape it was",
	  false, { TEXT("a\\ud83d"), TEXT("b"), TEXT("\\ud83d"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, "\\ud83db") SAYS("4", M, "\\ud83d")
	  ENDS("4.1", M) DONE("5"), NULL },
	{ "escapes are JSON again", false, { TEXT("\\u0000\\t\\/\\\"\\\\ \\u00e9"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "\\u0000\\t/\\\"\\\\ \xc3\xa9") ENDS("2", M) DONE("3"), NULL },
	{ "a refusal is said", false, { REFUSAL("I "), REFUSAL("won't"), FINISH("stop") },
	  START("1", M) SAYS("1.1", M, "I") SAYS("2", M, " won't") ENDS("3", M) DONE("4"), NULL },
	{ "a call of execute is code; its end is confirmed",
	  false, { CALL(0, "execute"), ARGS(0, "{\\\"language\\\":\\\"sh\\\",\\\"code\\\":\\\"l"),
	    ARGS(0, "s\\\"}"), FINISH("tool_calls") },
	  START("2", C("sh")) SAYS("2.1", C("sh"), "l") SAYS("3", C("sh"), "s")
	  ENDS("4", C("sh")) CONFIRM("4.1", "sh", "ls") DONE("5"), NULL },
	{ "a call of python; the text in front is complete before it; a name may come in pieces",
	  false, { TEXT("See:\\n"), CALL(0, "py"), CALL(0, "thon"), ARGS(0, "1"), ARGS(0, "\\n2"),
	    FINISH("tool_calls") },
	  START("1", M) SAYS("1.1", M, "See:") SAYS("2", M, "\\n") ENDS("2.1", M)
	  START("4", C("python")) SAYS("4.1", C("python"), "1") SAYS("5", C("python"), "\\n2")
	  ENDS("6", C("python")) CONFIRM("6.1", "python", "1\\n2") DONE("7"), NULL },
	{ "empty code has no content, and is confirmed like any other",
	  false, { CALL(0, "python"), FINISH("tool_calls") },
	  START("2", C("python")) ENDS("2.1", C("python")) CONFIRM("2.2", "python", "") DONE("3"),
	  NULL },
	{ "a call of any other function is kept, told, and not to be confirmed",
	  false, { CALL(0, "f"), ARGS(0, "{\\\"a\\\":1}"), FINISH("tool_calls") },
	  START("2", T("f")) SAYS("2.1", T("f"), "{\\\"a\\\":1}") ENDS("3", T("f"))
	  LAST("4", "done", ",\"warnings\":[{\"index\":0,\"code\":\"unknown_function\",\"message\":"
	       "\"the function 'f' is neither execute nor python: its call is kept as it is\"}]"),
	  "0:unknown_function" },
	{ "calls keep apart, and the text behind them comes last",
	  false, { CALL(0, "python"), CALL(1, "python"), ARGS(1, "b"), ARGS(0, "a"), TEXT("end"),
	    ARGS(1, "c"), ARGS(0, "d"), FINISH("tool_calls") },
	  START("4", C("python")) SAYS("4.1", C("python"), "a") SAYS("7", C("python"), "d")
	  ENDS("8", C("python")) CONFIRM("8.1", "python", "ad")
	  START("8.2", C("python")) SAYS("8.3", C("python"), "bc") ENDS("8.4", C("python"))
	  CONFIRM("8.5", "python", "bc")
	  START("8.6", M) SAYS("8.7", M, "end") ENDS("8.8", M) DONE("9"), NULL },
	{ "an unusual end is told", false, { TEXT("a"), FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("2", M)
	  LAST("3", "done", ",\"finish_reason\":\"length\""), NULL },
	{ "with its escapes", false, { FINISH("a\\\"\\u00e9") },
	  LAST("2", "done", ",\"finish_reason\":\"a\\\"\\u00e9\""), NULL },
	{ "one that is longer than any word is not kept",
	  false, { FINISH("0123456789012345678901234567890123456789012345678901234567890123") },
	  DONE("2"), NULL },
	{ "one that just fits is",
	  false, { FINISH("012345678901234567890123456789012345678901234567890123456789012") },
	  LAST("2", "done", ",\"finish_reason\":"
	       "\"012345678901234567890123456789012345678901234567890123456789012\""), NULL },
	{ "an empty one is none, and ends the text all the same",
	  false, { TEXT("a "), FINISH(""), FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, " ") ENDS("2.1", M)
	  LAST("4", "done", ",\"finish_reason\":\"length\""), NULL },
	{ "reasoning is told once",
	  false, { REASONING("h"), REASONING("m"), TEXT("a"), REASONING("!"), FINISH("stop") },
	  START("3", M) SAYS("3.1", M, "a") ENDS("5", M)
	  LAST("6", "done", ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\",\"message\":"
	       "\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "each media part is told", false, { MEDIA, TEXT("a"), MEDIA, FINISH("stop") },
	  START("2", M) SAYS("2.1", M, "a") ENDS("4", M)
	  LAST("5", "done", ",\"warnings\":[{\"index\":0,\"code\":\"media_not_sent\",\"message\":"
	       "\"a media part of the answer has no place in LMC messages\"},"
	       "{\"index\":0,\"code\":\"media_not_sent\",\"message\":"
	       "\"a media part of the answer has no place in LMC messages\"}]"),
	  "0:media_not_sent 0:media_not_sent" },
	{ "images stand behind what was said, each a segment",
	  false, { PICTURE("{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,QUJD\"}}"), TEXT("a"), PICTURE("{\"image_url\":{\"url\":\"file:///etc\"}}"), PICTURE("{\"image_url\":\"data:image\\/jpeg;base64,QUI=\",\"type\":\"image_url\"}"), FINISH("stop") },
	  START("2", M) SAYS("2.1", M, "a") ENDS("5", M)
	  START("5.1", I("png")) SAYS("5.2", I("png"), "QUJD") ENDS("5.3", I("png"))
	  START("5.4", I("jpeg")) SAYS("5.5", I("jpeg"), "QUI=") ENDS("5.6", I("jpeg"))
	  LAST("6", "done", ",\"warnings\":[{\"index\":0,\"code\":\"media_not_sent\",\"message\":"
	       "\"a media part of the answer has no place in LMC messages\"}]"),
	  "0:media_not_sent" },
	{ "what means nothing here prints nothing",
	  false, { { .kind = EVENT_BLOCK_END }, { .kind = EVENT_MESSAGE, .text = { "{}", 2 } },
	    { .kind = EVENT_OTHER, .raw = { "{}", 2 } }, { .kind = EVENT_USAGE },
	    { .kind = EVENT_ERROR }, { .kind = EVENT_END } },
	  DONE("7"), NULL },
	{ "chunks of a provider that speaks LMC go through; what it also says in text does not",
	  false, { CHUNK(M ",\"start\":true}"), CHUNK(M ",\"content\":\"a\",\"x\":[1, 2]}"), TOLD("a"),
	    CHUNK(M ",\"end\":true}"), CHUNK(CONSOLE ",\"start\":true}"),
	    CHUNK(CONSOLE ",\"content\":{\"a\":\"\\u00e9\"}}"), CHUNK(CONSOLE ",\"end\":true}"),
	    FINISH("stop") },
	  START("1", M) BLOCK("2", M ",\"content\":\"a\",\"x\":[1, 2]}") ENDS("4", M)
	  START("5", CONSOLE) BLOCK("6", CONSOLE ",\"content\":{\"a\":\"\\u00e9\"}}")
	  ENDS("7", CONSOLE) DONE("9"), NULL },
};
/* clang-format on */

static void streams_are_these_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++)
		check_row(&streams[i], give_done);
}

/* clang-format off */
static const struct row failures[] = {
	{ "before anything", false, { { 0 } }, FAILED("1") LAST("1.1", "error", ""), NULL },
	{ "in a text: its segment ends, with what was held",
	  false, { TEXT("a "), },
	  START("1", M) SAYS("1.1", M, "a") SAYS("2", M, " ") ENDS("2.1", M) FAILED("2.2")
	  LAST("2.3", "error", ""), NULL },
	{ "in code: it ends, and is not to be run",
	  false, { TEXT("```py\\nx\\ny") },
	  START("1", C("py")) SAYS("1.1", C("py"), "x\\ny") ENDS("2", C("py")) FAILED("2.1")
	  LAST("2.2", "error", ""), NULL },
	{ "behind code that was complete and confirmed",
	  false, { TEXT("```py\\nx\\n```\\n") },
	  START("1", C("py")) SAYS("1.1", C("py"), "x") ENDS("1.2", C("py")) CONFIRM("1.3", "py", "x")
	  FAILED("2") LAST("2.1", "error", ""), NULL },
	{ "calls that were held are given and not to be run",
	  false, { CALL(0, "python"), ARGS(0, "a"), CALL(1, "python"), ARGS(1, "b"), TEXT("c") },
	  START("2", C("python")) SAYS("2.1", C("python"), "a") ENDS("6", C("python"))
	  START("6.1", C("python")) SAYS("6.2", C("python"), "b") ENDS("6.3", C("python"))
	  START("6.4", M) SAYS("6.5", M, "c") ENDS("6.6", M)
	  FAILED("6.7") LAST("6.8", "error", ""), NULL },
	{ "behind the finish: all of it is out already",
	  false, { TEXT("a"), CALL(0, "python"), ARGS(0, "b"), FINISH("length") },
	  START("1", M) SAYS("1.1", M, "a") ENDS("2", M)
	  START("3", C("python")) SAYS("3.1", C("python"), "b") ENDS("4", C("python"))
	  CONFIRM("4.1", "python", "b")
	  FAILED("5") LAST("5.1", "error", ",\"finish_reason\":\"length\""), NULL },
	{ "warnings are told all the same", false, { REASONING("hm") },
	  FAILED("2") LAST("2.1", "error",
	       ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\",\"message\":"
	       "\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "in a segment of a provider that speaks LMC",
	  false, { CHUNK(CONSOLE ",\"start\":true}"), CHUNK(CONSOLE ",\"content\":\"a\"}") },
	  START("1", CONSOLE) SAYS("2", CONSOLE, "a") ENDS("3", CONSOLE) FAILED("3.1")
	  LAST("3.2", "error", ""), NULL },
	{ "in code of such a provider: we confirm nothing of it",
	  false, { CHUNK(C("py") ",\"start\":true}"), CHUNK(C("py") ",\"content\":\"a\"}") },
	  START("1", C("py")) SAYS("2", C("py"), "a") ENDS("3", C("py")) FAILED("3.1")
	  LAST("3.2", "error", ""), NULL },
	{ "between its segments",
	  false, { CHUNK(M ",\"start\":true}"), CHUNK(M ",\"end\":true}") },
	  START("1", M) ENDS("2", M) FAILED("3") LAST("3.1", "error", ""), NULL },
};
/* clang-format on */

static void a_failure_ends_what_is_open_and_confirms_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(failures); i++)
		check_row(&failures[i], give_error);
}

/* An LMC provider's own confirmations go through wherever they stand. */
static void a_providers_confirmation_goes_through(void **state)
{
	(void)state;
	static const struct event ev =
		CHUNK("{\"role\":\"computer\",\"type\":\"confirmation\",\"format\":\"execution\","
		      "\"content\":{\"type\":\"code\",\"format\":\"py\",\"content\":\"x\"}}");
	struct stream s;

	stream_begin(&s, true, MIB);
	assert_true(give(&s, &ev));
	assert_true(give_error(&s));
	assert_text(&s.out, CONFIRM("1", "py", "x") FAILED("2") LAST("2.1", "error", ""));
	stream_finish(&s);
}

/* --- limits --- */

/* What a provider says is more than may be held: the stream fails and says so. */
static void an_answer_with_too_many_calls_still_gets_its_error(void **state)
{
	(void)state;
	struct stream s;
	struct seen   v;
	struct event  call = CALL(0, "python");
	struct event  args = ARGS(0, "x");

	stream_begin(&s, true, 64 * MIB);
	assert_true(give(&s, &(struct event)TEXT("Look: ")));
	assert_true(give(&s, &call));
	assert_true(give(&s, &args));
	for (call.block = 1; call.block < LIMIT_TOOLS; call.block++)
		assert_true(give(&s, &call));
	assert_false(give(&s, &call));
	assert_false(give(&s, &(struct event)TEXT("a")));
	assert_true(give_error(&s));
	see(&v, buf_view(&s.out));
	assert_text(&v.text,
		    "\"role\":\"assistant\",\"type\":\"message\",<Look: >\n"
		    "\"role\":\"assistant\",\"type\":\"code\",\"format\":\"python\",<x>\n");
	assert_int_equal(v.confirmations, 0);
	assert_int_equal(v.last, 1);
	seen_finish(&v);
	stream_finish(&s);
}

/* --- held text that is long --- */

enum { LONG_CODE = 300 * KIB };

/* put_expected: the blocks of one call whose code is LONG_CODE times x, numbered as the third event's. */
static void put_expected(struct buf *out, const char *code)
{
	assert_true(buf_text(
		out, START("3", C("python")) "id: 3.1\ndata: " C("python") ",\"content\":\""));
	assert_true(buf_text(out, code));
	assert_true(buf_text(
		out,
		"\"}\n\n" ENDS(
			"3.2",
			C("python")) "id: 3.3\ndata: {\"role\":\"computer\","
				     "\"type\":\"confirmation\",\"format\":\"execution\",\"content\":"
				     "{\"type\":\"code\",\"format\":\"python\",\"content\":\""));
	assert_true(buf_text(out, code));
	assert_true(buf_text(out, "\"}}\n\n"));
}

/* give_long: a later call with long code, the end of the turn, and what counts no more behind that. */
static void give_long(struct stream *s, const char *code)
{
	const struct event events[] = {
		CALL(1, "python"),
		{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = str_of(code) },
		FINISH("tool_calls"),
		TEXT("no more"),
		PICTURE("{\"type\":\"image_url\",\"image_url\":{\"url\":"
			"\"data:image/png;base64,AA==\"}}")
	};

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		assert_true(give(s, &events[i]));
		assert_int_equal(s->n->rests, i >= 2);
	}
	assert_int_equal(s->out.len, 0);
}

static void long_held_text_is_put_off_for_a_worker(void **state)
{
	static char code[LONG_CODE + 1];
	(void)state;

	memset(code, 'x', LONG_CODE);
	/* Whether a worker prints it or the end does, the bytes are the same. */
	for (unsigned way = 0; way < 4; way++) {
		bool          worker = way & 1;
		bool          fails = way & 2;
		struct stream s;
		struct buf    expected;

		stream_begin(&s, true, 4 * MIB);
		give_long(&s, code);
		buf_init(&expected, 4 * MIB);
		put_expected(&expected, code);
		if (worker) {
			assert_true(s.n->ops->rest(s.n, &s.out));
			assert_false(s.n->rests);
			assert_true(str_eq(buf_view(&s.out), buf_view(&expected)));
			assert_true(s.n->ops->rest(s.n, &s.out)); /* once is enough */
		}
		assert_true(fails ? give_error(&s) : give_done(&s));
		assert_true(buf_text(&expected,
				     fails ? FAILED("6") LAST("6.1", "error", "") : DONE("6")));
		assert_true(str_eq(buf_view(&s.out), buf_view(&expected)));
		buf_finish(&expected);
		stream_finish(&s);
	}
}

static void long_text_without_room_loses_no_end(void **state)
{
	static char   code[LONG_CODE + 1];
	struct stream s;
	struct buf    little;
	(void)state;

	memset(code, 'x', LONG_CODE);
	stream_begin(&s, true, 4 * MIB);
	give_long(&s, code);
	buf_init(&little, LONG_CODE);
	assert_false(s.n->ops->rest(s.n, &little));
	assert_true(str_is(buf_view(&little), START("3", C("python")))); /* no half block */
	buf_finish(&little);
	assert_true(give_error(&s));
	assert_true(str_is(buf_view(&s.out),
			   ENDS("6", C("python")) FAILED("6.1") LAST("6.2", "error", "")));
	stream_finish(&s);
}

static const struct event mixed[] = {
	TEXT("a\\n```py\\nx\\n```\\nb "),
	TEXT("c \\u00e9\\ud83d"),
	REASONING("hm"),
	CALL(0, "execute"),
	ARGS(0, "{\\\"language\\\":\\\"sh\\\",\\\"code\\\":\\\"l"),
	ARGS(0, "s\\\"}"),
	CALL(1, "f"),
	ARGS(1, "{}"),
	FINISH("length"),
};

static const struct event of_lmc[] = {
	CHUNK(M ",\"start\":true}"),
	CHUNK(M ",\"content\":\"a\"}"),
	CHUNK(M ",\"end\":true}"),
	CHUNK(CONSOLE ",\"start\":true}"),
	CHUNK(CONSOLE ",\"content\":\"b\"}"),
	CHUNK(CONSOLE ",\"end\":true}"),
	FINISH("stop"),
};

/* whole_blocks: out ends where a block does. */
static bool whole_blocks(struct str out)
{
	return out.n == 0 || (out.n > 2 && memcmp(out.p + out.n - 2, "\n\n", 2) == 0);
}

static void fill(struct stream *s, const struct event *events, size_t count)
{
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = give(s, &events[i]);
	if (ok)
		assert_false(give_done(s));
}

/* For each size of out: what went out is the beginning of what would have, in whole blocks, and the
 * error that follows ends what is open. */
static void check_full(const struct event *events, size_t count)
{
	struct stream all;

	stream_begin(&all, true, 64 * MIB);
	for (size_t i = 0; i < count; i++)
		assert_true(give(&all, &events[i]));
	assert_true(give_done(&all));
	for (size_t max = 0; max < all.out.len; max++) {
		struct stream s;
		struct seen   v;

		stream_begin(&s, true, max);
		fill(&s, events, count);
		assert_true(whole_blocks(buf_view(&s.out)));
		assert_true(str_starts(buf_view(&all.out), buf_view(&s.out)));
		assert_false(give_error(&s));
		assert_true(whole_blocks(buf_view(&s.out)));
		stream_finish(&s);

		/* Read meanwhile, as a client does. */
		stream_begin(&s, true, max);
		fill(&s, events, count);
		s.out.max = 64 * MIB;
		assert_true(give_error(&s));
		see(&v, buf_view(&s.out));
		assert_int_equal(v.last, 1);
		seen_finish(&v);
		stream_finish(&s);
	}
	stream_finish(&all);
}

static void a_block_is_never_half_printed(void **state)
{
	(void)state;
	check_full(mixed, ARRAY_LEN(mixed));
	check_full(of_lmc, ARRAY_LEN(of_lmc));
}

/* --- any cut gives the same messages --- */

/* Pieces of escaped text that no event cuts. */
static const char *const atoms[] = {
	"`",
	"```",
	"````",
	"\\n",
	"\\r",
	" ",
	"\\t",
	"a",
	"py",
	"\\ud83d",
	"\\ude00",
	"\xc3\xa9",
	"\xf0\x9f\x98\x80",
	"\\\"",
	"\\\\",
	"{",
	"}",
	"\\\"code\\\":\\\"",
	"\\\"language\\\":\\\"",
	"<safe>",
	"</safe>",
	"\\u0000",
	"\\ud83d\\ude00",
	"\xed\x95\x9c",
};

enum { STEPS = 8, ATOMS = 14 };

/* One thing that the model does; its text is cut in the ways that are tried. */
struct step {
	enum event_kind kind;
	uint32_t        block;
	size_t          count;
	const char     *text[ATOMS];
};

static void make_steps(struct step steps[STEPS], unsigned *seed)
{
	static const enum event_kind kinds[] = {
		EVENT_TEXT,       EVENT_TEXT,      EVENT_REFUSAL,
		EVENT_TOOL_START, EVENT_TOOL_ARGS, EVENT_TOOL_ARGS
	};
	static const char *const names[] = { "python", "execute", "f", "exe" };

	for (size_t i = 0; i < STEPS; i++) {
		struct step *t = &steps[i];

		*t = (struct step){ .kind = kinds[chance(seed, ARRAY_LEN(kinds))],
				    .block = chance(seed, 2) };
		if (t->kind == EVENT_TOOL_START) {
			t->text[t->count++] = names[chance(seed, ARRAY_LEN(names))];
			continue;
		}
		if (t->kind == EVENT_TOOL_ARGS && chance(seed, 2))
			t->text[t->count++] = "{\\\"code\\\":\\\"";
		for (size_t n = 1 + chance(seed, ATOMS - 1); t->count < n;)
			t->text[t->count++] = atoms[chance(seed, ARRAY_LEN(atoms))];
	}
}

/* give_steps: each step in pieces of up to most atoms. */
static void give_steps(struct stream *s, const struct step steps[STEPS], unsigned *seed,
		       unsigned most)
{
	for (size_t i = 0; i < STEPS; i++) {
		for (size_t at = 0; at < steps[i].count;) {
			struct event ev = { .kind = steps[i].kind, .block = steps[i].block };
			size_t       n = 1 + chance(seed, most);
			struct buf   text;

			buf_init(&text, KIB);
			for (; n > 0 && at < steps[i].count; n--)
				assert_true(buf_text(&text, steps[i].text[at++]));
			*(ev.kind == EVENT_TOOL_START ? &ev.name : &ev.text) = buf_view(&text);
			assert_true(give(s, &ev));
			buf_finish(&text);
		}
	}
}

static void any_cut_gives_the_same_messages(void **state)
{
	(void)state;
	unsigned seed = 7;

	for (int round = 0; round < 3000; round++) {
		struct step   steps[STEPS];
		struct stream whole, cut;
		struct seen   one, other;
		bool          fences = chance(&seed, 4) != 0;
		bool          fails = chance(&seed, 4) == 0;

		make_steps(steps, &seed);
		stream_begin(&whole, fences, 64 * MIB);
		stream_begin(&cut, fences, 64 * MIB);
		/* Nearly always more than a step has. */
		give_steps(&whole, steps, &(unsigned){ 1 }, ATOMS * 1000u);
		give_steps(&cut, steps, &seed, 1 + chance(&seed, 3));
		assert_true(fails ? give_error(&whole) && give_error(&cut)
				  : give_done(&whole) && give_done(&cut));
		see(&one, buf_view(&whole.out));
		see(&other, buf_view(&cut.out));
		if (!str_eq(buf_view(&one.text), buf_view(&other.text)))
			fail_msg("round %d: %.*s\nis not %.*s", round,
				 STR_ARG(buf_view(&whole.out)), STR_ARG(buf_view(&cut.out)));
		assert_int_equal(one.confirmations, other.confirmations);
		if (!fails)
			assert_int_equal(one.confirmations, one.codes);
		assert_int_equal(whole.warnings.count, cut.warnings.count);
		seen_finish(&one);
		seen_finish(&other);
		stream_finish(&whole);
		stream_finish(&cut);
	}
}

/* --- whole answers --- */

#define ANSWER(messages, finish, more)                                                                                                                                     \
	"{\"object\":\"lmc.messages\",\"conversation\":\"conv_00000000000000010000000000000003\",\"run\":\"run_00000000000000010000000000000002\",\"messages\":[" messages \
	"],\"finish_reason\":\"" finish "\"" more "}"
#define SAID(text) LMC("assistant", "message", PLAIN(text))

/* clang-format off */
static const struct whole_row {
	const char *why;
	bool        unfenced;
	const char *message, *lmc, *finish;
	bool        usage;
	const char *want; /* NULL: it fails */
	const char *warnings;
} wholes[] = {
	{ "text", false, "{\"role\":\"assistant\",\"content\":\"Hi\"}", "", "stop", false,
	  ANSWER(SAID("Hi"), "stop", ""), NULL },
	{ "with its usage", false, "{\"role\":\"assistant\",\"content\":\"Hi\"}", "", "stop", true,
	  ANSWER(SAID("Hi"), "stop", ",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,"
		 "\"total_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":0},"
		 "\"completion_tokens_details\":{\"reasoning_tokens\":0}}"), NULL },
	{ "nothing is told as such", false, "{\"role\":\"assistant\",\"content\":\"\"}", "", "stop",
	  false, ANSWER("", "stop", ",\"warnings\":[{\"index\":0,\"code\":\"empty_message\","
			"\"message\":\"the message has nothing to translate and is left out\"}]"),
	  "0:empty_message" },
	{ "fences", false, "{\"role\":\"assistant\",\"content\":\"a\\n```\\nx\\n```\"}", "", "stop",
	  false, ANSWER(SAID("a") "," LMC("assistant", "code", FORMAT("python", "x")), "stop", ""),
	  NULL },
	{ "no fences", true, "{\"role\":\"assistant\",\"content\":\"a\\n```\\nx\\n```\"}", "", "stop",
	  false, ANSWER(SAID("a\\n```\\nx\\n```"), "stop", ""), NULL },
	{ "a call", false,
	  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":"
	  "{\"name\":\"python\",\"arguments\":\"x\"}}]}", "", "tool_calls", false,
	  ANSWER(LMC("assistant", "code", FORMAT("python", "x")), "tool_calls", ""), NULL },
	{ "a refusal alone is no loss", false,
	  "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I \\\"won't\\\"\"}", "", "stop",
	  false, ANSWER(SAID("I \\\"won't\\\""), "stop", ""), NULL },
	{ "without even a content", false, "{\"role\":\"assistant\",\"refusal\":\"no\"}", "", "stop",
	  false, ANSWER(SAID("no"), "stop", ""), NULL },
	{ "a refusal behind text", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":\"no\"}", "", "stop", false,
	  ANSWER(SAID("a") "," SAID("no"), "stop", ""), NULL },
	{ "a refusal beside a call", false,
	  "{\"role\":\"assistant\",\"refusal\":\"no\",\"function_call\":{\"name\":\"python\","
	  "\"arguments\":\"x\"}}", "", "stop", false,
	  ANSWER(LMC("assistant", "code", FORMAT("python", "x")) "," SAID("no"), "stop", ""), NULL },
	{ "an empty refusal is none", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":\"\"}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ""), NULL },
	{ "nor one that is no string", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"refusal\":5}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ""), NULL },
	{ "reasoning is told", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"hm\"}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\","
		 "\"message\":\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "also by its other name", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"hm\"}", "", "stop", false,
	  ANSWER(SAID("a"), "stop", ",\"warnings\":[{\"index\":0,\"code\":\"reasoning_not_sent\","
		 "\"message\":\"the model's reasoning has no place in LMC messages\"}]"),
	  "0:reasoning_not_sent" },
	{ "where there is some", false,
	  "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"\",\"reasoning\":null}",
	  "", "stop", false, ANSWER(SAID("a"), "stop", ""), NULL },
	{ "a provider's LMC messages go before its message", false,
	  "{\"role\":\"assistant\",\"content\":\"other\"}", SAID("a") "," SAID("b"), "stop", false,
	  ANSWER(SAID("a") "," SAID("b"), "stop", ""), NULL },
	{ "no message at all", false, "", "", "stop", false, NULL, NULL },
	{ "one that is no JSON", false, "{", "", "stop", false, NULL, NULL },
	{ "one that is no object", false, "[]", "", "stop", false, NULL, NULL },
	{ "one that breaks a rule is told", false, "{\"role\":\"robot\",\"content\":\"a\"}", "",
	  "stop", false, ANSWER("", "stop", ",\"warnings\":[{\"index\":0,\"code\":\"not_shown\","
				"\"message\":\"message.role: must be one of system, "
				"developer, user, assistant, tool, function\"}]"),
	  "0:not_shown" },
};
/* clang-format on */

static bool give_whole(struct stream *s, const struct whole_row *row)
{
	const struct usage usage = { .known = row->usage, .in = 3, .out = 4 };

	return s->n->ops->whole(s->n,
				&(struct encoder_whole){
					.raw = STR("{\"id\":\"up\"}"),
					.message = str_of(row->message),
					.lmc = str_of(row->lmc),
					.finish_reason = str_of(row->finish),
					.usage = &usage,
				},
				&s->out);
}

static void whole_answers_are_these_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
		const struct whole_row *row = &wholes[i];
		struct json_doc         d = { 0 };
		struct stream           s;
		struct buf              codes;

		print_message("case: %s\n", row->why);
		buf_init(&codes, MIB);
		stream_begin(&s, !row->unfenced, 64 * MIB);
		assert_true(buf_text(&s.out, "x"));
		assert_int_equal(give_whole(&s, row), row->want != NULL);
		buf_take_front(&s.out, 1);
		assert_text(&s.out, row->want ? row->want : "");
		codes_of(&s.warnings, &codes);
		assert_text(&codes, row->warnings ? row->warnings : "");
		if (row->want)
			scan(&d, buf_view(&s.out));
		/* What does not fit leaves nothing behind. */
		for (size_t max = 0; max < s.out.len; max++) {
			struct stream small;

			stream_begin(&small, !row->unfenced, max);
			assert_false(give_whole(&small, row));
			assert_int_equal(small.out.len, 0);
			stream_finish(&small);
		}
		json_doc_finish(&d);
		buf_finish(&codes);
		stream_finish(&s);
	}
}

static void an_answer_that_is_not_stored_names_no_conversation(void **state)
{
	(void)state;
	struct buf      out;
	struct usage    usage = { 0 };
	struct encoder *n = lmc_stream_create(&(struct encoder_about){ .run = { 1, 2 } });

	assert_non_null(n);
	buf_init(&out, KIB);
	assert_true(n->ops->whole(
		n,
		&(struct encoder_whole){
			.message = STR(
				"{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"hm\"}"),
			.finish_reason = STR("stop"),
			.usage = &usage },
		&out));
	/* And nobody asks for warnings. */
	assert_text(
		&out,
		"{\"object\":\"lmc.messages\",\"run\":\"run_00000000000000010000000000000002\",\"messages\":[" SAID(
			"a") "],\"finish_reason\":\"stop\"}");
	buf_clear(&out);
	assert_true(n->ops->done(n, 1, &out));
	assert_text(&out, DONE("1"));
	encoder_destroy(n);
	encoder_destroy(NULL);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_these_bytes),
		cmocka_unit_test(a_failure_ends_what_is_open_and_confirms_nothing),
		cmocka_unit_test(a_providers_confirmation_goes_through),
		cmocka_unit_test(an_answer_with_too_many_calls_still_gets_its_error),
		cmocka_unit_test(long_held_text_is_put_off_for_a_worker),
		cmocka_unit_test(long_text_without_room_loses_no_end),
		cmocka_unit_test(a_block_is_never_half_printed),
		cmocka_unit_test(any_cut_gives_the_same_messages),
		cmocka_unit_test(whole_answers_are_these_bytes),
		cmocka_unit_test(an_answer_that_is_not_stored_names_no_conversation),
	};

	return cmocka_run_group_tests_name("lmc/stream", tests, NULL, NULL);
}
