/* file_rows: the statements that read uploaded files, inside a reader's transaction; as runs.h. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum file_rows_sql {
	FILE_ROWS_SQL_ONE,
	FILE_ROWS_SQL_DOWN,
	FILE_ROWS_SQL_UP,
	FILE_ROWS_SQL__COUNT
};

struct file_rows {
	sqlite3_stmt *st[FILE_ROWS_SQL__COUNT];
};

enum errc file_rows_prepare(struct file_rows *r, sqlite3 *db, struct err *e) MUST_USE;
void      file_rows_finish(struct file_rows *r);
void      file_rows_reset(struct file_rows *r);

int file_rows_find(struct file_rows *r, struct files_find *j) MUST_USE;
int file_rows_list(struct file_rows *r, struct files_read *j) MUST_USE;
