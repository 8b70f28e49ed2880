/* Opens an existing database for upkeep, and says what is wrong with it. */
#include "store/sqlite/tool/upkeep.h"

#include "store/sqlite/migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUSY_MS = 5000,
	/* Steps of SQLite's machine between two calls of `stopped`: about a millisecond. */
	LOOK_STEPS = 10000,
};

static enum upkeep_end no_database(const char *path, struct err *e)
{
	char        room[80];
	const char *why = strerror_r(errno, room, sizeof room);

	err_set(e, ERR_STORAGE, "", "can't use the database %.200s: %s", path, why);
	return UPKEEP_NO_DATABASE;
}

enum upkeep_end upkeep_find(const char *path, int access_mode, char **ret, struct err *e)
{
	struct stat st;
	char       *absolute = realpath(path, NULL);

	if (!absolute)
		return no_database(path, e);
	if (stat(absolute, &st) != 0 || access(absolute, access_mode) != 0) {
		free(absolute);
		return no_database(path, e);
	}
	if (!S_ISREG(st.st_mode)) {
		free(absolute);
		err_set(e, ERR_STORAGE, "", "%.200s is no database: it is no regular file", path);
		return UPKEEP_BAD_DATABASE;
	}
	*ret = absolute;
	return UPKEEP_DONE;
}

static enum upkeep_end bad_unless_busy(const struct err *e)
{
	return e->fault == FAULT_BUSY ? UPKEEP_BUSY : UPKEEP_BAD_DATABASE;
}

static int upkeep_look(void *arg)
{
	bool (**stopped)(void) = arg;

	return (*stopped)() ? 1 : 0;
}

/* An older schema is accepted.  An empty file is refused, although SQLite takes it for a
 * database. */
static enum upkeep_end check_ours(sqlite3 *db, const char *path, struct err *e)
{
	int applied = 0;

	if (migrate_count(db, path, migrations, &applied, e) != ERR_OK)
		return bad_unless_busy(e);
	if (applied > 0)
		return UPKEEP_DONE;
	err_set(e, ERR_STORAGE, "", "the database %.200s has nothing in it", path);
	return UPKEEP_BAD_DATABASE;
}

/* Opening a file for writing changes its settings.  So the file is checked with a reading
 * connection first, and a database that is not Parley's stays as it was. */
static enum upkeep_end look_first(const char *path, struct err *e)
{
	sqlite3 *db = NULL;

	/* The file exists and may be read, so its content is wrong, or another process holds it. */
	if (db_open(path, DB_READ, BUSY_MS, &db, e) != ERR_OK)
		return bad_unless_busy(e);
	enum upkeep_end end = check_ours(db, path, e);
	db_close(db);
	return end;
}

enum upkeep_end upkeep_open(const char *path, enum db_mode mode, bool (*stopped)(void),
			    sqlite3 **ret, struct err *e)
{
	static bool (*asked)(void);
	sqlite3        *db = NULL;
	enum upkeep_end end = look_first(path, e);

	if (end != UPKEEP_DONE)
		return end;
	if (db_open(path, mode, BUSY_MS, &db, e) != ERR_OK)
		return UPKEEP_BUSY; /* the file was good a moment ago */
	asked = stopped;
	sqlite3_progress_handler(db, LOOK_STEPS, upkeep_look, &asked);
	/* VACUUM attaches the file that it writes to. */
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 1);
	*ret = db;
	return UPKEEP_DONE;
}

enum upkeep_end upkeep_fail(sqlite3 *db, int rc, const char *path, const char *doing, struct err *e)
{
	db_fail(db, rc, path, doing, e);
	switch (rc & 0xff) {
	case SQLITE_INTERRUPT: err_set(e, ERR_STORAGE, "", "stopped"); return UPKEEP_STOPPED;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return UPKEEP_BUSY;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return UPKEEP_BAD_DATABASE;
	default: return UPKEEP_FAILED;
	}
}

int upkeep_number(sqlite3 *db, const char *sql, int64_t *ret)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*ret = db_int(st, 0);
	(void)sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

int upkeep_has_files(sqlite3 *db, bool *ret)
{
	int64_t tables = 0;
	int     rc = upkeep_number(
		    db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'file'",
		    &tables);

	*ret = tables > 0;
	return rc;
}
