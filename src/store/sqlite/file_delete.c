/* Deletes the row of a file, and its content with the last row that names it. */
#include "store/file.h"
#include "store/sqlite/file_content.h"
#include "store/sqlite/op.h"

static const char sql_used[] = "SELECT 1 FROM file WHERE sha256 = ? LIMIT 1";

/* True if a content has a row; *ret_known false: not known now. */
static bool file_content_used(struct session *s, const unsigned char *sha256, bool *ret_known)
{
	struct db_bind b = conn_bind(s->conn, sql_used);
	sqlite3_stmt  *st = b.st;

	db_bind_blob(&b, (struct str){ (const char *)sha256, HASH_BYTES });
	int rc = db_bind_row(&b);
	*ret_known = rc == SQLITE_ROW || rc == SQLITE_DONE;
	if (rc == SQLITE_ROW)
		(void)sqlite3_reset(st);
	return rc == SQLITE_ROW;
}

/* A doubtful content stays marked until the next start. */
void file_content_settle(struct session *s, const struct blob_name *name)
{
	bool known;
	bool keep = file_content_used(s, name->sha256, &known);

	if (known)
		blob_settle(s->blobs, name, keep);
}

static bool file_content_keep(void *arg, const unsigned char sha256[HASH_BYTES])
{
	bool known;
	bool is_used = file_content_used(arg, sha256, &known);

	return is_used || !known;
}

void file_content_sweep(struct session *s)
{
	blob_sweep(s->blobs, file_content_keep, s);
}

static const char sql_find[] = "SELECT sha256 FROM file WHERE id = ? AND secret = ? AND owner = ?";
static const char sql_delete[] = "DELETE FROM file WHERE id = ?";

static int file_delete_find(struct session *s, struct file_delete *j)
{
	struct db_bind b = conn_bind(s->conn, sql_find);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, j->file.key);
	db_bind_secret(&b, j->file.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such file");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;

	struct str sum = db_blob(st, 0);
	bool       sound = sum.n == HASH_BYTES;
	if (sound)
		memcpy(j->content.sha256, sum.p, HASH_BYTES);
	(void)sqlite3_reset(st);
	return sound ? SQLITE_OK : SQLITE_CORRUPT;
}

static int delete_file(struct session *s, struct file_delete *j)
{
	struct err *e = &j->job.err;
	int         rc = file_delete_find(s, j);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!j->marked && !blob_mark(s->blobs, &j->content)) {
		err_set(e, ERR_STORAGE, "", "the file could not be deleted");
		return SQLITE_OK;
	}
	j->marked = true;
	s->erased = true;

	struct db_bind b = conn_bind(s->conn, sql_delete);
	db_bind_int(&b, j->file.key);
	return db_bind_run(&b);
}

static void file_delete_settle(struct session *s, struct store_job *job)
{
	const struct file_delete *j = container_of(job, struct file_delete, job);

	if (j->marked)
		file_content_settle(s, &j->content);
}

OP_WITH(file_delete, delete_file, .settle = file_delete_settle);
