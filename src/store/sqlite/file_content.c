/* Removes contents without rows. */
#include "store/sqlite/file_content.h"

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
