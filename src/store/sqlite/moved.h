/* moved: whether the database's files are still where they were opened.
 *
 * A file that was removed, renamed or replaced takes writes as before, and nobody finds them again:
 * its directory entry has gone, or leads to another file.  SQLite looks for that with a rollback
 * journal only, and never at the write-ahead log (sqlite3.c: databaseIsUnmoved). */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum moved_file { MOVED_DATABASE, MOVED_LOG, MOVED_LOG_INDEX, MOVED__COUNT };

struct moved {
	const char *path; /* borrowed; absolute, of the database */
	struct {
		dev_t dev;
		ino_t ino;
	} opened[MOVED__COUNT];
	_Atomic enum moved_file first; /* the first of those that are gone; MOVED__COUNT: none is */
};

/* moved_begin: notes which files lie there; after the database was opened and first written to, and
 * before its writer begins.  Errors: STORAGE. */
enum errc moved_begin(struct moved *m, const char *path, struct err *e) MUST_USE;
/* moved_look: asks the file system, about five microseconds; true: one of them is gone, or another file
 * lies there.  Where the file system does not tell (no right to search a directory), none is.  Any
 * thread that may wait for the disk. */
bool moved_look(struct moved *m);
/* moved_is: what the last look found.  Any thread. */
bool moved_is(const struct moved *m);
/* moved_problem: what the operator is told, cut to n. */
void moved_problem(const struct moved *m, char *ret, size_t n);
