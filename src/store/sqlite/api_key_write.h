/* api_key_write: making, changing, revoking and rotating API keys, and noting when they were used. */
#pragma once

#include "store/sqlite/api_key_rows.h"

enum api_key_write_sql {
	API_KEY_WRITE_SQL_BEGIN,
	API_KEY_WRITE_SQL_COMMIT,
	API_KEY_WRITE_SQL_COUNT,
	API_KEY_WRITE_SQL_ADD,
	API_KEY_WRITE_SQL_UPDATE,
	API_KEY_WRITE_SQL_REVOKE,
	API_KEY_WRITE_SQL_ROTATE,
	API_KEY_WRITE_SQL_USED,
	API_KEY_WRITE_SQL__COUNT
};

struct api_key_writes {
	sqlite3            *db; /* borrowed */
	sqlite3_stmt       *st[API_KEY_WRITE_SQL__COUNT];
	struct api_key_rows rows;
};

enum errc api_key_writes_prepare(struct api_key_writes *w, sqlite3 *db, struct err *e) MUST_USE;
void      api_key_writes_finish(struct api_key_writes *w);
/* api_key_write_run: in a transaction; an SQLite code, and what is refused in the job. */
int api_key_write_run(struct api_key_writes *w, struct api_key_write *j) MUST_USE;
/* api_key_write_load, api_key_write_used: outside of one.  The ring learns what was committed; the
 * database, when keys were used. */
int api_key_write_load(struct api_key_writes *w, struct key_ring *ring) MUST_USE;
int api_key_write_used(struct api_key_writes *w, struct key_ring *ring, bool *ret_again) MUST_USE;
