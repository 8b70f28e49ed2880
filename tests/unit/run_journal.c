/* A run's events on their way to the store: when, how many at once, and what comes of failures. */
#include "run_journal_help.h"

/* --- relaxed --- */

static void events_are_handed_over_25_ms_after_the_first_of_them(void **state)
{
	(void)state;
	struct world w;

	world_streams(&w, false);
	events_and_time(&w, (const struct event[]){ START, one, one, one }, 4);
	assert_trace(&w, "open append");
	assert_false(moment.was_asked);
	assert_int_equal(w.append_pieces, 1);
	assert_false(w.append_sync);
	/* They may be seen before. */
	assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 4\n"));
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_int_equal(w.logs[0].last, 4);
	/* Without events there is nothing to hand over. */
	time_passes(&w);
	assert_trace(&w, "");
	events_and_time(&w, &one, 1);
	assert_false(moment.was_asked);
	assert_trace(&w, "append");
	store_answers(&w, OP_APPEND, ERR_OK);
	ends_well(&w);
	assert_int_equal(w.logs[0].last, 6);
	assert_true(w.logs[0].ended);
	world_ends(&w);
}

static void what_came_during_a_job_waits_no_longer_than_it_would_have(void **state)
{
	(void)state;
	struct world w;

	world_streams(&w, false);
	events_and_time(&w, &one, 1);
	assert_trace(&w, "open append");
	events_and_time(&w, &one, 1);
	/* The job is on its way, so nothing else is; but these have waited for 41 ms already. */
	assert_trace(&w, "");
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_trace(&w, "append");
	assert_int_equal(w.logs[0].last, 1);
	store_answers(&w, OP_APPEND, ERR_OK);
	assert_int_equal(w.logs[0].last, 2);
	ends_well(&w);
	world_ends(&w);
}

static void what_was_not_handed_over_goes_with_the_end(void **state)
{
	(void)state;
	struct world w;

	world_streams(&w, false);
	provider_says(&w, START, TEXT("y"), TEXT("o"), FINISH, END);
	assert_trace(&w, "open end");
	store_answers(&w, OP_END, ERR_OK);
	assert_int_equal(w.logs[0].last, 4);
	assert_int_equal(w.last_seq, 5);
	/* The time that was set is over for nothing. */
	time_passes(&w);
	assert_trace(&w, "");
	world_ends(&w);
}

