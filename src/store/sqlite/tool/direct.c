/* Exports and single jobs of another process than the gateway, on a connection of its own. */
#include "store/archive.h"
#include "store/engine.h"

#include "base/limits.h"
#include "store/sqlite/engine.h"
#include "store/sqlite/archive_read.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/migrate.h"
#include "store/sqlite/op_table.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char sql_next[] =
	"SELECT id, secret FROM conversation WHERE id > ? ORDER BY id LIMIT 1";

static enum errc direct_told(sqlite3 *db, int rc, const struct store_options *o, const char *doing,
			     struct err *e)
{
	return rc == SQLITE_OK ? ERR_OK : db_fail(db, rc, o->path, doing, e);
}

/* --- export --- */

struct exporting {
	const struct store_options *o;
	struct store_export        *x;
	struct conn                 conn;
	struct session              session; /* reads only */
	size_t                      done;    /* conversations that were exported */
};

static int direct_read_page(struct exporting *w, struct archive_read *j)
{
	int rc = conn_begin(&w->conn);

	j->job.err = (struct err){ .code = ERR_OK };
	if (rc == SQLITE_OK)
		rc = archive_read(&w->session, j);
	conn_reset(&w->conn);
	if (rc == SQLITE_OK)
		return conn_commit(&w->conn);
	conn_rollback(&w->conn);
	return rc;
}

/* Exports one conversation.  *ret_begun: some of its lines were handed to `put`. */
static enum errc export_one(struct exporting *w, struct id id, bool *ret_begun, struct err *e)
{
	struct archive_read j = { .any_owner = true,
				  .conversation = id,
				  .page_bytes = LIMIT_ARCHIVE_PAGE };
	enum errc           rc;

	*ret_begun = false;
	buf_init(&j.page, 2 * (size_t)LIMIT_STORE_ROW);
	do {
		buf_clear(&j.page);
		rc = direct_told(w->conn.db, direct_read_page(w, &j), w->o, "read", e);
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
				       ? err_set(e, ERR_NOT_FOUND, "",
						 "there is no conversation %s", text)
				       : e->code;
		}
	return ERR_OK;
}

/* *ret: the conversation after `after`; none: there are no more. */
static int next_id(struct exporting *w, int64_t after, struct id *ret)
{
	struct db_bind b = conn_bind(&w->conn, sql_next);

	db_bind_int(&b, after);
	int rc = db_bind_row(&b);
	*ret = (struct id){ 0 };
	if (rc == SQLITE_ROW)
		*ret = db_id(db_int(conn_st(&w->conn, sql_next), 0), conn_st(&w->conn, sql_next),
			     1);
	(void)sqlite3_reset(conn_st(&w->conn, sql_next));
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static enum errc export_all(struct exporting *w, struct err *e)
{
	struct id id = { 0 };

	for (;;) {
		bool begun = false;

		if (direct_told(w->conn.db, next_id(w, id.key, &id), w->o, "read", e) != ERR_OK)
			return e->code;
		if (id_none(id))
			return ERR_OK;
		/* A conversation that was deleted before its export began is left out. */
		if (export_one(w, id, &begun, e) != ERR_OK && (begun || e->code != ERR_NOT_FOUND))
			return e->code == ERR_NOT_FOUND
				       ? err_set(e, ERR_NOT_FOUND, "",
						 "a conversation was deleted while it was exported; "
						 "export once more")
				       : e->code;
	}
}

/* SQLite's own error would not say why it can't open the file. */
static enum errc direct_missing(const char *path, struct err *e)
{
	err_set(e, ERR_STORAGE, "", "can't read the database %s: %s", path,
		errno == ENOENT ? "there is none" : "it may not be read");
	return err_blame(e, FAULT_MISSING);
}

enum errc sqlite_export(const struct store_options *o, struct store_export *x, struct err *e)
{
	struct exporting w = { .o = o, .x = x };
	int              applied = 0;

	if (access(o->path, R_OK) != 0)
		return direct_missing(o->path, e);
	w.session.conn = &w.conn;
	enum errc rc = conn_open(&w.conn, o->path, DB_READ, o->busy_ms, e);
	if (rc == ERR_OK)
		rc = migrate_run(w.conn.db, o->path, migrations, false, &applied, e);
	if (rc == ERR_OK)
		rc = x->ids ? export_named(&w, e) : export_all(&w, e);
	x->count = w.done;
	conn_close(&w.conn);
	return rc;
}

/* --- one job --- */

static enum errc direct_run_job(struct session *s, const struct store_options *o,
				struct store_job *job, struct err *e)
{
	bool writes = job->kind->lane == LANE_WRITE;
	int  rc = writes ? conn_begin_write(s->conn) : conn_begin(s->conn);

	job->err = (struct err){ .code = ERR_OK };
	if (rc == SQLITE_OK)
		rc = op_of(job)->run(s, job);
	conn_reset(s->conn);
	if (rc == SQLITE_OK && job->err.code == ERR_OK)
		rc = conn_commit(s->conn);
	conn_rollback(s->conn);
	if (rc != SQLITE_OK)
		return direct_told(s->conn->db, rc, o, writes ? "write to" : "read", e);
	if (job->err.code != ERR_OK)
		*e = job->err;
	return job->err.code;
}

enum errc sqlite_at_once(const struct store_options *o, enum job kind, struct store_job *job,
			 struct err *e)
{
	struct conn    conn = { .db = NULL };
	struct session session = { .conn = &conn };
	char          *path = NULL;
	int            lock = -1;
	int            lane;
	int            applied = 0;
	struct err     held;

	job->kind = &job_kinds[kind];
	/* If no gateway serves the database, it is created or migrated first, as at a gateway's
	 * start.  Otherwise it is up to date, and the job is done beside the gateway. */
	bool ours = lock_take(o->path, &path, &lock, &held) == ERR_OK && !lock_drains(path, &lane);
	job->beside = !ours;
	enum errc rc = conn_open(&conn, ours ? path : o->path, DB_WRITE, o->busy_ms, e);
	if (rc == ERR_OK)
		rc = migrate_run(conn.db, o->path, migrations, ours && o->migrate, &applied, e);
	if (rc == ERR_OK) {
		session_write(&session, &conn);
		rc = direct_run_job(&session, o, job, e);
	}
	session_finish(&session);
	if (ours && conn.db)
		(void)sqlite3_wal_checkpoint_v2(conn.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
						NULL);
	conn_close(&conn);
	if (lock >= 0)
		close(lock);
	free(path);
	return rc;
}
