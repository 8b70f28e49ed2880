/* Migrations: numbered, checksummed, applied in order, each recorded in its own transaction. */
#include "store/sqlite/migrate.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/sqlite/kit/db.h"

#include <stdio.h>
#include <stdlib.h>

/* "Prly" in the file's header tells our databases from other programs'. */
#define APPLICATION_ID "1349676153"

#define CREATE_RECORD                                                            \
	"CREATE TABLE schema_migration ("                                        \
	" number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL," \
	" applied_ms INTEGER NOT NULL) STRICT;"                                  \
	"PRAGMA application_id = " APPLICATION_ID

static int migrate_single(sqlite3 *db, const char *sql, int64_t *ret)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*ret = db_int(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static enum errc migrate_differs(const char *path, const struct migration *known, sqlite3_stmt *st,
				 struct err *e)
{
	err_set(e, ERR_STORAGE, "",
		"migration %s differs from the one that was applied to the database %s (%.60s)",
		known->name, path, (const char *)sqlite3_column_text(st, 1));
	return err_blame(e, FAULT_DATA);
}

/* The applied set must be a prefix of the known one. */
static enum errc migrate_compare(sqlite3_stmt *st, const char *path, const struct migration *known,
				 int *ret_count, struct err *e)
{
	int count = 0;
	int rc;

	for (rc = sqlite3_step(st); rc == SQLITE_ROW; rc = sqlite3_step(st), count++) {
		if (db_int(st, 0) != count + 1) {
			err_set(e, ERR_STORAGE, "",
				"the database %s lacks migration %d although later ones "
				"were applied",
				path, count + 1);
			return err_blame(e, FAULT_DATA);
		}
		if (!known[count].name) {
			err_set(e, ERR_STORAGE, "",
				"the database %s was made by a newer version of parley "
				"(it has migration %.60s)",
				path, (const char *)sqlite3_column_text(st, 1));
			return err_blame(e, FAULT_DATA);
		}
		if (!str_is(db_column(st, 1), known[count].name) ||
		    !str_is(db_column(st, 2), known[count].sha256))
			return migrate_differs(path, &known[count], st, e);
	}
	if (rc != SQLITE_DONE)
		return db_fail(sqlite3_db_handle(st), rc, path, "read the migrations of", e);
	*ret_count = count;
	return ERR_OK;
}

static enum errc count_applied(sqlite3 *db, const char *path, const struct migration *known,
			       int *ret_count, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int64_t       tables = 0;
	int64_t       ours = 0;

	int rc = migrate_single(db, "SELECT count(*) FROM sqlite_schema", &tables);
	if (rc == SQLITE_OK)
		rc = migrate_single(db,
				    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' "
				    "AND name = 'schema_migration'",
				    &ours);
	if (rc != SQLITE_OK)
		return db_fail(db, rc, path, "read", e);
	if (tables == 0) {
		*ret_count = 0;
		return ERR_OK;
	}
	if (ours == 0) {
		err_set(e, ERR_STORAGE, "", "the database %s belongs to another program", path);
		return err_blame(e, FAULT_DATA);
	}

	rc = sqlite3_prepare_v2(db,
				"SELECT number, name, sha256 FROM schema_migration ORDER BY number",
				-1, &st, NULL);
	if (rc != SQLITE_OK)
		return db_fail(db, rc, path, "read the migrations of", e);

	enum errc code = migrate_compare(st, path, known, ret_count, e);
	sqlite3_finalize(st);
	return code;
}

static int migrate_record(sqlite3 *db, int number, const struct migration *m)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db,
					      "INSERT INTO schema_migration "
							"(number, name, sha256, applied_ms) VALUES (?,?,?,?)",
					      -1, &st, NULL);

	if (rc != SQLITE_OK)
		return rc;
	struct db_bind b = db_bind(st);
	db_bind_int(&b, number);
	db_bind_text(&b, str_of(m->name));
	db_bind_text(&b, str_of(m->sha256));
	db_bind_int(&b, clock_wall_ms());
	rc = db_bind_run(&b);
	sqlite3_finalize(st);
	return rc;
}

static enum errc apply_one(sqlite3 *db, const char *path, int number, const struct migration *m,
			   struct err *e)
{
	int rc = db_exec(db, "BEGIN IMMEDIATE");

	if (rc == SQLITE_OK && number == 1)
		rc = db_exec(db, CREATE_RECORD);
	if (rc == SQLITE_OK)
		rc = db_exec(db, m->sql);
	if (rc == SQLITE_OK)
		rc = migrate_record(db, number, m);
	if (rc == SQLITE_OK)
		rc = db_exec(db, "COMMIT");
	if (rc == SQLITE_OK)
		return ERR_OK;

	char doing[80];
	snprintf(doing, sizeof doing, "apply migration %.40s to", m->name);
	db_fail(db, rc, path, doing, e);
	db_rollback(db);
	return e->code;
}

enum errc migrate_run(sqlite3 *db, const char *path, const struct migration *known, bool apply,
		      int *ret_applied, struct err *e)
{
	int applied = 0;
	int made = 0;

	for (int i = 0; known[i].name; i++)
		CHECK(strtol(known[i].name, NULL, 10) == i + 1);

	if (count_applied(db, path, known, &applied, e) != ERR_OK)
		return e->code;
	if (apply && applied > 0 && known[applied].name)
		log_note(LOG_INFO, "migrate",
			 "migrations of the database begin, the first one is %s; a large database "
			 "takes minutes",
			 known[applied].name);
	for (int i = applied; known[i].name; i++, made++) {
		if (!apply) {
			err_set(e, ERR_STORAGE, "",
				"the database %s lacks migration %s: run \"parley migrate\"", path,
				known[i].name);
			return err_blame(e, FAULT_OLDER);
		}
		if (apply_one(db, path, i + 1, &known[i], e) != ERR_OK)
			return e->code;
	}
	*ret_applied = made;
	return ERR_OK;
}

enum errc migrate_count(sqlite3 *db, const char *path, const struct migration *known,
			int *ret_applied, struct err *e)
{
	return count_applied(db, path, known, ret_applied, e);
}

enum errc migrate_look(const char *path, int64_t busy_ms, const struct migration *known,
		       struct err *e)
{
	sqlite3 *db = NULL;
	int      applied = 0;

	if (db_open(path, DB_LOOK, busy_ms, &db, e) != ERR_OK)
		return e->code;
	enum errc code = count_applied(db, path, known, &applied, e);
	db_close(db);
	return code;
}
