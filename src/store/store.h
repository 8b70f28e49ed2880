/* store: what is kept, as those see it who hand jobs in.  Asynchronous: a job is handed in on a loop's
 * thread, done elsewhere, and answered through the loop's inbox.
 *
 * Jobs are data (store/job.h); their structs stand by aggregate in conversation.h, turn.h, run.h, events.h,
 * idem.h, completion.h, file.h, archive.h, search.h, api_key.h and usage.h.  How a store is opened says
 * engine.h. */
#pragma once

#include "base/err.h"
#include "store/job.h"

#include <stdint.h>

struct blobs;
struct key_ring;
struct usage_gather;
struct usage_note;

/* Figures for health and metrics; any thread. */
struct store_stats {
	bool        writable;     /* false after a failed commit, until one succeeds again */
	char        problem[160]; /* why not, for the operator */
	const char *reason;     /* why not, for anybody: no path; static, "" while it is writable */
	uint64_t    queue;      /* turns waiting */
	uint64_t    unfinished; /* runs whose end could not be stored, and that have none yet */
	uint64_t    commits;
	uint64_t    commit_us; /* sum */
	uint64_t    turns;
	uint64_t    busy; /* times others held what a write needed */
	int64_t log_bytes; /* written and not yet in its final place; 0 where there is no such thing */
	int64_t search_messages; /* in the index */
	int64_t search_waiting;  /* what it has not taken up yet: turns, as a rule */
	bool    search_complete; /* false while it is made anew or can't be used */
};

/* A store that is open, as its engine does it. */
struct store_ops {
	const char *name;
	/* submit: takes job->kind's job (store/job.h); false: its lane is full.  On a loop's thread. */
	bool (*submit)(struct store *s, struct store_job *job);
	bool (*does)(const struct job_kind *kind); /* NULL: every kind of job is done here */
	void (*stats)(struct store       *s,
		      struct store_stats *ret); /* any thread, cheap; may be NULL */
	/* destroy: finishes everything queued and closes.  After all loops have stopped submitting;
	 * answers still reach loops that run. */
	void (*destroy)(struct store *s);
	const struct store_peers *peers; /* NULL: its processes need not hand over to each other */
};

/* How one process takes over what is kept from another, whose runs go on beside its own for a while.
 * The first three are of the process that serves, called in this order from one thread that is no
 * loop's. */
struct store_peers {
	/* quiesce: our background work stops.  *ret_fd (borrowed): what the other process needs
	 * (store_options.handover_fd).  Errors: OVERLOADED: it is too early for another one; STORAGE. */
	enum errc (*quiesce)(struct store *s, int *ret_fd, struct err *e);
	/* resume: the other one has given up; background work goes on. */
	enum errc (*resume)(struct store *s, struct err *e);
	/* handed_over: the other one serves; both write until our last run has ended. */
	void (*handed_over)(struct store *s);
	/* taken_over: of the process that took over, once the other one has said so.  Until then that one
	 * may go on as if nothing had been, and its runs are not ended for it. */
	void (*taken_over)(struct store *s);
	/* alive: there is a process whose runs go on beside ours.  Any thread, cheap. */
	bool (*alive)(struct store *s);
};

struct store {
	const struct store_ops *ops;
	/* The engine's: */
	struct blobs        *blobs; /* contents of files, for workers */
	struct key_ring     *ring;  /* the keys that are good */
	struct usage_gather *usage; /* what calls have used, until that is written */
};

/* store_does: whether a kind of job is done at all.  store_usage_add: written within a second or so; any
 * thread, cheap.  store_peer_alive: false where an engine has no peers. */
bool      store_does(const struct store *s, enum job job);
void      store_stats(struct store *s, struct store_stats *ret);
void      store_usage_add(struct store *s, const struct usage_note *note);
enum errc store_quiesce(struct store *s, int *ret_fd, struct err *e) MUST_USE;
enum errc store_resume(struct store *s, struct err *e) MUST_USE;
void      store_handed_over(struct store *s);
void      store_taken_over(struct store *s);
bool      store_peer_alive(struct store *s);

void store_destroy(struct store *s); /* NULL is fine */
OWNABLE(store);
