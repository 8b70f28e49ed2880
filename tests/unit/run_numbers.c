/* The numbers of a stored run's events: reserved ahead, held back where they are not, and asked for again. */
#include "tests/unit/run_steps.h"

static const struct event one = { .kind = EVENT_TEXT, .text = { "a", 1 } };

static void the_next_numbers_are_asked_for_early(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says_often(&w, &one, 1, 511);
	assert_trace(&w, "begin start open");
	provider_says_often(&w, &one, 1, 2);
	assert_trace(&w, "reserve");
	assert_int_equal(w.upto, 2048);
	/* Those already reserved are not held back. */
	provider_says_often(&w, &one, 1, 511);
	assert_reads(&w, "id: 1024\n");
	assert_trace(&w, "");
	store_answers(&w, OP_RESERVE, ERR_OK);
	provider_says(&w, FINISH, END);
	assert_trace(&w, "end");
	store_answers(&w, OP_END, ERR_OK);
	assert_reads(&w, "id: 1026\nevent: done");
	end_world(&w);
}

static void numbers_that_are_not_reserved_are_held_back(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says_often(&w, &one, 1, 1025);
	assert_reads(&w, "id: 1024\n");
	assert_lacks(buf_view(&w.got), "id: 1025\n");
	assert_false(w.last);
	w.wakes = 0;
	store_answers(&w, OP_RESERVE, ERR_OK);
	assert_true(w.wakes > 0);
	assert_reads(&w, "id: 1025\n");
	end_stream(&w);
	assert_reads(&w, "[DONE]");
	end_world(&w);
}

static void a_reservation_that_fails_fails_the_run(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says_often(&w, &one, 1, 600);
	reader_reads(&w, SIZE_MAX);
	store_answers(&w, OP_RESERVE, ERR_STORAGE);
	assert_trace(&w, "begin start open reserve cancel end");
	assert_int_equal(w.status, RUN_INCOMPLETE);
	store_answers(&w, OP_END, ERR_OK);
	assert_reads_last(&w, "storage_unavailable");
	end_world(&w);
}

static void a_refused_reservation_is_asked_for_again_at_the_next_event(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	w.refuse[OP_RESERVE] = true;
	provider_says_often(&w, &one, 1, 513);
	assert_trace(&w, "begin start open reserve refused reserve refused");
	w.refuse[OP_RESERVE] = false;
	provider_says(&w, one);
	assert_trace(&w, "reserve");
	store_answers(&w, OP_RESERVE, ERR_OK);
	end_stream(&w);
	assert_reads(&w, "[DONE]");
	end_world(&w);
}

static void a_reservation_is_asked_for_again_also_when_all_numbers_are_used(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	w.refuse[OP_RESERVE] = true;
	provider_says_often(&w, &one, 1, 1100);
	buf_clear(&w.trace);
	w.refuse[OP_RESERVE] = false;
	provider_says(&w, one);
	assert_trace(&w, "reserve");
	store_answers(&w, OP_RESERVE, ERR_OK);
	assert_reads(&w, "id: 1101\n");
	end_stream(&w);
	end_world(&w);
}

static void a_burst_beyond_the_range_asked_for_is_not_held_back_forever(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	/* The reservation up to 2048 is under way while more than these come, and then no event. */
	provider_says_often(&w, &one, 1, 3000);
	store_answers(&w, OP_RESERVE, ERR_OK);
	answer_waiting(&w, OP_RESERVE);
	assert_reads(&w, "id: 3000\n");
	end_stream(&w);
	end_world(&w);
}

static void an_end_beyond_the_reserved_numbers_reaches_the_reader(void **state)
{
	(void)state;
	static const enum errc ends[] = { ERR_OK, ERR_STORAGE };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct world w;

		begin_world(&w, STREAM | STORE);
		w.refuse[OP_RESERVE] = true;
		provider_says_often(&w, &one, 1, 1100);
		provider_says(&w, FINISH, END);
		store_answers(&w, OP_END, ends[i]);
		/* The end is durable, or will not be: there is nothing left to wait for. */
		assert_reads_last(&w, ends[i] ? "event: error" : "[DONE]");
		end_world(&w);
	}
}

static void a_reservation_that_comes_after_the_end_takes_nothing_back(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says_often(&w, &one, 1, 3000);
	end_stream(&w);
	store_answers(&w, OP_RESERVE, ERR_OK);
	assert_reads_last(&w, "[DONE]");
	end_world(&w);
}

static void a_run_lives_until_its_last_reservation_came_back(void **state)
{
	(void)state;
	struct world w;

	begin_world(&w, STREAM | STORE);
	provider_says_often(&w, &one, 1, 600);
	end_stream(&w);
	reader_leaves(&w);
	assert_int_equal(w.live, 1);
	store_answers(&w, OP_RESERVE, ERR_STORAGE);
	end_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_numbers_are_asked_for_early),
		cmocka_unit_test(numbers_that_are_not_reserved_are_held_back),
		cmocka_unit_test(a_reservation_that_fails_fails_the_run),
		cmocka_unit_test(a_refused_reservation_is_asked_for_again_at_the_next_event),
		cmocka_unit_test(a_reservation_is_asked_for_again_also_when_all_numbers_are_used),
		cmocka_unit_test(a_burst_beyond_the_range_asked_for_is_not_held_back_forever),
		cmocka_unit_test(an_end_beyond_the_reserved_numbers_reaches_the_reader),
		cmocka_unit_test(a_reservation_that_comes_after_the_end_takes_nothing_back),
		cmocka_unit_test(a_run_lives_until_its_last_reservation_came_back),
	};

	return cmocka_run_group_tests_name("run/numbers", tests, NULL, NULL);
}
