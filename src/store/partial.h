/* partial: where a copy of a database is made until it is whole.
 *
 *   FILE.partial/            locked; of the same file system as FILE, so that renaming is all
 *     db  db.files/          what becomes FILE and FILE.files
 *
 * FILE.files is only ever there without FILE while FILE.partial is there too: then it is a remnant
 * of a process that was killed, as FILE.partial itself, and both go with the next try. */
#pragma once

#include "store/upkeep.h"

#include <limits.h>

enum { PARTIAL_ROOM = 32 }; /* for what stands behind FILE in names */

struct partial {
	char target[PATH_MAX - PARTIAL_ROOM]; /* absolute */
	char parent[PATH_MAX];
	char dir[PATH_MAX - PARTIAL_ROOM / 2];
	char db[PATH_MAX]; /* absolute */
	int  fd;           /* of dir; -1: none */
	bool files_placed;
};

/* partial_open: database is the absolute path of what is copied, which the target must not get in
 * the way of.  Ends: DONE, BAD_TARGET, BUSY. */
enum upkeep_end partial_open(struct partial *p, const char *target, const char *database,
			     struct err *e) MUST_USE;
/* partial_begin: the database in it is an empty file, only readable by its owner; its files stay.
 * *ret_fd is owned.  Ends: DONE, BAD_TARGET. */
enum upkeep_end partial_begin(struct partial *p, int *ret_fd, struct err *e) MUST_USE;
/* partial_place: synced, and under its names.  Ends: DONE, BAD_TARGET, FAILED. */
enum upkeep_end partial_place(struct partial *p, struct err *e) MUST_USE;
/* partial_close: removes what was not placed. */
void partial_close(struct partial *p);
