/* Exports and single jobs of another process than the gateway, on a connection of its own. */
#include "store/archive.h"
#include "store/engine.h"

#include "store/common/export.h"
#include "store/sqlite/chores.h"
#include "store/sqlite/engine.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/migrate.h"
#include "store/sqlite/op.h"
#include "store/sqlite/search/search_drain.h"

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

static enum errc direct_run_job(struct session *s, const struct store_options *o,
				struct store_job *job, struct err *e)
{
	bool writes = job->kind->lane == LANE_WRITE;
	int  rc = writes ? conn_begin_write(s->conn) : conn_begin(s->conn);

	job->err = (struct err){ .code = ERR_OK };
	job->unchanged = false;
	if (rc == SQLITE_OK)
		rc = op_of(job)->run(s, job);
	if (rc == SQLITE_OK && job->audit)
		rc = audit_put(s->conn, job);
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

/* --- export --- */

struct exporting {
	const struct store_options *o;
	struct conn                 conn;
	struct session              session; /* reads only */
};

static enum errc direct_read_page(void *arg, struct archive_read *j, struct err *e)
{
	struct exporting *w = arg;

	return direct_run_job(&w->session, w->o, &j->job, e);
}

static enum errc direct_find_next(void *arg, int64_t after, struct id *ret, struct err *e)
{
	struct exporting *w = arg;
	struct db_bind    b = conn_bind(&w->conn, sql_next);

	db_bind_int(&b, after);
	int rc = db_bind_row(&b);
	*ret = (struct id){ 0 };
	if (rc == SQLITE_ROW)
		*ret = db_id(db_int(b.st, 0), b.st, 1);
	(void)sqlite3_reset(b.st);
	return direct_told(w->conn.db, rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc, w->o,
			   "read", e);
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
	struct exporting w = { .o = o };
	const struct export how = { x, direct_read_page, direct_find_next, &w };
	int applied = 0;

	if (access(o->path, R_OK) != 0)
		return direct_missing(o->path, e);
	w.session.conn = &w.conn;
	enum errc rc = conn_open(&w.conn, o->path, DB_READ, o->busy_ms, e);
	if (rc == ERR_OK)
		rc = migrate_run(w.conn.db, o->path, migrations, false, &applied, e);
	if (rc == ERR_OK)
		rc = export_run(&how, e);
	conn_close(&w.conn);
	return rc;
}

/* --- retention --- */

/* direct_forget: takes the texts that were removed out of the search index, its queue and the log. */
static enum errc direct_forget(struct session *s, const struct store_options *o, const char *path,
			       struct err *e)
{
	bool    again = true;
	int64_t upto = 0;
	int     rc = SQLITE_OK;

	if (search_drain(path, o->busy_ms, &upto, e) != ERR_OK)
		return e->code;
	while (rc == SQLITE_OK && again)
		rc = search_queue_clear(&s->search, upto, &again);
	if (rc == SQLITE_OK)
		rc = sqlite3_wal_checkpoint_v2(s->conn->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
					       NULL);
	return direct_told(s->conn->db, rc, o, "remove what was deleted from the log of", e);
}

static enum errc direct_sweep(struct session *s, const struct store_options *o, const char *path,
			      struct err *e)
{
	struct keep k;
	int64_t     again_ms = 0;
	int         rc = SQLITE_OK;

	keep_init(&k, s, o);
	while (rc == SQLITE_OK && again_ms < KEEP_REST_MS)
		rc = chore_keep.run(&k, &again_ms);
	keep_finish(&k);
	return direct_told(s->conn->db, rc, o, "write to", e) == ERR_OK
		       ? direct_forget(s, o, path, e)
		       : e->code;
}

enum errc sqlite_sweep(const struct store_options *o, bool *ret_served, struct err *e)
{
	struct conn    conn = { .db = NULL };
	struct session session = { .conn = &conn };
	char          *path = NULL;
	int            lock = -1;
	int            lane;
	int            applied = 0;
	struct err     held;
	enum errc      rc = ERR_OK;

	*ret_served = lock_take(o->path, &path, &lock, &held) != ERR_OK || lock_drains(path, &lane);
	if (!*ret_served)
		rc = conn_open(&conn, path, DB_WRITE, o->busy_ms, e);
	if (!*ret_served && rc == ERR_OK)
		rc = migrate_run(conn.db, o->path, migrations, o->migrate, &applied, e);
	if (!*ret_served && rc == ERR_OK)
		rc = blobs_open(path, &session.blobs, e);
	if (session.blobs) {
		session_write(&session, &conn);
		if (db_exec(conn.db, "PRAGMA secure_delete = ON") == SQLITE_OK)
			rc = direct_sweep(&session, o, path, e);
		session_finish(&session);
		blobs_destroy(session.blobs);
	}
	conn_close(&conn);
	if (lock >= 0)
		close(lock);
	free(path);
	return rc;
}

/* --- one job --- */

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
