/* Event logs: what a run has said, in pieces, so that others can read it while it goes on and after. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"
#include "store/run.h"

/* What is known of a run since its answer began. */
struct run_news {
	struct id  run;
	int64_t    attempts;
	int64_t    first_token_ms; /* wall; 0: none came */
	struct str provider;       /* asked last */
	struct usage
		used; /* by attempts that were given up: a run that a kill cuts off is booked with */
	bool    priced; /* it; neither known nor estimated: nothing */
	int64_t nano;
	bool    asked; /* a provider is: what that may cost is not in `used` */
};

/* A stretch of a run's event log: what msg/event_code.h encodes, whole records only. */
struct events_piece {
	struct id  run;
	uint64_t   first; /* numbers of the first and the last event in it */
	uint64_t   last;
	struct str data;
};

/* What one run has for its log. */
struct events_entry {
	struct events_piece    piece;   /* .data empty: only news */
	const struct run_news *news;    /* NULL: none */
	bool                   refused; /* out */
};

/* Events of runs that go on, all that one loop has gathered.  Never refused once its runs were begun;
 * what belongs to a run that has ended or is gone is dropped.  Committed with whatever else waits.
 *
 * The log may refuse an entry for the entry's own sake: then the entry is marked, the log has at most the
 * beginning of the piece, and trying again would not help.  The other entries are stored. */
struct events_append {
	struct store_job     job;
	struct events_entry *entries;
	size_t               entry_count;
	bool                 sync; /* done only when a power cut can't take them any more */
};

/* events_read: a page of a run's log, in order, and how far the run is.  Pieces whose last event is
 * not above `after` are left out (one that straddles it is whole).
 * Errors: NOT_FOUND. */
struct events_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	uint64_t         after;
	size_t       page_bytes; /* a page ends in front of the piece that would make it larger, but
	                              * not without one */
	struct arena arena;
	/* out */
	struct events_piece *pieces;
	size_t               piece_count;
	bool                 has_more; /* a further page is there already */
	bool                 swept;    /* its log is gone: retention */
	enum run_status      status;   /* as of the same moment as the page */
	uint64_t             last_seq; /* of the end, once ended; else 0 */
	struct id            conversation;
	struct str           model; /* as asked */
	struct str           shape; /* as in turn_begin */
	struct str           error; /* JSON object, or empty */
	struct str           finish_reason;
	/* The answer's message object, once ended and if there is one: of a run that logged nothing. */
	struct str   answer;
	struct usage usage;
	int64_t      created_ms;
};
