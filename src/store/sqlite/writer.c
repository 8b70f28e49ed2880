/* Group commit: whole batches of turns in one transaction, answered when it is durable. */
#include "store/sqlite/writer.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "store/sqlite/answer.h"
#include "store/sqlite/api_key_write.h"
#include "store/sqlite/archive_rows.h"
#include "store/sqlite/completion_write.h"
#include "store/sqlite/conversations.h"
#include "store/sqlite/file_write.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/recover.h"
#include "store/sqlite/salvage.h"
#include "store/sqlite/sweep.h"
#include "store/sqlite/kit/thread.h"
#include "store/sqlite/turn.h"
#include "store/sqlite/usage_gather.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
	PROBE_MS = 1000,    /* how often a failed disk is tried again while nothing else does */
	HASTE_MS = 50,      /* wait for a lock while it is known to be stuck: jobs fail fast then */
	LOCK_RETRY_MS = 10, /* longest pause between two tries for a lock */
	WAL_FRAME_HEADER = 24,
	/* A step of retention holds a turn up for a millisecond at most, and takes a fifth of the
	 * thread at most. */
	SWEEP_AGAIN_MS = 5,
	SWEEP_REST_MS = 1000,
	/* Of logs and answers of runs without an end, in one transaction, or a little more: what a
	 * disk has no room for must not keep all else from it. */
	LOST_BYTES = 1024 * 1024,
	/* And as much of the search index's queue, where that is long. */
	CLEAR_AGAIN_MS = 5,
	/* What was used is written so long after the first of it, and reservations that nobody has settled
	 * are looked for so often. */
	BOOKS_MS = 1000,
	BOOKS_REST_MS = 60 * 1000,
	OTHERS_MS = 100, /* how often is looked whether the process beside has ended */
};

/* A call that goes on for so long does not: its reservation was left behind. */
#define RESERVATION_MS ((int64_t)24 * 60 * 60 * 1000)

/* From here on the log is to start over soon. */
#define LONG_WAL (4 * (int64_t)LIMIT_STORE_WAL)

enum writer_sql { BEGIN, COMMIT, PUT_PROBE, CLEAR_PROBE, WRITER_SQL__COUNT };

static const char *const sql[WRITER_SQL__COUNT] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	/* About as much room as a batch needs, so that success means something. */
	[PUT_PROBE] = "INSERT OR REPLACE INTO probe (id, data) VALUES (1, zeroblob(65536))",
	[CLEAR_PROBE] = "DELETE FROM probe",
};

struct writer {
	/* The thread's own. */
	sqlite3           *db;         /* borrowed */
	struct checkpoint *checkpoint; /* borrowed */
	sqlite3_stmt      *st[WRITER_SQL__COUNT];
	struct turns       turns;
	struct conversations conversations;
	struct file_write  files;
	struct archive_rows archives;
	struct completion_writes completions;
	struct api_key_writes keys;
	struct key_ring   *ring; /* borrowed */
	struct moved      *moved; /* borrowed */
	struct salvage     salvage;
	struct sweep       sweep;
	int64_t            sweep_us;     /* when the next step is due */
	bool               sweep_failed; /* and was said */
	struct search     *search;       /* borrowed */
	int64_t            cleared;      /* its queue is, up to here */
	struct store_options options;    /* for runs of a process beside; its path is borrowed */
	int64_t           *own;          /* owned; runs that began here while there is one */
	size_t             own_count;
	size_t             own_cap;
	bool               own_lost;     /* some could not be noted: others' are left to the next start */
	int64_t            others_us;    /* when to look for it */
	atomic_bool        beside;
	atomic_bool        early;        /* it serves still, and may go on with that */
	atomic_bool        resting;
	int64_t            clear_us;     /* when the next step is due */
	bool               clear_failed; /* and was said */
	bool               relaxed;      /* commits don't wait for the disk */
	int64_t            busy_ms;
	int64_t            lock_deadline_us;
	int64_t            page_bytes;
	int64_t            wal_bytes;
	int64_t            wal_mark; /* size at which the next checkpoint is wanted */
	struct turn_lost  *lost;     /* owned */
	size_t             lost_count;
	size_t             lost_cap;
	size_t             lost_done; /* in this transaction, from the front */
	struct usage_note *owed;      /* owned; reservations whose settlement could not be written */
	size_t             owed_count;
	size_t             owed_cap;
	size_t             owed_done; /* in this transaction, from the front */
	struct usage_gather *usage;   /* owned */
	bool               books_failed; /* and was said */
	bool               writable;
	bool               started;
	pthread_t          thread;

