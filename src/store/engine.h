/* engine: one way of keeping things, as a table that the app lists (src/app/engines.c).
 *
 * To the interface an engine is a place where jobs (store/job.h) are done: writes in the order of their
 * submission, acknowledged when they are durable; reads beside them, each of one moment. */
#pragma once

#include "store/store.h"
#include "store/upkeep.h"

struct buf;
struct events_piece;
struct store_export;

struct store_options {
	const char *path;     /* the database; one that is not there is made */
	unsigned    readers;  /* reads that may be done at once */
	int64_t     busy_ms;  /* how long to wait for what others hold */
	bool        handover; /* from a process that serves: */
	int handover_fd; /* what its quiesce gave; owned by the store, also when it can't be opened */
	bool migrate;    /* apply missing migrations; false: refuse when some are missing */
	bool existing;   /* at_once: a database that is not there is not made */
	/* Event logs of runs that have ended are kept so long, and no more than so many bytes in all,
	 * oldest first; 0: for ever, without bound.  Swept in small pieces between other writes. */
	int64_t events_keep_ms;
	int64_t events_keep_bytes;
	int64_t idem_keep_ms; /* how long a key is known; 0: for ever */
	/* assemble: the answer (a message object, appended to out) that the logged events of a run make,
	 * for what a crash cut off or a failing disk did not take; false: they make none.  NULL: no answer is made then. */
	bool (*assemble)(const struct events_piece *pieces, size_t count, struct buf *out);
};

struct store_engine {
	const char *name;
	/* takes: the option `database` means a database of this engine's. */
	bool (*takes)(const char *database);
	/* open: checks and migrates the database; runs that a crash left going are ended `incomplete`.
	 * Errors: STORAGE with a text for the operator (not a database, newer schema, changed checksum,
	 * locked, read-only, disk full, …). */
	enum errc (*open)(const struct store_options *o, struct store **ret, struct err *e);
	/* migrate: applies migrations and closes again; *ret_applied is their number. */
	enum errc (*migrate)(const struct store_options *o, int *ret_applied, struct err *e);

	/* Beside a process that may serve the database; all of them wait.
	 *
	 * export: hands the lines of the conversations, of whatever owner, to x->put, which fails with an
	 * error of its own; x->ids NULL: all of them.  Errors: STORAGE; NOT_FOUND: one of ids is not
	 * there, or went while it was read. */
	enum errc (*export)(const struct store_options *o, struct store_export *x, struct err *e);
	/* at_once: does one job; the database is made or brought up to date first, if nobody serves it.  A
	 * gateway that does learns of a change of keys within LIMIT_KEYS_LOOK_MS.  Errors: STORAGE; those
	 * of the job. */
	enum errc (*at_once)(const struct store_options *o, enum job kind, struct store_job *job,
			     struct err *e);
	/* Upkeep (store/upkeep.h).  NULL: the database has tools of its own. */
	enum upkeep_end (*backup)(struct upkeep_backup *b, struct err *e);
	enum upkeep_end (*vacuum)(struct upkeep_vacuum *v, struct err *e);
};
