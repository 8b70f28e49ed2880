/* Events printed as blocks of Anthropic's shape: exact bytes, the grammar, and that no cut of a
 * provider's stream changes the blocks. */
#include "base/limits.h"
#include "json/scan.h"
#include "shape/encoders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define BODY      "00000000000000010000000000000002"
#define NOT_KNOWN "\"stop_details\":null,\"container\":null,"
#define NO_PARTS                                                                          \
	",\"cache_creation\":null,\"output_tokens_details\":null,\"inference_geo\":null," \
	"\"server_tool_use\":null,\"service_tier\":null"
#define START                                                                                          \
	"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_" BODY      \
	"\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m \\\"1\\\"\",\"content\":[],"     \
	"\"stop_reason\":null,\"stop_sequence\":null," NOT_KNOWN "\"usage\":{\"input_tokens\":9,"      \
	"\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":1" NO_PARTS \
	"}}}"                                                                                          \
	"\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
#define OPEN(i, what)                                                          \
	"event: content_block_start\ndata: {\"type\":\"content_block_start\"," \
	"\"index\":" #i ",\"content_block\":" what "}\n\n"
#define DELTA(i, what)                                                         \
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\"," \
	"\"index\":" #i ",\"delta\":" what "}\n\n"
#define CLOSE(i) \
	"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":" #i "}\n\n"
#define STOP(why, in, out)                                                                          \
	"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" why \
	"\",\"stop_sequence\":null},\"usage\":{\"input_tokens\":" #in                               \
	",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":" #out  \
	"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
#define TEXT_START     "{\"type\":\"text\",\"text\":\"\"}"
#define THINKING_START "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}"
#define CALL_START(id, name) \
	"{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":{}}"
#define TEXT_DELTA(t)     "{\"type\":\"text_delta\",\"text\":\"" t "\"}"
#define THINKING_DELTA(t) "{\"type\":\"thinking_delta\",\"thinking\":\"" t "\"}"
#define ARGS_DELTA(t)     "{\"type\":\"input_json_delta\",\"partial_json\":\"" t "\"}"

static struct encoder *make(enum reasoning_name reasoning)
{
	struct encoder *n = anthropic_stream_create(&(struct encoder_about){
		.run = { 1, 2 }, .model = STR("m \"1\""), .guess_in = 9, .reasoning = reasoning });

	assert_non_null(n);
	return n;
}

static void print_events(struct encoder *n, const struct event *events, size_t count,
			 struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		assert_true(n->ops->event(n, &events[i], i + 1, out));
	assert_true(n->ops->done(n, count + 1, out));
}

static void assert_stream(const struct event *events, size_t count, const char *want)
{
	struct encoder *n = make(REASONING_PASSTHROUGH);
	struct buf      out;

	buf_init(&out, MIB);
	print_events(n, events, count, &out);
	assert_true(buf_text(&out, "") && buf_add(&out, "", 1));
	assert_string_equal(out.data, want);
	buf_finish(&out);
	encoder_destroy(n);
}

/* A constant, unlike STR. */
#define TEXT_OF(t)               \
	{                        \
		t, sizeof(t) - 1 \
	}
#define BEGIN                                                                         \
	{                                                                             \
		.kind = EVENT_START, .id = TEXT_OF("up"), .text = TEXT_OF("upstream") \
	}
#define PIECE(k, t)                             \
	{                                       \
		.kind = (k), .text = TEXT_OF(t) \
	}
#define CALL(b, i, m)                                                                        \
	{                                                                                    \
		.kind = EVENT_TOOL_START, .block = (b), .id = TEXT_OF(i), .name = TEXT_OF(m) \
	}
#define ARGS(b, t)                                                        \
	{                                                                 \
		.kind = EVENT_TOOL_ARGS, .block = (b), .text = TEXT_OF(t) \
	}
#define END_OF(b)                                     \
	{                                             \
		.kind = EVENT_BLOCK_END, .block = (b) \
	}
#define USAGE(i, o)                                                                   \
	{                                                                             \
		.kind = EVENT_USAGE, .usage = {.known = true, .in = (i), .out = (o) } \
	}

