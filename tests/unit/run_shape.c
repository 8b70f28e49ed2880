/* Runs whose answers are LMC's, and what is stored of them. */
#include "tests/unit/run_steps.h"

/* clang-format off */
#define CHUNK(s) { .kind = EVENT_LMC, .from_lmc = true, .text = STR(s) }
#define TOLD(s)  { .kind = EVENT_TEXT, .from_lmc = true, .text = STR(s) }
#define M        "{\"role\":\"assistant\",\"type\":\"message\""
#define CODE     "{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"py\""
#define CONSOLE  "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\""
#define COMPLETE "data: {\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\"}\n\n"
/* clang-format on */

static void begin_lmc(struct world *w, unsigned flags)
{
	start_world(w, flags);
	w->rq.manner.shape = family_shape(&family_chat, STR(SHAPE_LMC));
	w->rq.what.answers_calls = w->rq.manner.fences = true;
	begin_run(w);
	if (w->rq.manner.store)
		assert_holds(buf_view(&w->begun), "new small lmc");
	buf_clear(&w->trace);
}

static void a_plain_answer_is_translated_from_the_providers_own(void **state)
{
	(void)state;
	for (int store = 0; store < 2; store++) {
		struct world w;

		begin_lmc(&w, store ? STORE : PLAIN);
		provider_says(
			&w, { .kind = EVENT_START, .raw = STR("{\"id\":\"x\",\"choices\":[]}") },
			{ .kind = EVENT_MESSAGE,
			  .text = STR(SAID("a\\n```py\\nx\\n```")),
			  .cont = true },
			USAGE, { .kind = EVENT_FINISH, .text = STR("stop"), .cont = true }, END);
		if (store) {
			assert_is(buf_view(&w.answer), SAID("a\\n```py\\nx\\n```"));
			store_answers(&w, OP_END, ERR_OK);
		}
		assert_holds(reader_whole(&w), "{\"object\":\"lmc.messages\",\"");
		assert_holds(buf_view(&w.whole), "\"messages\":[" M ",\"content\":\"a\"}," CODE
						 ",\"content\":\"x\"}],\"finish_reason\":\"stop\","
						 "\"usage\":{\"prompt_tokens\":3,");
		assert_int_equal(holds(buf_view(&w.whole), "\"conversation\":\"conv_"), store);
		end_world(&w);
	}
}

static void a_stream_holds_nothing_back_that_waits_for_the_store(void **state)
{
	(void)state;
	struct world w;

	begin_lmc(&w, STREAM | STORE);
	provider_says(&w, START, TEXT("a\\n```py\\nx"));
	assert_trace(&w, "open");
	assert_is(reader_reads(&w, SIZE_MAX), "id: 2\ndata: " M ",\"start\":true}\n\n"
					      "id: 2.1\ndata: " M ",\"content\":\"a\"}\n\n"
					      "id: 2.2\ndata: " M ",\"end\":true}\n\n"
					      "id: 2.3\ndata: " CODE ",\"start\":true}\n\n"
					      "id: 2.4\ndata: " CODE ",\"content\":\"x\"}\n\n");
	provider_says(&w, FINISH, END);
	assert_trace(&w, "end");
	assert_reads(&w, CODE ",\"end\":true}\n\nid: 3.1\n");
	assert_holds(buf_view(&w.got), "confirmation");
	assert_lacks(buf_view(&w.got), "status");
	assert_is(buf_view(&w.answer), SAID("a\\n```py\\nx"));
	store_answers(&w, OP_END, ERR_OK);
	assert_is(reader_reads(&w, SIZE_MAX), "id: 4\nevent: done\n" COMPLETE);
	assert_true(w.last);
	end_world(&w);
}

static void a_failed_stream_ends_its_segment(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		unsigned    flags;
		enum errc   end; /* of the store */
	} cases[] = {
		{ "unstored", STREAM, ERR_OK },
		{ "stored", STREAM | STORE, ERR_OK },
		{ "the end can't be stored either", STREAM | STORE, ERR_STORAGE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		begin_lmc(&w, cases[i].flags);
		provider_says(&w, START, TEXT("```py\\nx"), BREAK);
		if (w.rq.manner.store)
			store_answers(&w, OP_END, cases[i].end);
		assert_reads(&w, CODE ",\"end\":true}\n\n");
		assert_lacks(buf_view(&w.got), "confirmation");
		assert_holds(buf_view(&w.got), "\"type\":\"error\",\"content\":{\"message\":");
		assert_holds(buf_view(&w.got), "event: error\n" COMPLETE);
		assert_true(w.last);
		end_world(&w);
	}
}

/* What the encoder can't take ends the call, and the client learns why. */
static void an_answer_that_can_not_be_printed_ends_with_an_error(void **state)
{
	(void)state;
	struct world w;

	begin_lmc(&w, STREAM);
	provider_says(&w, START, TEXT("look "));
	for (uint32_t i = 0; i <= LIMIT_TOOLS; i++)
		provider_says(&w, { .kind = EVENT_TOOL_START, .block = i, .name = STR("python") });
	assert_trace(&w, "open cancel");
	assert_reads(&w, M ",\"end\":true}\n\n");
	assert_holds(buf_view(&w.got), "\"type\":\"error\"");
	assert_holds(buf_view(&w.got), "event: error\n");
	assert_true(w.last);
	end_world(&w);
}

