/* Runs: every path through the states; store and provider wait for the test's word. */
#include "tests/unit/run_help.h"
#include "store/run.h"

/* clang-format off */
#define START     { .kind = EVENT_START, .id = STR("up-1"), .text = STR("tiny") }
#define TEXT(s)   { .kind = EVENT_TEXT, .text = STR(s) }
#define FINISH    { .kind = EVENT_FINISH, .text = STR("stop") }
#define USAGE     { .kind = EVENT_USAGE, .usage = { .known = true, .in = 3, .out = 2 } }
#define END       { .kind = EVENT_END }
#define OTHER(s)  { .kind = EVENT_OTHER, .raw = STR(s) }
#define YO        "{\"role\":\"assistant\",\"content\":\"yo\"}"
#define MESSAGE   { .kind = EVENT_MESSAGE, .text = STR(YO) }
#define FAILED(e) { .kind = EVENT_ERROR, .err = (e) }
/* clang-format on */

static const struct err broken = { .code = ERR_UPSTREAM_ERROR, .text = "the provider broke" };

/* What is left of a world whose reader is still there: it leaves, and nothing may remain. */
static void end_world(struct world *w)
{
	if (w->run)
		reader_leaves(w);
	assert_int_equal(w->live, 0);
	assert_int_equal(w->released, 1);
	world_stop(w);
}

/* --- plain calls --- */

static void a_plain_unstored_call_is_answered_without_the_store(void **state)
{
	(void)state;
	struct world    w;
	struct run_view v;

	world_start(&w);
	ask(&w);
	assert_int_equal(w.start_rc, ERR_OK);
	assert_trace(&w, "start");
	assert_string_equal(w.provider.name, "fake");
	assert_true(str_is(buf_view(&w.prompt), "{\"role\":\"user\",\"content\":\"hi\"}\n"));
	provider_says(&w, START, MESSAGE, USAGE, FINISH, END);
	assert_trace(&w, "done");
	assert_true(
		holds(reader_whole(&w), "\"message\":{\"role\":\"assistant\",\"content\":\"yo\"}"));
	assert_true(holds(buf_view(&w.whole), "\"finish_reason\":\"stop\""));
	assert_true(holds(buf_view(&w.whole), "\"prompt_tokens\":3,\"completion_tokens\":2"));
	assert_true(holds(buf_view(&w.whole), "\"run\":\"run_"));
	assert_false(holds(buf_view(&w.whole), "\"conversation\""));
	assert_non_null(w.run);
	run_view(w.run, &v);
	assert_true(str_starts(v.id, STR("run_")));
	assert_int_equal(v.conversation.n, 0);
	assert_true(str_is(v.finish_reason, "stop"));
	assert_int_equal(v.usage.out, 2);
	assert_true(v.first_token_us > 0);
	end_world(&w);
}

static void a_plain_stored_call_is_answered_when_its_end_is_durable(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.store = true;
	ask(&w);
	assert_trace(&w, "begin");
	assert_true(str_is(buf_view(&w.begun),
			   "{\"role\":\"user\",\"content\":\"hi\"}\nnew small native --- 1024"));
	store_answers(&w, OP_BEGIN, ERR_OK);
	assert_trace(&w, "start");
	provider_says(&w, START, MESSAGE, USAGE, FINISH, END);
	assert_trace(&w, "end");
	assert_int_equal(w.status, RUN_COMPLETED);
	assert_true(str_is(buf_view(&w.answer), "{\"role\":\"assistant\",\"content\":\"yo\"}"));
	assert_true(str_is(buf_view(&w.finish_reason), "stop"));
	assert_int_equal(w.end_error.len, 0);
	assert_int_equal(w.end_usage.in, 3);
	/* Four events, and the number of the last block. */
	assert_int_equal(w.last_seq, 5);
	store_answers(&w, OP_END, ERR_OK);
	assert_trace(&w, "done");
	assert_true(holds(reader_whole(&w), "\"conversation\":\"conv_"));
	end_world(&w);
}

static void a_providers_own_completion_goes_through_as_it_came(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.family = &family_completions;
	ask(&w);
	provider_says(&w, { .kind = EVENT_START, .raw = STR("{\"id\":\"x\",\n \"choices\":[]}") },
		      { .kind = EVENT_MESSAGE, .text = STR("{\"content\":\"yo\"}"), .cont = true },
		      { .kind = EVENT_FINISH, .text = STR("stop"), .cont = true }, END);
	assert_trace(&w, "start done");
	assert_true(str_is(reader_whole(&w), "{\"id\":\"x\",\n \"choices\":[]}"));
	end_world(&w);
}

/* --- streams --- */