static void a_text(void **state)
{
	(void)state;
	static const struct event events[] = {
		BEGIN,
		PIECE(EVENT_REASONING, "hm"),
		PIECE(EVENT_TEXT, "Hel"),
		PIECE(EVENT_TEXT, "lo"),
		PIECE(EVENT_FINISH, "stop"),
		USAGE(11, 7),
	};

	assert_stream(events, ARRAY_LEN(events),
		      START OPEN(0, THINKING_START) DELTA(0, THINKING_DELTA("hm")) CLOSE(0)
			      OPEN(1, TEXT_START) DELTA(1, TEXT_DELTA("Hel"))
				      DELTA(1, TEXT_DELTA("lo")) CLOSE(1) STOP("end_turn", 11, 7));
}

static void calls_that_take_turns_do_not_overlap(void **state)
{
	(void)state;
	static const struct event events[] = {
		BEGIN,
		PIECE(EVENT_TEXT, "x"),
		CALL(0, "a", "f"),
		CALL(1, "b", "g"),
		ARGS(1, "{\\\"k"),
		ARGS(0, "{"),
		ARGS(1, "\\\":1}"),
		ARGS(0, "}"),
		PIECE(EVENT_TEXT, "y"),
		PIECE(EVENT_FINISH, "stop"),
		USAGE(1, 2),
	};

	assert_stream(events, ARRAY_LEN(events),
		      START OPEN(0, TEXT_START) DELTA(0, TEXT_DELTA("x")) CLOSE(0)
			      OPEN(1, CALL_START("a", "f")) DELTA(1, ARGS_DELTA("{")) DELTA(
				      1, ARGS_DELTA("}")) CLOSE(1) OPEN(2, CALL_START("b", "g"))
				      DELTA(2, ARGS_DELTA("{\\\"k\\\":1}")) CLOSE(2)
					      OPEN(3, TEXT_START) DELTA(3, TEXT_DELTA("y")) CLOSE(3)
						      STOP("tool_use", 1, 2));
}

static void a_call_that_has_ended_lets_the_next_one_through(void **state)
{
	(void)state;
	static const struct event events[] = {
		CALL(0, "a", "f"), END_OF(0),    CALL(1, "", "g"),
		ARGS(1, "{"),      ARGS(1, "}"), PIECE(EVENT_FINISH, "tool_calls"),
	};

	assert_stream(events, ARRAY_LEN(events),
		      START OPEN(0, CALL_START("a", "f")) CLOSE(0)
			      OPEN(1, CALL_START("toolu_" BODY "_1", "g")) DELTA(1, ARGS_DELTA("{"))
				      DELTA(1, ARGS_DELTA("}")) CLOSE(1) STOP("tool_use", 9, 1));
}

