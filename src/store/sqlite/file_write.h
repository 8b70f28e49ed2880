/* file_write: the writer's part of uploaded files: rows inside its transaction, contents after it.
 *
 * A content loses its last row and is removed on this one thread, so no other row can come between;
 * a row whose content was removed since it was placed is refused. */
#pragma once

#include "store/blob.h"
#include "store/sqlite/claim.h"
#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum file_write_sql {
	FILE_WRITE_SQL_ADD,
	FILE_WRITE_SQL_FIND,
	FILE_WRITE_SQL_DELETE,
	FILE_WRITE_SQL_USED,
	FILE_WRITE_SQL__COUNT
};

struct file_write {
	sqlite3_stmt  *st[FILE_WRITE_SQL__COUNT];
	struct blobs  *blobs;  /* borrowed */
	struct claims *claims; /* borrowed */
};

enum errc file_write_prepare(struct file_write *w, sqlite3 *db, struct blobs *blobs,
                             struct claims *claims, struct err *e) MUST_USE;
void      file_write_finish(struct file_write *w);

/* As the functions of turn.h; a job may come again after a rollback. */
int file_write_add(struct file_write *w, struct file_add *j, struct err *e) MUST_USE;
int file_write_delete(struct file_write *w, struct file_delete *j, struct err *e) MUST_USE;

/* file_write_settle: after the commit or the rollback: removes a content that has no row. */
void file_write_settle(struct file_write *w, struct store_job *job);
/* file_write_sweep: at start, what a crash left. */
void file_write_sweep(struct file_write *w);
