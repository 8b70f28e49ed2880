/* The history of the providers' health: changes alone are noted, and read from a moment on. */
#include "engine_help.h"
#include "store/health.h"

/* From which times count here: what is old is removed. */
static int64_t began_ms;

static void note(struct fixture *f, const char *provider, int64_t at_ms, const char *state)
{
	struct health_write w = { .provider = str_of(provider),
				  .at_ms = began_ms + at_ms,
				  .state = str_of(state) };

	assert_int_equal(DO(f, health_write, &w), ERR_OK);
}

static void assert_some_history(struct fixture *f, int64_t from_ms, size_t limit, const char *want)
{
	struct health_read r = { .from_ms = began_ms + from_ms, .limit = limit };
	char               seen[1024] = "";

	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, health_read, &r), ERR_OK);
	for (size_t i = 0; i < r.change_count; i++) {
		const struct health_change *c = &r.changes[i];
		size_t                      n = strlen(seen);

		snprintf(seen + n, sizeof seen - n, "%.*s:%lld:%.*s ", STR_ARG(c->provider),
			 (long long)(c->at_ms - began_ms), STR_ARG(c->state));
	}
	assert_string_equal(seen, want);
	arena_finish(&r.arena);
}

static void assert_history(struct fixture *f, int64_t from_ms, const char *want)
{
	assert_some_history(f, from_ms, 100, want);
}

static void changes_are_noted_and_read(void **state)
{
	struct fixture *f = *state;

	began_ms = clock_wall_ms();
	open_store(f);
	note(f, "b", 1000, "fine");
	note(f, "a", 1000, "fine");
	note(f, "a", 2000, "fine"); /* no change */
	note(f, "a", 3000, "open");
	note(f, "a", 3000, "dead_key"); /* in the same millisecond */
	note(f, "a", 5000, "fine");
	assert_history(f, 0, "a:1000:fine a:3000:dead_key a:5000:fine b:1000:fine ");
	/* The last change before the moment says what held then. */
	assert_history(f, 4000, "a:3000:dead_key a:5000:fine b:1000:fine ");
	assert_history(f, 5000, "a:5000:fine b:1000:fine ");
	close_store(f);
	open_store(f);
	assert_history(f, 9000, "a:5000:fine b:1000:fine ");
}

static void one_that_changes_all_the_time_hides_no_other(void **state)
{
	struct fixture *f = *state;

	began_ms = clock_wall_ms();
	open_store(f);
	note(f, "b", 1000, "fine");
	note(f, "c", 7000, "open");
	for (int64_t i = 0; i < 200; i++)
		note(f, "a", 1000 + i, i % 2 ? "open" : "fine");
	assert_some_history(f, 0, 2, "a:1198:fine a:1199:open b:1000:fine c:7000:open ");
	assert_some_history(f, 1199, 2, "a:1199:open b:1000:fine c:7000:open ");
	assert_some_history(f, 9000, 1, "a:1199:open b:1000:fine c:7000:open ");
}

static size_t changes_left(struct fixture *f)
{
	struct health_read r = { .limit = 1000 };

	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, health_read, &r), ERR_OK);
	arena_finish(&r.arena);
	return r.change_count;
}

/* There are more than one step removes. */
static void old_changes_go_but_for_the_last_ones(void **state)
{
	struct fixture *f = *state;

	began_ms = 0;
	open_store(f);
	for (int64_t i = 0; i < 200; i++)
		note(f, "a", 1000 + i, i % 2 ? "open" : "fine");
	note(f, "b", 1500, "fine");
	close_store(f);
	open_store(f); /* its first look at what is old */
	for (int i = 0; i < 2000 && changes_left(f) > 2; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	assert_history(f, 0, "a:1199:open b:1500:fine ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changes_are_noted_and_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_changes_all_the_time_hides_no_other,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(old_changes_go_but_for_the_last_ones, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