static void a_stream_is_opened_by_its_first_content(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.prompt.stream = true;
	ask(&w);
	provider_says(&w, START, OTHER("{\"choices\":[]}"), USAGE);
	assert_trace(&w, "start");
	assert_int_equal(w.wakes, 0);
	provider_says(&w, TEXT("yo"));
	assert_trace(&w, "open");
	assert_true(w.wakes > 0);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "\"content\":\"yo\""));
	assert_true(str_starts(buf_view(&w.got), STR("id: 1\ndata: {\"run\":\"run_")));
	assert_false(w.last);
	/* What was taken does not come again. */
	assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
	provider_says(&w, FINISH, END);
	assert_trace(&w, "");
	assert_true(holds(reader_reads(&w, SIZE_MAX), "\"finish_reason\":\"stop\"}]}\n\n"
						      "id: 6\nevent: done\ndata: [DONE]\n\n"));
	assert_true(w.last);
	end_world(&w);
}

static void a_stored_streams_last_block_waits_for_its_end_to_be_durable(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.prompt.stream = true;
	w.rq.store = true;
	ask(&w);
	store_answers(&w, OP_BEGIN, ERR_OK);
	provider_says(&w, START, TEXT("y"), TEXT("o"), FINISH, END);
	assert_trace(&w, "begin start open end");
	assert_true(str_is(buf_view(&w.answer), "{\"role\":\"assistant\",\"content\":\"yo\"}"));
	assert_true(holds(reader_reads(&w, SIZE_MAX), "\"finish_reason\":\"stop\""));
	assert_false(holds(buf_view(&w.got), "[DONE]"));
	assert_false(w.last);
	store_answers(&w, OP_END, ERR_OK);
	assert_true(str_is(reader_reads(&w, SIZE_MAX), "id: 5\nevent: done\ndata: [DONE]\n\n"));
	assert_true(w.last);
	assert_trace(&w, "");
	end_world(&w);
}

static void a_stream_without_content_is_opened_by_its_end(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.prompt.stream = true;
	ask(&w);
	provider_says(&w, START, FINISH, END);
	assert_trace(&w, "start open");
	assert_true(holds(reader_reads(&w, SIZE_MAX), "[DONE]"));
	assert_true(w.last);
	end_world(&w);
}

static void a_stream_is_opened_by_time(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.settings.commit_after_us = 0; /* due at once: the next round of the loop fires it */
	w.rq.prompt.stream = true;
	ask(&w);
	assert_trace(&w, "start open");
	provider_says(&w, FAILED(&broken));
	/* Too late for a status: the error is the last block; `done` is for what did not open. */
	assert_trace(&w, "");
	assert_true(str_starts(reader_reads(&w, SIZE_MAX),
			       STR("id: 1\nevent: error\ndata: {\"error\":{")));
	assert_true(holds(buf_view(&w.got), "the provider broke"));
	assert_true(holds(buf_view(&w.got), "\"request_id\":\"req_1\""));
	assert_true(w.last);
	end_world(&w);
}

static void a_stream_is_opened_by_what_waits(void **state)
{
	(void)state;
	struct world       w;
	const struct event big = OTHER("{\"choices\":[],\"x\":"
				       "\"0123456789abcdefghijklmnopqrstuvwxyz\"}");

	world_start(&w);
	w.rq.prompt.stream = true;
	ask(&w);
	provider_says_often(&w, &big, 1, 100);
	assert_trace(&w, "start");
	provider_says_often(&w, &big, 1, LIMIT_COMMIT_BYTES / 64);
	assert_trace(&w, "open");
	provider_says(&w, FAILED(&broken));
	assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
	end_world(&w);
}

static void a_slow_reader_pauses_the_provider(void **state)
{
	(void)state;
	struct world       w;
	const struct event piece = TEXT("0123456789abcdef0123456789abcdef0123456789abcdef01234");
	size_t             waiting;

	world_start(&w);
	w.rq.prompt.stream = true;
	ask(&w);
	provider_says(&w, piece);
	reader_reads(&w, SIZE_MAX); /* the first one is longer than the others */
	provider_says(&w, piece);
	waiting = reader_reads(&w, SIZE_MAX).n;
	assert_true(waiting > 0);
	provider_says_often(&w, &piece, 1, LIMIT_FEED_HIGH / waiting - 20);
	assert_trace(&w, "start open");
	provider_says_often(&w, &piece, 1, 40);
	assert_trace(&w, "pause");
	/* More may come of what was already read. */
	provider_says(&w, piece);
	assert_trace(&w, "");
	/* Taken down to the lower mark, no more and no less. */
	reader_reads(&w, LIMIT_FEED_HIGH - LIMIT_FEED_LOW - 40 * waiting);
	assert_trace(&w, "");
	reader_reads(&w, 80 * waiting);
	assert_trace(&w, "go");
	reader_reads(&w, SIZE_MAX);
	provider_says(&w, FINISH, END);
	assert_trace(&w, "");
	assert_true(holds(reader_reads(&w, SIZE_MAX), "[DONE]"));
	end_world(&w);
}