static void an_engine_may_go_while_its_timer_runs(void **state)
{
	(void)state;
	struct world w;

	world_streams(&w, false);
	provider_says(&w, START, TEXT("y"), FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	world_ends(&w);
}

static void plain_calls_and_unstored_streams_are_not_logged(void **state)
{
	(void)state;

	for (int i = 0; i < 2; i++) {
		struct world w;

		world_start(&w);
		world_logs(&w);
		w.settings.strict = true;
		w.rq.manner.store = i == 0;
		w.rq.what.prompt.stream = i == 1;
		ask(&w);
		if (w.rq.manner.store)
			store_answers(&w, OP_BEGIN, ERR_OK);
		provider_says(&w, START, TEXT("yo"));
		buf_clear(&w.trace);
		if (w.rq.what.prompt.stream)
			assert_true(holds(reader_reads(&w, SIZE_MAX), "yo"));
		provider_says(&w, FINISH, END);
		assert_trace(&w, i == 0 ? "end" : "");
		if (i == 0)
			store_answers(&w, OP_END, ERR_OK);
		assert_true(w.log_count == 0 || w.logs[0].last == 0);
		world_ends(&w);
	}
}

static void what_an_encoder_knows_besides_is_logged_first(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        fences, warned;
	} cases[] = {
		{ "as usual", true, false },
		{ "fences are no code", false, false },
		{ "something was not sent", true, true },
		{ "both", false, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;
		struct event ev;
		uint64_t     seq;

		print_message("case: %s\n", cases[i].why);
		world_start(&w);
		world_logs(&w);
		w.rq.manner.store = true;
		w.rq.what.prompt.stream = true;
		w.rq.what.answers_calls = true;
		w.rq.manner.fences = cases[i].fences;
		if (cases[i].warned)
			w.more = "{\"role\":\"assistant\",\"type\":\"review\",\"content\":\"x\"}";
		ask(&w);
		store_answers(&w, OP_BEGIN, ERR_OK);
		provider_says(&w, START, TEXT("yo"), FINISH, END);
		store_answers(&w, OP_END, ERR_OK);
		struct str rest = buf_view(&w.logs[0].data);
		assert_true(event_decode(&rest, &ev, &seq));
		assert_int_equal(seq, 1);
		assert_int_equal(ev.kind == EVENT_ASKED, !cases[i].fences || cases[i].warned);
		if (ev.kind == EVENT_ASKED) {
			assert_int_equal(ev.block, cases[i].fences);
			assert_int_equal(ev.choice, cases[i].warned);
			assert_int_equal(ev.text.n > 0, cases[i].warned);
		}
		world_ends(&w);
	}
}

/* --- several runs --- */

/* A further reader with its own run and provider, on another's loop and engine. */
static void guest_asks(struct world *g, struct world *w)
{
	struct buf *bufs[] = { &g->trace, &g->prompt, &g->got };

	*g = (struct world){ .loop = w->loop,
			     .engine = w->engine,
			     .provider = w->provider,
			     .message = w->message,
			     .rq = w->rq };
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		buf_init(bufs[i], 64 * MIB);
	sem_init(&g->ran, 0, 0);
	ask(g);
	store_answers(w, OP_BEGIN, ERR_OK);
	assert_trace(g, "start");
}

static void guest_leaves(struct world *g)
{
	reader_leaves(g);
	buf_finish(&g->trace);
	buf_finish(&g->prompt);
	buf_finish(&g->got);
	sem_destroy(&g->ran);
}

static void events_of_several_runs_are_one_job(void **state)
{
	(void)state;

	for (int strict = 0; strict < 2; strict++) {
		struct world w, b, c;

		world_streams(&w, strict);
		guest_asks(&b, &w);
		guest_asks(&c, &w);
		buf_clear(&w.trace);
		/* A job of the first alone; the others' events come meanwhile. */
		events_and_time(&w, &one, 1);
		assert_trace(&w, "open append");
		assert_int_equal(w.append_pieces, 1);
		provider_says_often(&b, &one, 1, 2);
		provider_says_often(&c, &one, 1, 3);
		provider_says_often(&w, &one, 1, 1);
		time_passes(&w);
		store_answers(&w, OP_APPEND, ERR_OK);
		assert_trace(&w, "append");
		assert_int_equal(w.append_pieces, 3);
		assert_int_equal(w.append_sync, strict);
		/* One ends while its events are on their way. */
		provider_says(&b, FINISH, END);
		assert_trace(&w, "end");
		store_answers(&w, OP_APPEND, ERR_OK);
		store_answers(&w, OP_END, ERR_OK);
		provider_says(&c, FINISH, END);
		store_answers(&w, OP_END, ERR_OK);
		provider_says(&w, FINISH, END);
		store_answers(&w, OP_END, ERR_OK);
		if (w.waiting[OP_APPEND])
			store_answers(&w, OP_APPEND, ERR_OK);
		uint64_t sum = 0;
		assert_int_equal(w.log_count, 3);
		for (size_t i = 0; i < 3; i++)
			sum += w.logs[i].last;
		assert_int_equal(sum, 2 + 2 + 3 + 3); /* and three that finish */
		guest_leaves(&b);
		guest_leaves(&c);
		world_ends(&w);
	}
}

/* --- failures --- */

static void say_fn(struct world *w)
{
	give_event(w, &one);
}

static void refuse_fn(struct world *w)
{
	w->refuse[OP_APPEND] = true;
	say_fn(w);
}

static void a_job_that_failed_is_tried_again_and_nothing_else_meanwhile(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        refused, strict, kept;
	} cases[] = {
		{ "it failed", false, false, false },
		{ "it was refused", true, false, false },
		{ "it failed, strict", false, true, false },
		{ "it was refused, strict", true, true, false },
		{ "it failed only seemingly", false, false, true },
		{ "it failed only seemingly, strict", false, true, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_streams(&w, cases[i].strict);
		w.append_kept = cases[i].kept;
		on_loop(&w, cases[i].refused ? refuse_fn : say_fn);
		for (int times = 0; w.append_us == 0 && times < 5; times++)
			time_passes(&w);
		int64_t first_us = w.append_us;
		assert_trace(&w, cases[i].refused ? "open append refused" : "open append");
		if (!cases[i].refused)
			store_answers(&w, OP_APPEND, ERR_STORAGE);
		w.refuse[OP_APPEND] = false;
		provider_says_often(&w, &one, 1, 1);
		if (cases[i].strict)
			assert_int_equal(reader_reads(&w, SIZE_MAX).n, 0);
		for (int times = 0; !w.waiting[OP_APPEND] && times < 5; times++)
			time_passes(&w);
		assert_trace(&w, "append");
		assert_true(w.append_us - first_us >= 100 * 1000);
		store_answers(&w, OP_APPEND, ERR_OK);
		assert_trace(&w, "append");
		assert_int_equal(w.logs[0].last, 1);
		store_answers(&w, OP_APPEND, ERR_OK);
		assert_int_equal(w.logs[0].last, 2);
		assert_true(holds(reader_reads(&w, SIZE_MAX), "id: 2\n"));
		ends_well(&w);
		world_ends(&w);
	}
}

static void a_run_that_ends_takes_what_is_on_its_way_along(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why;
		bool        out;   /* the job is with the store as the run ends; else it has failed */
		bool        after; /* events came behind those of the job */
		enum errc   append; /* how the job that is out ends */
		bool        append_first;
		enum errc   end;
	} cases[] = {
		{ "it has failed", false, false, ERR_OK, false, ERR_OK },
		{ "it has failed, and more came", false, true, ERR_OK, false, ERR_OK },
		{ "it is done before the end", true, true, ERR_OK, true, ERR_OK },
		{ "it is done after the end", true, true, ERR_OK, false, ERR_OK },
		{ "it fails, and then the end is stored", true, true, ERR_STORAGE, true, ERR_OK },
		{ "the same, without more", true, false, ERR_STORAGE, true, ERR_OK },
		{ "it fails after the end was stored", true, true, ERR_STORAGE, false, ERR_OK },
		{ "both fail", true, true, ERR_STORAGE, true, ERR_STORAGE },
		{ "it is done, the end fails", true, true, ERR_OK, true, ERR_STORAGE },
	};
	/* clang-format on */

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		struct world w;

		print_message("case: %s\n", cases[n].why);
		world_streams(&w, i % 2);
		events_and_time(&w, &one, 1);
		assert_trace(&w, "open append");
		if (!cases[n].out)
			store_answers(&w, OP_APPEND, ERR_STORAGE);
		if (cases[n].after)
			provider_says_often(&w, &one, 1, 2);
		provider_says(&w, END);
		assert_true(holds(buf_view(&w.trace), "end"));
		if (cases[n].out && cases[n].append_first)
			store_answers(&w, OP_APPEND, cases[n].append);
		store_answers(&w, OP_END, cases[n].end);
		if (cases[n].out && !cases[n].append_first)
			store_answers(&w, OP_APPEND, cases[n].append);
		if (cases[n].end == ERR_OK) {
			assert_true(w.logs[0].ended);
			assert_int_equal(w.logs[0].last, cases[n].after ? 3 : 1);
		}
		assert_true(holds(reader_reads(&w, SIZE_MAX),
				  cases[n].end == ERR_OK ? "[DONE]" : "event: error"));
		/* What had failed comes once more, too late and without harm. */
		reader_leaves(&w);
		for (int times = 0; w.live > 0 && times < 5; times++) {
			time_passes(&w);
			if (w.waiting[OP_APPEND])
				store_answers(&w, OP_APPEND, ERR_OK);
		}
		world_ends(&w);
	}
}

