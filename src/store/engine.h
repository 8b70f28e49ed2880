/* engine: an implementation of the store, as a table of functions; src/app/engines.c lists them.
 *
 * An engine does jobs (store/job.h): writes in the order of their submission, answered when they
 * are durable; reads beside the writes, each of the state of one moment. */
#pragma once

#include "store/conversation.h"
#include "store/store.h"
#include "store/upkeep.h"

struct bucket;
struct buf;
struct store_copy;
struct events_piece;
struct share_keep;
struct store_export;

/* Calls between the engine and a process that shares its store with others; on the engine's
 * threads. */
struct store_neighbours {
	/* watched: runs of other processes for whose news somebody here waits, at most max. */
	size_t (*watched)(struct id *ret, size_t max);
	/* news: such a run has changed if its mark has; never 0. */
	void (*news)(struct id run, uint64_t mark);
	/* cancel: another process wants this run to be cancelled. */
	void (*cancel)(struct id run, int64_t owner);
	/* spare: limits of which this process keeps less from now on than it has taken (store/share.h),
	 * at most max.  again: what it said last was not stored. */
	size_t (*spare)(struct share_keep *ret, size_t max, bool again);
};

struct store_options {
	const char *path;     /* the database; created if it is missing */
	const char *password; /* for a database on a server; NULL: none */
	/* Where an engine on a server finds contents of files that the database does not have; borrowed.  NULL:
	 * nowhere. */
	struct bucket *bucket;
	bool           bucket_write; /* new contents go there */
	unsigned       readers;      /* reads that may be done at once */
	int64_t        busy_ms;      /* how long to wait for locks of other processes */
	bool           handover;     /* the process takes over from a serving one */
	/* With handover: from the serving process's quiesce; owned by the store, even if opening
	 * fails. */
	int  handover_fd;
	bool migrate; /* apply missing migrations; false: missing ones are an error */
	/* Event logs of ended runs are kept for events_keep_ms, and all logs within
	 * events_keep_bytes; the oldest go first, in small steps between other writes.  0: no
	 * limit. */
	int64_t events_keep_ms;
	int64_t events_keep_bytes;
	/* The ledger of calls (store/ledger.h): likewise, and how many calls a second have a row; 0: there is no
	 * ledger. */
	int64_t calls_keep_ms;
	int64_t calls_keep_bytes;
	int64_t calls_rate;
	int64_t answer_keep_ms; /* how long a kept answer and its name are known; 0: for ever */
	int64_t audit_keep_ms;  /* how long entries of the audit are kept; 0: for ever */
	struct store_keep keep;
	/* assemble: appends to out the answer (a message object) that the logged events of a run
	 * make; false: they make none.  For runs that a crash or a failing disk left without an
	 * end; NULL: such runs get no answer. */
	bool (*assemble)(const struct events_piece *pieces, size_t count, struct buf *out);
	/* cut: a run was left without an end that may go on (store/cut_off.h): it stays as it is, and is this
	 * process's from now on.  On the engine's threads, or while the store is being opened.  NULL: such runs are
	 * ended as others. */
	void (*cut)(struct id run);
	const struct store_neighbours *neighbours; /* borrowed; NULL: nobody waits for others */
};

struct store_engine {
	const char *name;
	/* takes: whether the option `database` names a database of this engine. */
	bool (*takes)(const char *database);
	/* open: checks and migrates the database, and ends unfinished runs as `incomplete`.
	 * Errors: STORAGE with a text for the operator (not a database, newer schema, changed
	 * checksum, locked, read-only, disk full, …). */
	enum errc (*open)(const struct store_options *o, struct store **ret, struct err *e);
	/* migrate: applies the missing migrations; *ret_applied is their number. */
	enum errc (*migrate)(const struct store_options *o, int *ret_applied, struct err *e);

	/* The rest works beside a gateway that may serve the database, and waits for the disk.
	 *
	 * export: hands the lines of conversations, of any owner, to x->put, whose errors end the
	 * export; x->ids NULL: all conversations.  Errors: STORAGE; NOT_FOUND: one of ids does not
	 * exist, or was deleted during the export; those of put. */
	enum errc (*export)(const struct store_options *o, struct store_export *x, struct err *e);
	/* at_once: does one job.  If no gateway serves the database, it is created or migrated
	 * first; a gateway notices changes of keys within LIMIT_KEYS_LOOK_MS.  Errors: STORAGE;
	 * those of the job. */
	enum errc (*at_once)(const struct store_options *o, enum job kind, struct store_job *job,
			     struct err *e);
	/* sweep: removes what retention no longer keeps (o->keep).  *ret_served: a gateway serves the database, and does
	 * that itself; nothing was done.  Errors: STORAGE. */
	enum errc (*sweep)(const struct store_options *o, bool *ret_served, struct err *e);
	/* copy: one side of a copy of everything (store/copy.h).  No gateway may use the database.
	 * into: it must be empty, and is made if it is missing; *ret is owned.  Errors: STORAGE. */
	enum errc (*copy)(const struct store_options *o, bool into, struct store_copy **ret,
			  struct err *e);
	/* Upkeep (store/upkeep.h).  NULL: such databases have tools of their own. */
	enum upkeep_end (*backup)(struct upkeep_backup *b, struct err *e);
	enum upkeep_end (*vacuum)(struct upkeep_vacuum *v, struct err *e);
};