static void a_reader_that_leaves_a_paused_provider_lets_it_go_on(void **state)
{
	(void)state;
	struct world       w;
	const struct event piece = TEXT("0123456789abcdef0123456789abcdef0123456789abcdef01234");

	world_start(&w);
	w.rq.prompt.stream = true;
	w.rq.store = w.rq.finish = true;
	ask(&w);
	store_answers(&w, OP_BEGIN, ERR_OK);
	provider_says_often(&w, &piece, 1, 500);
	provider_says_often(&w, &piece, 1, 500);
	assert_trace(&w, "begin start open reserve pause");
	reader_leaves(&w);
	assert_trace(&w, "go");
	store_answers(&w, OP_RESERVE, ERR_OK);
	provider_says(&w, FINISH, END);
	assert_trace(&w, "end");
	store_answers(&w, OP_END, ERR_OK);
	end_world(&w);
}

/* --- failures --- */

static void a_failure_is_told_as_early_as_can_be(void **state)
{
	(void)state;
	static const struct {
		const char     *why;
		bool            stream, store, content;
		const char     *trace; /* from the provider's error on */
		enum run_status status;
	} cases[] = {
		{ "plain, unstored", false, false, false, "failed", RUN_FAILED },
		{ "plain, stored", false, true, false, "end failed", RUN_FAILED },
		{ "stream before content: a real status", true, false, false, "failed",
		  RUN_FAILED },
		{ "the same, stored", true, true, false, "end failed", RUN_FAILED },
		{ "stream after content: in the stream", true, false, true, "", RUN_INCOMPLETE },
		{ "the same, stored: the text is kept", true, true, true, "end", RUN_INCOMPLETE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_start(&w);
		w.rq.prompt.stream = cases[i].stream;
		w.rq.store = cases[i].store;
		ask(&w);
		if (cases[i].store)
			store_answers(&w, OP_BEGIN, ERR_OK);
		provider_says(&w, START);
		if (cases[i].content)
			provider_says(&w, TEXT("yo"));
		buf_clear(&w.trace);
		provider_says(&w, FAILED(&broken));
		if (cases[i].store) {
			assert_int_equal(w.status, cases[i].status);
			assert_true(holds(buf_view(&w.end_error), "the provider broke"));
			assert_int_equal(w.answer.len > 0, cases[i].content);
			store_answers(&w, OP_END, ERR_OK);
		}
		assert_trace(&w, cases[i].trace);
		if (cases[i].content) {
			assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
			assert_false(holds(buf_view(&w.got), "[DONE]"));
			assert_true(w.last);
		} else {
			assert_int_equal(w.done_err.code, ERR_UPSTREAM_ERROR);
		}
		end_world(&w);
	}
}

static void a_provider_that_does_not_start_is_a_failure(void **state)
{
	(void)state;

	for (int store = 0; store < 2; store++) {
		struct world w;

		world_start(&w);
		w.rq.store = store;
		w.start_fails = true;
		ask(&w);
		if (store) {
			store_answers(&w, OP_BEGIN, ERR_OK);
			assert_int_equal(w.status, RUN_FAILED);
			assert_trace(&w, "begin start end");
			store_answers(&w, OP_END, ERR_OK);
			assert_trace(&w, "failed");
		} else {
			assert_trace(&w, "start failed");
		}
		assert_int_equal(w.done_err.code, ERR_UPSTREAM_CONNECT);
		end_world(&w);
	}
}

static void a_beginning_that_is_refused_is_no_run_at_all(void **state)
{
	(void)state;
	static const enum op ops[] = { OP_BEGIN, OP_LOAD };

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		struct world w;

		world_start(&w);
		w.rq.store = true;
		if (ops[i] == OP_LOAD)
			w.rq.conversation = (struct id){ 1, 2 };
		w.refuse[ops[i]] = true;
		ask(&w);
		assert_int_equal(w.start_rc, ERR_OVERLOADED);
		assert_int_equal(w.start_err.code, ERR_OVERLOADED);
		assert_trace(&w, i ? "load refused" : "begin refused");
		end_world(&w);
	}
}

