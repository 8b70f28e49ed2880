/* Runs that end otherwise than with their answer: failures, clients that leave, an engine that stops. */
#include "tests/unit/run_steps.h"

/* The failure is the last that a reader gets of an open stream. */
static void assert_reads_failure(struct world *w)
{
	assert_reads_last(w, "event: error");
	assert_lacks(buf_view(&w->got), "[DONE]");
}

/* --- failures --- */

static void a_failure_is_told_as_early_as_can_be(void **state)
{
	(void)state;
	static const struct {
		const char     *why;
		unsigned        flags;
		bool            content;
		const char     *trace; /* from the provider's error on */
		enum run_status status;
	} cases[] = {
		{ "plain, unstored", PLAIN, false, "failed", RUN_FAILED },
		{ "plain, stored", STORE, false, "end failed", RUN_FAILED },
		{ "stream before content: a real status", STREAM, false, "failed", RUN_FAILED },
		{ "the same, stored", STREAM | STORE, false, "end failed", RUN_FAILED },
		{ "stream after content: in the stream", STREAM, true, "", RUN_INCOMPLETE },
		{ "the same, stored: the text is kept", STREAM | STORE, true, "end",
		  RUN_INCOMPLETE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		start_case(&w, cases[i].why, cases[i].flags);
		begin_run(&w);
		provider_says(&w, START);
		if (cases[i].content)
			provider_says(&w, TEXT("yo"));
		buf_clear(&w.trace);
		provider_says(&w, BREAK);
		if (w.rq.manner.store) {
			assert_int_equal(w.status, cases[i].status);
			assert_holds(buf_view(&w.end_error), "the provider broke");
			assert_int_equal(w.answer.len > 0, cases[i].content);
			store_answers(&w, OP_END, ERR_OK);
		}
		assert_trace(&w, cases[i].trace);
		if (cases[i].content) {
			assert_reads_failure(&w);
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

		start_world(&w, store ? STORE : PLAIN);
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

		start_world(&w, ops[i] == OP_LOAD ? STORE | LOADS : STORE);
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

	start_world(&w, STORE);
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
		unsigned    flags;
		bool        refused;
		const char *trace;
		enum errc   code;
	} cases[] = {
		{ "plain, the store fails", PLAIN, false, "end failed", ERR_CONVERSATION_BUSY },
		{ "plain, the store takes nothing", PLAIN, true, "end refused failed",
		  ERR_STORAGE },
		{ "stream, the store fails", STREAM, false, "open end", ERR_OK },
		{ "stream, the store takes nothing", STREAM, true, "open end refused", ERR_OK },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		start_case(&w, cases[i].why, cases[i].flags | STORE);
		w.refuse[OP_END] = cases[i].refused;
		begin_run(&w);
		buf_clear(&w.trace);
		if (w.rq.what.prompt.stream)
			provider_says(&w, START, TEXT("yo"), FINISH, END);
		else
			provider_answers(&w);
		if (!cases[i].refused)
			store_answers(&w, OP_END, ERR_CONVERSATION_BUSY);
		assert_trace(&w, cases[i].trace);
		if (w.rq.what.prompt.stream)
			assert_reads_failure(&w);
		assert_int_equal(w.done_err.code, cases[i].code);
		end_world(&w);
	}
}

static void an_answer_over_the_limit_ends_the_call(void **state)
{
	(void)state;
	struct world       w;
	struct buf         text;
	const struct event ev = long_text(&text);

	begin_world(&w, STORE);
	provider_says_often(&w, &ev, 1, 12);
	assert_trace(&w, "begin start cancel end");
	assert_int_equal(w.status, RUN_INCOMPLETE);
	store_answers(&w, OP_END, ERR_OK);
	assert_trace(&w, "failed");
	assert_int_equal(w.done_err.code, ERR_UPSTREAM_BAD_RESPONSE);
	buf_finish(&text);
	end_world(&w);
}

/* --- the client leaves --- */

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
		unsigned    flags;
		const char *at_once; /* when it leaves */
		const char *later;   /* while all others go on */
		int         status;  /* of the stored end; -1: none */
	} cases[] = {
		{ "at once, cancel: nobody is asked", AT_NEW, PLAIN, "", "", -1 },
		{ "at once, finish", AT_NEW, FINISHES, "start", "", -1 },
		{ "loading, cancel", AT_LOADING, LOADS | STORE, "", "", -1 },
		{ "loading, finish", AT_LOADING, LOADS | STORE | FINISHES, "", "begin start end",
		  RUN_COMPLETED },
		{ "loading, unstored, cancel", AT_LOADING, LOADS, "", "", -1 },
		{ "loading, unstored, finish", AT_LOADING, LOADS | FINISHES, "", "start", -1 },
		{ "beginning, cancel: the row gets its end", AT_BEGINNING, STORE, "", "end",
		  RUN_CANCELLED },
		{ "beginning, finish", AT_BEGINNING, STORE | FINISHES, "", "start end",
		  RUN_COMPLETED },
		{ "calling, cancel", AT_CALLING, PLAIN, "cancel", "", -1 },
		{ "calling, finish", AT_CALLING, FINISHES, "", "", -1 },
		{ "calling, stored, cancel", AT_CALLING, STORE, "cancel end", "", RUN_CANCELLED },
		{ "calling, stored, finish", AT_CALLING, STORE | FINISHES, "", "end",
		  RUN_COMPLETED },
		{ "streaming, cancel", AT_STREAMING, PLAIN, "cancel", "", -1 },
		{ "streaming, finish", AT_STREAMING, FINISHES, "", "", -1 },
		{ "streaming, stored, cancel", AT_STREAMING, STORE, "cancel end", "",
		  RUN_CANCELLED },
		{ "streaming, stored, finish", AT_STREAMING, STORE | FINISHES, "", "end",
		  RUN_COMPLETED },
		{ "ending, cancel: it is too late", AT_ENDING, STORE, "", "", RUN_COMPLETED },
		{ "ending, finish", AT_ENDING, STORE | FINISHES, "", "", RUN_COMPLETED },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		struct world w;

		start_case(&w, cases[n].why, cases[n].flags | (i % 2 ? STREAM : PLAIN));
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

		finish_rest(&w);
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

	begin_world(&w, STREAM | STORE);
	provider_says(&w, START, TEXT("yo"));
	reader_leaves(&w);
	assert_is(buf_view(&w.answer), YO);
	assert_holds(buf_view(&w.end_error), "\"code\":\"cancelled\"");
	assert_int_equal(w.finish_reason.len, 0);
	store_answers(&w, OP_END, ERR_OK);
	end_world(&w);
}

static void a_reader_may_leave_from_within_done(void **state)
{
	(void)state;

	for (int i = 0; i < 4; i++) {
		struct world w;

		start_world(&w, i & 1 ? STORE : PLAIN);
		w.leave_when_done = true;
		begin_run(&w);
		if (i & 2)
			provider_answers(&w);
		else
			provider_says(&w, BREAK);
		if (w.rq.manner.store)
			store_answers(&w, OP_END, ERR_OK);
		assert_null(w.run);
		end_world(&w);
	}
}

/* --- the engine stops --- */

static void a_stopping_engine_ends_its_runs_with_an_error(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		enum moment at;
		unsigned    flags;
		const char *trace;
	} cases[] = {
		{ "calling", AT_CALLING, STREAM, "cancel failed" },
		{ "calling, stored", AT_CALLING, STORE | STREAM, "cancel end failed" },
		{ "streaming", AT_STREAMING, STREAM, "cancel" },
		{ "streaming, stored", AT_STREAMING, STORE | STREAM, "cancel end" },
		{ "plain, stored", AT_CALLING, STORE, "cancel end failed" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		start_case(&w, cases[i].why, cases[i].flags);
		ask(&w);
		advance(&w, cases[i].at);
		buf_clear(&w.trace);
		on_loop(&w, stop_fn);
		if (w.rq.manner.store)
			store_answers(&w, OP_END, ERR_OK);
		assert_trace(&w, cases[i].trace);
		if (cases[i].at == AT_STREAMING)
			assert_reads(&w, "server_shutting_down");
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

		start_world(&w, moments[i] == AT_LOADING ? STORE | LOADS : STORE);
		ask(&w);
		advance(&w, moments[i]);
		buf_clear(&w.trace);
		on_loop(&w, stop_fn);
		advance(&w, AT_CALLING);
		answer_waiting(&w, OP_END);
		/* No provider is asked for a run that was already told to end. */
		assert_lacks(buf_view(&w.trace), "start");
		assert_int_equal(w.done_err.code, ERR_SHUTTING_DOWN);
		end_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_is_told_as_early_as_can_be),
		cmocka_unit_test(a_provider_that_does_not_start_is_a_failure),
		cmocka_unit_test(a_beginning_that_is_refused_is_no_run_at_all),
		cmocka_unit_test(a_beginning_that_fails_calls_nobody),
		cmocka_unit_test(an_end_that_fails_is_never_told_as_a_success),
		cmocka_unit_test(an_answer_over_the_limit_ends_the_call),
		cmocka_unit_test(a_client_that_leaves_ends_the_call_or_lets_it_finish),
		cmocka_unit_test(a_cancelled_runs_text_is_kept),
		cmocka_unit_test(a_reader_may_leave_from_within_done),
		cmocka_unit_test(a_stopping_engine_ends_its_runs_with_an_error),
		cmocka_unit_test(a_stopping_engine_also_ends_runs_that_wait_for_the_store),
	};

	return cmocka_run_group_tests_name("run/unfinished", tests, NULL, NULL);
}
