/* The event log is swept by its age and its size, beside everything else that uses it. */
#include "sqlite_events_help.h"

/* --- retention --- */

static void wait_for(struct fixture *f, const char *sql, int64_t want)
{
	int64_t deadline = clock_mono_us() + 20000000;

	while (outside_int(f, sql) != want) {
		assert_true(clock_mono_us() < deadline);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

static bool swept(struct fixture *f, struct id run)
{
	struct events_read r = log_of(run, 0);

	read_log(f, &r);
	if (r.swept) {
		assert_int_equal(r.piece_count, 0);
		assert_false(r.has_more);
		assert_str(r.answer, A);
	}
	arena_finish(&r.arena);
	return r.swept;
}

static struct turn_begin old_turn(struct fixture *f, int64_t age_ms)
{
	static struct store_message m;
	struct turn_begin           t = first_turn(&m, Q);

	t.now_ms -= age_ms;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

static void end_old(struct fixture *f, struct id run, int64_t age_ms)
{
	struct turn_end end = end_of(run, RUN_COMPLETED, A);

	end.completed_ms -= age_ms;
	end.events[0] = piece(run, 1000, 1000, "end");
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

static void old_logs_are_swept(void **state)
{
	enum { HOUR = 3600000 };
	struct fixture   *f = *state;
	struct turn_begin live = old_turn(f, 3 * HOUR);
	struct turn_begin old = old_turn(f, 3 * HOUR);
	struct turn_begin late = old_turn(f, 3 * HOUR); /* ended lately */

	append_one(f, piece(live.run, 1, 1, "live"));
	append_one(f, piece(late.run, 1, 1, "late"));
	for (uint64_t i = 1; i <= 600; i++)
		append_one(f, piece(old.run, i, i, "old"));
	end_old(f, old.run, 2 * HOUR);
	end_old(f, late.run, 0);
	struct turn_begin fresh = begin(f);
	end_with(f, fresh.run, piece(fresh.run, 1, 1, "fresh"));

	f->options.events_keep_ms = HOUR;
	reopen(f);
	wait_for(f, "SELECT count(*) FROM event", 4);
	assert_true(swept(f, old.run));
	assert_false(swept(f, late.run));
	assert_false(swept(f, fresh.run));
	expect_log(f, late.run, 0, "1-1:late 1000-1000:end");
	expect_log(f, live.run, 0, "1-1:live");
	assert_int_equal(outside_int(f, "SELECT written - removed FROM event_size"),
			 outside_int(f, "SELECT sum(length(data)) FROM event"));
	/* What was cut off ended just now: it is kept as long as any other. */
	assert_int_equal(status_of(f, live.run), RUN_INCOMPLETE);
}

static void a_log_that_is_too_large_is_swept_from_its_front(void **state)
{
	enum { RUNS = 20, BYTES = 10000 };
	struct fixture   *f = *state;
	struct turn_begin t[RUNS];
	static char       data[BYTES];

	f->options.events_keep_bytes = 5 * BYTES + 100;
	reopen(f);
	struct turn_begin live = begin(f);
	append_one(f, piece(live.run, 1, 1, "live"));
	for (size_t i = 0; i < RUNS; i++) {
		t[i] = begin(f);
		end_with(f, t[i].run, (struct events_piece){ t[i].run, 1, 9, { data, BYTES } });
	}
	wait_for(f, "SELECT count(*) FROM event", 6);
	for (size_t i = 0; i < RUNS; i++)
		assert_true(swept(f, t[i].run) == (i < RUNS - 5));
	expect_log(f, live.run, 0, "1-1:live");

	/* The size is known after a start too, also where the end of the log was taken. */
	append_one(f, piece(live.run, 2, 2, "live"));
	reopen(f);
	struct turn_begin next = begin(f);
	end_with(f, next.run, (struct events_piece){ next.run, 1, 9, { data, BYTES } });
	wait_for(f, "SELECT count(*) FROM event", 6);
	assert_false(swept(f, next.run));
	assert_false(swept(f, t[RUNS - 4].run));
	assert_true(swept(f, t[RUNS - 5].run));
}

static void a_log_that_was_swept_in_part_is_gone(void **state)
{
	enum { PIECES = 1000, BYTES = 1000 };
	struct fixture     *f = *state;
	struct turn_begin   t = begin(f);
	static char         data[BYTES];
	struct events_piece p[PIECES];

	for (size_t i = 0; i < PIECES; i++)
		p[i] = (struct events_piece){ t.run, i + 1, i + 1, { data, BYTES } };
	append(f, p, PIECES);
	finish(f, t.run);
	f->options.events_keep_bytes = 300 * BYTES;
	reopen(f);
	wait_for(f, "SELECT count(*) FROM event", 300);
	assert_true(swept(f, t.run));

	/* Nothing at all is left of it. */
	f->options.events_keep_bytes = 1;
	reopen(f);
	wait_for(f, "SELECT count(*) FROM event", 0);
	assert_true(swept(f, t.run));
	struct turn_begin next = begin(f);
	append_one(f, piece(next.run, 1, 1, "x"));
	expect_log(f, next.run, 0, "1-1:x");
}

static void pages_of_swept_logs_are_used_again(void **state)
{
	enum { ROUNDS = 12, RUNS = 40, BYTES = 10000, SETTLED = 4 };
	struct fixture *f = *state;
	static char     data[BYTES];
	int64_t         settled = 0;

	f->options.events_keep_bytes = 5 * BYTES;
	reopen(f);
	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < RUNS; i++) {
			struct turn_begin t = begin(f);

			end_with(f, t.run, (struct events_piece){ t.run, 1, 9, { data, BYTES } });
		}
		wait_for(f, "SELECT count(*) FROM event", 5);
		if (round == SETTLED)
			settled = outside_int(f, "PRAGMA page_count");
	}
	/* Eight more rounds logged 400 pages; the runs themselves take some. */
	int64_t more = outside_int(f, "PRAGMA page_count") - settled;
	if (more > 80)
		fail_msg("the file grew by %d pages", (int)more);
}

static void without_bounds_everything_is_kept(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = old_turn(f, (int64_t)1 << 40);

	end_old(f, t.run, (int64_t)1 << 40);
	reopen(f);
	begin(f);
	assert_false(swept(f, t.run));
}

/* --- with everything else --- */

enum { THREADS = 8, ROUNDS = 30 };

static void *stream(void *arg)
{
	struct fixture       mine = { .store = ((struct fixture *)arg)->store };
	struct store_message m;
	char                 data[300];

	loop_set_up(&mine.loop);
	memset(data, 'x', sizeof data);
	for (int i = 0; i < ROUNDS; i++) {
		struct turn_begin  t = first_turn(&m, Q);
		struct events_read r = log_of(t.run, 0);

		assert_int_equal(DO(&mine, turn_begin, &t), ERR_OK);
		for (uint64_t seq = 1; seq <= 5; seq++) {
			append_one(&mine, (struct events_piece){ t.run, seq, seq, { data, 300 } });
			read_log(&mine, &r);
			assert_int_equal(r.piece_count, 1);
			r.after = seq;
		}
		end_with(&mine, t.run, (struct events_piece){ t.run, 6, 6, { data, 300 } });
		arena_finish(&r.arena);
	}
	return NULL;
}

static void streams_sweeps_and_readers_share_the_log(void **state)
{
	struct fixture *f = *state;
	pthread_t       threads[THREADS];

	f->options.events_keep_bytes = 3000;
	reopen(f);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, stream, f), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	wait_for(f, "SELECT count(*) FROM event", 10);
	assert_int_equal(
		outside_int(f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)
	const struct CMUnitTest tests[] = {
		T(old_logs_are_swept),
		T(a_log_that_is_too_large_is_swept_from_its_front),
		T(a_log_that_was_swept_in_part_is_gone),
		T(pages_of_swept_logs_are_used_again),
		T(without_bounds_everything_is_kept),
		T(streams_sweeps_and_readers_share_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
