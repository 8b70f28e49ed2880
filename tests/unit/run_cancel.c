/* Cancelling a run in every state, from any thread; and being told that it has begun. */
#include "run/internal.h"
#include "tests/unit/run_lane.h"
#include "tests/unit/run_steps.h"

#include <stdatomic.h>

enum { OWNER = 5 };

/* --- in every state --- */

static struct {
	struct id id;
	bool      found, strangers;
} asked;

static void cancel_fn(struct world *w)
{
	asked.strangers = live_cancel(asked.id, OWNER + 1);
	asked.found = live_cancel(asked.id, OWNER) && live_cancel(asked.id, OWNER);
	(void)w;
}

static void ask_and_cancel_fn(struct world *w)
{
	ask_fn(w);
	asked.id = id_of_run(w);
	cancel_fn(w);
}

/* A run of OWNER is asked for, and its id noted. */
static void ask_known(struct world *w)
{
	w->rq.caller.owner = OWNER;
	ask(w);
	asked.id = id_of_run(w);
}

/* The last word of a trace goes if it is what a reader is told. */
static void drop_told(char *trace, bool stream)
{
	char *word = strstr(trace, "failed");

	if (!word && stream)
		word = strstr(trace, "done");
	if (word)
		word[word > trace ? -1 : 0] = '\0';
}

static void plans_fn(struct world *w)
{
	w->run->given.restarts = true;
}

/* Between `begin` and the call, a run that others may take up writes how it is asked. */
static void a_run_is_cancelled_before_its_plan_or_with_it(void **state)
{
	(void)state;
	for (int written = 0; written < 2; written++) {
		struct world w;

		start_case(&w, "beginning, with a plan", STORE | STREAM | FINISHES);
		world_logs(&w);
		w.rq.caller.owner = OWNER;
		w.status = (enum run_status) - 1;
		ask_known(&w);
		on_loop(&w, plans_fn);
		advance(&w, AT_BEGINNING);
		if (written)
			store_answers(&w, OP_BEGIN, ERR_OK);
		on_loop(&w, cancel_fn);
		finish_rest(&w);
		assert_int_equal((int)w.status, RUN_CANCELLED);
		end_world(&w);
	}
}

