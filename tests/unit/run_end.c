/* The ends of several runs of one loop at once.  With failing allocations, one waits for the job of another.
 * Then no assertion counts, but the engine checks when it goes that it has no run left. */
#include "tests/unit/run_help.h"

/* A stream whose reader leaves at its end.  Returns the job that stores its end, not answered yet; NULL: the end
 * waits for memory. */
static struct store_job *ends(struct world *w, const char *text)
{
	ask(w);
	assert_int_equal(w->start_rc, ERR_OK);
	store_answers(w, OP_BEGIN, ERR_OK);
	provider_says(w, { .kind = EVENT_START, .id = STR("up-1"), .text = STR("tiny") },
		      { .kind = EVENT_TEXT, .text = str_of(text) },
		      { .kind = EVENT_FINISH, .text = STR("stop") }, { .kind = EVENT_END });
	reader_leaves(w);
	return TAKE(w->waiting[OP_END]);
}

static void answered(struct world *w, struct store_job *end, enum errc with)
{
	if (end)
		w->waiting[OP_END] = end;
	if (w->waiting[OP_END])
		store_answers(w, OP_END, with);
}

static void ends_of_several_runs_are_stored(void **state)
{
	/* what the store answers; a run whose end was not stored is over as well */
	static const enum errc with[][3] = {
		{ ERR_OK, ERR_OK, ERR_OK },
		{ ERR_STORAGE, ERR_OK, ERR_STORAGE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(with); i++) {
		struct store_job *jobs[3];
		struct world      w;

		world_start(&w);
		w.rq.manner.store = true;
		w.rq.what.prompt.stream = true;
		jobs[0] = ends(&w, "one");
		jobs[1] = ends(&w, "two");
		jobs[2] = ends(&w, "three");
		assert_int_equal(w.live, 3);
		for (size_t k = 0; k < 3; k++)
			answered(&w, jobs[k], with[i][k]);
		world_stop(&w);
		assert_int_equal(w.released, 3);
	}
}

/* The store takes no more while two ends wait. */
static void ends_that_the_store_refuses_end_their_runs(void **state)
{
	struct store_job *first;
	struct world      w;

	(void)state;
	world_start(&w);
	w.rq.manner.store = true;
	w.rq.what.prompt.stream = true;
	first = ends(&w, "one");
	w.refuse[OP_END] = true;
	assert_null(ends(&w, "two"));
	assert_null(ends(&w, "three"));
	answered(&w, first, ERR_OK);
	world_stop(&w);
	assert_int_equal(w.released, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_several_runs_are_stored),
		cmocka_unit_test(ends_that_the_store_refuses_end_their_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
