/* Finds uploaded files by their ids. */
#include "store/sqlite/file_row.h"
#include "store/file.h"
#include "store/sqlite/op.h"

static int files_find_files(struct session *s, struct files_find *j)
{
	struct err   *e = &j->job.err;
	sqlite3_stmt *st;
	bool          found = true;
	int           rc = SQLITE_OK;

	if (!file_row_room(&j->arena, j->count, &j->files, e))
		return SQLITE_OK;
	for (j->missing = 0; j->missing < j->count; j->missing++) {
		rc = file_row_find(s->conn, j->ids[j->missing], j->owner, &found, &st);
		if (rc == SQLITE_OK && !found && !j->some)
			err_set(e, ERR_NOT_FOUND, "", "there is no such file");
		else if (rc == SQLITE_OK && found)
			rc = file_row_read(st, &j->arena, &j->files[j->missing], e);
		if (rc != SQLITE_OK || e->code != ERR_OK)
			break;
	}
	return rc;
}

OP(files_find, files_find_files);
