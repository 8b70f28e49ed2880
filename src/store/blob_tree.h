/* blob_tree: copies, prunes and removes contents of files (store/blob.h).  A process may only
 * change a directory that it owns; it may read one that a gateway uses. */
#pragma once

#include "store/blob.h"

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
