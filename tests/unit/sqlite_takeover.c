/* Two processes on one database, here two stores: what the new one may do, and from when on. */
#include "tests/unit/engine_help.h"
#include "store/api_key.h"
#include "store/engine.h"
#include "store/turn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static int64_t running(const struct fixture *f)
{
	return outside_int(f, "SELECT count(*) FROM run WHERE status = 1");
}

static void begin_run(struct fixture *f)
{
	struct store_message m;
	struct turn_begin    t = first_turn(&m, "{\"role\":\"user\",\"content\":\"q\"}");

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(running(f), 1);
}

static struct store *open_next(struct fixture *f)
{
	struct store_options o = f->options;
	struct store        *next = NULL;
	int                  lock = -1;

	assert_int_equal(store_quiesce(f->store, &lock, &f->err), ERR_OK);
	o.handover = true;
	o.handover_fd = fcntl(lock, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(engine->open(&o, &next, &f->err), ERR_OK);
	assert_true(store_peer_alive(next));
	return next;
}

static void remove_mark(const struct fixture *f)
{
	char name[128];

	snprintf(name, sizeof name, "%s.drain", f->path);
	assert_int_equal(unlink(name), 0);
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* The old one gave up the takeover, as it was told to stop, or the new one took too long; it takes the
 * new one a moment to notice. */
static void runs_of_one_that_goes_on_are_left_alone(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	begin_run(f);
	struct store *next = open_next(f);
	assert_int_equal(store_resume(f->store, &f->err), ERR_OK);
	pause_ms(500);
	assert_int_equal(running(f), 1);
	store_destroy(next);
	assert_int_equal(running(f), 1);
	remove_mark(f);
}

/* The old one has handed the index over; the new one finds the row in the queue. */
static void what_waits_for_the_index_is_not_counted_by_the_old_one(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct store_stats   stats;

	open_store(f);
	struct store     *next = open_next(f);
	struct turn_begin t = first_turn(&m, "{\"role\":\"user\",\"content\":\"q\"}");
	whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"a\"}");
	store_stats(f->store, &stats);
	assert_int_equal(stats.search_waiting, 0);
	for (int i = 0; i < 600 && stats.search_messages < 2; i++) {
		pause_ms(50);
		store_stats(next, &stats);
	}
	assert_int_equal(stats.search_messages, 2);
	assert_int_equal(stats.search_waiting, 0);
	store_destroy(next);
	remove_mark(f);
}

static void one_that_gave_up_is_not_taken_over_from(void **state)
{
	struct fixture *f = *state;
	struct store   *next = NULL;

	open_store(f);
	begin_run(f);
	struct store_options o = f->options;
	assert_int_equal(store_quiesce(f->store, &o.handover_fd, &f->err), ERR_OK);
	o.handover = true;
	o.handover_fd = fcntl(o.handover_fd, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(store_resume(f->store, &f->err), ERR_OK);
	assert_int_equal(engine->open(&o, &next, &f->err), ERR_OVERLOADED);
	assert_null(next);
	assert_int_equal(running(f), 1);
	remove_mark(f);
}

static void runs_of_one_that_has_gone_are_ended(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	begin_run(f);
	struct store *next = open_next(f);
	store_handed_over(f->store);
	store_taken_over(next);
	pause_ms(300);
	assert_int_equal(running(f), 1);
	store_destroy(f->store);
	f->store = next;
	for (int i = 0; i < 600 && store_peer_alive(next); i++)
		pause_ms(50);
	assert_false(store_peer_alive(next));
	assert_int_equal(running(f), 0);
	remove_mark(f);
}

/* The one after it has gone at once: nobody has the lock, but the tables are in use. */
static void keys_are_not_migrated_under_one_that_ends_its_answers(void **state)
{
	struct fixture      *f = *state;
	struct api_keys_read r = { .limit = 1 };
	int                  none = -1;

	open_store(f);
	assert_int_equal(store_quiesce(f->store, &none, &f->err), ERR_OK);
	store_handed_over(f->store);
	outside(f, "DELETE FROM schema_migration WHERE number = "
		   "(SELECT max(number) FROM schema_migration)");
	arena_init(&r.arena, MIB);
	assert_int_equal(engine->at_once(&f->options, JOB_API_KEYS_READ, &r.job, &f->err),
			 ERR_STORAGE);
	assert_non_null(strstr(f->err.text, "parley migrate"));
	arena_finish(&r.arena);
	close_store(f);
	remove_mark(f);
}

/* A full disk, say. */
static void a_mark_that_cant_be_written_leaves_no_descriptor(void **state)
{
	struct fixture *f = *state;
	struct rlimit   was;
	int             none = -1;

	open_store(f);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, was.rlim_max }), 0);
	enum errc rc = store_quiesce(f->store, &none, &f->err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(rc, ERR_STORAGE);

	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* by the same number */
	close_store(f);
	assert_int_not_equal(fcntl(fd, F_GETFD), -1);
	close(fd);
	remove_mark(f);
}

/* All descriptors are in use when it is looked for: that says nothing of the other process. */
static void one_that_cant_be_looked_for_is_there(void **state)
{
	struct fixture *f = *state;
	struct rlimit   was;

	open_store(f);
	begin_run(f);
	struct store *next = open_next(f);
	store_handed_over(f->store);
	store_taken_over(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 3, was.rlim_max }), 0);
	pause_ms(400);
	bool beside = store_peer_alive(next);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_true(beside);
	assert_int_equal(running(f), 1);
	store_destroy(next);
	remove_mark(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_of_one_that_goes_on_are_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_that_gave_up_is_not_taken_over_from, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			what_waits_for_the_index_is_not_counted_by_the_old_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(runs_of_one_that_has_gone_are_ended, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			keys_are_not_migrated_under_one_that_ends_its_answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_mark_that_cant_be_written_leaves_no_descriptor,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_cant_be_looked_for_is_there, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
