/* Rows of uploaded files come and go, and their contents with them. */
#include "store/sqlite/file_write.h"


static const char *const sql[FILE_WRITE_SQL__COUNT] = {
	[FILE_WRITE_SQL_ADD] =
		("INSERT INTO file (id, secret, owner, created_ms, bytes, sha256, name, type, purpose) "
		 "VALUES (?,?,?,?,?,?,?,?,?)"),
	[FILE_WRITE_SQL_FIND] =
		"SELECT sha256 FROM file WHERE id = ? AND secret = ? AND owner = ?",
	[FILE_WRITE_SQL_DELETE] = "DELETE FROM file WHERE id = ?",
	[FILE_WRITE_SQL_USED] = "SELECT 1 FROM file WHERE sha256 = ? LIMIT 1",
};

enum errc file_write_prepare(struct file_write *w, sqlite3 *db, struct blobs *blobs,
                             struct claims *claims, struct err *e)
{
	w->blobs = blobs;
	w->claims = claims;
	return db_prepare(db, sql, FILE_WRITE_SQL__COUNT, w->st, e);
}

void file_write_finish(struct file_write *w)
{
	db_finalize(w->st, FILE_WRITE_SQL__COUNT);
}

static struct str digest(const unsigned char *sha256)
{
	return (struct str){ (const char *)sha256, HASH_BYTES };
}

static int add(struct file_write *w, const struct file_add *j, struct err *e)
{
	struct db_bind b = db_bind(w->st[FILE_WRITE_SQL_ADD]);

	/* The last other file with this content was deleted since it was placed. */
	if (!blob_exists(w->blobs, j->content.sha256)) {
		err_set(e, ERR_OVERLOADED, "",
		        "the same content was deleted at the same time; send the file again");
		return SQLITE_OK;
	}
	db_bind_int(&b, j->file.id.key);
	db_bind_secret(&b, j->file.id.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->file.created_ms);
	db_bind_int(&b, j->file.bytes);
	db_bind_blob(&b, digest(j->content.sha256));
	db_bind_text(&b, j->file.name);
	db_bind_text(&b, j->file.type);
	db_bind_text(&b, j->file.purpose);
	return db_bind_run(&b);
}

/* What was placed for a key that has its file already has no row: it goes when the job is settled,
 * unless it is that file's content. */
int file_write_add(struct file_write *w, struct file_add *j, struct err *e)
{
	int rc = claim_replay(w->claims, j->owner, &j->made, e);

	if (rc != SQLITE_OK || e->code != ERR_OK || j->made.replayed)
		return rc;
	rc = add(w, j, e);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;

	struct claim_thing thing = {
		.owner = j->owner,
		.now_ms = j->file.created_ms,
		.subject = j->file.id.key,
		.job = &j->job,
	};
	return claim_made(w->claims, &thing, &j->made);
}

static int find(struct file_write *w, struct file_delete *j, struct err *e)
{
	sqlite3_stmt  *st = w->st[FILE_WRITE_SQL_FIND];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, j->file.key);
	db_bind_secret(&b, j->file.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "There is no file with this id.");
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

int file_write_delete(struct file_write *w, struct file_delete *j, struct err *e)
{
	int rc = find(w, j, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!j->marked && !blob_mark(w->blobs, &j->content)) {
		err_set(e, ERR_STORAGE, "", "the file could not be deleted");
		return SQLITE_OK;
	}
	j->marked = true;

	struct db_bind b = db_bind(w->st[FILE_WRITE_SQL_DELETE]);
	db_bind_int(&b, j->file.key);
	return db_bind_run(&b);
}

/* Whether a content has a row; *ret_known false: can't be told now. */
static bool used(struct file_write *w, const unsigned char *sha256, bool *ret_known)
{
	sqlite3_stmt  *st = w->st[FILE_WRITE_SQL_USED];
	struct db_bind b = db_bind(st);

	db_bind_blob(&b, digest(sha256));
	int rc = db_bind_row(&b);
	*ret_known = rc == SQLITE_ROW || rc == SQLITE_DONE;
	if (rc == SQLITE_ROW)
		(void)sqlite3_reset(st);
	return rc == SQLITE_ROW;
}

/* What can't be told now stays marked for the next start. */
static void settle(struct file_write *w, const struct blob_name *name)
{
	bool known;
	bool keep = used(w, name->sha256, &known);

	if (known)
		blob_settle(w->blobs, name, keep);
}

void file_write_settle(struct file_write *w, struct store_job *job)
{
	if (job->kind->job == JOB_FILE_ADD) {
		settle(w, &container_of(job, struct file_add, job)->content);
	} else if (job->kind->job == JOB_FILE_DELETE) {
		struct file_delete *j = container_of(job, struct file_delete, job);

		if (j->marked)
			settle(w, &j->content);
	}
}

static bool keep(void *arg, const unsigned char sha256[HASH_BYTES])
{
	bool known;
	bool is_used = used(arg, sha256, &known);

	return is_used || !known;
}

void file_write_sweep(struct file_write *w)
{
	blob_sweep(w->blobs, keep, w);
}