	pthread_mutex_t    lock; /* guards what is below */
	pthread_cond_t     wake;
	struct store_job  *first;
	struct store_job **end;
	size_t             waiting;
	bool               stopping;
	int64_t            settled; /* of the search index's queue */
	bool               keys_used; /* and it is to be stored when */
	int64_t            books_us;  /* when usage is to be written */
	struct store_stats stats;
};

struct batch {
	struct store_job  *jobs[LIMIT_STORE_BATCH];
	size_t             count;
	struct store_job  *done; /* all of them, in the end, in the order of their ends */
	struct store_job **done_end;
	char               problem[sizeof(((struct store_stats *)0)->problem)];
	const char        *reason; /* likewise */
	int64_t            commit_us;
};

/* --- one transaction --- */

static void remember_lost(struct writer *w, struct turn_end *j)
{
	j->later = true;
	if (w->lost_count == w->lost_cap) {
		size_t            cap = w->lost_cap ? 2 * w->lost_cap : 64;
		struct turn_lost *grown = realloc(w->lost, cap * sizeof *grown);

		if (!grown)
			return; /* the next start finds the run */
		w->lost = grown;
		w->lost_cap = cap;
	}
	w->lost[w->lost_count++] = (struct turn_lost){
		.run = j->run,
		.completed_ms = j->completed_ms,
		.last_seq = j->last_seq,
		.usage = j->usage,
		.first_token_ms = j->first_token_ms,
		.attempts = j->attempts,
		.costs = j->costs,
		.cost_nano = j->cost_nano,
		.bound = j->keyed && j->key_answer.http != 0,
	};
	if (j->note) {
		w->lost[w->lost_count - 1].noted = true;
		w->lost[w->lost_count - 1].note = *j->note;
	}
}

static void remember_owed(struct writer *w, const struct usage_note *note)
{
	if (w->owed_count == w->owed_cap) {
		size_t             cap = w->owed_cap ? 2 * w->owed_cap : 64;
		struct usage_note *grown = realloc(w->owed, cap * sizeof *grown);

		if (!grown)
			return; /* the next start finds the reservation, or a sweep */
		w->owed = grown;
		w->owed_cap = cap;
	}
	w->owed[w->owed_count++] = *note;
}

static void forget_owed(struct writer *w, size_t at, size_t n)
{
	w->owed_count -= n;
	memmove(&w->owed[at], &w->owed[at + n], (w->owed_count - at) * sizeof *w->owed);
}

static int settle_owed(struct writer *w)
{
	int rc = SQLITE_OK;

	for (w->owed_done = 0; rc == SQLITE_OK && w->owed_done < w->owed_count; w->owed_done++)
		rc = budgets_settle(&w->turns.budgets, &w->owed[w->owed_done]);
	if (rc != SQLITE_OK && db_own_fault(rc))
		forget_owed(w, w->owed_done - 1, 1);
	return rc;
}

/* The answer to a key tells no more than the conversations' ids: it goes with none of them. */
static int write_archive(struct writer *w, struct archive_write *j)
{
	struct claims     *claims = &w->turns.claims;
	struct claim_thing thing = { .owner = j->owner, .now_ms = j->now_ms, .job = &j->job };
	int                rc = claim_replay(claims, j->owner, &j->made, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->made.replayed)
		return rc;
	rc = archive_rows_write(&w->archives, j);
	return rc == SQLITE_OK && j->job.err.code == ERR_OK ? claim_made(claims, &thing, &j->made) : rc;
}

/* note_own: a run, or a key of a call, that began here: not one of the process beside. */
static void note_own(struct writer *w, int64_t key)
{
	if (!atomic_load_explicit(&w->beside, memory_order_relaxed))
		return;
	if (w->own_count == w->own_cap) {
		size_t   cap = w->own_cap ? 2 * w->own_cap : 256;
		int64_t *grown = realloc(w->own, cap * sizeof *grown);

		w->own_lost |= !grown;
		if (!grown)
			return;
		w->own = grown;
		w->own_cap = cap;
	}
	w->own[w->own_count++] = key;
}

static void note_begun(struct writer *w, struct store_job *job)
{
	if (job->kind->job == JOB_TURN_BEGIN)
		note_own(w, container_of(job, struct turn_begin, job)->run.key);
	else if (job->kind->job == JOB_KEY_KEEP)
		note_own(w, container_of(job, struct key_keep, job)->run.key);
	else if (job->kind->job == JOB_BUDGET_RESERVE)
		note_own(w, container_of(job, struct budget_reserve, job)->run.key);
}