static void a_run_is_cancelled_in_every_state(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why;
		enum moment at;
		unsigned    flags;
		const char *at_once; /* when it is cancelled */
		const char *later;   /* while all others go on; "failed" is of those that don't stream */
		int         status;  /* of the stored end; -1: none */
		bool        found;
	} cases[] = {
		{ "in the turn that it was made in", AT_NEW, PLAIN, "start cancel failed", "", -1,
		  true },
		{ "loading", AT_LOADING, LOADS | STORE, "", "failed", -1, true },
		{ "loading, unstored", AT_LOADING, LOADS, "", "failed", -1, true },
		{ "beginning: the row gets its end", AT_BEGINNING, STORE, "", "end failed",
		  RUN_CANCELLED, true },
		{ "beginning, after a load", AT_BEGINNING, LOADS | STORE, "", "end failed",
		  RUN_CANCELLED, true },
		{ "calling", AT_CALLING, PLAIN, "cancel failed", "", -1, true },
		{ "calling, stored", AT_CALLING, STORE, "cancel end", "failed", RUN_CANCELLED,
		  true },
		{ "streaming", AT_STREAMING, PLAIN, "cancel failed", "", -1, true },
		{ "streaming, stored", AT_STREAMING, STORE, "cancel end", "failed", RUN_CANCELLED,
		  true },
		{ "ending: too late", AT_ENDING, STORE, "", "done", RUN_COMPLETED, true },
		{ "ended", AT_ENDED, PLAIN, "", "", -1, false },
		{ "ended, stored", AT_ENDED, STORE, "", "", RUN_COMPLETED, false },
	};
	/* clang-format on */

	/* Plain, a stream, and a stream whose reader has left and let it go on. */
	for (size_t i = 0; i < 3 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 3;
		bool         stream = i % 3 > 0;
		bool         left = i % 3 == 2;
		bool         opened = cases[n].at == AT_STREAMING || cases[n].at == AT_ENDING;
		struct world w;
		char         at_once[64];
		char         later[64];

		if (left && cases[n].at == AT_ENDED && !(cases[n].flags & STORE))
			continue; /* it is gone */
		if (left)
			print_message("without a reader:\n");
		start_case(&w, cases[n].why, cases[n].flags | FINISHES | (stream ? STREAM : 0));
		world_logs(&w);
		w.rq.caller.owner = OWNER;
		w.status = (enum run_status) - 1;
		if (cases[n].at == AT_NEW) {
			on_loop(&w, ask_and_cancel_fn);
			if (left)
				reader_leaves(&w);
		} else {
			ask_known(&w);
			advance(&w, cases[n].at);
			if (left)
				reader_leaves(&w);
			buf_clear(&w.trace);
			on_loop(&w, cancel_fn);
		}
		assert_int_equal(asked.found, cases[n].found);
		assert_false(asked.strangers);

		/* A stream that is open is told in itself, and nobody tells those who left. */
		snprintf(at_once, sizeof at_once, "%s", cases[n].at_once);
		snprintf(later, sizeof later, "%s", cases[n].later);
		if ((left || (stream && opened)) && cases[n].at != AT_NEW) {
			drop_told(at_once, stream);
			drop_told(later, stream);
		}
		assert_trace(&w, at_once);
		finish_rest(&w);
		assert_trace(&w, later);
		assert_int_equal((int)w.status, cases[n].status);
		if (cases[n].status == RUN_CANCELLED) {
			assert_holds(buf_view(&w.end_error), "\"code\":\"cancelled\"");
			assert_int_equal(w.finish_reason.len, 0);
			assert_int_equal(w.answer.len > 0, cases[n].at == AT_STREAMING);
		}
		if (w.run && stream && opened) {
			reader_reads(&w, SIZE_MAX);
			assert_true(w.last);
			assert_int_equal(holds(buf_view(&w.got), "\"code\":\"cancelled\""),
					 cases[n].at == AT_STREAMING);
		} else if (w.run && cases[n].at < AT_ENDING) {
			assert_int_equal(w.done_err.code, ERR_CANCELLED);
		}
		assert_false(live_cancel(asked.id, OWNER));
		end_world(&w);
	}
}

static void a_run_that_is_being_ended_otherwise_is_cancelled_once(struct world *w)
{
	/* Over the size that is kept: it is to be ended later in this turn. */
	events_fn(w);
	cancel_fn(w);
}

static void a_run_that_is_about_to_be_aborted_may_be_cancelled(void **state)
{
	(void)state;
	struct world       w;
	struct buf         text;
	const struct event ev = long_text(&text);

	start_world(&w, STORE);
	ask_known(&w);
	store_answers(&w, OP_BEGIN, ERR_OK);
	buf_clear(&w.trace);
	w.events = &ev;
	w.event_count = 1;
	w.times = 10;
	on_loop(&w, a_run_that_is_being_ended_otherwise_is_cancelled_once);
	assert_true(asked.found);
	assert_trace(&w, "cancel end");
	store_answers(&w, OP_END, ERR_OK);
	assert_trace(&w, "failed");
	buf_finish(&text);
	end_world(&w);
}

static void cancel_end_and_leave_fn(struct world *w)
{
	cancel_fn(w);
	events_fn(w);
	leave_fn(w);
	/* The task is on its way to it, so it must still be there. */
	nothing(w);
	CHECK(w->live == 1);
}

static void a_run_that_ends_while_its_cancelling_is_on_its_way_lives_until_it_came(void **state)
{
	(void)state;
	static const struct event end[] = { { .kind = EVENT_MESSAGE, .text = { "{}", 2 } },
					    { .kind = EVENT_END } };
	struct world              w;

	world_start(&w);
	ask_known(&w);
	w.events = end;
	w.event_count = ARRAY_LEN(end);
	w.times = 1;
	on_loop(&w, cancel_end_and_leave_fn);
	assert_true(asked.found);
	assert_trace(&w, "start done");
	end_world(&w);
}

