/* Followers that are left: in every state, from within every callback, with news on their way. */
#include "tests/unit/run_follow.h"

static void start_and_leave(void *arg)
{
	reader_start_fn(arg);
	reader_leave_fn(arg);
}

static void notify_and_leave(void *arg)
{
	struct reader *r = arg;

	watch_notify(r->desk->run);
	reader_leave_fn(arg);
}

static void a_reader_may_leave_before_anything_was_read(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	on_lane(&s.lane, start_and_leave, &s.reader);
	scene_settle(&s);
	assert_int_equal(s.desk.reads, 0);
	scene_close(&s);
}

static void a_reader_may_leave_in_every_state(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        holds, full, ended, fails;
		size_t      pieces;
	} cases[] = {
		{ "reading the first page", true, false, false, false, 0 },
		{ "waiting", false, false, false, false, 3 },
		{ "full", false, true, false, false, 0 },
		{ "at the end", false, false, true, false, 3 },
		{ "after a failure", false, false, false, true, 3 },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		bool         news = i % 2;
		struct scene s;

		print_message("case: %s%s\n", cases[n].why, news ? ", with news on their way" : "");
		scene_open(&s);
		s.desk.page_bytes = 1;
		s.desk.holds = cases[n].holds;
		for (size_t p = 0; p < cases[n].pieces; p++)
			scene_put(&s, &one, 1);
		if (cases[n].full)
			scene_put_big(&s, 10);
		if (cases[n].ended)
			scene_complete(&s);
		reader_start(&s.reader);
		if (cases[n].fails) {
			s.desk.fails = ERR_STORAGE;
			scene_news(&s);
		}
		size_t opens = s.reader.opens;
		size_t wakes = s.reader.wakes;
		size_t reads = s.desk.reads;
		on_lane(&s.lane, news ? notify_and_leave : reader_leave_fn, &s.reader);
		if (cases[n].holds)
			assert_true(desk_cancelled(&s.desk));
		desk_answer(&s.desk);
		scene_news(&s);
		assert_int_equal(s.reader.opens, opens);
		assert_int_equal(s.reader.wakes, wakes);
		assert_int_equal(s.desk.reads, reads);
		scene_close(&s);
	}
}

static void a_reader_may_leave_from_within_every_callback(void **state)
{
	(void)state;
	static const struct {
		const char  *why;
		enum leaving leaving;
		bool         ended, fails;
	} cases[] = {
		{ "open, while the run goes on", LEAVES_AT_OPEN, false, false },
		{ "open, with more to come", LEAVES_AT_OPEN, true, false },
		{ "wake, while the run goes on", LEAVES_AT_WAKE, false, false },
		{ "wake, at the end", LEAVES_AT_WAKE, true, false },
		{ "wake, as the read failed", LEAVES_AT_WAKE, false, true },
	};

	for (size_t i = 0; i < 3 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 3;
		struct scene s;

		print_message("case: %s, %zu\n", cases[n].why, i % 3);
		scene_open(&s);
		s.desk.page_bytes = i % 3 == 1 ? 1 : 0;
		s.reader.leaving = cases[n].leaving;
		desk_put(&s.desk, &one, 1, 1);
		if (cases[n].leaving == LEAVES_AT_OPEN && cases[n].ended) {
			desk_put(&s.desk, &one, 1, 2);
			desk_end(&s.desk, RUN_COMPLETED, 3, STR_NONE);
		}
		reader_start(&s.reader);
		s.desk.fails = cases[n].fails ? ERR_STORAGE : ERR_OK;
		desk_put(&s.desk, &one, 1, s.desk.piece_count + 1);
		if (cases[n].ended)
			desk_end(&s.desk, RUN_COMPLETED, 9, STR_NONE);
		/* News on their way while it leaves. */
		for (size_t times = 0; times <= i % 3; times++)
			watch_notify(s.desk.run);
		scene_settle(&s);
		assert_null(s.reader.follow);
		scene_close(&s);
	}
}

static void a_reader_may_leave_a_tape_at_any_time(void **state)
{
	(void)state;
	enum { STARTING, READING_IT, WAITING_FOR_IT, AT_OPEN, AT_WAKE, FULL_OF_IT, TIMES };

	for (int n = 0; n < TIMES; n++) {
		struct scene s;

		print_message("case: %d\n", n);
		scene_open(&s);
		scene_use_tape(&s);
		for (uint64_t i = 1; i <= (n == FULL_OF_IT ? 9000 : 3); i++)
			scene_log(&s, &one, 1, i);
		s.reader.leaving = n == AT_OPEN   ? LEAVES_AT_OPEN
				   : n == AT_WAKE ? LEAVES_AT_WAKE
						  : LEAVES_NEVER;
		if (n == STARTING) {
			on_lane(&s.lane, reader_start_fn, &s.reader);
			on_lane(&s.lane, reader_leave_fn, &s.reader);
		} else {
			reader_start(&s.reader);
		}
		scene_log(&s, &one, 1, 10000);
		/* The news are taken, and the page is asked for, before it leaves. */
		if (n == READING_IT)
			watch_notify(s.desk.run);
		if (n == AT_WAKE) {
			reader_gets(&s.reader, SIZE_MAX);
			scene_news(&s);
		} else {
			on_lane(&s.lane, notify_and_leave, &s.reader);
		}
		assert_null(s.reader.follow);
		scene_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_may_leave_before_anything_was_read),
		cmocka_unit_test(a_reader_may_leave_in_every_state),
		cmocka_unit_test(a_reader_may_leave_from_within_every_callback),
		cmocka_unit_test(a_reader_may_leave_a_tape_at_any_time),
	};

	return cmocka_run_group_tests_name("run/follow_leave", tests, NULL, NULL);
}
