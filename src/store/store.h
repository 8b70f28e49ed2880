/* store: an open store, as its callers use it.  A job is submitted on a loop's thread, done on
 * another thread, and answered through the loop's inbox.
 *
 * Jobs are data (store/job.h).  Their structs are in a header for each aggregate: conversation.h,
 * turn.h, run.h, events.h, answer.h, completion.h, file.h, archive.h, search.h, api_key.h and
 * usage.h.  A store is opened through engine.h.  How engines do jobs: docs/internals/store.md */
#pragma once

#include "base/err.h"
#include "base/id.h"
#include "store/job.h"

#include <stdint.h>

struct blobs;
struct key_ring;
struct usage_gather;
struct usage_note;
struct call_row;
struct ledger;

/* Figures for health and metrics; any thread. */
struct store_stats {
	bool        writable;     /* false after a failed commit, until one succeeds again */
	char        problem[160]; /* why it is not writable, for the operator */
	const char *reason;       /* the same for anybody, without paths; static; "": writable */
	uint64_t    queue;        /* jobs that wait for the writer */
	uint64_t    unfinished;   /* runs without an end, because it could not be stored yet */
	uint64_t    commits;
	uint64_t    commit_us; /* duration of all commits */
	uint64_t    turns;
	uint64_t    leases_lost; /* how often other processes had declared this one dead */
	int64_t clock_off_ms; /* how much this process's clock is ahead of that of the store's server */
	int64_t  gateways; /* processes that share the database, of a moment ago; 0: not known */
	uint64_t busy;     /* how often a write waited for another process's lock */
	int64_t  database_bytes; /* the files' size a moment ago, like search_bytes; 0: not known */
	int64_t  search_bytes;
	int64_t  log_bytes;       /* length of the write-ahead log; 0: the engine has none */
	int64_t  events_bytes;    /* the event log's, as events_keep_bytes counts; 0: not known */
	int64_t  search_messages; /* in the search index */
	int64_t  search_waiting;  /* turns, and changes of messages, that are not in it yet */
	bool     search_complete; /* false while the index is made anew or can't be used */
};

/* The functions with which an engine does the work of an open store. */
struct store_ops {
	const char *name;
	/* submit: queues a job of the kind job->kind (store/job.h); false: its lane is full.  On a
	 * loop's thread. */
	bool (*submit)(struct store *s, struct store_job *job);
	bool (*does)(const struct job_kind *kind); /* NULL: the engine does every kind of job */
	void (*stats)(struct store       *s,
		      struct store_stats *ret); /* any thread, cheap; may be NULL */
	/* destroy: does all queued jobs and closes the store.  To be called when no loop submits
	 * any more; answers still reach the loops that run. */
	void (*destroy)(struct store *s);
	/* cancel: tells the process that has the run to cancel it, if it still goes on; any thread,
	 * cheap.  Nothing is told of the result.  NULL: the store is not made to be shared. */
	void (*cancel)(struct store *s, struct id run, int64_t owner);
	/* claim_free: gives a name back that claim_take has taken, if no run has it; any thread, cheap.
	 * NULL where cancel is. */
	void (*claim_free)(struct store *s, struct id claim);
	const struct store_peers *peers; /* NULL: processes need no takeover to share a store */
};

/* The takeover of a store by another process, beside which the old process finishes its runs.  The
 * first three functions are for the old process, which calls them in this order from one thread
 * that is no loop's. */
struct store_peers {
	/* quiesce: stops background work.  *ret_fd (borrowed) is what the new process needs
	 * (store_options.handover_fd).  Errors: STORAGE; OVERLOADED: the last takeover is not over
	 * yet. */
	enum errc (*quiesce)(struct store *s, int *ret_fd, struct err *e);
	/* resume: the new process has given up; background work continues. */
	enum errc (*resume)(struct store *s, struct err *e);
	/* handed_over: the new process serves; both write until the old one's last run ends. */
	void (*handed_over)(struct store *s);
	/* taken_over: for the new process, when the old one has confirmed the takeover.  Until then
	 * the old one may resume, so its runs must not be ended. */
	void (*taken_over)(struct store *s);
	/* alive: whether the old process still finishes its runs.  Any thread, cheap. */
	bool (*alive)(struct store *s);
};

struct store {
	const struct store_ops *ops;
	/* Owned by the engine: */
	struct blobs        *blobs;  /* contents of files, for workers */
	struct key_ring     *ring;   /* the valid API keys */
	struct usage_gather *usage;  /* usage of calls that is not written yet */
	struct ledger       *ledger; /* rows of calls likewise; NULL: none are kept */
};

/* store_does: whether the engine does this kind of job.  store_usage_add: adds usage, which is
 * written within about a second; any thread, cheap.  store_call_add: the same for the ledger of calls.
 * store_peer_alive: false for an engine without
 * peers.  store_is_shared: any number of processes may use the store at once.  store_cancel,
 * store_claim_free: as the engine's functions; a store that is not shared does nothing. */
bool      store_does(const struct store *s, enum job job);
void      store_stats(struct store *s, struct store_stats *ret);
void      store_usage_add(struct store *s, const struct usage_note *note);
void      store_call_add(struct store *s, struct call_row *row);
enum errc store_quiesce(struct store *s, int *ret_fd, struct err *e) MUST_USE;
enum errc store_resume(struct store *s, struct err *e) MUST_USE;
void      store_handed_over(struct store *s);
void      store_taken_over(struct store *s);
bool      store_peer_alive(struct store *s);
bool      store_is_shared(const struct store *s);
void      store_cancel(struct store *s, struct id run, int64_t owner);
void      store_claim_free(struct store *s, struct id claim);

void store_destroy(struct store *s); /* NULL is fine */
OWNABLE(store);
