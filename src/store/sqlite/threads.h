/* threads: the store's threads, and what they share. */
#pragma once

#include "base/base.h"
#include "base/err.h"
#include "base/limits.h"
#include "store/key_ring.h"
#include "store/sqlite/chores.h"
#include "store/sqlite/search/search.h"
#include "store/sqlite/session.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* moved: checks whether the database's files are still where they were opened.
 *
 * A file that was removed, renamed or replaced still accepts writes, but nobody can find them
 * again, because the directory entry is gone or leads to another file.  SQLite itself checks this
 * only with a rollback journal, and never checks the write-ahead log (databaseIsUnmoved in
 * sqlite3.c). */
enum moved_file { MOVED_DATABASE, MOVED_LOG, MOVED_LOG_INDEX, MOVED__COUNT };

struct moved {
	const char *path; /* borrowed; absolute, of the database */
	struct {
		uint32_t major; /* the device's, like minor */
		uint32_t minor;
		uint64_t ino;
	} opened[MOVED__COUNT];
	_Atomic enum moved_file first; /* the first file that is gone; MOVED__COUNT: none is */
	_Atomic int64_t         bytes; /* size of the database, at the last look */
};

/* moved_begin: notes the files' inodes.  To be called after the database was opened and written to
 * once, and before the writer starts.  Errors: STORAGE. */
enum errc moved_begin(struct moved *m, const char *path, struct err *e) MUST_USE;
/* moved_look: asks the file system, which takes about five microseconds.  True: a file is gone, or
 * another one is in its place.  If the file system can't tell (no right to search a directory),
 * nothing counts as moved.  Any thread that may wait for the disk. */
bool moved_look(struct moved *m);
/* moved_is: the result of the last moved_look.  Any thread. */
bool moved_is(const struct moved *m);
/* moved_problem: a text for the operator, cut to n bytes. */
void moved_problem(const struct moved *m, char *ret, size_t n);

/* checkpoint: copies the write-ahead log back into the database, mostly beside the writer.
 *
 * Under load, PASSIVE checkpoints in the background alone never empty the log; checkpoints by the
 * writer alone stall its commits.  So this thread copies most of the log, and the writer copies the
 * small rest right after its next commit, which lets the log start over. */
struct checkpoint;

/* checkpoint_create: opens a connection to the database at path, and starts the thread; *ret is
 * owned.  Errors: STORAGE. */
enum errc checkpoint_create(const char *path, int64_t busy_ms, struct checkpoint **ret,
			    struct err *e) MUST_USE;
void      checkpoint_destroy(struct checkpoint *c);

/* wal: watches the length of the write-ahead log.  A log that has grown long is copied back into
 * the database, most of it by a thread of its own and the rest by the writer;
 * meanwhile the search index pauses (search_give_way).  Everything here runs on the writer's
 * thread. */
struct wal {
	sqlite3           *db;         /* borrowed */
	struct checkpoint *checkpoint; /* borrowed */
	struct search     *search;     /* borrowed */
	int64_t            page_bytes;
	int64_t            bytes;  /* length of the log after the last commit */
	int64_t            mark;   /* length above which the next background copy is wanted */
	int                scrubs; /* how often the log is still to be emptied */
	bool               copied; /* most of it was copied back for that */
	bool               hasty;  /* no lock is waited for */
};

/* wal_watch: checks the log's length after each commit on db, until wal_unwatch. */
void wal_watch(struct wal *w, sqlite3 *db, struct checkpoint *checkpoint, struct search *search);
void wal_unwatch(struct wal *w);
/* wal_copy_back: after a background copy, copies the rest of the log; only between transactions. */
void wal_copy_back(struct wal *w);
/* wal_scrub_again: what was deleted stays in the log until the log is emptied; chore_scrub does that.  It is done
 * twice: the second time for what the search index had still to take in at the first. */
void wal_scrub_again(struct wal *w);

/* batch: the jobs of one transaction of the writer, and their errors if it can't be committed.
 *
 * A job that can't be stored because of its own data is removed from the batch.  The transaction is
 * rolled back, and the other jobs run again: such jobs are rare, and repeating the others is
 * cheaper than a savepoint for each job.  Everything here runs on the writer's thread. */
struct batch {
	/* The same for all batches; borrowed. */
	struct session *session;
	struct search  *search;
	struct moved   *moved;

	struct store_job *jobs[LIMIT_STORE_BATCH];
	size_t            count; /* 0: the batch is a probe of whether the disk accepts writes */
	/* Results of batch_run. */
	bool               probe; /* the batch was a probe */
	struct store_job  *done;  /* all jobs in the order of their ends, chained by next */
	struct store_job **done_end;
	/* Only of a failed transaction: for the operator; for anybody (static). */
	char        problem[sizeof(((struct store_stats *)0)->problem)];
	const char *reason;
	int64_t     commit_us; /* duration of the commit */
};

/* batch_run: runs all jobs, or a probe, as one transaction, and returns the SQLite code of its end.
 * job->err of each job says how the job ended; the jobs that remain in `jobs` ended with the
 * transaction. */
int batch_run(struct batch *b) MUST_USE;

/* writer: the only thread of the process that writes to the database.  All waiting jobs (at most
 * LIMIT_STORE_BATCH) become one transaction; the next batch gathers while a commit is in
 * progress. */
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

/* reader: a small pool of threads, each with its own read-only connection.
 *
 * Answers that their loops have not handled yet limit further reads: by their number (readers_add
 * refuses) and by their bytes (the pool pauses). */
struct readers;
struct search;

/* Parts that a pool works with; all borrowed until readers_destroy. */
struct readers_parts {
	const char *path; /* path of the database; absolute */
	int64_t     busy_ms;
	/* While the database's files are gone, all reads are refused, because an answer would make
	 * the data look safe. */
	const struct moved *moved;
	/* NULL, except in the pool for searches; searches may take seconds, and so have threads of
	 * their own. */
	struct search *search;
};

enum errc readers_create(const struct readers_parts *parts, unsigned count, struct readers **ret,
			 struct err *e) MUST_USE;
/* readers_destroy: does all queued jobs first; answers may still be in the inboxes of loops. */
void readers_destroy(struct readers *p);
/* readers_add: queues a job, lent until it is answered; false: as many jobs as the bound of its
 * kind wait, or are answered and not handled yet.  Any thread. */
bool readers_add(struct readers *p, struct store_job *job) MUST_USE;

/* key_watch: a thread that notices when other processes have changed API keys, when the database's
 * files are gone, and when the writer must store the times at which keys were used. */
struct key_watch;

/* key_watch_create: also fills the ring, which is borrowed until key_watch_destroy. */
enum errc key_watch_create(const char *path, int64_t busy_ms, struct key_ring *ring,
			   struct key_watch **ret, struct err *e) MUST_USE;
/* Functions that the thread calls. */
struct key_watch_news {
	void (*used)(void *arg);  /* from time to time, if keys were used */
	void (*moved)(void *arg); /* at each check, as long as the files are gone */
	void *arg;
};

/* key_watch_start: starts the thread.  moved is borrowed until key_watch_stop; the thread calls
 * moved_look. */
enum errc key_watch_start(struct key_watch *w, struct moved *moved,
			  const struct key_watch_news *news, struct err *e) MUST_USE;
void      key_watch_stop(struct key_watch *w);
void      key_watch_destroy(struct key_watch *w); /* NULL is fine */
