/* api_key_rows: reading the rows of API keys: for a list, and all good ones for the ring. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum api_key_sql {
	API_KEY_SQL_ONE,
	API_KEY_SQL_LIST,
	API_KEY_SQL_GOOD,
	API_KEY_SQL_VERSION,
	API_KEY_SQL__COUNT
};

struct api_key_rows {
	sqlite3_stmt *st[API_KEY_SQL__COUNT];
};

enum errc api_key_rows_prepare(struct api_key_rows *r, sqlite3 *db, struct err *e) MUST_USE;
void      api_key_rows_finish(struct api_key_rows *r);
void      api_key_rows_reset(struct api_key_rows *r);

/* All three: an SQLite code; refusals are in e, or the job.
 * api_key_rows_one: NOT_FOUND with path where there is none. */
int api_key_rows_one(struct api_key_rows *r, struct str id, const char *path, struct arena *a,
                     struct store_api_key *ret, struct err *e) MUST_USE;
int api_key_rows_list(struct api_key_rows *r, struct api_keys_read *j) MUST_USE;
/* api_key_rows_load: fills the ring if it has another version than the database; in a transaction. */
int api_key_rows_load(struct api_key_rows *r, struct key_ring *ring) MUST_USE;
