/* Followers of runs that go on, of stores that fail, and of clients that are slow. */
#include "tests/unit/run_follow.h"

/* --- waiting --- */

static void a_run_that_goes_on_is_waited_for(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	reader_start(&s.reader);
	/* There is nothing yet, but there will be. */
	assert_int_equal(s.reader.opens, 1);
	assert_int_equal(s.reader.wakes, 0);
	assert_int_equal(s.desk.reads, 1);
	for (size_t n = 1; n <= 5; n++) {
		scene_put(&s, &one, 1);
		scene_settle(&s);
		assert_int_equal(s.desk.reads, n);
		scene_news(&s);
		assert_int_equal(s.desk.reads, n + 1);
		assert_int_equal(s.reader.wakes, n);
		assert_caught_up(&s);
		assert_false(s.reader.last);
	}
	/* News of nothing wake nobody. */
	scene_news(&s);
	assert_int_equal(s.reader.wakes, 5);
	scene_complete(&s);
	scene_news(&s);
	assert_got_all(&s);
	assert_news_read_nothing(&s);
	scene_close(&s);
}

static void news_during_a_read_lead_to_one_more(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	s.desk.holds = true;
	reader_start(&s.reader);
	assert_int_equal(s.desk.reads, 1);
	for (int i = 0; i < 3; i++)
		assert_news_read_nothing(&s);
	desk_answer(&s.desk);
	scene_settle(&s);
	assert_int_equal(s.desk.reads, 2);
	scene_put(&s, &one, 1);
	desk_answer(&s.desk);
	scene_settle(&s);
	/* Now it waits. */
	assert_int_equal(s.desk.reads, 2);
	assert_caught_up(&s);
	scene_close(&s);
}

static void a_reader_that_has_seen_all_of_a_run_that_goes_on_gets_what_comes(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	s.desk.page_bytes = 1;
	for (int i = 0; i < 3; i++)
		scene_put(&s, &one, 1);
	s.reader.o.cursor.seq = 3;
	reader_start(&s.reader);
	assert_int_equal(s.reader.opens, 1);
	assert_int_equal(reader_gets_all(&s.reader).n, 0);
	size_t seen = s.stream.out.len;
	scene_put(&s, &one, 1);
	scene_news(&s);
	assert_same(reader_gets_all(&s.reader),
		    (struct str){ s.stream.out.data + seen, s.stream.out.len - seen });
	scene_close(&s);
}

static void a_tape_that_goes_on_is_waited_for(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	scene_use_tape(&s);
	reader_start(&s.reader);
	assert_int_equal(s.reader.opens, 1);
	for (int i = 0; i < 5; i++) {
		scene_put(&s, &one, 1);
		scene_news(&s);
		assert_caught_up(&s);
	}
	scene_end(&s, RUN_CANCELLED, 6, STR("{\"message\":\"no more\"}"));
	scene_news(&s);
	struct str got = reader_gets_all(&s.reader);
	size_t     seen = s.stream.out.len;
	assert_true(
		str_starts((struct str){ got.p + seen, got.n - seen },
			   STR("id: 6\nevent: error\ndata: {\"error\":{\"message\":\"no more\"")));
	assert_true(s.reader.last);
	scene_close(&s);
}

/* --- failures --- */

static void what_can_not_be_read_is_said_instead_of_a_stream(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        swept, refuses, damaged;
		enum errc   fails;
		enum errc   want;
	} cases[] = {
		{ "swept", true, false, false, ERR_OK, ERR_GONE },
		{ "no such run", false, false, false, ERR_NOT_FOUND, ERR_NOT_FOUND },
		{ "the disk", false, false, false, ERR_STORAGE, ERR_STORAGE },
		{ "the store's queue is full", false, true, false, ERR_OK, ERR_OVERLOADED },
		{ "damaged", false, false, true, ERR_OK, ERR_INTERNAL },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		struct scene s;

		print_message("case: %s\n", cases[n].why);
		scene_open(&s);
		desk_put(&s.desk, rich, 3, 1);
		if (cases[n].damaged)
			desk_put_bytes(&s.desk, 4, 4, STR("\2\1\4\x20\0\7short"));
		if (i % 2)
			desk_end(&s.desk, RUN_COMPLETED, 5, STR_NONE);
		s.desk.swept = cases[n].swept;
		s.desk.refuses = cases[n].refuses;
		s.desk.fails = cases[n].fails;
		reader_start(&s.reader);
		assert_int_equal(s.reader.opens, 0);
		assert_int_equal(s.reader.nones, 1);
		assert_true(s.reader.failed);
		assert_int_equal(s.reader.err.code, cases[n].want);
		assert_int_equal(s.desk.reads, 1);
		/* News that come now find nobody. */
		assert_news_read_nothing(&s);
		scene_close(&s);
	}
}

