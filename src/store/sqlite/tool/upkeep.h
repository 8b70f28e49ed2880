/* upkeep: what copying and vacuuming have in common: opening a database that is there and ours. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/upkeep.h"

/* upkeep_find: the absolute path of an existing file that we have access to (R_OK, W_OK); *ret is
 * owned (free). */
enum upkeep_end upkeep_find(const char *path, int access_mode, char **ret, struct err *e) MUST_USE;
/* upkeep_open: a connection that `stopped` interrupts and that may attach one database, to a
 * database that parley of this or an older version made; *ret is owned. */
enum upkeep_end upkeep_open(const char *path, enum db_mode mode, bool (*stopped)(void),
			    sqlite3 **ret, struct err *e) MUST_USE;
/* upkeep_fail: the end that an SQLite code means, with a text: can't DOING the database PATH: … */
enum upkeep_end upkeep_fail(sqlite3 *db, int rc, const char *path, const char *doing,
			    struct err *e) MUST_USE;
/* upkeep_number: the first column of a statement's first row. */
int upkeep_number(sqlite3 *db, const char *sql, int64_t *ret) MUST_USE;
/* upkeep_has_files: whether the schema is new enough for uploaded files. */
int upkeep_has_files(sqlite3 *db, bool *ret) MUST_USE;
