/* writer: the one thread that writes.  It takes all jobs that wait (up to LIMIT_STORE_BATCH) into
 * one transaction: the commit in progress is the time in which the next batch gathers. */
#pragma once

#include "store/sqlite/checkpoint.h"
#include "store/sqlite/chores.h"
#include "store/sqlite/moved.h"
#include "store/sqlite/search/search.h"
#include "store/store.h"

struct writer;

/* What a writer works with; all borrowed until writer_destroy. */
struct writer_parts {
	struct session    *session; /* its thread's alone, from writer_start on */
	struct chores     *chores;
	struct checkpoint *checkpoint;
	struct search     *search;
	struct moved      *moved;
};

/* writer_create: busy_ms: how long to wait for locks.  writer_start: the thread. */
enum errc writer_create(const struct writer_parts *parts, int64_t busy_ms, struct writer **ret,
			struct err *e) MUST_USE;
enum errc writer_start(struct writer *w, struct err *e) MUST_USE;
/* writer_destroy: after everything queued was done. */
void writer_destroy(struct writer *w);

/* writer_add: false when as many as its kind's bound wait.  Any thread. */
bool writer_add(struct writer *w, struct store_job *job) MUST_USE;
/* writer_wake: there is something else to look at: a chore, or that the files are gone.  Any thread. */
void writer_wake(void *writer);
void writer_stats(struct writer *w, struct store_stats *ret);