static void a_beginning_that_fails_calls_nobody(void **state)
{
	(void)state;
	struct world    w;
	struct run_view v;

	world_start(&w);
	w.rq.store = true;
	ask(&w);
	store_answers(&w, OP_BEGIN, ERR_STORAGE);
	assert_trace(&w, "begin failed");
	assert_int_equal(w.done_err.code, ERR_STORAGE);
	assert_non_null(w.run);
	run_view(w.run, &v);
	assert_int_equal(v.id.n, 0);
	assert_int_equal(v.conversation.n, 0);
	end_world(&w);
}

static void an_end_that_fails_is_never_told_as_a_success(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        stream, refused;
		const char *trace;
		enum errc   code;
	} cases[] = {
		{ "plain, the store fails", false, false, "end failed", ERR_CONVERSATION_BUSY },
		{ "plain, the store takes nothing", false, true, "end refused failed",
		  ERR_STORAGE },
		{ "stream, the store fails", true, false, "open end", ERR_OK },
		{ "stream, the store takes nothing", true, true, "open end refused", ERR_OK },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_start(&w);
		w.rq.store = true;
		w.rq.prompt.stream = cases[i].stream;
		w.refuse[OP_END] = cases[i].refused;
		ask(&w);
		store_answers(&w, OP_BEGIN, ERR_OK);
		buf_clear(&w.trace);
		if (cases[i].stream)
			provider_says(&w, START, TEXT("yo"), FINISH, END);
		else
			provider_says(&w, START, MESSAGE, FINISH, END);
		if (!cases[i].refused)
			store_answers(&w, OP_END, ERR_CONVERSATION_BUSY);
		assert_trace(&w, cases[i].trace);
		if (cases[i].stream) {
			assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
			assert_false(holds(buf_view(&w.got), "[DONE]"));
			assert_true(w.last);
		}
		assert_int_equal(w.done_err.code, cases[i].code);
		end_world(&w);
	}
}

static void an_answer_over_the_limit_ends_the_call(void **state)
{
	(void)state;
	struct world w;
	struct buf   text;

	world_start(&w);
	buf_init(&text, 4 * MIB);
	assert_true(buf_reserve(&text, 4 * MIB));
	memset(text.data, 'a', 4 * MIB);
	text.len = 4 * MIB;
	w.rq.store = true;
	ask(&w);
	store_answers(&w, OP_BEGIN, ERR_OK);
	provider_says_often(&w, &(struct event){ .kind = EVENT_TEXT, .text = buf_view(&text) }, 1,
			    12);
	assert_trace(&w, "begin start cancel end");
	assert_int_equal(w.status, RUN_INCOMPLETE);
	store_answers(&w, OP_END, ERR_OK);
	assert_trace(&w, "failed");
	assert_int_equal(w.done_err.code, ERR_UPSTREAM_BAD_RESPONSE);
	buf_finish(&text);
	end_world(&w);
}

/* --- the client leaves --- */

enum moment { AT_NEW, AT_LOADING, AT_BEGINNING, AT_CALLING, AT_STREAMING, AT_ENDING };

/* advance: up to the moment, from a run that was just asked for. */
static void advance(struct world *w, enum moment to)
{
	if (to > AT_LOADING && w->waiting[OP_LOAD])
		store_answers(w, OP_LOAD, ERR_OK);
	if (to > AT_BEGINNING && w->waiting[OP_BEGIN])
		store_answers(w, OP_BEGIN, ERR_OK);
	if (to >= AT_STREAMING)
		provider_says(w, START, TEXT("yo"));
	if (to >= AT_ENDING)
		provider_says(w, FINISH, END);
}

static void ask_and_leave_fn(struct world *w)
{
	ask_fn(w);
	leave_fn(w);
}

