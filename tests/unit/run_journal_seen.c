/* What of a run's events may be seen before the store has them. */
#include "run_journal_help.h"

static void nothing_is_seen_before_it_is_stored(void **state)
{
	(void)state;
	struct world w;

	world_streams(&w, true);
	provider_says(&w, START, TEXT("y"));
	assert_trace(&w, "open append"); /* in the same turn */
	assert_true(w.append_sync);
	assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
	provider_says(&w, TEXT("o"));
	assert_trace(&w, "");
	w.wakes = 0;
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_trace(&w, "append");
	assert_true(w.wakes > 0);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 2\n"));
	assert_false(holds(buf_view(&w.got), "id: 3\n"));
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_trace(&w, "");
	assert_true(str_starts(reader_reads(&w, SIZE_MAX), STR("id: 3\n")));
	provider_says(&w, TEXT("!"), FINISH, END);
	/* The end takes them along, and shows them with itself. */
	assert_trace(&w, "end");
	assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
	assert_false(w.last);
	store_answers(&w, OP_END, ERR_OK);
	assert_true(str_starts(reader_reads(&w, SIZE_MAX), STR("id: 4\n")));
	assert_true(holds(buf_view(&w.got), "id: 6\nevent: done"));
	assert_true(w.last);
	world_ends(&w);
}

/* A kill frees the key of a run whose log has nothing: nobody may know of it before. */
static void with_a_key_nothing_is_seen_before_the_log_has_its_beginning(void **state)
{
	(void)state;
	const struct answer_label label = { .key = "k" };
	struct world              w;

	world_start(&w);
	world_logs(&w);
	w.rq.manner.store = true;
	w.rq.what.prompt.stream = true;
	w.rq.caller.slot = answer_slot_create(&label);
	assert_non_null(w.rq.caller.slot);
	ask(&w);
	store_answers(&w, OP_BEGIN, ERR_OK);
	provider_says(&w, START, TEXT("y"));
	assert_trace(&w, "begin start append"); /* at once, though it is relaxed, and not open */
	assert_true(w.append_sync);
	provider_says(&w, TEXT("o"));
	assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 2\n"));
	assert_true(holds(buf_view(&w.got), "id: 3\n")); /* from now on as any other */
	assert_true(holds(buf_view(&w.trace), "open"));
	if (w.waiting[OP_APPEND]) {
		assert_false(w.append_sync);
		store_answers(&w, OP_APPEND, ERR_OK);
	}
	provider_says(&w, TEXT("!"));
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 4\n"));
	ends_well(&w);
	assert_int_equal(w.end_key_bytes, 0); /* its events are the key's answer, read or not */
	world_ends(&w);
}

static void what_could_not_be_stored_with_the_end_is_not_seen(void **state)
{
	(void)state;
	const struct shape       *native = family_shape(&family_chat, STR(SHAPE_NATIVE));
	const struct shape *const shapes[] = { native, family_shape(&family_chat, STR(SHAPE_LMC)) };

	for (size_t i = 0; i < 2 * ARRAY_LEN(shapes); i++) {
		struct world w;
		bool         on_its_way = i % 2;

		world_start(&w);
		world_logs(&w);
		w.settings.strict = true;
		w.rq.manner.store = true;
		w.rq.manner.shape = shapes[i / 2];
		w.rq.what.prompt.stream = true;
		ask(&w);
		store_answers(&w, OP_BEGIN, ERR_OK);
		provider_says(&w, START, TEXT("seen"));
		store_answers(&w, OP_APPEND, ERR_OK);
		assert_true(holds(reader_reads(&w, SIZE_MAX), "seen"));
		if (on_its_way)
			provider_says(&w, TEXT("nor this"));
		assert_int_equal(w.waiting[OP_APPEND] != NULL, on_its_way);
		provider_says(&w, TEXT("never"), FINISH, END);
		store_answers(&w, OP_END, ERR_STORAGE);
		reader_reads(&w, SIZE_MAX);
		assert_false(holds(buf_view(&w.got), "nor this"));
		assert_false(holds(buf_view(&w.got), "never"));
		assert_false(holds(buf_view(&w.got), "done"));
		assert_true(holds(buf_view(&w.got), "event: error"));
		/* As LMC it first ends what was begun and seen. */
		assert_int_equal(holds(buf_view(&w.got), "\"end\":true"),
				 w.rq.manner.shape != native);
		assert_true(w.last);
		if (on_its_way)
			store_answers(&w, OP_APPEND, ERR_OK);
		world_ends(&w);
	}
}

static void relaxed_then_strict_fn(struct world *w)
{
	give_event(w, &one);
	w->settings.strict = true;
	give_event(w, &one);
}

