/* Deletes the row of a file, and its content with the last row that names it. */
#include "store/postgres/file_drop.h"
#include "store/file.h"
#include "store/postgres/operation.h"

static const char sql_delete[] =
	"DELETE FROM file WHERE id = $1 AND secret = $2 AND owner = $3 RETURNING sha256";
static const char sql_drop_row[] = "DELETE FROM file WHERE id = $1";
static const char sql_forget_keys[] =
	"UPDATE idempotency SET http = 410, body = NULL WHERE subject = $1 AND subject > 0";
/* Whoever adds a file with this content holds the lock, and the next statement sees the new row. */
static const char sql_lock[] = "SELECT bytes FROM content WHERE sha256 = $1 FOR UPDATE";
/* A content in a bucket is removed from there later (contents.h). */
static const char sql_drop[] =
	"WITH dropped AS (DELETE FROM content WHERE sha256 = $1 AND NOT EXISTS "
	"(SELECT 1 FROM file WHERE sha256 = $1) RETURNING sha256, place) "
	"INSERT INTO content_object (number, sha256, gone, after) "
	"SELECT place, sha256, 1, now() FROM dropped WHERE place <> 0";
static const char sql_drop_parts[] = "DELETE FROM content_part WHERE sha256 = $1 AND NOT EXISTS "
				     "(SELECT 1 FROM content WHERE sha256 = $1)";

static void file_delete_ask(struct work *w, const char *sql, struct str sum)
{
	param_bytes(work_param(w), sum);
	work_ask(w, sql);
}

/* file_forget: what has to go with the row. */
static void file_forget(struct work *w, int64_t file, struct str sum)
{
	param_int(work_param(w), file);
	work_ask(w, sql_forget_keys);
	file_delete_ask(w, sql_lock, sum);
	file_delete_ask(w, sql_drop, sum);
	file_delete_ask(w, sql_drop_parts, sum);
}

void file_drop(struct work *w, int64_t file, struct str sum)
{
	param_int(work_param(w), file);
	work_ask(w, sql_drop_row);
	file_forget(w, file, sum);
}

static enum work_next file_delete_step(struct work *w, struct file_delete *j)
{
	struct param *a;

	if (w->stage == 0) {
		a = work_param(w);
		param_int(a, j->file.key);
		param_secret(a, j->file.secret);
		param_int(a, j->owner);
		work_ask(w, sql_delete);
		return WORK_AGAIN;
	}
	if (w->stage > 1)
		return WORK_DONE;
	if (work_rows(w, 0) == 0) {
		if (w->tries == 0)
			err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such file");
		return WORK_DONE;
	}
	file_forget(w, j->file.key, cell_str(work_row(w, 0, 0), 0));
	return WORK_LAST;
}

OP(file_delete, WORK_WRITE, file_delete_step);