static void every_end_has_its_reason(void **state)
{
	(void)state;
	static const struct {
		const char     *want;
		struct str      finish;
		enum event_kind kind;
	} cases[] = {
		{ "\"end_turn\"", TEXT_OF("stop"), EVENT_TEXT },
		{ "\"end_turn\"", TEXT_OF("whatever"), EVENT_TEXT },
		{ "\"max_tokens\"", TEXT_OF("length"), EVENT_TEXT },
		{ "\"max_tokens\"", TEXT_OF("length"), EVENT_TOOL_START },
		{ "\"tool_use\"", TEXT_OF("stop"), EVENT_TOOL_START },
		{ "\"tool_use\"", TEXT_OF("tool_calls"), EVENT_TOOL_START },
		{ "\"refusal\"", TEXT_OF("content_filter"), EVENT_TEXT },
		{ "\"refusal\"", TEXT_OF("stop"), EVENT_REFUSAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct event events[] = {
			{ .kind = cases[i].kind,
			  .text = STR("x"),
			  .id = STR("i"),
			  .name = STR("n") },
			{ .kind = EVENT_FINISH, .text = cases[i].finish },
		};
		struct encoder *n = make(REASONING_PASSTHROUGH);
		struct buf      out;

		buf_init(&out, MIB);
		print_events(n, events, 2, &out);
		print_message("case: %zu\n", i);
		assert_non_null(memmem(out.data, out.len, cases[i].want, strlen(cases[i].want)));
		buf_finish(&out);
		encoder_destroy(n);
	}
}

static void a_failure_is_an_event_and_no_end(void **state)
{
	(void)state;
	struct encoder *n = make(REASONING_PASSTHROUGH);
	struct event    ev = PIECE(EVENT_TEXT, "x");
	struct err      e;
	struct buf      out;

	buf_init(&out, MIB);
	err_set(&e, ERR_STREAM_INCOMPLETE, "", "it broke");
	assert_true(n->ops->event(n, &ev, 1, &out));
	buf_clear(&out);
	assert_true(n->ops->error(n, &e, STR("req_1"), 2, &out));
	assert_true(buf_add(&out, "", 1));
	assert_string_equal(out.data,
			    "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":"
			    "\"it broke\",\"type\":\"api_error\",\"param\":null,\"code\":"
			    "\"stream_incomplete\"},\"request_id\":\"req_1\"}\n\n");
	buf_finish(&out);
	encoder_destroy(n);
}

/* --- any cut --- */

enum { BLOCKS = 16, BLOCK_TEXT = 256 };

struct seen {
	size_t count;
	char   text[BLOCKS][BLOCK_TEXT]; /* the start of each block, and its joined pieces */
};

static struct str member(struct str data, const char *key)
{
	const char *at = memmem(data.p, data.n, key, strlen(key));

	assert_non_null(at);
	at += strlen(key);
	return (struct str){ at, (size_t)(data.p + data.n - at) };
}

static void add_to(char *text, struct str s, size_t less)
{
	size_t n = strlen(text);

	assert_true(n + s.n - less < BLOCK_TEXT);
	memcpy(text + n, s.p, s.n - less);
	text[n + s.n - less] = '\0';
}

/* look: reads the blocks, and checks that one is open at a time and that indexes are places. */
static void look(struct str out, struct seen *ret)
{
	bool open = false;

	*ret = (struct seen){ 0 };
	while (out.n > 0) {
		const char *end = memmem(out.p, out.n, "\n\n", 2);
		char        index[32];

		assert_non_null(end);
		struct str block = { out.p, (size_t)(end - out.p) };
		out = (struct str){ end + 2, out.n - block.n - 2 };
		struct str data = member(block, "data: ");
		if (!str_starts(block, STR("event: content_block_")))
			continue;
		bool start = str_starts(block, STR("event: content_block_start"));
		assert_int_equal(open, !start);
		assert_true(ret->count < BLOCKS);
		snprintf(index, sizeof index, "\"index\":%zu,", ret->count);
		if (str_starts(block, STR("event: content_block_stop"))) {
			snprintf(index, sizeof index, "\"index\":%zu}", ret->count);
			ret->count++;
		}
		assert_non_null(memmem(data.p, data.n, index, strlen(index)));
		open = !str_starts(block, STR("event: content_block_stop"));
		if (start)
			add_to(ret->text[ret->count], member(data, "\"content_block\":"), 1);
		else if (open && memmem(data.p, data.n, "partial_json", 12))
			add_to(ret->text[ret->count], member(data, "\"partial_json\":\""), 3);
		else if (open && memmem(data.p, data.n, "text_delta", 10))
			add_to(ret->text[ret->count], member(data, "\"text\":\""), 3);
		else if (open)
			add_to(ret->text[ret->count], member(data, "\"thinking\":\""), 3);
	}
	assert_false(open);
}

/* What a provider says; texts are cut, and pieces of the two calls take turns. */
static const struct event said[] = {
	PIECE(EVENT_REASONING, "think of it"),
	PIECE(EVENT_TEXT, "an answer"),
	CALL(0, "call_a", "first"),
	CALL(1, "call_b", "second"),
	ARGS(0, "{\\\"city\\\":\\\"X\\\"}"),
	ARGS(1, "{\\\"n\\\":[1,2,3]}"),
	PIECE(EVENT_TEXT, "and more"),
	PIECE(EVENT_FINISH, "tool_calls"),
};

static void print_cut(struct encoder *n, unsigned seed, struct buf *out)
{
	size_t at[ARRAY_LEN(said)] = { 0 };
	size_t i = 0;

	while (i < ARRAY_LEN(said)) {
		struct event ev = said[i];
		size_t       from = at[i];
		bool         call = ev.kind == EVENT_TOOL_ARGS && ev.block == 0;

		seed = seed * 1103515245 + 12345;
		if (ev.kind == EVENT_FINISH || ev.kind == EVENT_TOOL_START) {
			assert_true(n->ops->event(n, &ev, 1, out));
			i++;
			continue;
		}
		/* The second call may be ahead of the first one. */
		if (call && seed >> 16 & 1 && at[i + 1] < said[i + 1].text.n) {
			ev = said[i + 1];
			from = at[i + 1];
		}
		size_t n_bytes = 1 + (seed >> 20) % 4;
		if (n_bytes > ev.text.n - from)
			n_bytes = ev.text.n - from;
		at[ev.kind == EVENT_TOOL_ARGS && ev.block == 1 ? 5 : i] += n_bytes;
		ev.text = (struct str){ ev.text.p + from, n_bytes };
		assert_true(n->ops->event(n, &ev, 1, out));
		while (i < ARRAY_LEN(said) && said[i].text.n > 0 && at[i] == said[i].text.n)
			i++;
	}
	assert_true(n->ops->done(n, 2, out));
}

static void any_cut_makes_the_same_blocks(void **state)
{
	(void)state;
	struct seen     whole;
	struct seen     cut;
	struct encoder *n = make(REASONING_PASSTHROUGH);
	struct buf      out;

	buf_init(&out, MIB);
	print_events(n, said, ARRAY_LEN(said), &out);
	look(buf_view(&out), &whole);
	encoder_destroy(n);
	assert_int_equal(whole.count, 5);
	assert_string_equal(whole.text[3], CALL_START("call_b", "second") "{\\\"n\\\":[1,2,3]}");
	for (unsigned seed = 1; seed <= 2000; seed++) {
		n = make(REASONING_PASSTHROUGH);
		buf_clear(&out);
		print_cut(n, seed, &out);
		look(buf_view(&out), &cut);
		assert_memory_equal(&whole, &cut, sizeof whole);
		encoder_destroy(n);
	}
	buf_finish(&out);
}

/* --- whole --- */

static void whole_messages(void **state)
{
	(void)state;
#define HEAD                                                                                  \
	"{\"id\":\"msg_" BODY "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m " \
	"\\\"1\\\"\",\"content\":["
#define TAIL(why)                                                                                      \
	"],\"stop_reason\":\"" why "\",\"stop_sequence\":null," NOT_KNOWN                              \
	"\"usage\":{\"input_tokens\":5,"                                                               \
	"\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":4,\"output_tokens\":7" NO_PARTS \
	"}}"
	static const struct {
		const char *message, *finish, *want;
	} cases[] = {
		{ "{\"role\":\"assistant\",\"content\":\"Hi\"}", "stop",
		  HEAD "{\"type\":\"text\",\"text\":\"Hi\"}" TAIL("end_turn") },
		{ "{\"content\":\"\"}", "length", HEAD TAIL("max_tokens") },
		{ "{\"content\":null,\"reasoning\":\"r\",\"refusal\":\"no\"}", "stop",
		  HEAD "{\"type\":\"thinking\",\"thinking\":\"r\",\"signature\":\"\"},"
		       "{\"type\":\"text\",\"text\":\"no\"}" TAIL("refusal") },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":"
		  "\"b\"}]}",
		  "stop",
		  HEAD "{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}" TAIL(
			  "end_turn") },
		{ "{\"content\":null,\"tool_calls\":["
		  "{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\": 1.0}\"}},"
		  "{\"id\":\"d\",\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"a\"}},"
		  "{\"function\":{\"name\":\"h\",\"arguments\":\"\"}}]}",
		  "stop",
		  HEAD "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{\"a\": 1.0}},"
		       "{\"type\":\"tool_use\",\"id\":\"d\",\"name\":\"g\",\"input\":{"
		       "\"INVALID_JSON\":\"{\\\"a\"}},"
		       "{\"type\":\"tool_use\",\"id\":\"toolu_" BODY
		       "_2\",\"name\":\"h\",\"input\":{}}" TAIL("tool_use") },
	};
	static const struct usage usage = {
		.known = true, .in = 11, .out = 7, .cached_read = 4, .cached_write = 2
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder *n = make(REASONING_PASSTHROUGH);
		struct buf      out;

		buf_init(&out, MIB);
		assert_true(n->ops->whole(
			n,
			&(struct encoder_whole){ .message = str_of(cases[i].message),
						 .finish_reason = str_of(cases[i].finish),
						 .usage = &usage },
			&out));
		assert_true(buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
		encoder_destroy(n);
	}
}

static void reasoning_may_be_hidden(void **state)
{
	(void)state;
	struct encoder *n = make(REASONING_NONE);
	struct event    ev = PIECE(EVENT_REASONING, "secret");
	struct buf      out;

	buf_init(&out, MIB);
	print_events(n, &ev, 1, &out);
	assert_null(memmem(out.data, out.len, "secret", 6));
	buf_clear(&out);
	assert_true(n->ops->whole(
		n,
		&(struct encoder_whole){ .message = STR("{\"reasoning_content\":\"secret\"}"),
					 .finish_reason = STR("stop"),
					 .usage = &(struct usage){ .in = 1 } },
		&out));
	assert_null(memmem(out.data, out.len, "secret", 6));
	buf_finish(&out);
	encoder_destroy(n);
}

/* A full buffer leaves no half of a block behind. */
static void a_full_buffer_has_whole_blocks(void **state)
{
	(void)state;

	for (size_t max = 0; max < 900; max++) {
		struct encoder *n = make(REASONING_PASSTHROUGH);
		struct buf      out;

		buf_init(&out, max);
		for (size_t i = 0; i < ARRAY_LEN(said); i++)
			if (!n->ops->event(n, &said[i], i, &out))
				break;
		assert_true(out.len == 0 || memcmp(out.data + out.len - 2, "\n\n", 2) == 0);
		buf_finish(&out);
		encoder_destroy(n);
	}
}

/* --- objects of a provider that speaks this API --- */

#define OWN_START "{ \"type\":\"message_start\",\n \"message\":{\"id\":\"msg_up\"}}"
#define OWN_DELTA "{\"type\":\"content_block_delta\",\"index\":7,\"odd\":1.50}"
#define OWN_STOP  "{\"type\":\"message_stop\",\"metrics\":{}}"

static void print_own(struct encoder *n, struct buf *out)
{
	const struct str   start = STR(OWN_START);
	const struct event events[] = {
		{ .kind = EVENT_START,
		  .form = RAW_ANTHROPIC,
		  .raw = start,
		  .raw_id = { memmem(start.p, start.n, "\"msg_up\"", 8), 8 } },
		{ .kind = EVENT_TEXT,
		  .form = RAW_ANTHROPIC,
		  .raw = STR(OWN_DELTA),
		  .text = STR("x") },
		{ .kind = EVENT_TEXT, .form = RAW_ANTHROPIC, .cont = true, .text = STR("y") },
		{ .kind = EVENT_OTHER, .raw = STR("{\"id\":\"OpenAI's\"}") },
		{ .kind = EVENT_FINISH,
		  .form = RAW_ANTHROPIC,
		  .raw = STR(OWN_STOP),
		  .text = STR("stop") },
		{ .kind = EVENT_USAGE, .form = RAW_ANTHROPIC, .cont = true },
	};

	print_events(n, events, ARRAY_LEN(events), out);
	assert_true(buf_add(out, "", 1));
}

#define OWN(id)                                                                                \
	"event: message_start\ndata: { \"type\":\"message_start\",  \"message\":{\"id\":\"" id \
	"\"}}\n\nevent: content_block_delta\ndata: " OWN_DELTA                                 \
	"\n\nevent: message_stop\ndata: " OWN_STOP "\n\n"

static void a_providers_own_objects_go_out_as_they_are(void **state)
{
	(void)state;
	struct encoder *n = make(REASONING_PASSTHROUGH);
	struct buf      out;

	buf_init(&out, MIB);
	print_own(n, &out);
	assert_string_equal(out.data, OWN("msg_up"));
	buf_finish(&out);
	encoder_destroy(n);
}

static void a_stored_answer_has_the_gateways_id(void **state)
{
	(void)state;
	struct encoder *n = anthropic_stream_create(&(struct encoder_about){
		.run = { 1, 2 }, .conversation = { 3, 4 }, .model = STR("m") });
	struct buf      out;

	assert_non_null(n);
	buf_init(&out, MIB);
	print_own(n, &out);
	assert_string_equal(out.data, OWN("msg_" BODY));
	buf_finish(&out);
	encoder_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text),
		cmocka_unit_test(calls_that_take_turns_do_not_overlap),
		cmocka_unit_test(a_call_that_has_ended_lets_the_next_one_through),
		cmocka_unit_test(every_end_has_its_reason),
		cmocka_unit_test(a_failure_is_an_event_and_no_end),
		cmocka_unit_test(any_cut_makes_the_same_blocks),
		cmocka_unit_test(whole_messages),
		cmocka_unit_test(reasoning_may_be_hidden),
		cmocka_unit_test(a_providers_own_objects_go_out_as_they_are),
		cmocka_unit_test(a_stored_answer_has_the_gateways_id),
		cmocka_unit_test(a_full_buffer_has_whole_blocks),
	};

	return cmocka_run_group_tests_name("shape/anthropic_stream", tests, NULL, NULL);
}
