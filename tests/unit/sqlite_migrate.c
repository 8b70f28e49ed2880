/* Opening: fresh files, migrations, other programs' files, damage, the lock, recovery. */
#include "engine_help.h"

#include "base/hash.h"
#include "store/store.h"
#include "store/turn.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/migrate.h"

static void expect_refused(struct fixture *f, const char *part)
{
	assert_int_equal(try_open(f), ERR_STORAGE);
	if (!strstr(f->err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", f->err.text, part);
}

static void a_fresh_file_is_private_and_has_its_settings(void **state)
{
	struct fixture *f = *state;
	struct stat     st;

	open_store(f);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(outside_int(f, "PRAGMA auto_vacuum"), 2);
	assert_int_equal(outside_int(f, "PRAGMA page_size"), 4096);
	assert_int_equal(outside_int(f, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM schema_migration WHERE number = 1"),
			 1);
}

static void a_second_run_applies_nothing(void **state)
{
	struct fixture *f = *state;
	int             applied = -1;

	assert_int_equal(engine->migrate(&f->options, &applied, &f->err), ERR_OK);
	assert_true(applied >= 1);
	assert_int_equal(engine->migrate(&f->options, &applied, &f->err), ERR_OK);
	assert_int_equal(applied, 0);
	f->options.migrate = false;
	open_store(f);
}

static void missing_migrations_are_refused_when_not_asked_for(void **state)
{
	struct fixture *f = *state;

	f->options.migrate = false;
	expect_refused(f, "parley migrate");
}

static void a_history_that_is_not_ours_is_refused(void **state)
{
	static const struct {
		const char *why;
		const char *sql;
		const char *part;
	} cases[] = {
		{ "changed checksum", "UPDATE schema_migration SET sha256 = 'abc' WHERE number = 1",
		  "differs" },
		{ "renamed", "UPDATE schema_migration SET name = '0001_other' WHERE number = 1",
		  "differs" },
		{ "newer schema",
		  "INSERT INTO schema_migration SELECT max(number) + 1, 'next', 'x', 0 "
		  "FROM schema_migration",
		  NULL },
		{ "a gap", "DELETE FROM schema_migration WHERE number = 1", "lacks" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		print_message("case: %s\n", cases[i].why);
		open_store(f);
		close_store(f);
		outside(f, "CREATE TABLE kept AS SELECT * FROM schema_migration");
		outside(f, cases[i].sql);
		expect_refused(f, cases[i].part ? cases[i].part : "newer version");
		outside(f, "DELETE FROM schema_migration;"
			   "INSERT INTO schema_migration SELECT * FROM kept; DROP TABLE kept");
	}
}

static void a_failed_migration_leaves_nothing_behind(void **state)
{
	static const struct migration broken[] = {
		{ "0001_good", "CREATE TABLE good (id INTEGER PRIMARY KEY) STRICT", "1" },
		{ "0002_bad", "CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT; NONSENSE", "2" },
		{ 0 },
	};
	struct fixture *f = *state;
	sqlite3        *db = NULL;
	int             applied = 0;

	fclose(fopen(f->path, "w"));
	assert_int_equal(db_open(f->path, DB_WRITE, 100, &db, &f->err), ERR_OK);
	assert_int_equal(migrate_run(db, f->path, broken, true, &applied, &f->err), ERR_STORAGE);
	assert_non_null(strstr(f->err.text, "0002_bad"));
	db_close(db);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"),
			 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM schema_migration"), 1);
}

static void checksums_are_those_of_the_text(void **state)
{
	(void)state;
	for (const struct migration *m = migrations; m->name; m++) {
		unsigned char sum[HASH_BYTES];
		char          text[2 * HASH_BYTES + 1];

		hash_sha256(m->sql, strlen(m->sql), sum);
		hash_hex(sum, HASH_BYTES, text);
		assert_string_equal(m->sha256, text);
	}
}

static void another_programs_database_is_left_alone(void **state)
{
	struct fixture *f = *state;

	outside(f, "CREATE TABLE theirs (a)");
	expect_refused(f, "another program");
	assert_int_equal(outside_int(f, "SELECT count(*) FROM sqlite_schema"), 1);
}

static void what_is_no_database_is_refused(void **state)
{
	struct fixture *f = *state;
	FILE           *file = fopen(f->path, "w");

	for (int i = 0; i < 1000; i++)
		fputs("this is a text file, not a database\n", file);
	fclose(file);
	expect_refused(f, "not a database");
}

static void a_missing_directory_is_named(void **state)
{
	struct fixture *f = *state;

	f->options.path = "no/such/directory/p.db";
	expect_refused(f, "No such file");
	f->options.path = "";
	expect_refused(f, "no database file");
}

static void a_damaged_file_is_refused(void **state)
{
	struct fixture *f = *state;
	static char     noise[8192];

	open_store(f);
	close_store(f);
	memset(noise, 0x5a, sizeof noise);
	FILE *file = fopen(f->path, "r+");
	for (long page = 1; page < 7; page++) {
		fseek(file, page * (long)sizeof noise, SEEK_SET);
		fwrite(noise, sizeof noise, 1, file);
	}
	fclose(file);
	expect_refused(f, "malformed");
}

static void a_second_process_is_kept_out(void **state)
{
	struct fixture *f = *state;
	struct store   *second = NULL;

	open_store(f);
	assert_int_equal(engine->open(&f->options, &second, &f->err), ERR_STORAGE);
	assert_null(second);
	assert_non_null(strstr(f->err.text, "in use by another process"));
	close_store(f);
	open_store(f);
}

static void a_file_locked_by_a_stranger_is_refused_in_time(void **state)
{
	struct fixture *f = *state;
	sqlite3        *db;

	open_store(f);
	close_store(f);
	f->options.busy_ms = 50;
	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;"
				      "CREATE TABLE t (a); COMMIT",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	expect_refused(f, "locked");
	sqlite3_close(db);
}

static void runs_cut_off_become_incomplete(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];

	open_store(f);
	struct turn_begin cut = first_turn(&m[0], "{\"role\":\"user\",\"content\":\"a\"}");
	struct turn_begin whole = first_turn(&m[1], "{\"role\":\"user\",\"content\":\"b\"}");
	assert_int_equal(DO(f, turn_begin, &cut), ERR_OK);
	whole_turn(f, &whole, "{\"role\":\"assistant\",\"content\":\"b\"}");
	struct seq_reserve more = { .run = cut.run, .upto = 2000 };
	assert_int_equal(DO(f, seq_reserve, &more), ERR_OK);
	close_store(f);
	/* The engine ends no runs by itself: closing is as good as a crash here. */
	open_store(f);

	struct run_read r = { .run = cut.run };
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, run_read, &r), ERR_OK);
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_true(r.completed_ms >= r.created_ms);
	assert_str(r.error,
		   "{\"message\":\"the gateway stopped while this answer was being made\","
		   "\"type\":\"server_error\",\"param\":null,\"code\":\"server_stopped\"}");
	arena_finish(&r.arena);
	assert_int_equal(status_of(f, whole.run), RUN_COMPLETED);
	assert_int_equal(outside_int(f, "SELECT last_seq FROM run WHERE status = 3"), 2001);
}

static void new_ids_stay_above_stored_ones(void **state)
{
	struct fixture *f = *state;
	int64_t         far = id_new().key + ((int64_t)1 << 40);
	char            sql[200];

	open_store(f);
	close_store(f);
	snprintf(sql, sizeof sql, "INSERT INTO message VALUES (%lld, 1, 0, 1, 0, 1, 0, '{}')",
		 (long long)far);
	outside(f, sql);
	open_store(f);
	assert_true(id_new().key > far);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_fresh_file_is_private_and_has_its_settings),
		T(a_second_run_applies_nothing),
		T(missing_migrations_are_refused_when_not_asked_for),
		T(a_history_that_is_not_ours_is_refused),
		T(a_failed_migration_leaves_nothing_behind),
		T(checksums_are_those_of_the_text),
		T(another_programs_database_is_left_alone),
		T(what_is_no_database_is_refused),
		T(a_missing_directory_is_named),
		T(a_damaged_file_is_refused),
		T(a_second_process_is_kept_out),
		T(a_file_locked_by_a_stranger_is_refused_in_time),
		T(runs_cut_off_become_incomplete),
		T(new_ids_stay_above_stored_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