static int run_job(struct writer *w, struct store_job *job)
{
	job->err = (struct err){ .code = ERR_OK };
	note_begun(w, job);
	switch (job->kind->job) {
	case JOB_TURN_BEGIN:
		return turn_begin(&w->turns, container_of(job, struct turn_begin, job), &job->err);
	case JOB_TURN_END:
		return turn_end(&w->turns, container_of(job, struct turn_end, job), &job->err);
	case JOB_SEQ_RESERVE:
		return turn_reserve(&w->turns, container_of(job, struct seq_reserve, job),
		                    &job->err);
	case JOB_EVENTS_APPEND:
		return events_append(&w->turns.events,
		                     container_of(job, struct events_append, job));
	case JOB_CONVERSATION_WRITE:
		return conversations_write(&w->conversations,
		                           container_of(job, struct conversation_write, job));
	case JOB_KEY_KEEP:
		return claim_keep(&w->turns.claims, container_of(job, struct key_keep, job));
	case JOB_FILE_ADD:
		return file_write_add(&w->files, container_of(job, struct file_add, job), &job->err);
	case JOB_FILE_DELETE:
		return file_write_delete(&w->files, container_of(job, struct file_delete, job),
		                         &job->err);
	case JOB_ARCHIVE_WRITE:
		return write_archive(w, container_of(job, struct archive_write, job));
	case JOB_COMPLETION_WRITE:
		return completion_write(&w->completions,
		                        container_of(job, struct completion_write, job));
	case JOB_API_KEY_WRITE:
		return api_key_write_run(&w->keys, container_of(job, struct api_key_write, job));
	case JOB_BUDGET_RESERVE:
		return budgets_reserve(&w->turns.budgets,
		                       container_of(job, struct budget_reserve, job), &job->err);
	case JOB_BUDGET_SETTLE:
		return budgets_settle(&w->turns.budgets,
		                      &container_of(job, struct budget_settle, job)->note);
	case JOB_BRANCH_READ:
	case JOB_CONVERSATION_READ:
	case JOB_CONVERSATIONS_READ:
	case JOB_ITEM_READ:
	case JOB_ITEMS_READ:
	case JOB_RUN_READ:
	case JOB_RUNS_READ:
	case JOB_EVENTS_READ:
	case JOB_KEY_READ:
	case JOB_COMPLETION_READ:
	case JOB_COMPLETIONS_READ:
	case JOB_COMPLETION_MESSAGES_READ:
	case JOB_FILES_FIND:
	case JOB_FILES_READ:
	case JOB_ARCHIVE_READ:
	case JOB_API_KEYS_READ:
	case JOB_USAGE_READ:
	case JOB_SEARCH_READ:
	case JOB__COUNT:
		break;
	}
	CHECK(job->kind->lane == LANE_WRITE);
	return SQLITE_MISUSE;
}

static void forget_lost(struct writer *w, size_t at, size_t n)
{
	w->lost_count -= n;
	memmove(&w->lost[at], &w->lost[at + n], (w->lost_count - at) * sizeof *w->lost);
}

static int end_lost(struct writer *w)
{
	size_t bytes = 0;
	int    rc = SQLITE_OK;

	for (w->lost_done = 0; w->lost_done < w->lost_count && bytes < LOST_BYTES; w->lost_done++) {
		rc = salvage_lost(&w->salvage, &w->turns, &w->lost[w->lost_done]);
		bytes += w->salvage.bytes.len + w->salvage.answer.len;
		if (rc == SQLITE_OK)
			continue;
		if (db_own_fault(rc)) /* it would fail for ever; the next start finds the run */
			forget_lost(w, w->lost_done, 1);
		break;
	}
	salvage_begin(&w->salvage);
	return rc;
}

/* What is written to files that nobody finds again must not be acknowledged. */
static int commit(struct writer *w, int64_t *ret_us)
{
	if (moved_look(w->moved))
		return SQLITE_READONLY_DBMOVED;

	int64_t from = clock_mono_us();
	int     rc = db_run(w->st[COMMIT]);

	if (rc != SQLITE_OK)
		return rc;
	*ret_us = clock_mono_us() - from;
	if (w->lost_done > 0)
		forget_lost(w, 0, w->lost_done);
	w->lost_done = 0;
	if (w->owed_done > 0)
		forget_owed(w, 0, w->owed_done);
	w->owed_done = 0;
	if (w->turns.search.noted)
		search_wake(w->search);
	w->turns.search.noted = false;
	return SQLITE_OK;
}

/* Between transactions.  Relaxed commits outlive the process, not a power cut; the next one that is
 * not relaxed syncs them too.  Measured, for pieces of events alone: 40 instead of 170 microseconds
 * for one, 6 instead of 19 each for 8. */
