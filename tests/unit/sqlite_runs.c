/* Lists of runs, and their cursors. */
#include "sqlite_events_help.h"

/* --- lists --- */

static void expect_runs(struct fixture *f, struct runs_read *r, const struct id *want, size_t n,
			bool more)
{
	arena_finish(&r->arena);
	arena_init(&r->arena, MIB);
	assert_int_equal(DO(f, runs_read, r), ERR_OK);
	assert_int_equal(r->run_count, n);
	for (size_t i = 0; i < n; i++)
		assert_memory_equal(&r->runs[i].run, &want[i], sizeof want[i]);
	assert_int_equal(r->has_more, more);
}

static void runs_are_listed_newest_first(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[5];
	struct turn_begin    a = first_turn(&m[0], Q);
	struct branch_read   b = branch_of(a.conversation);

	whole_turn(f, &a, A);
	struct turn_begin other = first_turn(&m[1], Q);
	assert_int_equal(DO(f, turn_begin, &other), ERR_OK);
	struct turn_end failed = end_of(other.run, RUN_FAILED, NULL);
	failed.error = STR("{\"code\":\"x\"}");
	assert_int_equal(DO(f, turn_end, &failed), ERR_OK);
	reread(f, &b);
	struct turn_begin second = next_turn(&b, &m[2], Q);
	assert_int_equal(DO(f, turn_begin, &second), ERR_OK);
	struct turn_begin foreign = first_turn(&m[3], Q);
	foreign.owner = 9;
	assert_int_equal(DO(f, turn_begin, &foreign), ERR_OK);

	const struct id  all[] = { second.run, other.run, a.run };
	const struct id  own[] = { second.run, a.run };
	struct runs_read r = { .status = -1, .limit = 10 };

	expect_runs(f, &r, all, 3, false);
	assert_int_equal(r.runs[0].status, RUN_RUNNING);
	assert_str(r.runs[1].error, "{\"code\":\"x\"}");
	assert_str(r.runs[2].model, "echo");
	assert_str(r.runs[2].finish_reason, "stop");
	assert_memory_equal(&r.runs[2].conversation, &a.conversation, sizeof a.conversation);
	r.limit = 2;
	expect_runs(f, &r, all, 2, true);
	r.after = other.run;
	expect_runs(f, &r, &all[2], 1, false);
	arena_finish(&r.arena);
	r = (struct runs_read){ .status = RUN_FAILED, .limit = 10 };
	expect_runs(f, &r, &all[1], 1, false);
	r.status = RUN_RUNNING;
	expect_runs(f, &r, &all[0], 1, false);
	r.status = RUN_COMPLETED;
	expect_runs(f, &r, &all[2], 1, false);
	r.status = RUN_CANCELLED;
	expect_runs(f, &r, NULL, 0, false);

	arena_finish(&r.arena);
	r = (struct runs_read){ .status = -1, .limit = 10, .conversation = a.conversation };
	expect_runs(f, &r, own, 2, false);
	r.limit = 1;
	expect_runs(f, &r, own, 1, true);
	r.after = second.run;
	expect_runs(f, &r, &own[1], 1, false);
	arena_finish(&r.arena);
	r = (struct runs_read){ .status = RUN_RUNNING, .limit = 1, .conversation = a.conversation };
	expect_runs(f, &r, own, 1, false);
	r.conversation.secret++;
	expect_runs(f, &r, NULL, 0, false);
	arena_finish(&r.arena);
	r = (struct runs_read){ .status = -1, .limit = 10, .owner = 9 };
	expect_runs(f, &r, &foreign.run, 1, false);
	arena_finish(&r.arena);
	arena_finish(&b.arena);
}

static void a_cursor_has_to_be_of_the_list(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);
	struct turn_begin other = begin(f);
	const struct {
		const char *why;
		struct id   after;
		struct id   conversation;
		int64_t     owner;
	} cases[] = {
		{ "never made", id_new(), { 0 }, 0 },
		{ "wrong secret", { t.run.key, t.run.secret + 1 }, { 0 }, 0 },
		{ "another owner", t.run, { 0 }, 4 },
		{ "another conversation", other.run, t.conversation, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct runs_read r = { .status = -1,
				       .limit = 5,
				       .after = cases[i].after,
				       .conversation = cases[i].conversation,
				       .owner = cases[i].owner };

		print_message("case: %s\n", cases[i].why);
		arena_init(&r.arena, MIB);
		assert_int_equal(DO(f, runs_read, &r), ERR_INVALID_VALUE);
		assert_string_equal(r.job.err.path, "after");
		arena_finish(&r.arena);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)
	const struct CMUnitTest tests[] = {
		T(runs_are_listed_newest_first),
		T(a_cursor_has_to_be_of_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