static void a_client_that_leaves_ends_the_call_or_lets_it_finish(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		enum moment at;
		bool        load, store, finish;
		const char *at_once; /* when it leaves */
		const char *later;   /* while all others go on */
		int         status;  /* of the stored end; -1: none */
	} cases[] = {
		{ "at once, cancel: nobody is asked", AT_NEW, false, false, false, "", "", -1 },
		{ "at once, finish", AT_NEW, false, false, true, "start", "", -1 },
		{ "loading, cancel", AT_LOADING, true, true, false, "", "", -1 },
		{ "loading, finish", AT_LOADING, true, true, true, "", "begin start end",
		  RUN_COMPLETED },
		{ "loading, unstored, cancel", AT_LOADING, true, false, false, "", "", -1 },
		{ "loading, unstored, finish", AT_LOADING, true, false, true, "", "start", -1 },
		{ "beginning, cancel: the row gets its end", AT_BEGINNING, false, true, false, "",
		  "end", RUN_CANCELLED },
		{ "beginning, finish", AT_BEGINNING, false, true, true, "", "start end",
		  RUN_COMPLETED },
		{ "calling, cancel", AT_CALLING, false, false, false, "cancel", "", -1 },
		{ "calling, finish", AT_CALLING, false, false, true, "", "", -1 },
		{ "calling, stored, cancel", AT_CALLING, false, true, false, "cancel end", "",
		  RUN_CANCELLED },
		{ "calling, stored, finish", AT_CALLING, false, true, true, "", "end",
		  RUN_COMPLETED },
		{ "streaming, cancel", AT_STREAMING, false, false, false, "cancel", "", -1 },
		{ "streaming, finish", AT_STREAMING, false, false, true, "", "", -1 },
		{ "streaming, stored, cancel", AT_STREAMING, false, true, false, "cancel end", "",
		  RUN_CANCELLED },
		{ "streaming, stored, finish", AT_STREAMING, false, true, true, "", "end",
		  RUN_COMPLETED },
		{ "ending, cancel: it is too late", AT_ENDING, false, true, false, "", "",
		  RUN_COMPLETED },
		{ "ending, finish", AT_ENDING, false, true, true, "", "", RUN_COMPLETED },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		struct world w;

		print_message("case: %s, %s\n", cases[n].why, i % 2 ? "stream" : "plain");
		world_start(&w);
		w.rq.prompt.stream = i % 2;
		w.rq.store = cases[n].store;
		w.rq.finish = cases[n].finish;
		if (cases[n].load)
			w.rq.conversation = (struct id){ 1, 2 };
		w.status = (enum run_status) - 1;
		if (cases[n].at == AT_NEW) {
			on_loop(&w, ask_and_leave_fn);
		} else {
			ask(&w);
			advance(&w, cases[n].at);
			buf_clear(&w.trace);
			reader_leaves(&w);
		}
		assert_trace(&w, cases[n].at_once);
		w.wakes = 0;

		if (cases[n].at < AT_CALLING)
			advance(&w, AT_CALLING);
		provider_says(&w, START, TEXT("yo"), FINISH, END);
		if (w.waiting[OP_END])
			store_answers(&w, OP_END, ERR_OK);
		assert_trace(&w, cases[n].later);
		assert_int_equal(w.wakes, 0);
		assert_int_equal((int)w.status, cases[n].status);
		end_world(&w);
	}
}

static void a_cancelled_runs_text_is_kept(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.store = true;
	w.rq.prompt.stream = true;
	ask(&w);
	store_answers(&w, OP_BEGIN, ERR_OK);
	provider_says(&w, START, TEXT("yo"));
	reader_leaves(&w);
	assert_true(str_is(buf_view(&w.answer), "{\"role\":\"assistant\",\"content\":\"yo\"}"));
	assert_true(holds(buf_view(&w.end_error), "\"code\":\"cancelled\""));
	assert_int_equal(w.finish_reason.len, 0);
	store_answers(&w, OP_END, ERR_OK);
	end_world(&w);
}

static void a_reader_may_leave_from_within_done(void **state)
{
	(void)state;

	for (int i = 0; i < 4; i++) {
		struct world w;

		world_start(&w);
		w.leave_when_done = true;
		w.rq.store = i & 1;
		ask(&w);
		if (w.rq.store)
			store_answers(&w, OP_BEGIN, ERR_OK);
		if (i & 2)
			provider_says(&w, START, MESSAGE, FINISH, END);
		else
			provider_says(&w, FAILED(&broken));
		if (w.rq.store)
			store_answers(&w, OP_END, ERR_OK);
		assert_null(w.run);
		end_world(&w);
	}
}

/* --- a conversation goes on --- */

static void a_continued_branch_stands_in_front_of_the_new_messages(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *branch, *held;
		bool        set;
		const char *instruction;
		const char *prompt;
	} cases[] = {
		{ "a branch and its instruction", "{\"role\":\"user\",\"content\":\"old\"}",
		  "Be \"kind\".",
		  false, "",
		  "{\"role\":\"system\",\"content\":\"Be \\\"kind\\\".\"}\n"
		  "{\"role\":\"user\",\"content\":\"old\"}\n{\"role\":\"user\",\"content\":\"hi\"}"
		  "\n" },
		{ "a new instruction ends the old one", NULL, "Be kind.", true, "Be brief.",
		  "{\"role\":\"system\",\"content\":\"Be brief.\"}\n{\"role\":\"user\","
		  "\"content\":\"hi\"}\n" },
		{ "an empty one ends it too", NULL, "Be kind.", true, "",
		  "{\"role\":\"user\",\"content\":\"hi\"}\n" },
		{ "files of old messages are rendered again",
		  "{\"content\":\"old\",\"context\":{\"files\":[{\"name\":\"a\",\"content\":\"x\"}"
		  "]}}", NULL,
		  false, "",
		  "{\"content\":\"<file name=\\\"a\\\">\\nx\\n</file>\\n\\nold\"}\n"
		  "{\"role\":\"user\",\"content\":\"hi\"}\n" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_start(&w);
		w.rq.store = true;
		w.rq.conversation = (struct id){ 1, 2 };
		w.rq.instruction_set = cases[i].set;
		w.rq.instruction = str_of(cases[i].instruction);
		w.branch = cases[i].branch;
		w.branch_instruction = cases[i].held;
		ask(&w);
		assert_trace(&w, "load");
		store_answers(&w, OP_LOAD, ERR_OK);
		assert_trace(&w, "begin");
		assert_true(holds(buf_view(&w.begun), "old small native"));
		store_answers(&w, OP_BEGIN, ERR_OK);
		assert_trace(&w, "start");
		assert_int_equal(buf_add(&w.prompt, "", 1), true);
		assert_string_equal(w.prompt.data, cases[i].prompt);
		provider_says(&w, START, MESSAGE, FINISH, END);
		store_answers(&w, OP_END, ERR_OK);
		end_world(&w);
	}
}

