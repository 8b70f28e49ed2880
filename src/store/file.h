/* Rows of uploaded files.  Their contents are in store/blob.h. */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "store/blob.h"
#include "store/answer.h"
#include "store/job.h"

struct store_file {
	struct id     id;
	int64_t       created_ms;
	int64_t       bytes;
	int64_t       expires_ms;         /* 0: never */
	unsigned char sha256[HASH_BYTES]; /* hash of its content, which is in store->blobs */
	struct str    name;
	struct str    type;
	struct str    purpose;
};

/* file_add: a write; the content was placed before (blob_place), and the engine removes it if the
 * write fails.  The queue never refuses this job: its callers limit the uploads. */
struct file_add {
	struct store_job   job;
	int64_t            owner;
	struct store_file  file; /* without sha256 */
	struct blob_name   content;
	struct answer_made made;
};

/* file_delete: a write.  Errors: NOT_FOUND. */
struct file_delete {
	struct store_job job;
	int64_t          owner;
	struct id        file;
	struct blob_name content; /* the engine's */
	bool             marked;  /* the engine's; false */
};

/* files_find: finds the owner's files by their ids.
 * Errors: NOT_FOUND; then `missing` is the index of the first id without a file. */
struct files_find {
	struct store_job job;
	int64_t          owner;
	const struct id *ids;
	size_t           count;
	bool             some; /* a missing file is no error; its entry in files has no id */
	struct arena     arena;
	/* out */
	struct store_file *files; /* in the order of ids */
	size_t             missing;
};

/* files_read: a list of files.  Errors: INVALID_VALUE "after": no such file. */
struct files_read {
	struct store_job job;
	int64_t          owner;
	struct id        after;     /* none: from the beginning, in the requested order */
	bool             ascending; /* oldest first */
	struct str       purpose;   /* empty: any */
	size_t           limit;
	struct arena     arena;
	/* out */
	struct store_file *files;
	size_t             file_count;
	bool               has_more;
};