static void completions_are_cancelled_where_they_are_stored(void **state)
{
	(void)state;

	for (int i = 0; i < 2; i++) {
		struct world w;

		start_world(&w, i ? STORE : PLAIN);
		w.rq.manner.family = &family_completions;
		ask_known(&w);
		advance(&w, AT_CALLING);
		on_loop(&w, cancel_fn);
		/* Else nobody could know its id. */
		assert_int_equal(asked.found, i);
		finish_rest(&w);
		assert_int_equal(w.done_err.code, i ? ERR_CANCELLED : ERR_OK);
		end_world(&w);
	}
}

/* --- from other threads --- */

struct canceller {
	pthread_t            thread;
	_Atomic(struct id *) id; /* NULL: none yet */
	atomic_bool          over;
	atomic_size_t        found;
};

static void *cancel_main(void *arg)
{
	struct canceller *c = arg;

	while (!atomic_load(&c->over)) {
		struct id *id = atomic_load(&c->id);

		if (id && live_cancel(*id, OWNER))
			atomic_fetch_add(&c->found, 1);
		else
			sched_yield();
	}
	return NULL;
}

static bool begin_waits, end_waits;

/* On the loop, as a cancelling thread may make the run hand something in at any moment. */
static void look_what_waits(struct world *w)
{
	begin_waits = w->waiting[OP_BEGIN] != NULL;
	end_waits = w->waiting[OP_END] != NULL;
}

static void other_threads_may_cancel_at_any_time(void **state)
{
	(void)state;
	enum { CANCELLERS = 2, TIMES = 60 };

	for (int n = 0; n < TIMES; n++) {
		struct canceller c[CANCELLERS];
		struct world     w;
		struct id        id;

		start_world(&w, FINISHES | (n % 2 ? STORE : 0) | (n / 2 % 2 ? STREAM : 0));
		world_logs(&w);
		w.rq.caller.owner = OWNER;
		for (size_t i = 0; i < CANCELLERS; i++) {
			atomic_init(&c[i].id, NULL);
			atomic_init(&c[i].over, false);
			atomic_init(&c[i].found, 0);
			assert_int_equal(pthread_create(&c[i].thread, NULL, cancel_main, &c[i]), 0);
		}
		ask(&w);
		id = id_of_run(&w);
		for (enum moment at = AT_LOADING; at <= AT_ENDED; at++) {
			if ((int)at == n / 4 % AT_ENDED)
				for (size_t i = 0; i < CANCELLERS; i++)
					atomic_store(&c[i].id, &id);
			on_loop(&w, look_what_waits);
			if (at == AT_CALLING && begin_waits)
				store_answers(&w, OP_BEGIN, ERR_OK);
			if (at == AT_STREAMING)
				provider_says(&w, START, TEXT("yo"));
			if (at == AT_ENDING)
				provider_says(&w, FINISH, END);
			on_loop(&w, look_what_waits);
			if (end_waits)
				store_answers(&w, OP_END, ERR_OK);
		}
		reader_leaves(&w);
		for (size_t i = 0; i < CANCELLERS; i++)
			atomic_store(&c[i].over, true);
		for (size_t i = 0; i < CANCELLERS; i++)
			pthread_join(c[i].thread, NULL);
		on_loop(&w, nothing);
		assert_false(live_cancel(id, OWNER));
		end_world(&w);
	}
}

/* Once: the run's own loop may be done with it before a second call. */
static void cancel_there(void *arg)
{
	(void)arg;
	asked.found = live_cancel(asked.id, OWNER);
}

