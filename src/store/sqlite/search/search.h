/* search: the thread that fills the search index, behind the writes and at its own pace.
 *
 *   writer --row in search_queue--> commit --wake--> store-indexer --batch--> index file
 *      ^                                                                        |
 *      +--------- clears the queue up to seq <-------- once it is on the disk --+
 *
 * Killed at any point: what was not committed in the index is still in the queue; what was, is
 * known there and not put in twice.  Trouble with the index file never reaches a turn. */
#pragma once

#include "base/err.h"
#include "store/store.h"

struct search;

/* search_create: for the database at path (absolute); the index lies beside it. */
enum errc search_create(const char *path, int64_t busy_ms, struct search **ret,
			struct err *e) MUST_USE;
/* search_start: the thread; settled(arg, seq) is called on it: the queue up to there is not needed
 * any more. */
enum errc search_start(struct search *s, void (*settled)(void *arg, int64_t seq), void *arg,
		       struct err *e) MUST_USE;
/* search_stop: takes up what waits, if that is little, and ends the thread.  NULL is fine. */
void search_stop(struct search *s);
void search_destroy(struct search *s);

/* search_wake: there is something in the queue.  Any thread; cheap. */
void search_wake(struct search *s);
/* search_give_way: whether the database's log has grown long and waits for a moment in which nobody
 * reads; the index then holds still for a while.  Any thread; cheap. */
void search_give_way(struct search *s, bool now);
/* search_damaged: a reader found the file damaged: it is made anew.  Any thread. */
void search_damaged(struct search *s);
/* search_ready: the file is known to belong to this database as it is.  Any thread. */
bool search_ready(struct search *s);
/* search_in_trouble: the last try to use the file failed.  Any thread. */
bool        search_in_trouble(struct search *s);
const char *search_path(const struct search *s); /* of the index file */
void        search_stats(struct search *s, struct store_stats *ret);
