/* writer: the only thread of the process that writes to the database.  All waiting jobs (at most
 * LIMIT_STORE_BATCH) become one transaction; the next batch gathers while a commit is in
 * progress. */
#pragma once

#include "store/sqlite/checkpoint.h"
#include "store/sqlite/chores.h"
#include "store/sqlite/moved.h"
#include "store/sqlite/search/search.h"
#include "store/store.h"

struct writer;

/* Parts that a writer works with; all borrowed until writer_destroy. */
struct writer_parts {
	struct session    *session; /* used by the writer's thread alone, from writer_start on */
	struct chores     *chores;
	struct checkpoint *checkpoint;
	struct search     *search;
	struct moved      *moved;
};

/* writer_create: *ret is owned.  busy_ms: how long a transaction waits for the lock of another
 * process.  writer_start starts the thread.  Errors: STORAGE. */
enum errc writer_create(const struct writer_parts *parts, int64_t busy_ms, struct writer **ret,
			struct err *e) MUST_USE;
enum errc writer_start(struct writer *w, struct err *e) MUST_USE;
/* writer_destroy: does all queued jobs and ends the thread first.  NULL is fine. */
void writer_destroy(struct writer *w);

/* writer_add: queues a job, lent until it is answered; false: as many jobs wait as the bound of its
 * kind allows.  Any thread. */
bool writer_add(struct writer *w, struct store_job *job) MUST_USE;
/* writer_wake: wakes the thread without a job: a chore may be due, or the database's files have
 * been found moved.  Any thread. */
void writer_wake(void *writer);
/* writer_stats: fills in what the writer knows.  Any thread. */
void writer_stats(struct writer *w, struct store_stats *ret);