static int set_relaxed(struct writer *w, bool relaxed)
{
	if (w->relaxed == relaxed)
		return SQLITE_OK;

	int rc = db_exec(w->db, relaxed ? "PRAGMA synchronous = NORMAL"
	                                : "PRAGMA synchronous = FULL");
	if (rc == SQLITE_OK)
		w->relaxed = relaxed;
	return rc;
}

static bool is_relaxed(struct store_job *job)
{
	return job->kind->job == JOB_EVENTS_APPEND && !container_of(job, struct events_append, job)->sync;
}

static bool may_relax(const struct writer *w, const struct batch *b)
{
	if (w->lost_count > 0 || w->owed_count > 0)
		return false;
	for (size_t i = 0; i < b->count; i++)
		if (!is_relaxed(b->jobs[i]))
			return false;
	return true;
}

/* Nothing that was learned in the transaction holds any longer. */
static void roll_back(struct writer *w)
{
	db_rollback(w->db);
	events_forget(&w->turns.events);
	w->turns.search.noted = false;
}

/* On an error *ret_at is the job it came from, or count: none of them. */
static int try_batch(struct writer *w, struct batch *b, size_t *ret_at)
{
	int rc = set_relaxed(w, may_relax(w, b));

	*ret_at = b->count;
	if (rc == SQLITE_OK)
		rc = db_run(w->st[BEGIN]);
	if (rc == SQLITE_OK)
		rc = events_refresh(&w->turns.events);
	if (rc != SQLITE_OK)
		return rc;
	for (size_t i = 0; i < b->count; i++) {
		rc = run_job(w, b->jobs[i]);
		if (rc != SQLITE_OK) {
			*ret_at = i;
			return rc;
		}
	}
	rc = end_lost(w);
	if (rc == SQLITE_OK)
		rc = settle_owed(w);
	if (rc == SQLITE_OK)
		rc = commit(w, &b->commit_us);
	return rc;
}

static void note_problem(const struct writer *w, struct batch *b, int rc)
{
	b->reason = db_reason(rc);
	if (rc == SQLITE_READONLY_DBMOVED)
		moved_problem(w->moved, b->problem, sizeof b->problem);
	else
		db_problem(w->db, rc, b->problem, sizeof b->problem);
}

static void finish_job(struct writer *w, struct batch *b, struct store_job *job, int rc)
{
	if (rc != SQLITE_OK) {
		db_refuse(rc, &job->err);
		if (job->kind->job == JOB_TURN_END)
			remember_lost(w, container_of(job, struct turn_end, job));
		if (job->kind->job == JOB_BUDGET_SETTLE)
			remember_owed(w, &container_of(job, struct budget_settle, job)->note);
	}
	job->next = NULL;
	*b->done_end = job;
	b->done_end = &job->next;
}

/* A job that can't be stored for its own sake is rare: it is taken out and the others, of which
 * nothing was kept, are done again without it.  Cheaper than a savepoint for each. */
static int run_batch(struct writer *w, struct batch *b)
{
	size_t at;
	size_t lost = w->lost_count + w->owed_count;
	int    rc = try_batch(w, b, &at);

	/* Without what was at fault: a job, or an end that was lost and is forgotten now. */
	while (rc != SQLITE_OK && db_own_fault(rc) &&
	       (at < b->count || w->lost_count + w->owed_count < lost)) {
		roll_back(w);
		if (at < b->count) {
			finish_job(w, b, b->jobs[at], rc);
			b->count--;
			memmove(&b->jobs[at], &b->jobs[at + 1], (b->count - at) * sizeof *b->jobs);
		}
		lost = w->lost_count + w->owed_count;
		rc = try_batch(w, b, &at);
	}
	if (rc != SQLITE_OK) {
		note_problem(w, b, rc);
		roll_back(w);
	}
	for (size_t i = 0; i < b->count; i++)
		finish_job(w, b, b->jobs[i], rc);
	return rc;
}

/* --- state that others see --- */

