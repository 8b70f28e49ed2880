/* Group commit: whole batches of jobs in one transaction, answered when it is durable.
 *
 *   writer_add --> queue --writer_take--> batch --one transaction--> answers, each on its loop
 *
 * An empty batch is a probe.  With probes, the writer tries a failed disk again, and writes
 * unfinished ends (salvage.h) while no job comes.  Chores (chores.h) run between two batches. */

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "store/store.h"
#include "store/common/thread.h"
#include "store/sqlite/op.h"
#include "store/common/salvage.h"
#include "store/sqlite/threads.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum {
	PROBE_MS = 1000,    /* interval of probes of a failed disk while no job comes */
	HASTE_MS = 50,      /* longest wait for a lock after a failure, so that jobs fail fast */
	LOCK_RETRY_MS = 10, /* longest pause between two tries for a lock */
};

struct writer {
	/* Used by the writer's thread alone. */
	struct writer_parts parts;
	int64_t             busy_ms;
	int64_t             lock_deadline_us;
	struct wal          wal;
	bool                writable;
	bool                started;
	pthread_t           thread;

	pthread_mutex_t    lock; /* guards what is below */
	pthread_cond_t     wake;
	struct store_job  *first;
	struct store_job **end;
	size_t             waiting;
	bool               stopping;
	struct store_stats stats;
};

/* --- state that other threads see --- */

static uint64_t count_begins(const struct batch *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->count; i++)
		n += b->jobs[i]->kind->job == JOB_TURN_BEGIN && b->jobs[i]->err.code == ERR_OK;
	return n;
}

static void count_batch(struct writer *w, const struct batch *b, int rc)
{
	bool was = w->writable;

	w->writable = rc == SQLITE_OK;
	w->parts.chores->writable = w->writable;
	pthread_mutex_lock(&w->lock);
	w->stats.writable = w->writable;
	w->stats.unfinished = w->parts.session->unfinished->end_count;
	w->stats.log_bytes = w->wal.bytes;
	if (rc == SQLITE_OK) {
		w->stats.problem[0] = '\0';
		w->stats.reason = "";
		w->stats.commits++;
		w->stats.commit_us += (uint64_t)b->commit_us;
		metric_observe(METRIC_DB_TRANSACTION, (const char *[]){ "write", "", "" },
			       b->commit_us);
		w->stats.turns += count_begins(b);
	} else {
		memcpy(w->stats.problem, b->problem, sizeof b->problem);
		w->stats.reason = b->reason;
	}
	pthread_mutex_unlock(&w->lock);

	if (was && !w->writable)
		log_note(LOG_ERROR, "storage_failed", "%s", b->problem);
	if (!was && w->writable)
		log_note(LOG_INFO, "storage_recovered", "the database takes writes again");
}

/* count_events: a batch or a chore may have changed the log's size. */
static void count_events(struct writer *w)
{
	const struct events *ev = &w->parts.session->events;

	if (ev->written < 0)
		return;
	pthread_mutex_lock(&w->lock);
	w->stats.events_bytes = ev->written - ev->removed;
	pthread_mutex_unlock(&w->lock);
}

static int on_busy(void *arg, int tries)
{
	struct writer *w = arg;
	int64_t        now = clock_mono_us();

	if (w->wal.hasty)
		return 0;
	if (tries == 0) {
		int64_t ms = !w->writable && w->busy_ms > HASTE_MS ? HASTE_MS : w->busy_ms;

		w->lock_deadline_us = now + ms * 1000;
		pthread_mutex_lock(&w->lock);
		w->stats.busy++;
		pthread_mutex_unlock(&w->lock);
	}
	if (now >= w->lock_deadline_us)
		return 0;

	int ms = tries < LOCK_RETRY_MS ? tries + 1 : LOCK_RETRY_MS;
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
	return 1;
}

/* --- the thread --- */

static void do_batch(struct writer *w, struct batch *b)
{
	struct session *s = w->parts.session;

	count_batch(w, b, batch_run(b));
	for (struct store_job *job = b->done; job; job = job->next)
		if (op_of(job)->settle)
			op_of(job)->settle(s, job);
	answer_post(b->done);
}

/* probe_due: an empty batch is due, because ends are unfinished or the files have been found
 * moved. */
static bool probe_due(struct writer *w)
{
	return w->writable &&
	       (unfinished_count(w->parts.session->unfinished) > 0 || moved_is(w->parts.moved));
}

/* await_locked: sleeps until a job waits, or a chore or a probe is due.  After a sleep the thread
 * yields its core once: the loop that has submitted the job is in the middle of its turn, and if
 * both share a core, the loop submits the other jobs of this turn in time for the same commit. */
static void await_locked(struct writer *w)
{
	bool slept = false;

	while (!w->first && !w->stopping && w->writable && !probe_due(w)) {
		int64_t left = chores_left_ms(w->parts.chores);

		if (left == 0)
			return;
		if (left > 0)
			thread_wait_ms(&w->wake, &w->lock, left);
		else
			pthread_cond_wait(&w->wake, &w->lock);
		slept = true;
	}
	if (!w->first && !w->stopping && !w->writable)
		thread_wait_ms(&w->wake, &w->lock, PROBE_MS);
	if (!slept || w->stopping)
		return;
	pthread_mutex_unlock(&w->lock);
	sched_yield();
	pthread_mutex_lock(&w->lock);
}

