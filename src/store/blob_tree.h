/* blob_tree: copies, prunes and removes contents of files (store/blob.h).  A process may only
 * change a directory that it owns; it may read one that a gateway uses. */
#pragma once

#include "store/blob.h"
#include "store/upkeep.h"

#include <limits.h>

/* blob_tree_copy: copies one content, by a hard link if possible, otherwise with a sync.  If `to`
 * has the content, nothing happens.  *ret_there false: `from` does not have it.
 * Errors: STORAGE, CANCELLED (`stopped` returned true). */
enum errc blob_tree_copy(struct blobs *to, struct blobs *from,
			 const unsigned char sha256[HASH_BYTES], bool (*stopped)(void),
			 bool *ret_there, struct err *e) MUST_USE;

/* blob_tree_prune: removes the contents for which keep returns false, and directories that are
 * empty then; returns the number of removed contents.  Files with other names stay. */
size_t blob_tree_prune(const char *dir,
		       bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]), void *arg);
/* blob_tree_remove: removes all contents, unfinished writes, and the directory, unless other files
 * are in it. */
void blob_tree_remove(const char *dir);

/* partial: the directory in which a copy of a database is made until it is complete.
 *
 *   FILE.partial/            locked; on the file system of FILE, so that renaming is enough
 *     db  db.files/          become FILE and FILE.files
 *
 * FILE.files exists without FILE only while FILE.partial exists too.  If nobody has the lock, both
 * are left over from a killed process, and the next try removes them. */
enum { PARTIAL_ROOM = 32 }; /* for the part of names after FILE */

struct partial {
	char target[PATH_MAX - PARTIAL_ROOM]; /* absolute */
	char parent[PATH_MAX];
	char dir[PATH_MAX - PARTIAL_ROOM / 2];
	char db[PATH_MAX]; /* absolute */
	int  fd;           /* dir, open; -1: none */
	bool files_placed;
};

/* partial_open: database is the absolute path of the original, whose files the target must not
 * touch.  Ends: DONE, BAD_TARGET, BUSY. */
enum upkeep_end partial_open(struct partial *p, const char *target, const char *database,
			     struct err *e) MUST_USE;
/* partial_begin: makes p->db an empty file that only its owner may read; db.files stays as it is.
 * *ret_fd is owned.  Ends: DONE, BAD_TARGET. */
enum upkeep_end partial_begin(struct partial *p, int *ret_fd, struct err *e) MUST_USE;
/* partial_place: syncs the copy and gives it its names.  Ends: DONE, BAD_TARGET, FAILED. */
enum upkeep_end partial_place(struct partial *p, struct err *e) MUST_USE;
/* partial_close: removes a copy that was not placed. */
void partial_close(struct partial *p);
