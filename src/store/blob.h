/* blob: contents of files in a directory beside the database, each named by its SHA-256.
 *
 *   tmp/up-RANDOM           what is being written
 *   tmp/HASH-MARK           HASH may have no row yet, or none any more: looked at after a crash
 *   ab/cd/abcd…             a content
 *
 * A content is placed first and gets its row then; it is removed when its last row is gone.  Both
 * leave a mark before and take it away after, so that a start looks at marks alone and not at every
 * content.
 *
 * Threads: everything here waits for the disk: never on a loop.  One blob_write is one thread's at
 * a time; the functions on struct blobs are any thread's. */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"

#include <limits.h>

struct blobs;
struct blob_write;

/* What names a content, and the mark that was left for it. */
struct blob_name {
	unsigned char sha256[HASH_BYTES];
	uint64_t      mark;
};

/* blobs_open: `database`.files; the directory itself is made with the first content. */
enum errc blobs_open(const char *database, struct blobs **ret, struct err *e) MUST_USE;
void      blobs_destroy(struct blobs *b);
OWNABLE(blobs);

/* blob_begin: *ret is owned.  Errors: STORAGE, OVERLOADED (memory). */
enum errc blob_begin(struct blobs *b, struct blob_write **ret, struct err *e) MUST_USE;
enum errc blob_add(struct blob_write *w, struct str bytes, struct err *e) MUST_USE;
/* blob_place: what was added is on the disk under its name, and marked. */
enum errc blob_place(struct blob_write *w, struct blob_name *ret, struct err *e) MUST_USE;
/* blob_write_destroy: what was not placed is gone. */
void blob_write_destroy(struct blob_write *w);

/* blob_scratch: a file without a name, on the same disk, to be written and read; *ret_fd is owned, and
 * its content goes with it.  Errors: STORAGE. */
enum errc blob_scratch(struct blobs *b, int *ret_fd, struct err *e) MUST_USE;

/* blob_open: *ret_fd is owned.  Errors: STORAGE (also when it is not there). */
enum errc blob_open(struct blobs *b, const unsigned char sha256[HASH_BYTES], int *ret_fd,
		    struct err *e) MUST_USE;

/* blob_path: where a content is, or would be.  blob_make_place: makes the directories up to there;
 * false: the disk refused it (errno). */
void blob_path(const struct blobs *b, const unsigned char sha256[HASH_BYTES], char ret[PATH_MAX]);
bool blob_make_place(struct blobs *b, const unsigned char sha256[HASH_BYTES]) MUST_USE;

/* For the engine, on one thread. */
bool blob_exists(struct blobs *b, const unsigned char sha256[HASH_BYTES]);
bool blob_mark(struct blobs *b, struct blob_name *name); /* makes name->mark */
/* blob_settle: takes the mark away; keep false: the content too. */
void blob_settle(struct blobs *b, const struct blob_name *name, bool keep);
/* blob_sweep: at start: removes what was being written, and asks of each marked content whether it
 * has a row (true, too, where that can't be told). */
void blob_sweep(struct blobs *b, bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]),
		void         *arg);
