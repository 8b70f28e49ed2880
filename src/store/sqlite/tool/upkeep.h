/* upkeep: what backup and vacuum share: finding and opening an existing database of Parley's.
 *
 * Ends are those of store/upkeep.h; ints are SQLite codes. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/upkeep.h"

/* upkeep_find: the absolute path of an existing regular file to which this process has the access
 * access_mode (R_OK, W_OK); *ret is owned (free). */
enum upkeep_end upkeep_find(const char *path, int access_mode, char **ret, struct err *e) MUST_USE;
/* upkeep_open: opens a database that this or an older version of Parley has made; *ret is owned.
 * `stopped` interrupts the statements of the connection, which may attach one database. */
enum upkeep_end upkeep_open(const char *path, enum db_mode mode, bool (*stopped)(void),
			    sqlite3 **ret, struct err *e) MUST_USE;
/* upkeep_fail: the end that an SQLite code means; the text: can't DOING the database PATH: … */
enum upkeep_end upkeep_fail(sqlite3 *db, int rc, const char *path, const char *doing,
			    struct err *e) MUST_USE;
/* upkeep_number: *ret is the first column of the statement's first row. */
int upkeep_number(sqlite3 *db, const char *sql, int64_t *ret) MUST_USE;
/* upkeep_has_files: whether the schema is new enough for uploaded files. */
int upkeep_has_files(sqlite3 *db, bool *ret) MUST_USE;
