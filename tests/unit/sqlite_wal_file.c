/* The gathered writes of SQLite's log: their number, what others see, failures. */
#include "store/sqlite/kit/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* The system's VFS, as far as Parley's knows it: it counts writes to logs, and can refuse them. */
static struct {
	sqlite3_vfs       *unix_vfs;
	sqlite3_vfs        vfs;
	sqlite3_io_methods methods;
	int (*write)(sqlite3_file *file, const void *p, int n, sqlite3_int64 at);
	int  writes;
	bool refuse;
} sys;

static int counted_write(sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
	sys.writes++;
	return sys.refuse ? SQLITE_FULL : sys.write(file, p, n, at);
}

static int counted_open(sqlite3_vfs *v, const char *name, sqlite3_file *file, int flags,
			int *ret_flags)
{
	int rc = sys.unix_vfs->xOpen(sys.unix_vfs, name, file, flags, ret_flags);

	(void)v;
	if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_WAL))
		return rc;
	sys.methods = *file->pMethods;
	sys.write = sys.methods.xWrite;
	sys.methods.xWrite = counted_write;
	file->pMethods = &sys.methods;
	return rc;
}

struct fixture {
	char     folder[32];
	char     path[48];
	sqlite3 *db;
	sqlite3 *other; /* through SQLite's own VFS */
};

static int count(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	int n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return n;
}

static void run(sqlite3 *db, const char *sql)
{
	assert_int_equal(db_exec(db, sql), SQLITE_OK);
}

static void expect_rows(struct fixture *f, int rows)
{
	assert_int_equal(count(f->other, "SELECT count(*) FROM t"), rows);
	assert_int_equal(count(f->other, "SELECT integrity_check = 'ok' FROM "
					 "pragma_integrity_check"),
			 1);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct err      e = { .code = ERR_OK };

	snprintf(f->folder, sizeof f->folder, "/tmp/wal-file-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof f->path, "%s/db", f->folder);
	assert_int_equal(sqlite3_open_v2(f->path, &f->other,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix"),
			 SQLITE_OK);
	run(f->other, "PRAGMA user_version = 1");
	assert_int_equal(db_open(f->path, DB_WRITE, 1000, &f->db, &e), ERR_OK);
	run(f->db, "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)");
	sys.refuse = false;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	db_close(f->db);
	sqlite3_close(f->other);
	unlink(f->path);
	rmdir(f->folder);
	free(f);
	return 0;
}

#define ADD(rows, bytes)                                                                  \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " #rows \
	") INSERT INTO t (text) SELECT hex(randomblob(" #bytes ")) FROM n"

static void a_transaction_is_one_write_that_others_see(void **state)
{
	static const char *const modes[] = { "PRAGMA synchronous = FULL",
					     "PRAGMA synchronous = NORMAL",
					     "PRAGMA synchronous = OFF" };
	struct fixture          *f = *state;
	int                      rows = 0;

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		run(f->db, modes[i]);
		for (int n = 0; n < 5; n++) {
			sys.writes = 0;
			run(f->db, ADD(4, 2000));
			assert_int_equal(sys.writes, 1);
			expect_rows(f, rows += 4);
		}
	}
}

static void a_long_transaction_is_written_in_pieces(void **state)
{
	struct fixture *f = *state;

	sys.writes = 0;
	run(f->db, ADD(100, 2000)); /* some 400 KB */
	assert_int_in_range(sys.writes, 12, 16);
	expect_rows(f, 100);
}

static void pages_that_left_the_cache_are_read_again(void **state)
{
	struct fixture *f = *state;

	run(f->db, "PRAGMA cache_size = 10");
	run(f->db, "BEGIN");
	run(f->db, ADD(200, 2000));
	run(f->db, "UPDATE t SET text = text || 'x'");
	assert_int_equal(count(f->db, "SELECT count(*) FROM t WHERE length(text) = 4001"), 200);
	run(f->db, "COMMIT");
	assert_int_equal(count(f->other, "SELECT count(*) FROM t WHERE length(text) = 4001"), 200);
	expect_rows(f, 200);
}

static void what_was_rolled_back_overwrites_nothing(void **state)
{
	struct fixture *f = *state;

	run(f->db, "PRAGMA cache_size = 10");
	for (int n = 1; n <= 20; n++) {
		/* Otherwise the rollback reads a page from the log, which ends the gathering. */
		run(f->db, "PRAGMA wal_checkpoint(TRUNCATE)");
		run(f->db, "BEGIN");
		for (int i = 0; i < n; i++)
			run(f->db, "INSERT INTO t (text) VALUES ('gone' || hex(zeroblob(1500)))");
		run(f->db, "ROLLBACK");
		run(f->other, ADD(20, 1500));
		run(f->db, ADD(1, 10));
		expect_rows(f, 21 * n);
		assert_int_equal(count(f->other, "SELECT count(*) FROM t WHERE text LIKE 'gone%'"),
				 0);
	}
	/* As another process finds it: without the index of the log. */
	run(f->db, "PRAGMA wal_checkpoint(TRUNCATE)");
	expect_rows(f, 420);
}

static void a_refused_write_fails_the_transaction_alone(void **state)
{
	struct fixture *f = *state;

	run(f->db, ADD(3, 10));
	for (int n = 0; n < 3; n++) {
		sys.refuse = true;
		assert_int_equal(db_exec(f->db, ADD(100, 2000)) & 0xff, SQLITE_FULL);
		db_rollback(f->db);
		sys.refuse = false;
		expect_rows(f, 3 + n);
		run(f->db, ADD(1, 10));
		expect_rows(f, 4 + n);
	}
}

static void a_refused_write_of_a_page_that_left_the_cache_is_not_forgotten(void **state)
{
	struct fixture *f = *state;

	run(f->db, "PRAGMA cache_size = 10");
	run(f->db, "BEGIN");
	run(f->db, ADD(12, 2000));
	sys.refuse = true;
	assert_int_not_equal(db_exec(f->db, ADD(100, 2000)), SQLITE_OK);
	sys.refuse = false;
	(void)sqlite3_exec(f->db, ADD(100, 2000), NULL, NULL, NULL);
	(void)sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL);
	db_rollback(f->db);
	int rows = count(f->db, "SELECT count(*) FROM t");
	expect_rows(f, rows);
	run(f->db, ADD(1, 10));
	expect_rows(f, rows + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(a_transaction_is_one_write_that_others_see),
		T(a_long_transaction_is_written_in_pieces),
		T(pages_that_left_the_cache_are_read_again),
		T(what_was_rolled_back_overwrites_nothing),
		T(a_refused_write_fails_the_transaction_alone),
		T(a_refused_write_of_a_page_that_left_the_cache_is_not_forgotten),
	};

	/* Before Parley's VFS, which stands on the default one, is made. */
	sys.unix_vfs = sqlite3_vfs_find("unix");
	assert_non_null(sys.unix_vfs);
	sys.vfs = *sys.unix_vfs;
	sys.vfs.zName = "counted";
	sys.vfs.xOpen = counted_open;
	assert_int_equal(sqlite3_vfs_register(&sys.vfs, 1), SQLITE_OK);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
