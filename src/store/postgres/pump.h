/* pump: the store's thread.  It takes jobs from queues, does them as works (work.h) on a few connections, and
 * moves the bytes of all connections; it waits in one poll. */
#pragma once

#include "store/postgres/work.h"
#include "store/store.h"

/* queues: the way of jobs from the loops to the store's thread, and of reads' answers back.
 *
 * Any thread adds jobs; the store's thread alone takes them out.  Answers of reads that their loops have not
 * handled yet limit further reads: by their number (queues_add refuses) and by their bytes (queues_read gives
 * none).  The queues live on until the last of them was handled. */
enum queue {
	QUEUE_TURNS, /* writes that are durable when they are answered */
	QUEUE_LOG,   /* the event log and budgets, whose commits do not wait for the disk; chores */
	QUEUE_INDEX, /* the index of searches; chores alone */
	QUEUE_SEARCH,
	QUEUE_READ,
	QUEUE__COUNT
};

static inline bool queue_reads(enum queue n)
{
	return n == QUEUE_READ || n == QUEUE_SEARCH;
}

struct queues;

/* queues_create: owned; NULL: no memory, or no descriptors.  queues_release: the store's thread is over. */
struct queues *queues_create(void);
void           queues_release(struct queues *q);

/* --- any thread --- */

/* queues_add: lends the job until it is answered; false: as many as the bound of its kind wait. */
bool queues_add(struct queues *q, struct store_job *job) MUST_USE;
/* queues_stop: the thread does what is queued, and ends; nothing is added any more. */
void queues_stop(struct queues *q);
/* queues_writes: how many writes wait. */
size_t queues_writes(struct queues *q);

/* --- the store's thread --- */

/* queues_fd: readable after jobs were added, until queues_woken was called. */
int  queues_fd(const struct queues *q);
void queues_woken(struct queues *q);
bool queues_stopping(struct queues *q);
bool queues_empty(struct queues *q);

/* queues_read: the next read; NULL: none waits, or too many bytes of answers do. */
struct store_job *queues_read(struct queues *q, enum queue n);
/* queues_take: takes jobs out from the front while `take` keeps them. */
void queues_take(struct queues *q, enum queue n, bool (*take)(void *arg, struct store_job *job),
		 void *arg);
/* queues_pick: takes out every job that `picked` names; a list chained by next, in the queue's order. */
struct store_job *queues_pick(struct queues *q, enum queue n,
			      bool (*picked)(const struct store_job *job));
/* queues_answer: a read is done, whatever became of it. */
void queues_answer(struct queues *q, struct store_job *job);

struct postgres;
struct pump;

/* A work that the pump begins by itself, at the latest `every_ms` after its last end. */
enum { PUMP_CHORES = 32 };

struct pump_chore {
	struct work_kind kind;
	enum queue       queue;
	int64_t          every_ms;
	/* wanted: NULL: always. */
	bool (*wanted)(struct postgres *db);
	bool last; /* done once more at the end, if it is wanted */
};

/* pump_create: connects to the database and starts the thread, which reads db->pump; chores: a table that ends
 * with a row without step, at most PUMP_CHORES before it.  db->pump is owned. */
enum errc pump_create(struct postgres *db, const struct pump_chore *chores, struct err *e) MUST_USE;
/* pump_destroy: does all queued jobs, and ends the thread. */
void pump_destroy(struct pump *p);

bool pump_add(struct pump *p, struct store_job *job) MUST_USE;
void pump_stats(struct pump *p, struct store_stats *ret);
/* pump_figures: the sizes in pump_stats from now on; on the store's thread. */
void pump_figures(struct pump *p, const struct store_stats *figures);
