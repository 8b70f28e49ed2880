/* Runs that come to their end, plain and streamed; store and provider wait for the test's word. */
#include "tests/unit/run_steps.h"

#define OTHER(s)                                   \
	{                                          \
		.kind = EVENT_OTHER, .raw = STR(s) \
	}

/* --- plain calls --- */

static void a_plain_unstored_call_is_answered_without_the_store(void **state)
{
	(void)state;
	struct world    w;
	struct run_view v;

	begin_world(&w, PLAIN);
	assert_int_equal(w.start_rc, ERR_OK);
	assert_trace(&w, "start");
	assert_string_equal(w.provider.name, "fake");
	assert_prompt(&w, HI "\n");
	provider_says(&w, START, MESSAGE(YO), USAGE, FINISH, END);
	assert_trace(&w, "done");
	assert_holds(reader_whole(&w), "\"content\":\"yo\",\"refusal\":null}");
	assert_holds(buf_view(&w.whole), "\"finish_reason\":\"stop\"");
	assert_holds(buf_view(&w.whole), "\"prompt_tokens\":3,\"completion_tokens\":2");
	assert_holds(buf_view(&w.whole), "\"run\":\"run_");
	assert_lacks(buf_view(&w.whole), "\"conversation\"");
	assert_non_null(w.run);
	run_view(w.run, &v);
	assert_true(str_starts(v.id, STR("run_")));
	assert_int_equal(v.conversation.n, 0);
	assert_is(v.finish_reason, "stop");
	assert_int_equal(v.usage.out, 2);
	assert_true(v.first_token_us > 0);
	end_world(&w);
}

static void a_plain_stored_call_is_answered_when_its_end_is_durable(void **state)
{
	(void)state;
	struct world w;

	start_world(&w, STORE);
	ask(&w);
	assert_trace(&w, "begin");
	assert_is(buf_view(&w.begun), HI "\nnew small native --- 1024");
	store_answers(&w, OP_BEGIN, ERR_OK);
	assert_trace(&w, "start");
	provider_says(&w, START, MESSAGE(YO), USAGE, FINISH, END);
	assert_trace(&w, "end");
	assert_int_equal(w.status, RUN_COMPLETED);
	assert_is(buf_view(&w.answer), YO);
	assert_is(buf_view(&w.finish_reason), "stop");
	assert_int_equal(w.end_error.len, 0);
	assert_int_equal(w.end_usage.in, 3);
	/* Four events, and the number of the last block. */
	assert_int_equal(w.last_seq, 5);
	store_answers(&w, OP_END, ERR_OK);
	assert_trace(&w, "done");
	assert_holds(reader_whole(&w), "\"conversation\":\"conv_");
	end_world(&w);
}

static void a_providers_own_completion_goes_through_as_it_came(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.rq.manner.family = &family_completions;
	ask(&w);
	provider_says(&w, { .kind = EVENT_START, .raw = STR("{\"id\":\"x\",\n \"choices\":[]}") },
		      { .kind = EVENT_MESSAGE, .text = STR("{\"content\":\"yo\"}"), .cont = true },
		      { .kind = EVENT_FINISH, .text = STR("stop"), .cont = true }, END);
	assert_trace(&w, "start done");
	assert_is(reader_whole(&w), "{\"id\":\"x\",\n \"choices\":[]}");
	end_world(&w);
}

/* --- streams --- */

static void a_stream_is_opened_by_its_first_content(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM);
	provider_says(&w, START, OTHER("{\"choices\":[]}"), USAGE);
	assert_trace(&w, "start");
	assert_int_equal(w.wakes, 0);
	provider_says(&w, TEXT("yo"));
	assert_trace(&w, "open");
	assert_true(w.wakes > 0);
	assert_reads(&w, "\"content\":\"yo\"");
	assert_true(str_starts(buf_view(&w.got), STR("id: 1\ndata: {\"run\":\"run_")));
	assert_false(w.last);
	/* What was taken does not come again. */
	assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
	end_stream(&w);
	assert_trace(&w, "");
	assert_reads_last(&w,
			  "\"finish_reason\":\"stop\"}]}\n\nid: 6\nevent: done\ndata: [DONE]\n\n");
	end_world(&w);
}