static void a_change_of_the_settings_hands_no_job_over_twice(void **state)
{
	(void)state;

	for (int i = 0; i < 2; i++) {
		struct world w;

		world_streams(&w, false);
		on_loop(&w, relaxed_then_strict_fn);
		assert_trace(&w, "open append");
		/* The timer of before would be due now, while the job is out. */
		time_passes(&w);
		assert_trace(&w, "");
		w.settings.strict = i == 0;
		store_answers(&w, OP_APPEND, ERR_OK);
		assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 2\n"));
		provider_says(&w, TEXT("b"));
		w.settings.strict = false;
		time_passes(&w);
		assert_trace(&w, "append");
		store_answers(&w, OP_APPEND, ERR_OK);
		provider_says(&w, TEXT("c"));
		assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 4\n"));
		ends_well(&w);
		world_ends(&w);
	}
}

/* The highest number of a block that was read. */
static uint64_t seen(struct str got)
{
	uint64_t high = 0;

	while (got.n > 0) {
		const char        *at = memmem(got.p, got.n, "id: ", 4);
		unsigned long long v;

		if (!at)
			break;
		v = strtoull(at + 4, NULL, 10);
		high = v > high ? v : high;
		got.n -= (size_t)(at + 4 - got.p);
		got.p = at + 4;
	}
	return high;
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* An encoder prints one block for each of these, so that the last number says what was seen. */
static void any_order_shows_only_what_is_stored_and_stores_all(void **state)
{
	(void)state;

	for (uint32_t seed = 1; seed <= 100; seed++) {
		struct world w;
		uint32_t     x = seed * 2654435761u;
		uint64_t     said_count = 0;
		uint64_t     high = 0;
		int          failures = seed % 16 == 0 ? 2 : 0; /* each takes its time */

		world_streams(&w, true);
		for (int step = 0; step < 40; step++) {
			switch (next_random(&x) % 6) {
			case 0:
			case 1:
				said_count += 1 + x % 3;
				provider_says_often(&w, &one, 1, 1 + x % 3);
				break;
			case 2:
				if (w.waiting[OP_APPEND])
					store_answers(&w, OP_APPEND, ERR_OK);
				break;
			case 3:
				if (w.waiting[OP_APPEND] && failures > 0) {
					failures--;
					store_answers(&w, OP_APPEND, ERR_STORAGE);
					for (int i = 0; i < 3; i++)
						time_passes(&w);
				}
				break;
			default: {
				uint64_t now = seen(reader_reads(&w, x % 2 ? 700 : SIZE_MAX));

				high = now > high ? now : high;
				assert_true(high <= (w.log_count ? w.logs[0].last : 0));
			}
			}
		}
		provider_says_often(&w, &finish, 1, 1);
		provider_says(&w, END);
		bool append_first = next_random(&x) % 2;
		if (append_first && w.waiting[OP_APPEND])
			store_answers(&w, OP_APPEND, seed % 8 ? ERR_OK : ERR_STORAGE);
		store_answers(&w, OP_END, ERR_OK);
		assert_int_equal(w.logs[0].last, said_count + 1);
		assert_int_equal(w.last_seq, said_count + 2);
		assert_true(seen(reader_reads(&w, SIZE_MAX)) == said_count + 2);
		assert_true(w.last);
		reader_leaves(&w);
		for (int times = 0; w.live > 0 && times < 5; times++) {
			if (!w.waiting[OP_APPEND])
				time_passes(&w);
			if (w.waiting[OP_APPEND])
				store_answers(&w, OP_APPEND, ERR_OK);
		}
		world_ends(&w);
	}
}

static void a_reader_that_left_does_not_hold_the_log_up(void **state)
{
	(void)state;

	for (int strict = 0; strict < 2; strict++) {
		struct world w;

		world_start(&w);
		world_logs(&w);
		w.settings.strict = strict;
		w.rq.manner.store = w.rq.manner.finish = true;
		w.rq.what.prompt.stream = true;
		ask(&w);
		store_answers(&w, OP_BEGIN, ERR_OK);
		events_and_time(&w, &one, 1);
		assert_trace(&w, "begin start open append");
		reader_leaves(&w);
		store_answers(&w, OP_APPEND, ERR_OK);
		events_and_time(&w, &one, 1);
		assert_trace(&w, "append");
		provider_says(&w, FINISH, END);
		store_answers(&w, OP_END, ERR_OK);
		/* It lives until its last events came back. */
		assert_int_equal(w.live, 1);
		store_answers(&w, OP_APPEND, ERR_OK);
		assert_int_equal(w.live, 0);
		assert_int_equal(w.logs[0].last, 3);
		world_ends(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_seen_before_it_is_stored),
		cmocka_unit_test(with_a_key_nothing_is_seen_before_the_log_has_its_beginning),
		cmocka_unit_test(what_could_not_be_stored_with_the_end_is_not_seen),
		cmocka_unit_test(a_change_of_the_settings_hands_no_job_over_twice),
		cmocka_unit_test(any_order_shows_only_what_is_stored_and_stores_all),
		cmocka_unit_test(a_reader_that_left_does_not_hold_the_log_up),
	};

	return cmocka_run_group_tests_name("run/journal seen", tests, NULL, NULL);
}
