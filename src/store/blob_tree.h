/* blob_tree: the contents of files as a whole: copied to another directory, thinned out, removed.
 * Only for processes that own a directory, or as readers of one that a gateway has. */
#pragma once

#include "store/blob.h"

/* blob_tree_copy: one content, by a hard link where that can be, else copied and synced.  *ret_there
 * false: `from` does not have it.  Nothing happens when `to` has it.
 * Errors: STORAGE, CANCELLED (stopped said so). */
enum errc blob_tree_copy(struct blobs *to, struct blobs *from,
			 const unsigned char sha256[HASH_BYTES], bool (*stopped)(void),
			 bool *ret_there, struct err *e) MUST_USE;

/* blob_tree_prune: removes what keep says no to, and the directories that are empty then; their
 * number.  What has not the name of a content stays. */
size_t blob_tree_prune(const char *dir,
		       bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]), void *arg);
/* blob_tree_remove: all contents, what was being written, and the directory, unless there is
 * something else in it. */
void blob_tree_remove(const char *dir);
