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
#pragma once

#include "base/hash.h"
#include "store/postgres/lend.h"

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