static void count(struct writer *w, const struct batch *b, uint64_t turns, int rc)
{
	bool was = w->writable;

	w->writable = rc == SQLITE_OK;
	pthread_mutex_lock(&w->lock);
	w->stats.writable = w->writable;
	w->stats.lost = w->lost_count;
	w->stats.wal_bytes = w->wal_bytes;
	if (rc == SQLITE_OK) {
		w->stats.problem[0] = '\0';
		w->stats.reason = "";
		w->stats.commits++;
		w->stats.commit_us += (uint64_t)b->commit_us;
		metric_observe(METRIC_DB_TRANSACTION, (const char *[]){ "write", "", "" }, b->commit_us);
		w->stats.turns += turns;
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

static uint64_t count_begins(const struct batch *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->count; i++)
		n += b->jobs[i]->kind->job == JOB_TURN_BEGIN && b->jobs[i]->err.code == ERR_OK;
	return n;
}

static int on_wal(void *arg, sqlite3 *db, const char *name, int frames)
{
	struct writer *w = arg;
	int64_t        bytes = frames * (w->page_bytes + WAL_FRAME_HEADER);

	(void)db;
	(void)name;
	if (bytes < w->wal_bytes)
		w->wal_mark = LIMIT_STORE_WAL; /* the log has started over */
	w->wal_bytes = bytes;
	search_give_way(w->search, bytes > LONG_WAL);
	if (bytes > w->wal_mark) {
		/* A reader may hold the log: try again when it has grown some more. */
		w->wal_mark = bytes + (bytes > LONG_WAL ? LIMIT_STORE_WAL / 8 : LIMIT_STORE_WAL);
		checkpoint_want(w->checkpoint);
	}
	return SQLITE_OK;
}

static int on_busy(void *arg, int tries)
{
	struct writer *w = arg;
	int64_t        now = clock_mono_us();

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

static void copy_back(struct writer *w)
{
	if (checkpoint_due(w->checkpoint))
		(void)sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* Before the answer: whoever is told that a key is revoked finds it refused.  Should memory be short,
 * the thread that looks for changes tries again. */
static void tell_ring(struct writer *w, const struct batch *b)
{
	for (const struct store_job *job = b->done; job; job = job->next)
		if (job->kind->job == JOB_API_KEY_WRITE && job->err.code == ERR_OK) {
			if (api_key_write_load(&w->keys, w->ring) != SQLITE_OK)
				log_note(LOG_WARN, "keys_failed", "a change of keys is not known yet");
			return;
		}
}

static void do_batch(struct writer *w, struct batch *b)
{
	b->done = NULL;
	b->done_end = &b->done;
	int rc = run_batch(w, b);

	count(w, b, count_begins(b), rc);
	for (struct store_job *job = b->done; job; job = job->next)
		file_write_settle(&w->files, job);
	tell_ring(w, b);
	answer_post(b->done);
	if (rc == SQLITE_OK)
		copy_back(w);
}

static void probe(struct writer *w, struct batch *b)
{
	int rc = set_relaxed(w, false);

	if (rc == SQLITE_OK)
		rc = db_run(w->st[BEGIN]);
	if (rc == SQLITE_OK)
		rc = events_refresh(&w->turns.events);
	if (rc == SQLITE_OK)
		rc = db_run(w->st[PUT_PROBE]);
	if (rc == SQLITE_OK)
		rc = end_lost(w);
	if (rc == SQLITE_OK)
		rc = settle_owed(w);
	if (rc == SQLITE_OK)
		rc = commit(w, &b->commit_us);
	if (rc == SQLITE_OK)
		rc = db_run(w->st[CLEAR_PROBE]);
	if (rc != SQLITE_OK) {
		note_problem(w, b, rc);
		roll_back(w);
	}
	count(w, b, 0, rc);
}

/* Milliseconds until a step of retention is due; -1: never. */
static int64_t sweep_left_ms(const struct writer *w)
{
	if (!sweep_wanted(&w->sweep) || !w->writable || atomic_load(&w->resting))
		return -1;

	int64_t left = w->sweep_us - clock_mono_us();
	return left > 0 ? (left + 999) / 1000 : 0;
}

/* One step.  That it failed is told once: turns meet what troubles the database as well. */
static void sweep_some(struct writer *w)
{
	bool again = false;
	bool keys_again = false;
	int  rc = set_relaxed(w, true);

	if (rc == SQLITE_OK)
		rc = sweep_step(&w->sweep, clock_wall_ms(), &again);
	if (rc == SQLITE_OK)
		rc = sweep_keys(&w->sweep, clock_wall_ms(), &keys_again);
	if (rc != SQLITE_OK && !w->sweep_failed) {
		char problem[160];

		db_problem(w->db, rc, problem, sizeof problem);
		log_note(LOG_ERROR, "sweep_failed", "old events or keys could not be removed: %s", problem);
	}
	w->sweep_failed = rc != SQLITE_OK;
	w->sweep_us = clock_mono_us() + (again || keys_again ? SWEEP_AGAIN_MS : SWEEP_REST_MS) * (int64_t)1000;
	copy_back(w);
}

/* Milliseconds until some of the search index's queue is to be cleared; -1: it is. */
static int64_t clear_left_ms_locked(const struct writer *w)
{
	if (w->settled <= w->cleared || !w->writable || atomic_load(&w->resting))
		return -1;

	int64_t left = w->clear_us - clock_mono_us();
	return left > 0 ? (left + 999) / 1000 : 0;
}

/* One step, relaxed: a crash leaves rows that the index knows already. */
static void clear_some(struct writer *w)
{
	bool again = false;

	pthread_mutex_lock(&w->lock);
	bool    due = clear_left_ms_locked(w) == 0;
	int64_t upto = w->settled;
	pthread_mutex_unlock(&w->lock);
	if (!due)
		return;
	int rc = set_relaxed(w, true);
	if (rc == SQLITE_OK)
		rc = search_queue_clear(&w->turns.search, upto, &again);
	if (rc != SQLITE_OK && !w->clear_failed) {
		char problem[160];

		db_problem(w->db, rc, problem, sizeof problem);
		log_note(LOG_ERROR, "search_failed",
		         "the search index's queue could not be cleared: %s", problem);
	}
	w->clear_failed = rc != SQLITE_OK;
	if (rc == SQLITE_OK && !again)
		w->cleared = upto;
	w->clear_us = clock_mono_us() +
	              (rc == SQLITE_OK ? CLEAR_AGAIN_MS : SWEEP_REST_MS) * (int64_t)1000;
	copy_back(w);
}

/* Milliseconds until the process beside is looked for; -1: there is none, or it gives up its takeover
 * by what would look like its end. */
static int64_t others_left_ms(const struct writer *w)
{
	if (!atomic_load(&w->beside) || atomic_load(&w->early) || !w->writable)
		return -1;

	int64_t left = w->others_us - clock_mono_us();
	return left > 0 ? (left + 999) / 1000 : 0;
}

static int by_key(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Milliseconds until usage is written; 0 or more while the store takes writes. */
static int64_t books_left_ms_locked(const struct writer *w)
{
	if (!w->writable)
		return -1;

	int64_t left = w->books_us - clock_mono_us();
	return left > 0 ? (left + 999) / 1000 : 0;
}

static int write_books(struct writer *w)
{
	struct budgets *b = &w->turns.budgets;
	int64_t         now_ms = clock_wall_ms();
	int64_t         run = 0;
	int             rc = db_run(w->st[BEGIN]);

	if (rc == SQLITE_OK)
		rc = usage_gather_flush(w->usage, b);
	if (rc == SQLITE_OK && !atomic_load(&w->resting))
		rc = budgets_old(b, now_ms - RESERVATION_MS, &run);
	while (rc == SQLITE_OK && run != 0) {
		rc = budgets_guess(b, run, now_ms);
		if (rc == SQLITE_OK)
			rc = budgets_old(b, now_ms - RESERVATION_MS, &run);
	}
	if (rc == SQLITE_OK)
		rc = db_run(w->st[COMMIT]);
	if (rc != SQLITE_OK)
		db_rollback(w->db);
	return rc;
}

static bool books_wanted(struct writer *w)
{
	int64_t run = 0;

	return usage_gather_any(w->usage) ||
	       (budgets_old(&w->turns.budgets, clock_wall_ms() - RESERVATION_MS, &run) == SQLITE_OK &&
	        run != 0);
}

/* Relaxed: a power cut takes the last second's sums, and no reservation. */
static void do_books(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	bool due = books_left_ms_locked(w) == 0;
	if (due)
		w->books_us = clock_mono_us() + BOOKS_REST_MS * (int64_t)1000;
	pthread_mutex_unlock(&w->lock);
	if (!due || !books_wanted(w))
		return;
	int  rc = set_relaxed(w, true);
	bool begun = rc == SQLITE_OK;
	if (begun)
		rc = write_books(w);
	if (begun)
		usage_gather_done(w->usage, rc == SQLITE_OK);
	if (rc != SQLITE_OK && !w->books_failed) {
		char problem[160];

		db_problem(w->db, rc, problem, sizeof problem);
		log_note(LOG_ERROR, "usage_failed", "what was used could not be written yet: %s", problem);
	}
	w->books_failed = rc != SQLITE_OK;
	if (rc != SQLITE_OK) {
		pthread_mutex_lock(&w->lock);
		w->books_us = clock_mono_us() + BOOKS_MS * (int64_t)1000;
		pthread_mutex_unlock(&w->lock);
	}
}

/* Once the process beside has ended, what it left going has no end, as after a crash. */
static void end_others(struct writer *w)
{
	struct err e = { .code = ERR_OK };
	int        lane;
	int        runs = 0;

	w->others_us = clock_mono_us() + OTHERS_MS * (int64_t)1000;
	if (lock_drains(w->options.path, &lane))
		return;
	if (w->own_count > 0)
		qsort(w->own, w->own_count, sizeof *w->own, by_key);
	if (w->own_lost || set_relaxed(w, false) != SQLITE_OK ||
	    recover_others(w->db, w->options.path, &w->options,
	                   (struct recover_own){ w->own, w->own_count }, &runs, &e) != ERR_OK)
		log_note(LOG_ERROR, "takeover", "runs of the process before wait for the next start: %s",
		         w->own_lost ? "no memory" : e.text);
	events_forget(&w->turns.events);
	free(TAKE(w->own));
	w->own_count = w->own_cap = 0;
	atomic_store(&w->beside, false);
	log_note(runs > 0 ? LOG_WARN : LOG_INFO, "takeover",
	         "the process before has ended; %d runs were cut off", runs);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* await_locked: sleeps until something waits, or it is time to sweep.  The loop that wakes us is in
 * the middle of its turn: where it shares our core it hands in the rest of the turn first, and one
 * commit serves them all. */
static void await_locked(struct writer *w)
{
	bool slept = false;

	while (!w->first && !w->stopping && w->writable && w->lost_count == 0 &&
	       w->owed_count == 0 && !w->keys_used && !moved_is(w->moved)) {
		int64_t left = sooner(sooner(sweep_left_ms(w), clear_left_ms_locked(w)),
		                      sooner(others_left_ms(w), books_left_ms_locked(w)));

		if (left == 0)
			return;
		if (left > 0)
			thread_wait_ms(&w->wake, &w->lock, left);
		else
			pthread_cond_wait(&w->wake, &w->lock);
		slept = true;
	}
	if (!slept || w->stopping)
		return;
	pthread_mutex_unlock(&w->lock);
	sched_yield();
	pthread_mutex_lock(&w->lock);
}

/* take_locked: the first jobs that are wanted (NULL: all), in their order. */
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

/* take: fills b with what waits.  Relaxed pieces of events go first, in a commit of their own, which waits
 * for no sync.  They can't keep turns waiting for long: a loop hands in its next pieces only once the
 * last ones are answered.  An empty batch: a probe or a sweep is due.  False: nothing waits and the
 * end has come. */
static bool take(struct writer *w, struct batch *b)
{
	b->count = 0;
	pthread_mutex_lock(&w->lock);
	await_locked(w);
	if (!w->first && !w->stopping && !w->writable)
		thread_wait_ms(&w->wake, &w->lock, PROBE_MS);

	bool more = w->first || !w->stopping;
	take_locked(w, b, is_relaxed);
	if (b->count == 0)
		take_locked(w, b, NULL);
	pthread_mutex_unlock(&w->lock);
	return more;
}

/* Some of the keys that were used, relaxed: no more hangs on it than what a list shows. */
static void note_used(struct writer *w)
{
	bool again = false;

	pthread_mutex_lock(&w->lock);
	bool due = w->keys_used && w->writable;
	w->keys_used = false;
	pthread_mutex_unlock(&w->lock);
	if (!due || set_relaxed(w, true) != SQLITE_OK)
		return;
	int rc = api_key_write_used(&w->keys, w->ring, &again);
	if (rc != SQLITE_OK || !again)
		return;
	pthread_mutex_lock(&w->lock);
	w->keys_used = true;
	pthread_mutex_unlock(&w->lock);
}

static void *serve(void *arg)
{
	struct writer *w = arg;
	struct batch   b;

	while (take(w, &b)) {
		if (b.count > 0)
			do_batch(w, &b);
		else if (!w->writable || w->lost_count > 0 || w->owed_count > 0 || moved_is(w->moved))
			probe(w, &b);
		if (sweep_left_ms(w) == 0)
			sweep_some(w);
		clear_some(w);
		note_used(w);
		do_books(w);
		if (others_left_ms(w) == 0)
			end_others(w);
	}
	w->keys_used = true;
	note_used(w);
	pthread_mutex_lock(&w->lock);
	w->books_us = 0;
	pthread_mutex_unlock(&w->lock);
	do_books(w);
	w->clear_us = 0;
	clear_some(w);
	return NULL;
}

/* --- outside --- */

static int64_t page_bytes(sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int64_t       bytes = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		bytes = db_int(st, 0);
	(void)sqlite3_finalize(st);
	return bytes;
}

enum errc writer_create(const struct writer_parts *parts, const struct store_options *o, bool beside,
                        struct writer **ret, struct err *e)
{
	struct writer *w = calloc(1, sizeof *w);
	sqlite3       *db = parts->db;

	if (!w)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->wake);
	w->db = db;
	w->checkpoint = parts->checkpoint;
	w->search = parts->search;
	w->ring = parts->ring;
	w->moved = parts->moved;
	w->busy_ms = o->busy_ms;
	w->options = *o;
	atomic_init(&w->beside, beside);
	atomic_init(&w->early, beside && o->handover);
	w->page_bytes = page_bytes(db);
	w->wal_mark = LIMIT_STORE_WAL;
	w->end = &w->first;
	w->writable = true;
	w->stats.writable = true;
	w->stats.reason = "";
	w->books_us = clock_mono_us() + BOOKS_REST_MS * (int64_t)1000;
	w->usage = usage_gather_create();
	if (!w->usage) {
		writer_destroy(w);
		return err_set(e, ERR_STORAGE, "", "out of memory");
	}
	if (db_prepare(db, sql, WRITER_SQL__COUNT, w->st, e) != ERR_OK ||
	    turns_prepare(&w->turns, db, e) != ERR_OK ||
	    conversations_prepare(&w->conversations, db, &w->turns.events, &w->turns.claims,
	                          &w->turns.search, e) != ERR_OK ||
	    file_write_prepare(&w->files, db, parts->blobs, &w->turns.claims, e) != ERR_OK ||
	    archive_rows_prepare(&w->archives, db, &w->turns.search, e) != ERR_OK ||
	    completion_write_prepare(&w->completions, db, &w->conversations, e) != ERR_OK ||
	    api_key_writes_prepare(&w->keys, db, e) != ERR_OK ||
	    salvage_prepare(&w->salvage, db, o, e) != ERR_OK ||
	    sweep_prepare(&w->sweep, db, &w->turns.events, &w->turns.claims, o, e) != ERR_OK) {
		writer_destroy(w);
		return e->code;
	}
	if (!beside) /* what the other one is writing would look left behind */
		file_write_sweep(&w->files);
	(void)sqlite3_wal_hook(db, on_wal, w);
	(void)sqlite3_busy_handler(db, on_busy, w);
	if (thread_start(&w->thread, "store-writer", serve, w, e) != ERR_OK) {
		writer_destroy(w);
		return e->code;
	}
	w->started = true;
	*ret = w;
	return ERR_OK;
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
	(void)sqlite3_wal_hook(w->db, NULL, NULL);
	(void)sqlite3_busy_handler(w->db, NULL, NULL);
	sweep_finish(&w->sweep);
	conversations_finish(&w->conversations);
	file_write_finish(&w->files);
	archive_rows_finish(&w->archives);
	completion_write_finish(&w->completions);
	api_key_writes_finish(&w->keys);
	salvage_finish(&w->salvage);
	turns_finish(&w->turns);
	db_finalize(w->st, WRITER_SQL__COUNT);
	free(w->lost);
	free(w->owed);
	usage_gather_destroy(w->usage);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w->own);
	free(w);
}

bool writer_add(struct writer *w, struct store_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&w->lock);
	bool room = job->kind->bound == 0 || w->waiting < job->kind->bound;

	if (room) {
		*w->end = job;
		w->end = &job->next;
		if (w->waiting++ == 0)
			pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
	return room;
}

void writer_rest(struct writer *w, bool on)
{
	atomic_store(&w->resting, on);
	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->wake); /* what it waits for is due at another time now */
	pthread_mutex_unlock(&w->lock);
}

void writer_taken(struct writer *w)
{
	atomic_store(&w->early, false);
	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

bool writer_beside(struct writer *w)
{
	return atomic_load_explicit(&w->beside, memory_order_relaxed);
}

void writer_settled(struct writer *w, int64_t seq)
{
	pthread_mutex_lock(&w->lock);
	w->settled = seq;
	if (w->waiting == 0)
		pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void writer_keys_used(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->keys_used = true;
	if (w->waiting == 0)
		pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void writer_moved(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void writer_usage(struct writer *w, const struct usage_note *note)
{
	if (!usage_gather_add(w->usage, note))
		return;

	int64_t soon_us = clock_mono_us() + BOOKS_MS * (int64_t)1000;
	pthread_mutex_lock(&w->lock);
	if (soon_us < w->books_us)
		w->books_us = soon_us;
	if (w->waiting == 0)
		pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void writer_stats(struct writer *w, struct store_stats *ret)
{
	pthread_mutex_lock(&w->lock);
	*ret = w->stats;
	ret->queue = w->waiting;
	pthread_mutex_unlock(&w->lock);
	/* The writer may be in the middle of something long. */
	if (ret->writable && moved_is(w->moved)) {
		ret->writable = false;
		ret->reason = db_reason(SQLITE_READONLY_DBMOVED);
	}
}