static void a_run_is_cancelled_from_another_loop(void **state)
{
	(void)state;
	struct lane  other;
	struct world w;

	lane_start(&other);
	start_world(&w, STREAM);
	ask_known(&w);
	provider_says(&w, START, TEXT("yo"));
	on_lane(&other, cancel_there, NULL);
	assert_true(asked.found);
	on_loop(&w, nothing);
	assert_trace(&w, "start open cancel");
	assert_reads_last(&w, "\"code\":\"cancelled\"");
	end_world(&w);
	lane_stop(&other);
}

/* --- begun --- */

static void a_reader_is_told_when_its_run_has_begun(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		unsigned    flags;
		bool        fails;
		enum errc   begin;
		const char *trace;
	} cases[] = {
		{ "unstored", PLAIN, false, ERR_OK, "start begun" },
		{ "stored: when that is durable", STORE, false, ERR_OK, "begin start begun" },
		{ "not when the store fails", STORE, false, ERR_STORAGE, "begin failed" },
		{ "not when the provider does not start", STORE, true, ERR_OK, "begin start end" },
		{ "the same, unstored", PLAIN, true, ERR_OK, "start failed" },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		struct world w;

		start_case(&w, cases[n].why, cases[n].flags | (i % 2 ? STREAM : PLAIN));
		w.hears_begun = true;
		w.start_fails = cases[n].fails;
		ask(&w);
		if (w.rq.manner.store)
			store_answers(&w, OP_BEGIN, cases[n].begin);
		assert_trace(&w, cases[n].trace);
		/* Once is enough. */
		provider_answers(&w);
		answer_waiting(&w, OP_END);
		assert_lacks(buf_view(&w.trace), "begun");
		end_world(&w);
	}
}

static void a_run_that_was_cancelled_before_has_not_begun(void **state)
{
	(void)state;
	struct world w;

	start_world(&w, STORE);
	w.hears_begun = true;
	ask_known(&w);
	on_loop(&w, cancel_fn);
	store_answers(&w, OP_BEGIN, ERR_OK);
	store_answers(&w, OP_END, ERR_OK);
	assert_trace(&w, "begin end failed");
	assert_int_equal(w.done_err.code, ERR_CANCELLED);
	end_world(&w);
}

static void a_reader_may_leave_as_its_run_has_begun(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		unsigned    flags;
		const char *trace;
		int         status;
	} cases[] = {
		{ "in the background", STORE | FINISHES, "begin start begun end", RUN_COMPLETED },
		{ "stored, cancelled by it", STORE, "begin start begun cancel end", RUN_CANCELLED },
		{ "unstored, cancelled by it", PLAIN, "start begun cancel", -1 },
		{ "unstored, to its end", FINISHES, "start begun", -1 },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t       n = i / 2;
		struct world w;

		start_case(&w, cases[n].why, cases[n].flags | (i % 2 ? STREAM : PLAIN));
		w.hears_begun = w.leave_when_begun = true;
		w.rq.manner.background = w.rq.manner.store && w.rq.manner.finish;
		w.status = (enum run_status) - 1;
		begin_run(&w);
		assert_null(w.run);
		provider_answers(&w);
		answer_waiting(&w, OP_END);
		assert_trace(&w, cases[n].trace);
		assert_int_equal((int)w.status, cases[n].status);
		end_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_cancelled_in_every_state),
		cmocka_unit_test(a_run_is_cancelled_before_its_plan_or_with_it),
		cmocka_unit_test(a_run_that_is_about_to_be_aborted_may_be_cancelled),
		cmocka_unit_test(
			a_run_that_ends_while_its_cancelling_is_on_its_way_lives_until_it_came),
		cmocka_unit_test(completions_are_cancelled_where_they_are_stored),
		cmocka_unit_test(other_threads_may_cancel_at_any_time),
		cmocka_unit_test(a_run_is_cancelled_from_another_loop),
		cmocka_unit_test(a_reader_is_told_when_its_run_has_begun),
		cmocka_unit_test(a_run_that_was_cancelled_before_has_not_begun),
		cmocka_unit_test(a_reader_may_leave_as_its_run_has_begun),
	};

	return cmocka_run_group_tests_name("run/cancel", tests, NULL, NULL);
}
