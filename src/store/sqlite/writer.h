/* writer: the one thread that writes.  It takes all jobs that wait (up to LIMIT_STORE_BATCH) into
 * one transaction: the commit in progress is the time in which the next batch gathers. */
#pragma once

#include "store/blob.h"
#include "store/key_ring.h"
#include "store/sqlite/checkpoint.h"
#include "store/sqlite/moved.h"
#include "store/sqlite/search/search.h"
#include "store/store.h"

#include <sqlite3.h>

struct writer;

/* What a writer works with; all borrowed until writer_destroy, db is its alone. */
struct writer_parts {
	sqlite3           *db;
	struct checkpoint *checkpoint;
	struct blobs      *blobs;
	struct search     *search;
	struct key_ring   *ring;
	struct moved      *moved;
};

/* writer_create: of o, how long to wait for locks and what to keep; its path is the absolute one.
 * beside: another process's runs go on. */
enum errc writer_create(const struct writer_parts *parts, const struct store_options *o, bool beside,
                        struct writer **ret, struct err *e) MUST_USE;
/* writer_destroy: after everything queued was done. */
void writer_destroy(struct writer *w);

/* writer_add: false when the queue is full and the job starts something: what goes on with
 * a turn always finds a place, as their number is bounded by the turns let in.  Any thread. */
bool writer_add(struct writer *w, struct store_job *job) MUST_USE;
/* Beside another process (see store.h).  writer_rest: no sweeping and clearing, until it is taken
 * back.  writer_beside: whether another's runs go on; they are ended when it has, where the lock was
 * given not before writer_taken. */
void writer_rest(struct writer *w, bool on);
void writer_taken(struct writer *w);
bool writer_beside(struct writer *w);
/* writer_settled: the search index needs its queue up to seq no longer.  Any thread. */
void writer_settled(struct writer *w, int64_t seq);
/* writer_keys_used: keys were used, and that is to be stored.  Any thread. */
void writer_keys_used(struct writer *w);
/* writer_moved: the files were found gone: writing ends until they are back.  Any thread. */
void writer_moved(struct writer *w);
/* writer_usage: what a call has used; it is booked within a second or two.  Any thread. */
void writer_usage(struct writer *w, const struct usage_note *note);
void writer_stats(struct writer *w, struct store_stats *ret);
