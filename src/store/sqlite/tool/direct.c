/* Export and import by another process than the one that serves, on a connection of their own. */
#include "store/store.h"

#include "base/limits.h"
#include "store/sqlite/archive_page.h"
#include "store/sqlite/archive_rows.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/migrate.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum direct_sql { BEGIN, COMMIT, BEGIN_WRITE, NEXT, DIRECT_SQL__COUNT };

static const char *const sql[DIRECT_SQL__COUNT] = {
	[BEGIN] = "BEGIN",
	[COMMIT] = "COMMIT",
	[BEGIN_WRITE] = "BEGIN IMMEDIATE",
	[NEXT] = "SELECT id, secret FROM conversation WHERE id > ? ORDER BY id LIMIT 1",
};

static enum errc told(sqlite3 *db, int rc, const struct store_options *o, const char *doing,
                      struct err *e)
{
	return rc == SQLITE_OK ? ERR_OK : db_fail(db, rc, o->path, doing, e);
}

/* --- export --- */

struct exporting {
	const struct store_options *o;
	struct store_export        *x;
	sqlite3                    *db;
	sqlite3_stmt               *st[DIRECT_SQL__COUNT];
	struct archive_pages        pages;
	size_t                      done;
};

static int read_page(struct exporting *w, struct archive_read *j)
{
	int rc = db_run(w->st[BEGIN]);

	j->job.err = (struct err){ .code = ERR_OK };
	if (rc == SQLITE_OK)
		rc = archive_page_read(&w->pages, j);
	archive_page_reset(&w->pages);
	if (rc == SQLITE_OK)
		return db_run(w->st[COMMIT]);
	db_rollback(w->db);
	return rc;
}

/* One conversation.  begun: some of its lines were given. */
static enum errc export_one(struct exporting *w, struct id id, bool *ret_begun, struct err *e)
{
	struct archive_read j = {
		.any_owner = true, .conversation = id, .page_bytes = LIMIT_ARCHIVE_PAGE
	};
	enum errc rc;

	*ret_begun = false;
	buf_init(&j.page, 2 * (size_t)LIMIT_STORE_ROW);
	do {
		buf_clear(&j.page);
		rc = told(w->db, read_page(w, &j), w->o, "read", e);
		if (rc == ERR_OK && j.job.err.code != ERR_OK) {
			*e = j.job.err;
			rc = e->code;
		}
		if (rc == ERR_OK) {
			*ret_begun = true;
			rc = w->x->put(w->x->arg, buf_view(&j.page), w->done, e);
		}
	} while (rc == ERR_OK && j.has_more);
	archive_read_finish(&j);
	w->done += rc == ERR_OK;
	return rc;
}

static enum errc export_named(struct exporting *w, struct err *e)
{
	bool begun;

	for (size_t i = 0; i < w->x->count; i++)
		if (export_one(w, w->x->ids[i], &begun, e) != ERR_OK) {
			char text[ID_MAX];

			id_text(w->x->ids[i], ID_CONVERSATION, text);
			return e->code == ERR_NOT_FOUND
				       ? err_set(e, ERR_NOT_FOUND, "", "there is no conversation %s", text)
				       : e->code;
		}
	return ERR_OK;
}