/* take_locked: moves the first jobs that `wanted` accepts (NULL: all) into the batch, in their
 * order. */
static void take_locked(struct writer *w, struct batch *b, bool (*wanted)(struct store_job *job))
{
	struct store_job **at = &w->first;

	while (*at && b->count < LIMIT_STORE_BATCH) {
		struct store_job *job = *at;

		if (wanted && !wanted(job)) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		b->jobs[b->count++] = job;
		w->waiting--;
	}
	for (w->end = at; *w->end; w->end = &(*w->end)->next)
		;
}

/* writer_take: waits, and fills b with jobs.  Relaxed jobs (pieces of events) go first, in a commit
 * of their own, which waits for no sync.  They can't delay turns for long, because a loop submits
 * its next pieces only after the last ones are answered.  False: the writer is stopping, and no job
 * waits. */
static bool writer_take(struct writer *w, struct batch *b)
{
	b->count = 0;
	pthread_mutex_lock(&w->lock);
	await_locked(w);

	bool more = w->first || !w->stopping;
	take_locked(w, b, op_is_relaxed);
	if (b->count == 0)
		take_locked(w, b, NULL);
	pthread_mutex_unlock(&w->lock);
	return more;
}

/* scrub_soon: what somebody wrote was deleted, and stays in the log until it is emptied.  The text in the search queue
 * may have waited there for longer than for the emptying that follows the deletion, or be another process's. */
static void scrub_soon(struct writer *w)
{
	w->parts.session->erased = false;
	w->parts.session->search.cleared = false;
	wal_scrub_again(&w->wal);
	chores_call(w->parts.chores, CHORE_SCRUB, clock_mono_us() + SCRUB_MS * (int64_t)1000);
}

/* tell_search: chores remove messages, too. */
static void tell_search(struct writer *w)
{
	struct search_queue *q = &w->parts.session->search;

	if (q->noted > 0)
		search_wake(w->parts.search, q->noted, q->gone);
	search_queue_told(q);
}

static void *writer_serve(void *arg)
{
	struct writer *w = arg;
	struct batch   b = { .session = w->parts.session,
			     .search = w->parts.search,
			     .moved = w->parts.moved };

	while (writer_take(w, &b)) {
		if (b.count > 0 || !w->writable || probe_due(w))
			do_batch(w, &b);
		chores_run(w->parts.chores);
		tell_search(w);
		if (w->parts.session->erased || w->parts.session->search.cleared)
			scrub_soon(w);
		count_events(w);
		if (w->writable)
			wal_copy_back(&w->wal);
	}
	chores_last(w->parts.chores);
	return NULL;
}

/* --- outside --- */

enum errc writer_create(const struct writer_parts *parts, int64_t busy_ms, struct writer **ret,
			struct err *e)
{
	struct writer *w = calloc(1, sizeof *w);

	if (!w)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->wake);
	w->parts = *parts;
	w->busy_ms = busy_ms;
	w->end = &w->first;
	w->writable = true;
	w->stats.writable = true;
	w->stats.reason = "";

	sqlite3 *db = parts->session->conn->db;
	int      rc = db_exec(db, "PRAGMA secure_delete = ON"); /* deleted content is overwritten */
	if (rc != SQLITE_OK) {
		db_fail(db, rc, sqlite3_db_filename(db, "main"), "set up", e);
		writer_destroy(w);
		return e->code;
	}
	wal_watch(&w->wal, db, parts->checkpoint, parts->search);
	(void)sqlite3_busy_handler(db, on_busy, w);
	parts->chores->state[CHORE_SCRUB].subject = &w->wal;
	*ret = w;
	return ERR_OK;
}

enum errc writer_start(struct writer *w, struct err *e)
{
	w->started = thread_start(&w->thread, "store-writer", writer_serve, w, e) == ERR_OK;
	return w->started ? ERR_OK : e->code;
}

void writer_destroy(struct writer *w)
{
	if (!w)
		return;
	if (w->started) {
		pthread_mutex_lock(&w->lock);
		w->stopping = true;
		pthread_cond_signal(&w->wake);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
	}
	wal_unwatch(&w->wal);
	(void)sqlite3_busy_handler(w->parts.session->conn->db, NULL, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

bool writer_add(struct writer *w, struct store_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&w->lock);
	bool room = job->kind->bound == 0 || w->waiting < job->kind->bound;
	bool first = room && w->waiting == 0;

	if (room) {
		*w->end = job;
		w->end = &job->next;
		w->waiting++;
	}
	pthread_mutex_unlock(&w->lock);
	if (first) /* not before: the thread would wake to wait for the lock */
		pthread_cond_signal(&w->wake);
	return room;
}

void writer_wake(void *arg)
{
	struct writer *w = arg;

	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void writer_stats(struct writer *w, struct store_stats *ret)
{
	pthread_mutex_lock(&w->lock);
	*ret = w->stats;
	ret->queue = w->waiting;
	pthread_mutex_unlock(&w->lock);
	/* The writer itself may notice this late, while it is in a long transaction. */
	if (ret->writable && moved_is(w->parts.moved)) {
		ret->writable = false;
		ret->reason = db_reason(SQLITE_READONLY_DBMOVED);
	}
}