static void a_branch_that_can_not_be_continued_is_an_error(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        live;
		enum errc   with, want;
		int64_t     retry_ms;
	} cases[] = {
		{ "an answer is being made", true, ERR_OK, ERR_CONVERSATION_BUSY, 1000 },
		{ "there is no such conversation", false, ERR_NOT_FOUND, ERR_NOT_FOUND, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_start(&w);
		w.rq.store = true;
		w.rq.conversation = (struct id){ 1, 2 };
		w.branch_live = cases[i].live;
		ask(&w);
		store_answers(&w, OP_LOAD, cases[i].with);
		assert_trace(&w, "load failed");
		assert_int_equal(w.done_err.code, cases[i].want);
		assert_int_equal(w.done_err.retry_after_ms, cases[i].retry_ms);
		end_world(&w);
	}
}

static void a_beginning_refused_after_a_load_fails_the_run(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.store = true;
	w.rq.conversation = (struct id){ 1, 2 };
	w.refuse[OP_BEGIN] = true;
	ask(&w);
	store_answers(&w, OP_LOAD, ERR_OK);
	assert_trace(&w, "load begin refused failed");
	assert_int_equal(w.done_err.code, ERR_OVERLOADED);
	end_world(&w);
}

/* --- event numbers --- */

static void stream_stored(struct world *w)
{
	world_start(w);
	w->rq.store = true;
	w->rq.prompt.stream = true;
	ask(w);
	store_answers(w, OP_BEGIN, ERR_OK);
}

static const struct event one = { .kind = EVENT_TEXT, .text = { "a", 1 } };

static void the_next_numbers_are_asked_for_early(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	provider_says_often(&w, &one, 1, 511);
	assert_trace(&w, "begin start open");
	provider_says_often(&w, &one, 1, 2);
	assert_trace(&w, "reserve");
	assert_int_equal(w.upto, 2048);
	/* Those already reserved are not held back. */
	provider_says_often(&w, &one, 1, 511);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 1024\n"));
	assert_trace(&w, "");
	store_answers(&w, OP_RESERVE, ERR_OK);
	provider_says(&w, FINISH, END);
	assert_trace(&w, "end");
	store_answers(&w, OP_END, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 1026\nevent: done"));
	end_world(&w);
}

static void numbers_that_are_not_reserved_are_held_back(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	provider_says_often(&w, &one, 1, 1025);
	struct str seen = reader_reads(&w, SIZE_MAX);
	assert_true(holds(seen, "id: 1024\n"));
	assert_false(holds(seen, "id: 1025\n"));
	assert_false(w.last);
	w.wakes = 0;
	store_answers(&w, OP_RESERVE, ERR_OK);
	assert_true(w.wakes > 0);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 1025\n"));
	provider_says(&w, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "[DONE]"));
	end_world(&w);
}

static void a_reservation_that_fails_fails_the_run(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	provider_says_often(&w, &one, 1, 600);
	reader_reads(&w, SIZE_MAX);
	store_answers(&w, OP_RESERVE, ERR_STORAGE);
	assert_trace(&w, "begin start open reserve cancel end");
	assert_int_equal(w.status, RUN_INCOMPLETE);
	store_answers(&w, OP_END, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "storage_unavailable"));
	assert_true(w.last);
	end_world(&w);
}

static void a_refused_reservation_is_asked_for_again_at_the_next_event(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	w.refuse[OP_RESERVE] = true;
	provider_says_often(&w, &one, 1, 513);
	assert_trace(&w, "begin start open reserve refused reserve refused");
	w.refuse[OP_RESERVE] = false;
	provider_says(&w, one);
	assert_trace(&w, "reserve");
	store_answers(&w, OP_RESERVE, ERR_OK);
	provider_says(&w, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "[DONE]"));
	end_world(&w);
}

