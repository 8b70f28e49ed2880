/* Adds the row of a file, with its idempotency key. The content was placed before. */
#include "store/sqlite/answer_row.h"
#include "store/file.h"
#include "store/sqlite/file_content.h"
#include "store/sqlite/op.h"

static const char sql_add[] =
	"INSERT INTO file (id, secret, owner, created_ms, bytes, sha256, name, type, purpose, "
	"expires_ms) VALUES (?,?,?,?,?,?,?,?,?,?)";

static int file_add_row(struct session *s, struct file_add *j)
{
	/* The last other file with this content was deleted after the content was placed. */
	if (!blob_exists(s->blobs, j->content.sha256)) {
		err_set(&j->job.err, ERR_OVERLOADED, "",
			"the same content was deleted at the same time; send the file again");
		return SQLITE_OK;
	}

	struct db_bind b = conn_bind(s->conn, sql_add);
	db_bind_int(&b, j->file.id.key);
	db_bind_secret(&b, j->file.id.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->file.created_ms);
	db_bind_int(&b, j->file.bytes);
	db_bind_blob(&b, (struct str){ (const char *)j->content.sha256, HASH_BYTES });
	db_bind_text(&b, j->file.name);
	db_bind_text(&b, j->file.type);
	db_bind_text(&b, j->file.purpose);
	db_bind_int(&b, j->file.expires_ms);
	return db_bind_run(&b);
}

/* A content that was placed for a key that has its file already has no row: it goes when the job is
 * settled, unless it is that file's content. */
static int add_file(struct session *s, struct file_add *j)
{
	const struct err *e = &j->job.err;
	int               rc = answer_row_replay(s->conn, j->owner, &j->made, &j->job.err);

	if (rc != SQLITE_OK || e->code != ERR_OK || j->made.replayed)
		return rc;
	rc = file_add_row(s, j);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;

	struct answer_object thing = {
		.owner = j->owner,
		.now_ms = j->file.created_ms,
		.subject = j->file.id.key,
		.job = &j->job,
	};
	return answer_row_made(s->conn, &thing, &j->made);
}

static void file_add_settle(struct session *s, struct store_job *job)
{
	file_content_settle(s, &container_of(job, struct file_add, job)->content);
}

OP_WITH(file_add, add_file, .settle = file_add_settle);