static void an_answer_of_a_provider_that_speaks_lmc_is_stored_with_its_messages(void **state)
{
	(void)state;
#define CHUNKS                                                                  \
	CHUNK(M ",\"start\":true}"), TOLD("a"), CHUNK(M ",\"content\":\"a\"}"), \
		CHUNK(M ",\"end\":true}"), CHUNK(CONSOLE ",\"start\":true}"),   \
		CHUNK(CONSOLE ",\"content\":\"1\"}"), CHUNK(CONSOLE ",\"end\":true}")
#define KEPT        M ",\"content\":\"a\"}," CONSOLE ",\"content\":\"1\"}"
#define KEPT_ANSWER "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[" KEPT "]}"
	for (int stream = 0; stream < 2; stream++) {
		struct world w;

		begin_lmc(&w, stream ? STREAM | STORE : STORE);
		if (stream)
			provider_says(&w, START, CHUNKS, FINISH, END);
		else
			provider_says(
				&w, START, CHUNKS,
				{ .kind = EVENT_MESSAGE, .from_lmc = true, .text = STR(SAID("a")) },
				FINISH, END);
		assert_is(buf_view(&w.answer), KEPT_ANSWER);
		store_answers(&w, OP_END, ERR_OK);
		if (stream) {
			assert_reads(&w, CONSOLE ",\"content\":\"1\"}\n\n");
			assert_holds(buf_view(&w.got), "event: done");
		} else {
			assert_holds(reader_whole(&w), "\"messages\":[" KEPT "]");
		}
		end_world(&w);
	}
}

static void it_is_kept_too_where_openais_shape_is_asked_for(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says(&w, START, CHUNKS, FINISH, END);
	assert_is(buf_view(&w.answer), KEPT_ANSWER);
	store_answers(&w, OP_END, ERR_OK);
	assert_reads(&w, "\"content\":\"a\"},\"logprobs\"");
	assert_lacks(buf_view(&w.got), "console");
	end_world(&w);
}

/* A stored answer of that kind is what the next turn is asked with. */
static void its_messages_are_sent_with_the_next_turn(void **state)
{
	(void)state;
	struct world w;

	start_world(&w, STORE | LOADS);
	w.branch = "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[" CODE
		   ",\"content\":\"1\"}," CONSOLE ",\"content\":\"2\"}]}";
	begin_run(&w);
	assert_holds(buf_view(&w.prompt), "\"tool_calls\":[{\"id\":\"call_lmc_1\"");
	assert_holds(buf_view(&w.prompt), "\"tool_call_id\":\"call_lmc_1\",\"content\":\"2\"}");
	assert_lacks(buf_view(&w.prompt), "\"lmc\"");
	reader_leaves(&w);
	store_answers(&w, OP_END, ERR_OK);
	end_world(&w);
}

static void what_is_not_sent_is_told_in_the_answer(void **state)
{
	(void)state;
	for (int lmc = 0; lmc < 2; lmc++) {
		struct world w;

		world_start(&w);
		w.message = "{\"role\":\"server\",\"type\":\"status\",\"content\":\"x\"}";
		w.more = HI;
		w.rq.manner.shape =
			family_shape(&family_chat, lmc ? STR(SHAPE_LMC) : STR(SHAPE_NATIVE));
		ask(&w);
		assert_is(buf_view(&w.prompt), HI "\n");
		provider_answers(&w);
		assert_holds(reader_whole(&w),
			     "\"warnings\":[{\"index\":0,\"code\":\"not_sent\",\"message\":");
		end_world(&w);
	}
}

static void a_message_that_breaks_the_rules_ends_the_run(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.message = "{\"role\":\"robot\",\"type\":\"message\",\"content\":\"x\"}";
	ask(&w);
	assert_trace(&w, "failed");
	assert_int_equal(w.done_err.code, ERR_INVALID_VALUE);
	assert_string_equal(w.done_err.path, "messages[0].role");
	end_world(&w);
}

static void a_reason_that_is_longer_than_any_is_not_kept(void **state)
{
	(void)state;
	struct world w;

	begin_lmc(&w, PLAIN);
	provider_says(
		&w, START, MESSAGE(YO),
		{ .kind = EVENT_FINISH,
		  .text = STR(
			  "0123456789012345678901234567890123456789012345678901234567890\\u00e9") },
		END);
	assert_holds(reader_whole(&w), "\"finish_reason\":\"\"}");
	end_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_answer_is_translated_from_the_providers_own),
		cmocka_unit_test(a_stream_holds_nothing_back_that_waits_for_the_store),
		cmocka_unit_test(a_failed_stream_ends_its_segment),
		cmocka_unit_test(an_answer_that_can_not_be_printed_ends_with_an_error),
		cmocka_unit_test(
			an_answer_of_a_provider_that_speaks_lmc_is_stored_with_its_messages),
		cmocka_unit_test(it_is_kept_too_where_openais_shape_is_asked_for),
		cmocka_unit_test(its_messages_are_sent_with_the_next_turn),
		cmocka_unit_test(what_is_not_sent_is_told_in_the_answer),
		cmocka_unit_test(a_message_that_breaks_the_rules_ends_the_run),
		cmocka_unit_test(a_reason_that_is_longer_than_any_is_not_kept),
	};

	return cmocka_run_group_tests_name("run/shape", tests, NULL, NULL);
}