static void a_reservation_is_asked_for_again_also_when_all_numbers_are_used(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	w.refuse[OP_RESERVE] = true;
	provider_says_often(&w, &one, 1, 1100);
	buf_clear(&w.trace);
	w.refuse[OP_RESERVE] = false;
	provider_says(&w, one);
	assert_trace(&w, "reserve");
	store_answers(&w, OP_RESERVE, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 1101\n"));
	provider_says(&w, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	end_world(&w);
}

static void a_burst_beyond_the_range_asked_for_is_not_held_back_forever(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	/* The reservation up to 2048 is under way while more than these come, and then no event. */
	provider_says_often(&w, &one, 1, 3000);
	store_answers(&w, OP_RESERVE, ERR_OK);
	if (w.waiting[OP_RESERVE])
		store_answers(&w, OP_RESERVE, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 3000\n"));
	provider_says(&w, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	end_world(&w);
}

static void an_end_beyond_the_reserved_numbers_reaches_the_reader(void **state)
{
	(void)state;
	static const enum errc ends[] = { ERR_OK, ERR_STORAGE };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct world w;

		stream_stored(&w);
		w.refuse[OP_RESERVE] = true;
		provider_says_often(&w, &one, 1, 1100);
		provider_says(&w, FINISH, END);
		store_answers(&w, OP_END, ends[i]);
		/* The end is durable, or will not be: there is nothing left to wait for. */
		assert_true(holds(reader_reads(&w, SIZE_MAX), ends[i] ? "event: error" : "[DONE]"));
		assert_true(w.last);
		end_world(&w);
	}
}

static void a_reservation_that_comes_after_the_end_takes_nothing_back(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	provider_says_often(&w, &one, 1, 3000);
	provider_says(&w, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	store_answers(&w, OP_RESERVE, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "[DONE]"));
	assert_true(w.last);
	end_world(&w);
}

static void a_run_lives_until_its_last_reservation_came_back(void **state)
{
	(void)state;
	struct world w;

	stream_stored(&w);
	provider_says_often(&w, &one, 1, 600);
	provider_says(&w, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	reader_leaves(&w);
	assert_int_equal(w.live, 1);
	store_answers(&w, OP_RESERVE, ERR_STORAGE);
	end_world(&w);
}

/* --- the engine stops --- */

static void stop_fn(struct world *w)
{
	struct err why;

	err_set(&why, ERR_SHUTTING_DOWN, "", "the gateway is stopping");
	run_engine_stop(w->engine, &why);
}

static void a_stopping_engine_ends_its_runs_with_an_error(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		enum moment at;
		bool        store, stream;
		const char *trace;
	} cases[] = {
		{ "calling", AT_CALLING, false, true, "cancel failed" },
		{ "calling, stored", AT_CALLING, true, true, "cancel end failed" },
		{ "streaming", AT_STREAMING, false, true, "cancel" },
		{ "streaming, stored", AT_STREAMING, true, true, "cancel end" },
		{ "plain, stored", AT_CALLING, true, false, "cancel end failed" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_start(&w);
		w.rq.store = cases[i].store;
		w.rq.prompt.stream = cases[i].stream;
		ask(&w);
		advance(&w, cases[i].at);
		buf_clear(&w.trace);
		on_loop(&w, stop_fn);
		if (cases[i].store)
			store_answers(&w, OP_END, ERR_OK);
		assert_trace(&w, cases[i].trace);
		if (cases[i].at == AT_STREAMING)
			assert_true(holds(reader_reads(&w, SIZE_MAX), "server_shutting_down"));
		else
			assert_int_equal(w.done_err.code, ERR_SHUTTING_DOWN);
		end_world(&w);
	}
}

static void a_stopping_engine_also_ends_runs_that_wait_for_the_store(void **state)
{
	(void)state;
	static const enum moment moments[] = { AT_LOADING, AT_BEGINNING };

	for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
		struct world w;

		world_start(&w);
		w.rq.store = true;
		if (moments[i] == AT_LOADING)
			w.rq.conversation = (struct id){ 1, 2 };
		ask(&w);
		advance(&w, moments[i]);
		buf_clear(&w.trace);
		on_loop(&w, stop_fn);
		advance(&w, AT_CALLING);
		if (w.waiting[OP_END])
			store_answers(&w, OP_END, ERR_OK);
		/* No provider is asked for a run that was already told to end. */
		assert_false(holds(buf_view(&w.trace), "start"));
		assert_int_equal(w.done_err.code, ERR_SHUTTING_DOWN);
		end_world(&w);
	}
}

/* --- found while it lives --- */

static void an_unstored_run_is_found_while_it_lives(void **state)
{
	(void)state;
	struct world    w;
	struct run_view v;
	struct id       id;
	struct live     found;

	world_start(&w);
	w.rq.owner = 5;
	ask(&w);
	assert_non_null(w.run);
	run_view(w.run, &v);
	assert_true(id_parse(v.id, ID_RUN, &id));
	assert_true(live_find(id, 5, &found));
	assert_int_equal(found.status, RUN_RUNNING);
	assert_string_equal(found.model, "small");
	assert_string_equal(found.provider, "fake");
	assert_false(live_find(id, 6, &found));
	provider_says(&w, START, MESSAGE, FINISH, END);
	assert_false(live_find(id, 5, &found));
	end_world(&w);
}

static void a_completion_or_a_stored_run_is_not_in_that_list(void **state)
{
	(void)state;

	for (int i = 0; i < 2; i++) {
		struct world    w;
		struct run_view v;
		struct id       id;
		struct live     found;

		world_start(&w);
		w.rq.family = i ? &family_chat : &family_completions;
		w.rq.store = i;
		ask(&w);
		if (i)
			store_answers(&w, OP_BEGIN, ERR_OK);
		assert_non_null(w.run);
		run_view(w.run, &v);
		assert_true(id_parse(v.id, ID_RUN, &id));
		assert_false(live_find(id, 0, &found));
		reader_leaves(&w);
		if (w.waiting[OP_END])
			store_answers(&w, OP_END, ERR_OK);
		end_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_unstored_call_is_answered_without_the_store),
		cmocka_unit_test(a_plain_stored_call_is_answered_when_its_end_is_durable),
		cmocka_unit_test(a_providers_own_completion_goes_through_as_it_came),
		cmocka_unit_test(a_stream_is_opened_by_its_first_content),
		cmocka_unit_test(a_stored_streams_last_block_waits_for_its_end_to_be_durable),
		cmocka_unit_test(a_stream_without_content_is_opened_by_its_end),
		cmocka_unit_test(a_stream_is_opened_by_time),
		cmocka_unit_test(a_stream_is_opened_by_what_waits),
		cmocka_unit_test(a_slow_reader_pauses_the_provider),
		cmocka_unit_test(a_reader_that_leaves_a_paused_provider_lets_it_go_on),
		cmocka_unit_test(a_failure_is_told_as_early_as_can_be),
		cmocka_unit_test(a_provider_that_does_not_start_is_a_failure),
		cmocka_unit_test(a_beginning_that_is_refused_is_no_run_at_all),
		cmocka_unit_test(a_beginning_that_fails_calls_nobody),
		cmocka_unit_test(an_end_that_fails_is_never_told_as_a_success),
		cmocka_unit_test(an_answer_over_the_limit_ends_the_call),
		cmocka_unit_test(a_client_that_leaves_ends_the_call_or_lets_it_finish),
		cmocka_unit_test(a_cancelled_runs_text_is_kept),
		cmocka_unit_test(a_reader_may_leave_from_within_done),
		cmocka_unit_test(a_continued_branch_stands_in_front_of_the_new_messages),
		cmocka_unit_test(a_branch_that_can_not_be_continued_is_an_error),
		cmocka_unit_test(a_beginning_refused_after_a_load_fails_the_run),
		cmocka_unit_test(the_next_numbers_are_asked_for_early),
		cmocka_unit_test(numbers_that_are_not_reserved_are_held_back),
		cmocka_unit_test(a_reservation_that_fails_fails_the_run),
		cmocka_unit_test(a_refused_reservation_is_asked_for_again_at_the_next_event),
		cmocka_unit_test(a_reservation_is_asked_for_again_also_when_all_numbers_are_used),
		cmocka_unit_test(a_burst_beyond_the_range_asked_for_is_not_held_back_forever),
		cmocka_unit_test(an_end_beyond_the_reserved_numbers_reaches_the_reader),
		cmocka_unit_test(a_reservation_that_comes_after_the_end_takes_nothing_back),
		cmocka_unit_test(a_run_lives_until_its_last_reservation_came_back),
		cmocka_unit_test(a_stopping_engine_ends_its_runs_with_an_error),
		cmocka_unit_test(a_stopping_engine_also_ends_runs_that_wait_for_the_store),
		cmocka_unit_test(an_unstored_run_is_found_while_it_lives),
		cmocka_unit_test(a_completion_or_a_stored_run_is_not_in_that_list),
	};

	return cmocka_run_group_tests_name("run/run", tests, NULL, NULL);
}
