/* moved: checks whether the database's files are still where they were opened.
 *
 * A file that was removed, renamed or replaced still accepts writes, but nobody can find them
 * again, because the directory entry is gone or leads to another file.  SQLite itself checks this
 * only with a rollback journal, and never checks the write-ahead log (databaseIsUnmoved in
 * sqlite3.c). */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum moved_file { MOVED_DATABASE, MOVED_LOG, MOVED_LOG_INDEX, MOVED__COUNT };

struct moved {
	const char *path; /* borrowed; absolute, of the database */
	struct {
		uint32_t major; /* the device's, like minor */
		uint32_t minor;
		uint64_t ino;
	} opened[MOVED__COUNT];
	_Atomic enum moved_file first; /* the first file that is gone; MOVED__COUNT: none is */
	_Atomic int64_t         bytes; /* size of the database, at the last look */
};

/* moved_begin: notes the files' inodes.  To be called after the database was opened and written to
 * once, and before the writer starts.  Errors: STORAGE. */
enum errc moved_begin(struct moved *m, const char *path, struct err *e) MUST_USE;
/* moved_look: asks the file system, which takes about five microseconds.  True: a file is gone, or
 * another one is in its place.  If the file system can't tell (no right to search a directory),
 * nothing counts as moved.  Any thread that may wait for the disk. */
bool moved_look(struct moved *m);
/* moved_is: the result of the last moved_look.  Any thread. */
bool moved_is(const struct moved *m);
/* moved_problem: a text for the operator, cut to n bytes. */
void moved_problem(const struct moved *m, char *ret, size_t n);