static void a_stored_streams_last_block_waits_for_its_end_to_be_durable(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says(&w, START, TEXT("y"), TEXT("o"), FINISH, END);
	assert_trace(&w, "begin start open end");
	assert_is(buf_view(&w.answer), YO);
	assert_reads(&w, "\"finish_reason\":\"stop\"");
	assert_lacks(buf_view(&w.got), "[DONE]");
	assert_false(w.last);
	store_answers(&w, OP_END, ERR_OK);
	assert_is(reader_reads(&w, SIZE_MAX), "id: 5\nevent: done\ndata: [DONE]\n\n");
	assert_true(w.last);
	assert_trace(&w, "");
	end_world(&w);
}

static void a_stream_without_content_is_opened_by_its_end(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM);
	provider_says(&w, START, FINISH, END);
	assert_trace(&w, "start open");
	assert_reads_last(&w, "[DONE]");
	end_world(&w);
}

static void a_stream_is_opened_by_time(void **state)
{
	(void)state;
	struct world w;

	start_world(&w, STREAM);
	w.settings.commit_after_us = 0; /* due at once: the next round of the loop fires it */
	ask(&w);
	assert_trace(&w, "start open");
	provider_says(&w, BREAK);
	/* Too late for a status: the error is the last block; `done` is for what did not open. */
	assert_trace(&w, "");
	assert_reads_last(&w, "the provider broke");
	assert_true(str_starts(buf_view(&w.got), STR("id: 1\nevent: error\ndata: {\"error\":{")));
	assert_holds(buf_view(&w.got), "\"request_id\":\"req_1\"");
	end_world(&w);
}

static void a_stream_is_opened_by_what_waits(void **state)
{
	(void)state;
	struct world       w;
	const struct event big = OTHER("{\"choices\":[],\"x\":"
				       "\"0123456789abcdefghijklmnopqrstuvwxyz\"}");

	begin_world(&w, STREAM);
	provider_says_often(&w, &big, 1, 100);
	assert_trace(&w, "start");
	provider_says_often(&w, &big, 1, LIMIT_COMMIT_BYTES / 64);
	assert_trace(&w, "open");
	provider_says(&w, BREAK);
	assert_reads(&w, "event: error");
	end_world(&w);
}

static const struct event piece = {
	.kind = EVENT_TEXT, .text = { "0123456789abcdef0123456789abcdef0123456789abcdef01234", 53 }
};

static void a_slow_reader_pauses_the_provider(void **state)
{
	(void)state;
	struct world w;
	size_t       waiting;

	begin_world(&w, STREAM);
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
	end_stream(&w);
	assert_trace(&w, "");
	assert_reads(&w, "[DONE]");
	end_world(&w);
}

static void a_reader_that_leaves_a_paused_provider_lets_it_go_on(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE | FINISHES);
	provider_says_often(&w, &piece, 1, 500);
	provider_says_often(&w, &piece, 1, 500);
	assert_trace(&w, "begin start open reserve pause");
	reader_leaves(&w);
	assert_trace(&w, "go");
	store_answers(&w, OP_RESERVE, ERR_OK);
	end_stream(&w);
	assert_trace(&w, "end");
	end_world(&w);
}

/* --- a conversation goes on --- */

