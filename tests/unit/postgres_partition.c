/* The tables of the event log: made ahead, dropped when all in them is due. */
#define ENGINE_HEADER "engine_postgres.h"
#include "tests/unit/engine_help.h"
#include "store/events.h"
#include "store/store.h"

#define HOUR_MS  ((int64_t)3600 * 1000)
#define TABLES   "SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass"
#define THERE(t) "SELECT count(*) FROM pg_class WHERE relname = '" t "'"
/* Bounds of the table without an end. */
#define TAIL                                                                               \
	"SELECT coalesce(max(substring(pg_get_expr(c.relpartbound, c.oid) FROM "           \
	"'FROM \\(''(\\d+)''\\) TO \\(MAXVALUE\\)')::bigint), 0) FROM pg_inherits i JOIN " \
	"pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'event'::regclass"
/* So many seconds ago, as an id. */
#define AGO(s) "((extract(epoch FROM now()) * 1000)::bigint - " #s "::bigint * 1000 << 20)"

enum { LIVE = 1, ENDED = 2 };

static void wait_for(const struct fixture *f, const char *sql, int64_t wanted)
{
	int64_t found = 0;

	for (int i = 0; i < 1000; i++) {
		found = outside_int(f, sql);
		if (found == wanted)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	fail_msg("%s: %lld, not %lld", sql, (long long)found, (long long)wanted);
}

/* A table for the runs of a time, or for all later ones (until_s NULL). */
static void table_of(const struct fixture *f, const char *name, const char *from, const char *until)
{
	char sql[1024];

	snprintf(
		sql, sizeof sql,
		"DO $$ BEGIN EXECUTE format('CREATE TABLE %s PARTITION OF event FOR VALUES FROM (%%s) TO "
		"(%%s)', %s, %s); END $$",
		name, from, until ? until : "'MAXVALUE'");
	outside(f, sql);
}

/* A run whose id is of some time, the first and further ones; its log has a piece of so many bytes. */
static void run_of(const struct fixture *f, const char *first, int n, int status, int64_t ended_ms,
		   int bytes)
{
	char sql[1024];

	snprintf(
		sql, sizeof sql,
		"INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, "
		"created_ms, completed_ms, seq_reserved, events_to) SELECT %s + %d, %d, 0, 1, 1, 1, 1, %d, "
		"1, %lld, 9, 9",
		first, n, n, status, (long long)ended_ms);
	outside(f, sql);
	snprintf(sql, sizeof sql,
		 "INSERT INTO event SELECT id, 9, 9, convert_to(repeat('x', %d), 'UTF8') FROM run "
		 "WHERE secret = %d AND id = (SELECT max(id) FROM run WHERE secret = %d)",
		 bytes, n, n);
	outside(f, sql);
}

/* The log of the n-th run. */
static int64_t logged(const struct fixture *f, int n)
{
	char sql[128];

	snprintf(sql, sizeof sql,
		 "SELECT count(*) FROM event e JOIN run r ON r.id = e.run WHERE r.secret = %d", n);
	return outside_int(f, sql);
}

static void wait_logged(const struct fixture *f, int n, int64_t wanted)
{
	for (int i = 0; i < 1000 && logged(f, n) != wanted; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	assert_int_equal(logged(f, n), wanted);
}

/* Long values are stored as they are. */
static void plainly(const struct fixture *f, const char *table)
{
	char sql[128];

	snprintf(sql, sizeof sql, "ALTER TABLE %s ALTER COLUMN data SET STORAGE EXTERNAL", table);
	outside(f, sql);
}

static void a_table_without_an_end_is_made_ahead(void **state)
{
	struct fixture *f = *state;
	int64_t         now = id_key_at(clock_wall_ms());

	f->options.events_keep_ms = 24 * HOUR_MS;
	open_store(f);
	wait_for(f, TABLES, 2);
	assert_true(outside_int(f, TAIL) > now);
	assert_true(outside_int(f, TAIL) <= id_key_at(clock_wall_ms() + 60000));
	/* A second gateway, and the next start, find it. */
	struct store *first = f->store;
	open_store(f);
	struct store_message m;
	struct turn_begin    t = first_turn(&m, "hello");
	whole_turn(f, &t, "x");
	assert_int_equal(outside_int(f, TABLES), 2);
	store_destroy(first);
}

static void nothing_is_made_for_a_log_that_is_kept_for_ever(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct turn_begin t = first_turn(&m, "hello");
	whole_turn(f, &t, "x");
	assert_int_equal(outside_int(f, TABLES), 1);
}

static void a_table_that_has_its_share_gets_an_end(void **state)
{
	struct fixture *f = *state;

	table_of(f, "event_old", AGO(3600), NULL);
	plainly(f, "event_old");
	run_of(f, AGO(3500), 1, ENDED, clock_wall_ms(), 1100000);
	f->options.events_keep_bytes = 16 * (int64_t)MIB;
	int64_t now = id_key_at(clock_wall_ms());
	open_store(f);
	wait_for(f, TABLES, 3);
	assert_true(outside_int(f, TAIL) > now);
	assert_int_equal(logged(f, 1), 1);
	/* What comes now, is in the table before: the next one begins a little later. */
	run_of(f, AGO(0), 2, LIVE, 0, 10);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM event_old"), 2);
}

static void a_table_that_covers_its_share_of_time_gets_an_end(void **state)
{
	struct fixture *f = *state;

	table_of(f, "event_old", AGO(3600), NULL);
	run_of(f, AGO(3500), 1, ENDED, clock_wall_ms(), 10);
	f->options.events_keep_ms = 16 * HOUR_MS;
	open_store(f);
	wait_for(f, TABLES, 3);
	assert_int_equal(logged(f, 1), 1);
}

/* The log has grown by 40 MiB in an hour, so by a GiB a day. */
static void a_log_that_will_be_large(const struct fixture *f)
{
	table_of(f, "event_old", AGO(3600), NULL);
	outside(f, "ALTER TABLE event_old ALTER COLUMN data SET STORAGE PLAIN");
	run_of(f, AGO(3500), 1, ENDED, clock_wall_ms(), 10);
	outside(f,
		"INSERT INTO event SELECT run, n, n, convert_to(repeat('x', 8000), 'UTF8') FROM event, "
		"generate_series(10, 5129) n");
}

static void a_large_log_has_smaller_tables(void **state)
{
	struct fixture *f = *state;

	a_log_that_will_be_large(f);
	f->options.events_keep_ms =
		32 * 24 * HOUR_MS; /* 30 GiB: a table has a day of it, not two */
	int64_t now_ms = clock_wall_ms();
	open_store(f);
	wait_for(f, TABLES, 3);
	assert_true(outside_int(f, TAIL) > id_key_at(now_ms + 22 * HOUR_MS));
	assert_true(outside_int(f, TAIL) < id_key_at(now_ms + 25 * HOUR_MS));
}

static void a_table_need_not_be_smaller_than_256_mib(void **state)
{
	struct fixture *f = *state;

	a_log_that_will_be_large(f);
	f->options.events_keep_ms =
		5 * 24 * HOUR_MS; /* 4.7 GiB: a sixteenth is 300 MiB, or 7.5 hours */
	int64_t now_ms = clock_wall_ms();
	open_store(f);
	wait_for(f, TABLES, 3);
	assert_true(outside_int(f, TAIL) > id_key_at(now_ms + 5 * HOUR_MS));
	assert_true(outside_int(f, TAIL) < id_key_at(now_ms + 6 * HOUR_MS));
}

static void with_many_tables_a_large_log_has_its_sixteenths(void **state)
{
	struct fixture *f = *state;

	outside(f,
		"DO $$ DECLARE b bigint := " AGO(
			7200) "; BEGIN FOR n IN 1..34 LOOP EXECUTE format('CREATE "
			      "TABLE event_n%s PARTITION OF event FOR VALUES FROM (%s) TO (%s)', n, b + n, b + n + 1); "
			      "END LOOP; END $$");
	a_log_that_will_be_large(f);
	f->options.events_keep_ms = 32 * 24 * HOUR_MS;
	int64_t now_ms = clock_wall_ms();
	open_store(f);
	wait_for(f, TABLES, 37);
	assert_true(outside_int(f, TAIL) > id_key_at(now_ms + 46 * HOUR_MS));
}

static void there_are_not_too_many_tables(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	outside(f,
		"DO $$ DECLARE b bigint := " AGO(
			7200) "; BEGIN FOR n IN 1..70 LOOP EXECUTE format('CREATE "
			      "TABLE event_n%s PARTITION OF event FOR VALUES FROM (%s) TO (%s)', n, b + n, b + n + 1); "
			      "END LOOP; EXECUTE format('CREATE TABLE event_tail PARTITION OF event FOR VALUES FROM (%s) TO "
			      "(MAXVALUE)', b + 71); END $$");
	plainly(f, "event_tail");
	run_of(f, AGO(3500), 1, ENDED, clock_wall_ms(), 1100000);
	f->options.events_keep_bytes = 2 * (int64_t)MIB;
	open_store(f);
	struct turn_begin t = first_turn(&m, "hello");
	whole_turn(f, &t, "x");
	/* There is a search for surplus tables behind the making of new ones. */
	run_of(f, AGO(7100), 2, ENDED, clock_wall_ms(), 1500000);
	wait_logged(f, 2, 0);
	assert_int_equal(logged(f, 1), 1);
	assert_int_equal(outside_int(f, TABLES), 72);
}

static void old_tables_are_dropped(void **state)
{
	struct fixture *f = *state;
	int64_t         long_ago = clock_wall_ms() - 2 * HOUR_MS;

	table_of(f, "event_ended", AGO(10800), AGO(9000));
	table_of(f, "event_live", AGO(9000), AGO(7200));
	table_of(f, "event_late", AGO(7200), AGO(5400));
	table_of(f, "event_behind", AGO(5400), AGO(4200));
	table_of(f, "event_young", AGO(4200), AGO(1800));
	table_of(f, "event_tail", AGO(1800), NULL);
	run_of(f, AGO(9500), 1, ENDED, long_ago, 10);
	run_of(f, AGO(8000), 2, ENDED, long_ago, 10);
	run_of(f, AGO(8000), 3, LIVE, 0, 10);
	run_of(f, AGO(6000), 4, ENDED, clock_wall_ms(), 10);
	run_of(f, AGO(3900), 5, ENDED, long_ago, 10);
	run_of(f, AGO(100), 6, ENDED, long_ago, 10);
	run_of(f, AGO(5000), 9, ENDED, long_ago, 10);
	/* Of a time without a table. */
	plainly(f, "event_rest");
	run_of(f, AGO(20000), 7, ENDED, long_ago, 2000000);
	f->options.events_keep_ms = HOUR_MS;
	open_store(f);
	wait_for(f, THERE("event_ended"), 0);
	wait_for(f, THERE("event_behind"), 0); /* whatever stays before it */
	wait_for(f, "SELECT (pg_table_size('event_rest') < 1000000)::int", 1);
	/* Where a table must stay, what is due goes by rows. */
	wait_logged(f, 2, 0);
	assert_int_equal(outside_int(f, THERE("event_live")), 1);
	assert_int_equal(outside_int(f, THERE("event_late")), 1);
	for (int n = 3; n <= 6; n++)
		assert_int_equal(logged(f, n), 1);
	/* The run has lost its table, and its log is as ever. */
	run_of(f, AGO(9400), 8, LIVE, 0, 10);
	assert_int_equal(logged(f, 8), 1);
	outside(f, "UPDATE run SET status = 2 WHERE secret = 3");
	wait_for(f, THERE("event_live"), 0);
	assert_int_equal(logged(f, 8), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM event"), 4);
}

static void the_oldest_tables_are_dropped_if_all_are_too_large(void **state)
{
	struct fixture *f = *state;
	int64_t         now_ms = clock_wall_ms();

	table_of(f, "event_1", AGO(500), AGO(400));
	table_of(f, "event_2", AGO(400), AGO(300));
	table_of(f, "event_3", AGO(300), AGO(200));
	table_of(f, "event_4", AGO(200), NULL);
	for (int n = 1; n <= 4; n++) {
		static const char *const of[] = { AGO(450), AGO(350), AGO(250), AGO(150) };
		static const char *const tables[] = { "event_1", "event_2", "event_3", "event_4" };

		plainly(f, tables[n - 1]);
		run_of(f, of[n - 1], n, ENDED, now_ms, 1500000);
	}
	run_of(f, AGO(450), 5, LIVE, 0, 1000);
	f->options.events_keep_bytes = 4 * (int64_t)MIB;
	open_store(f);
	wait_for(f, THERE("event_2"), 0);
	/* The oldest one has a live run, and no other any more. */
	wait_logged(f, 1, 0);
	assert_int_equal(logged(f, 5), 1);
	assert_int_equal(outside_int(f, THERE("event_1")), 1);
	assert_int_equal(logged(f, 3), 1);
	assert_int_equal(logged(f, 4), 1);
	outside(f, "UPDATE run SET status = 2 WHERE secret = 5");
	wait_for(f, THERE("event_1"), 0);
	assert_int_equal(logged(f, 3), 1);
}

/* Whoever has read the log in a transaction of his own keeps a table as long as he likes, and stops nobody. */
static void a_lock_is_not_waited_for(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct link          l;

	table_of(f, "event_old", AGO(10800), AGO(9000));
	table_of(f, "event_tail", AGO(1800), NULL);
	run_of(f, AGO(9500), 1, ENDED, clock_wall_ms() - 2 * HOUR_MS, 10);
	struct link_target *other = server_link(f->path, &l);
	assert_true(link_script(&l, "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; "
				    "SELECT count(*) FROM event"));
	f->options.events_keep_ms = HOUR_MS;
	open_store(f);
	for (int64_t until = clock_mono_us() + 500000; clock_mono_us() < until;) {
		struct turn_begin t = first_turn(&m, "hello");

		whole_turn(f, &t, "x");
	}
	assert_int_equal(outside_int(f, THERE("event_old")), 1);
	assert_true(link_script(&l, "COMMIT"));
	wait_for(f, THERE("event_old"), 0);
	link_finish(&l);
	link_target_destroy(other);
}

/* As while a table is made or dropped. */
static void a_turn_without_a_log_does_not_wait_for_the_lock(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct link          l;

	open_store(f);
	struct link_target *other = server_link(f->path, &l);
	assert_true(link_script(&l, "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; "
				    "LOCK TABLE event IN ACCESS EXCLUSIVE MODE"));
	struct turn_begin t = first_turn(&m, "hello");
	struct turn_end   end = end_of(t.run, RUN_COMPLETED, "x");

	end.unlogged = true;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_int_equal(
		outside_int(f, "SELECT count(*) FROM run WHERE status = 2 AND events_to = 0"), 1);
	assert_true(link_script(&l, "COMMIT"));
	link_finish(&l);
	link_target_destroy(other);
}

#define CONSTRAINTS                                                                       \
	"SELECT count(*) FROM pg_constraint WHERE conrelid = 'event_rest'::regclass AND " \
	"contype = 'c'"

/* More than is checked while turns wait: the log of the first run. */
static void much_in_rest(const struct fixture *f, const char *run, int status, int64_t ended_ms)
{
	outside(f, "ALTER TABLE event_rest ALTER COLUMN data SET STORAGE PLAIN");
	run_of(f, run, 1, status, ended_ms, 10);
	outside(f,
		"INSERT INTO event SELECT run, n, n, convert_to(repeat('x', 8000), 'UTF8') FROM event, "
		"generate_series(10, 13000) n");
}

static void much_in_the_first_table_is_no_pause(void **state)
{
	struct fixture *f = *state;

	much_in_rest(f, AGO(1000), ENDED, clock_wall_ms());
	f->options.events_keep_ms = 24 * HOUR_MS;
	open_store(f);
	wait_for(f, TABLES, 2);
	assert_true(outside_int(f, TAIL) > id_key_at(clock_wall_ms() + 23 * HOUR_MS));
	assert_int_equal(outside_int(f, CONSTRAINTS " AND convalidated"), 1);
	run_of(f, AGO(0), 2, LIVE, 0, 10);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM event_rest WHERE last = 9"), 2);
	/* Later it is empty, and proves nothing any more. */
	close_store(f);
	outside(f, "TRUNCATE event_rest");
	open_store(f);
	wait_for(f, CONSTRAINTS, 0);
}

/* What is written of a run whose table was dropped is later than what the constraint lets in. */
static void a_constraint_goes_with_the_first_table_behind_it(void **state)
{
	struct fixture *f = *state;

	table_of(f, "event_old", AGO(9000), AGO(8000));
	table_of(f, "event_tail", AGO(1800), NULL);
	much_in_rest(f, AGO(20000), LIVE, 0);
	outside(f,
		"DO $$ DECLARE b text := (SELECT substring(pg_get_expr(relpartbound, oid) FROM 'FROM "
		"\\(''(\\d+)''') FROM pg_class WHERE relname = 'event_old'); BEGIN EXECUTE format('ALTER TABLE "
		"event_rest ADD CONSTRAINT event_until_%s CHECK (run >= 0 AND run < %s)', b, b); END $$");
	assert_int_equal(outside_int(f, CONSTRAINTS), 1);
	f->options.events_keep_ms = HOUR_MS;
	open_store(f);
	wait_for(f, THERE("event_old"), 0);
	assert_int_equal(outside_int(f, CONSTRAINTS), 0);
	run_of(f, AGO(8500), 2, LIVE, 0, 10);
	assert_int_equal(logged(f, 2), 1);
}

static void a_constraint_without_its_table_is_taken_back(void **state)
{
	struct fixture *f = *state;

	outside(f,
		"DO $$ DECLARE b bigint := " AGO(
			-3600) "; BEGIN EXECUTE format('ALTER TABLE event_rest ADD "
			       "CONSTRAINT event_until_%s CHECK (run >= 0 AND run < %s) NOT VALID', b, b); END $$");
	f->options.events_keep_ms = 24 * HOUR_MS;
	open_store(f);
	wait_for(f, CONSTRAINTS, 0);
	wait_for(f, TABLES, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(a_table_without_an_end_is_made_ahead),
		T(nothing_is_made_for_a_log_that_is_kept_for_ever),
		T(a_table_that_has_its_share_gets_an_end),
		T(a_table_that_covers_its_share_of_time_gets_an_end),
		T(a_large_log_has_smaller_tables),
		T(a_table_need_not_be_smaller_than_256_mib),
		T(with_many_tables_a_large_log_has_its_sixteenths),
		T(there_are_not_too_many_tables),
		T(old_tables_are_dropped),
		T(the_oldest_tables_are_dropped_if_all_are_too_large),
		T(a_lock_is_not_waited_for),
		T(a_turn_without_a_log_does_not_wait_for_the_lock),
		T(much_in_the_first_table_is_no_pause),
		T(a_constraint_goes_with_the_first_table_behind_it),
		T(a_constraint_without_its_table_is_taken_back),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