static void a_stream_that_was_begun_ends_without_its_last_block(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        swept, damaged;
		enum errc   fails;
	} cases[] = {
		{ "swept meanwhile", true, false, ERR_OK },
		{ "gone", false, false, ERR_NOT_FOUND },
		{ "damaged", false, true, ERR_OK },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct scene s;

		print_message("case: %s\n", cases[n].why);
		scene_open(&s);
		scene_put(&s, &one, 1);
		reader_start(&s.reader);
		s.desk.swept = cases[n].swept;
		s.desk.fails = cases[n].fails;
		desk_put(&s.desk, &one, 1, 2);
		if (cases[n].damaged) {
			stream_events(&s.stream, &one, 1); /* all in front of it counts */
			desk_put_bytes(&s.desk, 3, 3, STR("\2\1\3\x20\0\7short"));
		}
		scene_news(&s);
		assert_int_equal(s.reader.wakes, 1);
		assert_got_all(&s);
		assert_news_read_nothing(&s);
		scene_close(&s);
	}
}

static void a_gap_in_the_log_is_no_stream(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	desk_put(&s.desk, &one, 1, 1);
	desk_put(&s.desk, &one, 1, 3);
	desk_end(&s.desk, RUN_COMPLETED, 4, STR_NONE);
	reader_start(&s.reader);
	assert_int_equal(s.reader.opens, 0);
	assert_true(s.reader.failed);
	assert_int_equal(s.reader.err.code, ERR_INTERNAL);
	scene_close(&s);
}

/* refuse: from the test's thread, while a reader may be asking. */
static void refuse(struct desk *d, bool on)
{
	pthread_mutex_lock(&d->lock);
	d->refuses = on;
	pthread_mutex_unlock(&d->lock);
}

static void a_stream_that_was_begun_asks_a_full_store_again(void **state)
{
	(void)state;

	for (int leaves = 0; leaves < 2; leaves++) {
		struct scene   s;
		struct reader *r = &s.reader;

		scene_open(&s);
		s.desk.page_bytes = 1;
		scene_put_big(&s, 10);
		reader_start(r);
		assert_int_equal(s.desk.reads, 3);
		refuse(&s.desk, true);
		reader_gets_all(r);
		assert_true(r->got.len > 3 * BIG && r->got.len < 4 * BIG);
		assert_false(r->last);
		refuse(&s.desk, false);
		while (!leaves && !r->last && r->got.len < 10 * BIG)
			reader_gets_all(r);
		assert_true(leaves || r->got.len >= 10 * BIG);
		scene_close(&s);
	}
}

/* --- slow readers --- */

static void a_slow_reader_is_read_for_no_further(void **state)
{
	(void)state;
	struct scene   s;
	struct reader *r = &s.reader;

	scene_open(&s);
	s.desk.page_bytes = 1;
	scene_put_big(&s, 10);
	reader_start(r);
	/* The third page fills it. */
	assert_int_equal(s.desk.reads, 3);
	assert_news_read_nothing(&s);
	/* Down to the lower mark, then on again. */
	reader_gets(r, 3 * BIG - LIMIT_FEED_LOW - 1000);
	assert_int_equal(s.desk.reads, 3);
	reader_gets(r, 4000);
	assert_int_equal(s.desk.reads, 5);
	reader_gets_all(r);
	assert_true(r->got.len > 10 * BIG);
	size_t reads = s.desk.reads;
	scene_put_big(&s, 1);
	scene_news(&s);
	assert_int_equal(s.desk.reads, reads + 1);
	scene_close(&s);
}

static void a_slow_reader_of_a_run_that_goes_on_is_read_for_no_further_either(void **state)
{
	(void)state;
	struct scene s;

	scene_open(&s);
	reader_start(&s.reader);
	for (int i = 0; i < 20; i++) {
		scene_put_big(&s, 1);
		scene_news(&s);
	}
	assert_true(s.desk.reads <= 5);
	scene_complete(&s);
	scene_news(&s);
	/* The comparison is silent, because two megabytes are too much to show. */
	assert_true(str_eq(reader_gets_all(&s.reader), buf_view(&s.stream.out)));
	assert_true(s.reader.last);
	scene_close(&s);
}

