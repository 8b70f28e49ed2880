/* cache: answers that equal requests of the same owner are given again.
 *
 * An answer is the events of its run, and has the name of its run: with the stored run it goes.  The digest is that
 * of everything on which the answer depends; the store does not know of what. */
#pragma once

#include "base/buf.h"
#include "base/hash.h"
#include "base/id.h"
#include "store/job.h"

/* cache_find: looks for an answer that has not expired.  An unknown digest is no error. */
struct cache_find {
	struct store_job job;
	int64_t          owner;
	unsigned char    digest[HASH_BYTES];
	int64_t          now_ms;
	int64_t          since_ms; /* no older answer is wanted */
	bool for_stream; /* none that only plain calls get whole; else none that only streams do */
	struct buf events; /* the caller sets its maximum, and may take it */
	/* out */
	bool      found;
	bool      stream; /* the events are those of a stream */
	struct id run;
	int64_t   created_ms;
	int64_t   nano; /* the cost of the first call */
};

/* cache_keep: a write of an answer, which replaces the one with the same digest whose call began before; and, where
 * `most` is not 0, the removal of a few that have expired, and of a few of the oldest beyond so many bytes. */
struct cache_keep {
	struct store_job job;
	int64_t          owner;
	struct str       key; /* the API key's id */
	unsigned char    digest[HASH_BYTES];
	struct id        run;
	int64_t          began_ms; /* the call */
	int64_t          created_ms;
	int64_t          expires_ms;
	bool             stored; /* the run is, so the answer goes with its message */
	bool             stream;
	bool       apart; /* only calls of its kind, streams or plain ones, get the whole of it */
	int64_t    nano;
	struct str events; /* empty: nothing is kept, only removed */
	int64_t    most;
	/* out */
	int64_t bytes; /* all answers have so many; -1: they were not counted */
};

/* cache_clear: a write after which no answer whose call began by now_ms is found of an owner, or, if `key` is not
 * empty, of those that calls with this API key have left.  It removes a few of their rows; one with `rest` removes
 * more. */
struct cache_clear {
	struct store_job job;
	int64_t          owner;
	struct str       key;
	int64_t          now_ms;
	bool             rest; /* only rows that the same job has left */
	/* out */
	int64_t removed; /* answers that nobody finds any more; `rest` counts none */
	bool    more;    /* some of their rows may be left */
};