static void stop_fn(struct world *w)
{
	struct err why;

	err_set(&why, ERR_SHUTTING_DOWN, "", "the gateway is stopping");
	run_engine_stop(w->engine, &why);
}

static void fail_and_stop_fn(struct world *w)
{
	w->op = OP_APPEND;
	w->with = ERR_STORAGE;
	answer_fn(w);
	stop_fn(w);
}

static void a_stopping_engine_does_not_try_forever(void **state)
{
	(void)state;

	for (int i = 0; i < 2; i++) {
		struct world w;

		world_streams(&w, false);
		events_and_time(&w, &one, 1);
		on_loop(&w, i == 0 ? fail_and_stop_fn : stop_fn);
		assert_trace(&w, "open append cancel end");
		store_answers(&w, OP_END, ERR_STORAGE);
		reader_leaves(&w);
		for (int times = 0; !w.waiting[OP_APPEND] && times < 5; times++)
			time_passes(&w);
		assert_int_equal(w.live, 1);
		store_answers(&w, OP_APPEND, ERR_STORAGE);
		assert_int_equal(w.live, 0);
		time_passes(&w);
		assert_trace(&w, i == 0 ? "append" : "");
		world_ends(&w);
	}
}

/* refused_end: the run has ended with an error, and its log goes no further. */
static void refused_end(struct world *w, bool seen)
{
	assert_true(holds(buf_view(&w->trace), "cancel end"));
	assert_int_equal(w->status, RUN_INCOMPLETE);
	assert_true(holds(buf_view(&w->end_error), "internal_error"));
	store_answers(w, OP_END, ERR_OK);
	assert_int_equal(w->logs[0].last, 1);
	reader_reads(w, SIZE_MAX);
	assert_true(holds(buf_view(&w->got), "event: error"));
	assert_int_equal(holds(buf_view(&w->got), "zebra"), seen);
	assert_false(holds(buf_view(&w->got), "behind"));
}

