/* Failing storage and many threads: honest errors, nothing half written, recovery by itself. */
#include "engine_help.h"
#include "store/store.h"
#include "store/turn.h"

#include <signal.h>
#include <sys/resource.h>

#define Q "{\"role\":\"user\",\"content\":\"hello\"}"
#define A "{\"role\":\"assistant\",\"content\":\"hello\"}"

static struct store_stats stats_of(struct fixture *f)
{
	struct store_stats s;

	store_stats(f->store, &s);
	return s;
}

/* Readiness comes back without a client's doing. */
static void wait_writable(struct fixture *f)
{
	int64_t deadline = clock_mono_us() + 20000000;

	while (!stats_of(f).writable) {
		assert_true(clock_mono_us() < deadline);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

static sqlite3 *hold_lock(struct fixture *f)
{
	sqlite3 *db;

	db = outside_hold(f);
	return db;
}

static void release_lock(sqlite3 *db)
{
	outside_release(db);
}

static void expect_discreet(const struct fixture *f, const struct err *e)
{
	assert_int_equal(e->code, ERR_STORAGE);
	assert_null(strstr(e->text, f->path));
	assert_null(strstr(e->text, "SQL"));
	assert_true(strlen(e->text) > 20);
}

static void a_locked_database_is_an_error_and_then_recovers(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];

	f->options.busy_ms = 60;
	open_store(f);
	struct turn_begin open = first_turn(&m[0], Q);
	assert_int_equal(DO(f, turn_begin, &open), ERR_OK);
	assert_true(stats_of(f).writable);

	sqlite3          *db = hold_lock(f);
	struct turn_begin t = first_turn(&m[1], Q);
	assert_int_equal(DO(f, turn_begin, &t), ERR_STORAGE);
	expect_discreet(f, &t.job.err);
	assert_non_null(strstr(t.job.err.text, "locked"));
	struct turn_end end = end_of(open.run, RUN_COMPLETED, A);
	assert_int_equal(DO(f, turn_end, &end), ERR_STORAGE);

	struct store_stats s = stats_of(f);
	assert_false(s.writable);
	assert_non_null(strstr(s.problem, "locked"));
	assert_true(s.busy >= 2);
	release_lock(db);
	wait_writable(f);
	assert_string_equal(stats_of(f).problem, "");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	/* The run whose end was lost holds its conversation no longer. */
	assert_int_equal(status_of(f, open.run), RUN_FAILED);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM probe"), 0);
}

static void a_short_lock_only_delays(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	f->options.busy_ms = 20000;
	open_store(f);
	sqlite3          *db = hold_lock(f);
	struct turn_begin t = first_turn(&m, Q);
	assert_true(SUBMIT(f, turn_begin, &t));
	while (stats_of(f).busy == 0)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	release_lock(db);
	loop_until(&f->loop, 1);
	assert_int_equal(t.job.err.code, ERR_OK);
	assert_true(stats_of(f).writable);
}

/* Nothing is acknowledged into a file that has lost its name, nor read from one. */
static void a_database_that_was_moved_is_an_error_until_it_is_back(void **state)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	struct fixture          *f = *state;
	struct store_message     m[2];

	open_store(f);
	struct turn_begin first = first_turn(&m[0], Q);
	whole_turn(f, &first, A);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char from[128];
		char to[160];

		snprintf(from, sizeof from, "%s%s", f->path, ends[i]);
		snprintf(to, sizeof to, "%s.away", from);
		assert_int_equal(rename(from, to), 0);
		struct turn_begin t = first_turn(&m[1], Q);
		assert_int_equal(DO(f, turn_begin, &t), ERR_STORAGE);
		expect_discreet(f, &t.job.err);
		assert_true(t.job.err.retry_after_ms > 0);
		struct store_stats s = stats_of(f);
		assert_false(s.writable);
		assert_non_null(strstr(s.problem, from));
		assert_null(strstr(s.reason, f->path));
		struct items_read r = { .conversation = first.conversation, .limit = 10 };
		arena_init(&r.arena, 64 * KIB);
		assert_int_equal(DO(f, items_read, &r), ERR_STORAGE);
		arena_finish(&r.arena);
		assert_int_equal(rename(to, from), 0);
		wait_writable(f);
		assert_string_equal(stats_of(f).reason, "");
		whole_turn(f, &t, A);
	}
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 4);
}

