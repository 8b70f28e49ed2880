/* contents: what uploaded files have in them, in the database, in parts of 256 KiB, or in a bucket.
 *
 * The row of a content says where it is (`place`), and reading follows the row; an option decides about new
 * contents.  Workers wait here for the server and for the bucket. */
#pragma once

#include "base/hash.h"
#include "store/blob.h"
#include "store/postgres/link.h"

struct contents;

struct store_options;

/* contents_open: *ret is owned; so is *ret_blobs, which lives no longer.  target and the options' bucket are
 * borrowed.  serves: objects that nobody has are removed from the bucket. */
enum errc contents_open(const struct link_target *target, const struct store_options *o,
			bool serves, struct contents **ret, struct blobs **ret_blobs,
			struct err *e) MUST_USE;
void      contents_close(struct contents *c); /* NULL is fine */

/* lend: connections for threads that may wait for the server: two at most.  They are made when they are needed;
 * one is kept.
 *
 * Threads: any. */
struct lend;

struct lend *lend_create(
	const struct link_target *target); /* owned; borrows target; NULL: no memory */
void lend_destroy(struct lend *d);         /* NULL is fine */

/* lend_do: calls `on` with a connection.  `on` returns false if something has failed: then e says what, or else
 * is as it was, and the link's fault says it.  A kept connection may have been lost long ago, and the server
 * may end one of two transactions that wait for each other, so `on` may be called again, and must begin anew.
 * Who finds both in use waits for five minutes; unwanted jobs (loop/work.h) do not.  `on` must not call lend_do.
 * Errors: STORAGE, OVERLOADED; those of `on`. */
enum errc lend_do(struct lend *d, bool (*on)(struct link *l, void *arg, struct err *e), void *arg,
		  struct err *e) MUST_USE;
/* lend_await: sends what was asked, and waits for it. */
bool lend_await(struct link *l) MUST_USE;

/* objects: contents of files that are in a bucket (upstream/bucket.h) and not in the database.
 *
 * Each upload makes an object of its own: its name is the content's SHA-256 and a random number that no other
 * object ever gets.  A content that is there already is not uploaded again.  Every object has a row in the
 * database from before its first byte until after its removal:
 *
 *                         PUT                     last file is deleted
 *     content_object  ------------>   content   ----------------------->   content_object
 *     (announced: goes                (place: the                          (gone: goes now)
 *     in an hour)                     number)
 *
 * - A gateway that is killed during a PUT, or after it, leaves an announced object, which any gateway removes
 *   an hour later.  No PUT takes so long with all its tries (LIMIT_BUCKET_MS), so none ends after the removal.
 * - A gateway that is killed between the deletion of a file and the removal of the object leaves the row, and
 *   another one removes the object.
 * - A content that is deleted at one gateway while another one uploads the same: the new object has another
 *   number, so a removal that comes late does not meet it.
 * - An upload that ends when its object is being removed, or was (a clock or a machine stood still), fails, and
 *   its row says that the object goes now: a new row, if the removal has forgotten the old one.  A removal
 *   forgets only the row that it claimed: the time in the row is another one after each claim and each
 *   upload.
 * - Two uploads of one content at once: one object gets the content's row, the other one goes at once.
 *
 * Threads: any that may wait for the server, but for objects_create and objects_destroy. */
struct bucket;
struct objects;

/* objects_create: bucket and lend are borrowed.  sweep: a thread removes objects that nobody has, also those
 * that other gateways have left.  *ret is owned.  Errors: OVERLOADED, STORAGE. */
enum errc objects_create(struct bucket *bucket, struct lend *lend, bool sweep, struct objects **ret,
			 struct err *e) MUST_USE;
void      objects_destroy(struct objects *o); /* ends requests to the bucket; NULL is fine */

/* objects_put: makes the content of the file's bytes, if there is none.  objects_get: writes the object of a
 * content to the file. */
enum errc objects_put(struct objects *o, int fd, const unsigned char sha256[HASH_BYTES],
		      struct err *e) MUST_USE;
enum errc objects_get(struct objects *o, int fd, const unsigned char sha256[HASH_BYTES],
		      int64_t number, int64_t bytes, struct err *e) MUST_USE;
