/* Uploaded files: their rows.  Contents are store/blob.h's. */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "store/blob.h"
#include "store/idem.h"
#include "store/job.h"

struct store_file {
	struct id     id;
	int64_t       created_ms;
	int64_t       bytes;
	unsigned char sha256[HASH_BYTES]; /* of its content, in store->blobs */
	struct str    name;
	struct str    type;
	struct str    purpose;
};

/* file_add: a write; the content was placed (store/blob.h) and is the engine's to remove if this
 * fails.  Never refused by the submitter: the callers bound what is under way. */
struct file_add {
	struct store_job  job;
	int64_t           owner;
	struct store_file file; /* without sha256 */
	struct blob_name  content;
	struct idem_made  made;
};

/* file_delete: a write.  Errors: NOT_FOUND. */
struct file_delete {
	struct store_job job;
	int64_t          owner;
	struct id        file;
	struct blob_name content; /* the engine's */
	bool             marked;  /* the engine's; false */
};

/* files_find: files by their ids, each of which must be the owner's.
 * Errors: NOT_FOUND, and `missing` is the place of the first that is not there. */
struct files_find {
	struct store_job job;
	int64_t          owner;
	const struct id *ids;
	size_t           count;
	bool             some; /* it is no error that one is missing: its file has no id then */
	struct arena     arena;
	/* out */
	struct store_file *files; /* in the order of ids */
	size_t             missing;
};

/* files_read: a list of files.  Errors: INVALID_VALUE "after": no such file. */
struct files_read {
	struct store_job job;
	int64_t          owner;
	struct id        after;     /* none: from the beginning (in the order asked) */
	bool             ascending; /* oldest first */
	struct str       purpose;   /* empty: any */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct store_file *files;
	size_t             file_count;
	bool               has_more;
};
