/* Adds the row of a file, with its idempotency key.  The content was placed before. */
#include "store/file.h"
#include "store/postgres/answer_names.h"
#include "store/postgres/operation.h"

/* The lock keeps a deletion of the content's last other file away. */
static const char sql_use[] = "UPDATE content SET used = 1 WHERE sha256 = $1 RETURNING bytes";
static const char sql_mine[] = "SELECT id FROM file WHERE id = $1 AND secret = $2";
static const char sql_add[] =
	"INSERT INTO file (id, secret, owner, created_ms, bytes, sha256, name, type, purpose, "
	"expires_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

enum { FILE_ADD_KEY, FILE_ADD_CONTENT, FILE_ADD_MINE };

static struct str file_add_sum(const struct file_add *j)
{
	return (struct str){ (const char *)j->content.sha256, HASH_BYTES };
}

static void file_add_look(struct work *w, struct file_add *j)
{
	struct param *a;

	answer_made_ask(w, j->owner, &j->made);
	param_bytes(work_param(w), file_add_sum(j));
	work_ask(w, sql_use);
	a = work_param(w);
	param_int(a, j->file.id.key);
	param_secret(a, j->file.id.secret);
	work_ask(w, sql_mine);
}

static void file_add_put(struct work *w, struct file_add *j)
{
	struct param *a = work_param(w);

	param_int(a, j->file.id.key);
	param_secret(a, j->file.id.secret);
	param_int(a, j->owner);
	param_int(a, j->file.created_ms);
	param_int(a, j->file.bytes);
	param_bytes(a, file_add_sum(j));
	param_bytes(a, j->file.name);
	param_bytes(a, j->file.type);
	param_bytes(a, j->file.purpose);
	param_int(a, j->file.expires_ms);
	work_ask(w, sql_add);
}

static enum work_next file_add_step(struct work *w, struct file_add *j)
{
	struct err          *e = &j->job.err;
	struct answer_object thing = {
		.owner = j->owner,
		.now_ms = j->file.created_ms,
		.subject = j->file.id.key,
		.job = &j->job,
	};

	if (w->stage == 0) {
		file_add_look(w, j);
		return WORK_AGAIN;
	}
	if (w->stage > 1 || !answer_made_replay(w, FILE_ADD_KEY, &j->made, e))
		return WORK_DONE;
	if (work_rows(w, FILE_ADD_MINE) > 0)
		return WORK_DONE; /* by an earlier try */
	/* The last other file with this content was deleted after the content was placed. */
	if (work_rows(w, FILE_ADD_CONTENT) == 0) {
		err_set(e, ERR_OVERLOADED, "",
			"the same content was deleted at the same time; send the file again");
		return WORK_DONE;
	}
	file_add_put(w, j);
	answer_made_put(w, &thing, &j->made, e);
	return e->code == ERR_OK ? WORK_LAST : WORK_DONE;
}

OP(file_add, WORK_WRITE, file_add_step);