/* *ret none: that was the last one. */
static int next_id(struct exporting *w, int64_t after, struct id *ret)
{
	struct db_bind b = db_bind(w->st[NEXT]);

	db_bind_int(&b, after);
	int rc = db_bind_row(&b);
	*ret = (struct id){ 0 };
	if (rc == SQLITE_ROW)
		*ret = db_id(db_int(w->st[NEXT], 0), w->st[NEXT], 1);
	(void)sqlite3_reset(w->st[NEXT]);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static enum errc export_all(struct exporting *w, struct err *e)
{
	struct id id = { 0 };

	for (;;) {
		bool begun = false;

		if (told(w->db, next_id(w, id.key, &id), w->o, "read", e) != ERR_OK)
			return e->code;
		if (id_none(id))
			return ERR_OK;
		/* One that went before it was begun was never there. */
		if (export_one(w, id, &begun, e) != ERR_OK &&
		    (begun || e->code != ERR_NOT_FOUND))
			return e->code == ERR_NOT_FOUND
				       ? err_set(e, ERR_NOT_FOUND, "",
			                         "a conversation was deleted while it was exported; "
			                         "export once more")
				       : e->code;
	}
}

enum errc store_export(const struct store_options *o, struct store_export *x, struct err *e)
{
	struct exporting w = { .o = o, .x = x };
	int              applied = 0;
	enum errc        rc;

	/* The engine would say no more than that it can't. */
	if (access(o->path, R_OK) != 0) {
		err_set(e, ERR_STORAGE, "", "can't read the database %s: %s", o->path,
		        errno == ENOENT ? "there is none" : "it may not be read");
		return err_blame(e, FAULT_MISSING);
	}
	if (db_open(o->path, DB_READ, o->busy_ms, &w.db, e) != ERR_OK)
		return e->code;
	rc = migrate_run(w.db, o->path, migrations, false, &applied, e);
	if (rc == ERR_OK)
		rc = db_prepare(w.db, sql, DIRECT_SQL__COUNT, w.st, e);
	if (rc == ERR_OK)
		rc = archive_page_prepare(&w.pages, w.db, e);
	if (rc == ERR_OK)
		rc = x->ids ? export_named(&w, e) : export_all(&w, e);
	x->count = w.done;
	archive_page_finish(&w.pages);
	db_finalize(w.st, DIRECT_SQL__COUNT);
	db_close(w.db);
	return rc;
}

/* --- import --- */

static enum errc import_all(sqlite3 *db, sqlite3_stmt **st, struct archive_rows *rows,
                            const struct store_options *o, struct archive_write *job,
                            struct err *e)
{
	int rc = db_run(st[BEGIN_WRITE]);

	job->job.err = (struct err){ .code = ERR_OK };
	if (rc == SQLITE_OK)
		rc = archive_rows_write(rows, job);
	if (rc == SQLITE_OK && job->job.err.code == ERR_OK)
		rc = db_run(st[COMMIT]);
	if (told(db, rc, o, "write to", e) != ERR_OK || job->job.err.code != ERR_OK)
		db_rollback(db);
	if (rc == SQLITE_OK && job->job.err.code != ERR_OK)
		*e = job->job.err;
	return rc == SQLITE_OK ? job->job.err.code : e->code;
}

enum errc store_import(const struct store_options *o, struct archive_write *job, struct err *e)
{
	struct archive_rows rows = { 0 };
	struct search_queue search = { 0 };
	sqlite3_stmt       *st[DIRECT_SQL__COUNT] = { 0 };
	sqlite3            *db = NULL;
	char               *path = NULL;
	int                 lock = -1;
	int                 applied = 0;
	struct err          held;
	enum errc           rc;

	/* Where nobody serves the database it is made or brought up to date first, as at a start; else
	 * it is, and is written to beside who serves it. */
	int  lane;
	bool ours = lock_take(o->path, &path, &lock, &held) == ERR_OK && !lock_drains(path, &lane);
	rc = db_open(ours ? path : o->path, DB_WRITE, o->busy_ms, &db, e);
	if (rc == ERR_OK)
		rc = migrate_run(db, o->path, migrations, ours && o->migrate, &applied, e);
	if (rc == ERR_OK)
		rc = db_prepare(db, sql, DIRECT_SQL__COUNT, st, e);
	if (rc == ERR_OK)
		rc = search_queue_prepare(&search, db, e);
	if (rc == ERR_OK)
		rc = archive_rows_prepare(&rows, db, &search, e);
	if (rc == ERR_OK)
		rc = import_all(db, st, &rows, o, job, e);
	archive_rows_finish(&rows);
	search_queue_finish(&search);
	db_finalize(st, DIRECT_SQL__COUNT);
	if (ours && db)
		(void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	db_close(db);
	if (lock >= 0)
		close(lock);
	free(path);
	return rc;
}