static void small_events_fill_a_reader_no_further_than_large_ones(void **state)
{
	(void)state;
	static struct event many[512];

	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i] = one;
	for (size_t n = 0; n < 2 * ARRAY_LEN(shapes); n++) {
		uint64_t     seq = 0;
		bool         last;
		struct scene s;

		scene_open(&s);
		if (n % 2)
			scene_use_tape(&s);
		scene_use_shape(&s, shapes[n / 2]);
		for (int i = 0; i < 100; i++)
			seq = scene_log(&s, many, ARRAY_LEN(many), seq + 1);
		scene_end(&s, RUN_COMPLETED, seq + 1, STR_NONE);
		reader_start(&s.reader);
		assert_non_null(s.reader.follow);
		size_t waits = follow_ready(s.reader.follow, &last).n;
		assert_true(waits >= LIMIT_FEED_HIGH && waits < 4 * LIMIT_FEED_HIGH);
		reader_gets_all(&s.reader);
		assert_true(s.reader.last);
		scene_close(&s);
	}
}

/* --- many --- */

enum { LANES = 2, READERS = 24, EVENTS = 200 };

struct notifier {
	pthread_t   thread;
	struct id   run;
	atomic_bool done;
};

static void *notify_main(void *arg)
{
	struct notifier *n = arg;

	while (!atomic_load(&n->done)) {
		watch_notify(n->run);
		sched_yield();
	}
	return NULL;
}

static void many_readers_follow_one_run_on_several_loops(void **state)
{
	(void)state;
	static struct desk   d;
	static struct reader r[READERS];
	struct lane          lanes[LANES];
	struct stream        s[2];
	struct notifier      busy = { .run = { 77, 0xabcdef } };

	desk_open(&d);
	for (size_t i = 0; i < LANES; i++)
		lane_start(&lanes[i]);
	for (size_t i = 0; i < 2; i++)
		stream_init(&s[i], &d, shapes[i]);
	assert_int_equal(pthread_create(&busy.thread, NULL, notify_main, &busy), 0);
	for (uint64_t n = 1; n <= EVENTS; n++) {
		const struct event *ev = n % 7 == 0 ? &rich[11] : &one;

		desk_put(&d, ev, 1, n);
		for (size_t i = 0; i < 2; i++)
			stream_events(&s[i], ev, 1);
		/* They come one after the other, and some leave again. */
		size_t at = (size_t)n / 4;
		if (n % 4 == 0 && at < READERS) {
			reader_init(&r[at], &d, &lanes[at % LANES]);
			r[at].o.shape = shape_of(shapes[at / LANES % 2]);
			r[at].takes = true;
			on_lane(r[at].lane, reader_start_fn, &r[at]);
		}
		if (n % 16 == 8 && at < READERS)
			on_lane(r[at].lane, reader_leave_fn, &r[at]);
	}
	desk_end(&d, RUN_COMPLETED, EVENTS + 1, STR_NONE);
	watch_notify(d.run);
	for (size_t i = 0; i < 2; i++)
		stream_done(&s[i], EVENTS + 1);
	atomic_store(&busy.done, true);
	pthread_join(busy.thread, NULL);
	for (size_t i = 0; i < LANES; i++)
		desk_settle(&d, &lanes[i]);
	for (size_t at = 1; at < READERS; at++) {
		if (at % 4 != 2)
			assert_true(str_eq(buf_view(&r[at].got), buf_view(&s[at / LANES % 2].out)));
		reader_finish(&r[at]);
	}
	for (size_t i = 0; i < 2; i++)
		stream_finish(&s[i]);
	for (size_t i = 0; i < LANES; i++)
		lane_stop(&lanes[i]);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_goes_on_is_waited_for),
		cmocka_unit_test(news_during_a_read_lead_to_one_more),
		cmocka_unit_test(a_reader_that_has_seen_all_of_a_run_that_goes_on_gets_what_comes),
		cmocka_unit_test(a_tape_that_goes_on_is_waited_for),
		cmocka_unit_test(what_can_not_be_read_is_said_instead_of_a_stream),
		cmocka_unit_test(a_stream_that_was_begun_ends_without_its_last_block),
		cmocka_unit_test(a_gap_in_the_log_is_no_stream),
		cmocka_unit_test(a_stream_that_was_begun_asks_a_full_store_again),
		cmocka_unit_test(a_slow_reader_is_read_for_no_further),
		cmocka_unit_test(a_slow_reader_of_a_run_that_goes_on_is_read_for_no_further_either),
		cmocka_unit_test(small_events_fill_a_reader_no_further_than_large_ones),
		cmocka_unit_test(many_readers_follow_one_run_on_several_loops),
	};

	return cmocka_run_group_tests_name("run/follow_wait", tests, NULL, NULL);
}