static void what_the_log_refuses_ends_its_run_and_no_other(void **state)
{
	(void)state;
	struct world w, b;

	world_streams(&w, false);
	w.append_refuses = "zebra";
	guest_asks(&b, &w);
	events_and_time(&w, &one, 1);
	store_answers(&w, OP_APPEND, ERR_OK);
	provider_says(&w, TEXT("zebra"));
	provider_says_often(&b, &one, 1, 1);
	time_passes(&w);
	assert_int_equal(w.append_pieces, 2);
	store_answers(&w, OP_APPEND, ERR_OK);
	refused_end(&w, true);
	provider_says(&b, FINISH, END);
	store_answers(&w, OP_END, ERR_OK);
	assert_int_equal(w.logs[1].last, 2);
	guest_leaves(&b);
	world_ends(&w);
}

/* It is not tried again, nothing behind it is logged, and what the reader could not see it never does. */
static void a_job_that_is_refused_ends_its_runs(void **state)
{
	(void)state;

	for (int strict = 0; strict < 2; strict++) {
		struct world w;

		world_streams(&w, strict);
		events_and_time(&w, &one, 1);
		store_answers(&w, OP_APPEND, ERR_OK);
		events_and_time(&w, &(struct event){ .kind = EVENT_TEXT, .text = STR("zebra") }, 1);
		assert_true(w.waiting[OP_APPEND] != NULL);
		if (strict)
			provider_says(&w, TEXT("behind"));
		store_answers(&w, OP_APPEND, ERR_INTERNAL);
		refused_end(&w, !strict);
		world_ends(&w);
	}
}

static void a_log_that_grows_too_large_ends_the_run(void **state)
{
	(void)state;
	struct world w;
	struct buf   raw;

	buf_init(&raw, 8 * MIB);
	assert_true(buf_reserve(&raw, 8 * MIB));
	memset(raw.data, ' ', 8 * MIB);
	raw.data[0] = '{';
	raw.data[8 * MIB - 1] = '}';
	raw.len = 8 * MIB;
	world_streams(&w, false);
	/* The store takes nothing; the reader takes all. */
	events_and_time(&w, &one, 1);
	assert_trace(&w, "open append");
	for (int i = 0; i < 7; i++) {
		provider_says(&w, { .kind = EVENT_OTHER, .raw = buf_view(&raw) });
		(void)reader_reads(&w, SIZE_MAX);
	}
	assert_true(holds(buf_view(&w.trace), "cancel end"));
	store_answers(&w, OP_APPEND, ERR_OK);
	store_answers(&w, OP_END, ERR_OK);
	assert_int_equal(w.status, RUN_INCOMPLETE);
	assert_true(holds(reader_reads(&w, SIZE_MAX), "event: error"));
	assert_int_equal(w.logs[0].last, 6);
	buf_finish(&raw);
	world_ends(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_handed_over_25_ms_after_the_first_of_them),
		cmocka_unit_test(what_came_during_a_job_waits_no_longer_than_it_would_have),
		cmocka_unit_test(what_was_not_handed_over_goes_with_the_end),
		cmocka_unit_test(an_engine_may_go_while_its_timer_runs),
		cmocka_unit_test(plain_calls_and_unstored_streams_are_not_logged),
		cmocka_unit_test(what_an_encoder_knows_besides_is_logged_first),
		cmocka_unit_test(events_of_several_runs_are_one_job),
		cmocka_unit_test(a_job_that_failed_is_tried_again_and_nothing_else_meanwhile),
		cmocka_unit_test(a_run_that_ends_takes_what_is_on_its_way_along),
		cmocka_unit_test(a_stopping_engine_does_not_try_forever),
		cmocka_unit_test(what_the_log_refuses_ends_its_run_and_no_other),
		cmocka_unit_test(a_job_that_is_refused_ends_its_runs),
		cmocka_unit_test(a_log_that_grows_too_large_ends_the_run),
	};

	return cmocka_run_group_tests_name("run/journal", tests, NULL, NULL);
}
