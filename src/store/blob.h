/* blob: contents of files in a directory beside the database, each named by its SHA-256.
 *
 *   tmp/up-RANDOM           a content that is being written
 *   tmp/HASH-MARK           a mark: the content HASH may have no row; checked after a crash
 *   ab/cd/abcd…             a content
 *
 * A content is placed before its row is written, and removed after its last row is gone.  In both
 * cases, a mark is made before and removed after, so that a start checks the marked contents only.
 *
 * Threads: all functions wait for the disk, so none is for loops.  A blob_write belongs to one
 * thread at a time; functions on struct blobs may be called by any thread. */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"

#include <limits.h>

struct blobs;
struct blob_write;

/* The name of a content, and the number of its mark. */
struct blob_name {
	unsigned char sha256[HASH_BYTES];
	uint64_t      mark;
};

/* Another place for contents than a directory.  Any thread; arg is borrowed. */
struct blob_keep {
	/* put: stores what the file has, from its beginning on.  get: writes a content to the file. */
	enum errc (*put)(void *arg, int fd, const unsigned char sha256[HASH_BYTES], struct err *e);
	enum errc (*get)(void *arg, int fd, const unsigned char sha256[HASH_BYTES], struct err *e);
	void *arg;
};

/* blobs_open: for the directory `database`.files, which is created with the first content; a database on a
 * server has no such directory, and only blob_scratch can be used.  blobs_open_kept: for contents that `keep`
 * has; there are no marks and no paths.  *ret is owned. */
enum errc blobs_open(const char *database, struct blobs **ret, struct err *e) MUST_USE;
enum errc blobs_open_kept(const struct blob_keep *keep, struct blobs **ret, struct err *e) MUST_USE;
void      blobs_destroy(struct blobs *b);
OWNABLE(blobs);

/* blob_begin: *ret is owned.  Errors: STORAGE, OVERLOADED (memory). */
enum errc blob_begin(struct blobs *b, struct blob_write **ret, struct err *e) MUST_USE;
enum errc blob_add(struct blob_write *w, struct str bytes, struct err *e) MUST_USE;
/* blob_place: puts the added bytes under their name, synced and with a mark. */
enum errc blob_place(struct blob_write *w, struct blob_name *ret, struct err *e) MUST_USE;
/* blob_write_destroy: also removes the bytes, unless they were placed. */
void blob_write_destroy(struct blob_write *w);

/* blob_scratch: a file without a name on the same file system, or that of temporary files, for writing and reading.  *ret_fd is
 * owned; the file's content is gone when it is closed.  Errors: STORAGE. */
enum errc blob_scratch(struct blobs *b, int *ret_fd, struct err *e) MUST_USE;

/* blob_open: opens a content for reading; *ret_fd is owned.  Errors: STORAGE (FAULT_MISSING: there is no
 * such content). */
enum errc blob_open(struct blobs *b, const unsigned char sha256[HASH_BYTES], int *ret_fd,
		    struct err *e) MUST_USE;

/* blob_path: the path that a content has or would have.  blob_make_place: creates the directories
 * of this path; false: the file system refused (errno). */
void blob_path(const struct blobs *b, const unsigned char sha256[HASH_BYTES], char ret[PATH_MAX]);
bool blob_make_place(struct blobs *b, const unsigned char sha256[HASH_BYTES]) MUST_USE;

/* For the engine only, on one thread. */
bool blob_exists(struct blobs *b, const unsigned char sha256[HASH_BYTES]);
bool blob_mark(struct blobs *b, struct blob_name *name); /* makes a mark, and sets name->mark */
/* blob_settle: removes the mark and, if keep is false, the content. */
void blob_settle(struct blobs *b, const struct blob_name *name, bool keep);
/* blob_sweep: at start: removes unfinished writes, and settles each marked content.  keep: whether
 * the content has a row; true also if this can't be found out. */
void blob_sweep(struct blobs *b, bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]),
		void         *arg);