static struct store_job *order[3];
static size_t            ordered;

static void note_order(struct store_job *job)
{
	order[ordered++] = job;
	job->loop->done++;
}

#define NEXT(f, op, j) \
	((j)->job.loop = &(f)->loop, (j)->job.done = note_order, store_##op((f)->store, (j)))

/* What a kill takes of a relaxed stream is what waits here: turns that came first, and their sync, must
 * not add to that. */
static void pieces_of_events_do_not_wait_behind_turns(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[3];

	f->options.busy_ms = 20000;
	open_store(f);
	struct turn_begin open = first_turn(&m[0], Q);
	assert_int_equal(DO(f, turn_begin, &open), ERR_OK);
	size_t            before = f->loop.done;
	sqlite3          *db = hold_lock(f);
	struct turn_begin first = first_turn(&m[1], Q);
	ordered = 0;
	/* The writer takes it, and waits for the lock, as a chore of its own may have done before. */
	assert_true(NEXT(f, turn_begin, &first));
	while (stats_of(f).busy == 0 || stats_of(f).queue > 0)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	struct turn_begin    second = first_turn(&m[2], Q);
	struct events_entry  entry = { .piece = { open.run, 1, 1, STR("not looked at") } };
	struct events_append append = { .entries = &entry, .entry_count = 1 };
	assert_true(NEXT(f, turn_begin, &second));
	assert_true(NEXT(f, events_append, &append));
	release_lock(db);
	loop_until(&f->loop, before + 3);
	assert_ptr_equal(order[0], &first.job);
	assert_ptr_equal(order[1], &append.job);
	assert_ptr_equal(order[2], &second.job);
	assert_int_equal(append.job.err.code, ERR_OK);
	assert_int_equal(second.job.err.code, ERR_OK);
}

static void set_file_limit(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_is_an_error_and_keeps_no_half(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];
	size_t               n = 2 * MIB;
	char                *big = malloc(n + 1);

	memset(big, 'x', n);
	big[n] = '\0';
	signal(SIGXFSZ, SIG_IGN);
	open_store(f);
	struct turn_begin small = first_turn(&m[0], Q);
	whole_turn(f, &small, A);

	set_file_limit(512 * KIB);
	struct turn_begin t = first_turn(&m[1], big);
	assert_int_equal(DO(f, turn_begin, &t), ERR_STORAGE);
	expect_discreet(f, &t.job.err);
	assert_false(stats_of(f).writable);
	assert_true(strlen(stats_of(f).problem) > 0);
	/* Reading goes on. */
	assert_int_equal(status_of(f, small.run), RUN_COMPLETED);
	set_file_limit(RLIM_INFINITY);

	wait_writable(f);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 1);
	whole_turn(f, &t, A);
	assert_int_equal(outside_int(f, "SELECT quick_check = 'ok' FROM pragma_quick_check"), 1);
	free(big);
}

static void a_page_damaged_while_running_is_an_error(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];
	char                 noise[64 * KIB];
	struct branch_read   b;

	open_store(f);
	struct turn_begin t = first_turn(&m[0], Q);
	whole_turn(f, &t, A);
	close_store(f);
	int64_t root =
		outside_int(f, "SELECT rootpage FROM sqlite_schema WHERE name = 'conversation'");
	size_t page = (size_t)outside_int(f, "PRAGMA page_size");
	open_store(f);

	memset(noise, 0x5a, sizeof noise);
	FILE *file = fopen(f->path, "r+");
	fseek(file, (long)(root - 1) * (long)page, SEEK_SET);
	fwrite(noise, page, 1, file);
	fclose(file);

	b = branch_of(t.conversation);
	assert_int_equal(DO(f, branch_read, &b), ERR_STORAGE);
	expect_discreet(f, &b.job.err);
	arena_finish(&b.arena);
}