static void a_continued_branch_stands_in_front_of_the_new_messages(void **state)
{
	(void)state;
#define OLD          "{\"role\":\"user\",\"content\":\"old\"}"
#define SYSTEM(text) "{\"role\":\"system\",\"content\":\"" text "\"}"
	/* clang-format off */
	static const struct {
		const char *why, *branch, *held;
		bool        set;
		const char *instruction;
		const char *prompt;
	} cases[] = {
		{ "a branch and its instruction", OLD, "Be \"kind\".", false, "",
		  SYSTEM("Be \\\"kind\\\".") "\n" OLD "\n" HI "\n" },
		{ "a new instruction ends the old one", NULL, "Be kind.", true, "Be brief.",
		  SYSTEM("Be brief.") "\n" HI "\n" },
		{ "an empty one ends it too", NULL, "Be kind.", true, "", HI "\n" },
		{ "files of old messages are rendered again",
		  "{\"content\":\"old\",\"context\":{\"files\":[{\"name\":\"a\",\"content\":\"x\"}"
		  "]}}", NULL,
		  false, "",
		  "{\"content\":\"<file name=\\\"a\\\">\\nx\\n</file>\\n\\nold\"}\n" HI "\n" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		start_case(&w, cases[i].why, STORE | LOADS);
		w.rq.what.instruction_set = cases[i].set;
		w.rq.what.instruction = str_of(cases[i].instruction);
		w.branch = cases[i].branch;
		w.branch_instruction = cases[i].held;
		ask(&w);
		assert_trace(&w, "load");
		store_answers(&w, OP_LOAD, ERR_OK);
		assert_trace(&w, "begin");
		assert_holds(buf_view(&w.begun), "old small native");
		store_answers(&w, OP_BEGIN, ERR_OK);
		assert_trace(&w, "start");
		assert_prompt(&w, cases[i].prompt);
		provider_answers(&w);
		store_answers(&w, OP_END, ERR_OK);
		end_world(&w);
	}
#undef OLD
#undef SYSTEM
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

		start_case(&w, cases[i].why, STORE | LOADS);
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

	start_world(&w, STORE | LOADS);
	w.refuse[OP_BEGIN] = true;
	ask(&w);
	store_answers(&w, OP_LOAD, ERR_OK);
	assert_trace(&w, "load begin refused failed");
	assert_int_equal(w.done_err.code, ERR_OVERLOADED);
	end_world(&w);
}

/* --- found while it lives --- */

/* The id that its client was told. */
static struct id told_id(struct world *w)
{
	struct run_view v;
	struct id       id = { 0 };

	assert_non_null(w->run);
	run_view(w->run, &v);
	assert_true(id_parse(v.id, ID_RUN, &id));
	return id;
}

static void an_unstored_run_is_found_while_it_lives(void **state)
{
	(void)state;
	struct world w;
	struct id    id;
	struct live  found;

	world_start(&w);
	w.rq.caller.owner = 5;
	ask(&w);
	id = told_id(&w);
	assert_true(live_find(id, 5, &found));
	assert_int_equal(found.status, RUN_RUNNING);
	assert_string_equal(found.model, "small");
	assert_string_equal(found.provider, "fake");
	assert_false(live_find(id, 6, &found));
	provider_answers(&w);
	assert_false(live_find(id, 5, &found));
	end_world(&w);
}

static void a_completion_or_a_stored_run_is_not_in_that_list(void **state)
{
	(void)state;

	for (int i = 0; i < 2; i++) {
		struct world w;
		struct live  found;

		start_world(&w, i ? STORE : PLAIN);
		w.rq.manner.family = i ? &family_chat : &family_completions;
		begin_run(&w);
		assert_false(live_find(told_id(&w), 0, &found));
		reader_leaves(&w);
		answer_waiting(&w, OP_END);
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
		cmocka_unit_test(a_continued_branch_stands_in_front_of_the_new_messages),
		cmocka_unit_test(a_branch_that_can_not_be_continued_is_an_error),
		cmocka_unit_test(a_beginning_refused_after_a_load_fails_the_run),
		cmocka_unit_test(an_unstored_run_is_found_while_it_lives),
		cmocka_unit_test(a_completion_or_a_stored_run_is_not_in_that_list),
	};

	return cmocka_run_group_tests_name("run/run", tests, NULL, NULL);
}