static void a_full_queue_refuses_new_turns_only(void **state)
{
	enum { MORE = LIMIT_STORE_QUEUE + LIMIT_STORE_BATCH + 1 };
	struct fixture       *f = *state;
	struct store_message  first;
	struct store_message *m = calloc(MORE, sizeof *m);
	struct turn_begin    *t = calloc(MORE, sizeof *t);
	size_t                taken = 0;

	f->options.busy_ms = 30000;
	open_store(f);
	struct turn_begin open = first_turn(&first, Q);
	assert_int_equal(DO(f, turn_begin, &open), ERR_OK);

	sqlite3 *db = hold_lock(f);
	for (; taken < MORE; taken++) {
		t[taken] = first_turn(&m[taken], Q);
		if (!SUBMIT(f, turn_begin, &t[taken]))
			break;
	}
	assert_int_in_range(taken, LIMIT_STORE_QUEUE, MORE - 1);
	assert_int_equal(stats_of(f).queue, LIMIT_STORE_QUEUE);
	struct turn_end end = end_of(open.run, RUN_COMPLETED, A);
	assert_true(SUBMIT(f, turn_end, &end));
	release_lock(db);

	loop_until(&f->loop, taken + 2);
	for (size_t i = 0; i < taken; i++)
		assert_int_equal(t[i].job.err.code, ERR_OK);
	assert_int_equal(end.job.err.code, ERR_OK);
	assert_int_equal(stats_of(f).turns, taken + 1);
	assert_int_equal(stats_of(f).queue, 0);
	/* One wake-up a batch, not one a job. */
	assert_true(f->loop.posts < 100);
	free(m);
	free(t);
}

static void destroy_finishes_what_is_queued(void **state)
{
	enum { N = 500 };
	struct fixture       *f = *state;
	struct store_message *m = calloc(N, sizeof *m);
	struct turn_begin    *t = calloc(N, sizeof *t);

	open_store(f);
	for (size_t i = 0; i < N; i++) {
		t[i] = first_turn(&m[i], Q);
		assert_true(SUBMIT(f, turn_begin, &t[i]));
	}
	close_store(f);
	loop_until(&f->loop, N);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), N);
	free(m);
	free(t);
}

/* --- many threads --- */

enum { THREADS = 16, ROUNDS = 40 };

static void *talk(void *arg)
{
	struct fixture       mine = { .store = ((struct fixture *)arg)->store };
	struct store_message m;
	struct branch_read   b = branch_of((struct id){ 0 });

	loop_set_up(&mine.loop);
	for (int i = 0; i < ROUNDS; i++) {
		struct turn_begin t = i == 0 ? first_turn(&m, Q) : next_turn(&b, &m, Q);

		whole_turn(&mine, &t, A);
		b.conversation = t.conversation;
		reread(&mine, &b);
		CHECK(b.message_count == 2 * ((size_t)i + 1));
	}
	arena_finish(&b.arena);
	return NULL;
}

static void many_threads_share_commits(void **state)
{
	struct fixture *f = *state;
	pthread_t       threads[THREADS];

	open_store(f);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, talk, f), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);

	struct store_stats s = stats_of(f);
	assert_int_equal(s.turns, THREADS * ROUNDS);
	assert_true(s.commits < s.turns);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run WHERE status = 2"),
			 THREADS * ROUNDS);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2 * THREADS * ROUNDS);
	print_message("%d turns in %d commits\n", (int)s.turns, (int)s.commits);
}

static void the_log_is_copied_back(void **state)
{
	enum { MOST = 1000 };
	struct fixture      *f = *state;
	struct store_message m;
	size_t               n = MIB;
	char                *big = malloc(n + 1);
	int64_t              last = 0;
	bool                 again = false;

	memset(big, 'x', n);
	big[n] = '\0';
	open_store(f);
	/* It starts over once all of it was copied while nobody reads: the search index does, too. */
	for (int i = 0; !again && i < MOST; i++) {
		struct turn_begin t = first_turn(&m, big);

		whole_turn(f, &t, A);
		int64_t now = stats_of(f).log_bytes;
		again = now < last;
		last = now;
	}
	assert_true(again);
	free(big);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_locked_database_is_an_error_and_then_recovers),
		T(a_database_that_was_moved_is_an_error_until_it_is_back),
		T(pieces_of_events_do_not_wait_behind_turns),
		T(a_short_lock_only_delays),
		T(a_full_disk_is_an_error_and_keeps_no_half),
		T(a_page_damaged_while_running_is_an_error),
		T(a_full_queue_refuses_new_turns_only),
		T(destroy_finishes_what_is_queued),
		T(many_threads_share_commits),
		T(the_log_is_copied_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
