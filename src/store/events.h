/* Event logs: the events of runs, in pieces, for readers during a run and after it. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"
#include "store/run.h"

/* News for the row of a live run while its attempts are made. */
struct run_news {
	struct id  run;
	int64_t    attempts;
	int64_t    first_token_ms; /* wall; 0: none came */
	struct str provider;       /* asked last */
	struct str attempt_log;    /* msg/attempt_log; empty: not known */
	struct str executions;     /* same as in turn_end; empty: not known */
	struct usage
		used; /* by failed attempts, for the bill of a run that a crash cuts off; neither known nor
		       * estimated: nothing */
	bool    priced; /* nano is known */
	int64_t nano;   /* cost of `used` */
	bool    asked;  /* an attempt is running, whose cost is not in `used` */
	bool    taken;  /* the run was taken up (run_take) */
};

/* A stretch of a run's event log, in the encoding of msg/event_code.h; whole records only. */
struct events_piece {
	struct id  run;
	uint64_t   first; /* numbers of the first and the last event in it */
	uint64_t   last;
	struct str data;
};

/* Pieces with the events that a run's end still has to log, in order: those on their way, and the rest. */
enum { EVENTS_REST = 2 };

/* The next events of one run, and its news. */
struct events_entry {
	struct events_piece    piece;   /* .data empty: only news */
	const struct run_news *news;    /* borrowed; NULL: none */
	bool                   refused; /* out: the log refused the entry because of its data */
};

/* events_append: a write of the events of live runs, all that one loop has gathered.  The job is
 * never refused as a whole; events of a run that has ended or was deleted are dropped.
 *
 * The log may refuse a single entry because of the entry's own data.  Then the entry is marked, the
 * log has at most the beginning of its piece, and another try would not help.  The other entries
 * are stored.  With `sync`, an entry whose events were dropped is marked, too: whoever waits for the
 * disk acts on what is there. */
struct events_append {
	struct store_job     job;
	struct events_entry *entries;
	size_t               entry_count;
	bool                 sync; /* answered only when a power cut can't take the events */
};

/* events_read: a page of a run's log, in order, and the state of the run.  Pieces that end at or
 * before event `after` are left out; a piece that goes beyond it is whole.
 * Errors: NOT_FOUND. */
struct events_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	uint64_t         after;
	size_t           page_bytes; /* a page ends before the piece that would make it larger, but
	                              * not without one */
	struct arena     arena;
	/* out */
	struct events_piece *pieces;
	size_t               piece_count;
	bool                 has_more; /* the log has more events already */
	bool                 swept;    /* retention has removed the log */
	/* A part of the log is lost.  While the run goes on, the page ends before it, and it may
	 * come back; once the run has ended, there is the answer instead of pieces. */
	bool            holed;
	enum run_status status;   /* at the moment of the page */
	uint64_t        last_seq; /* number of the end event; 0: the run has not ended */
	struct id       conversation;
	struct str      model; /* name in the request */
	struct str      shape; /* same as in turn_begin, like settings */
	struct str      settings;
	struct str      error; /* JSON object, or empty */
	struct str      finish_reason;
	/* The answer's message object, if the run has ended, has an answer, and logged nothing, or
	 * its log is holed and was asked for from the beginning. */
	struct str   answer;
	struct usage usage;
	int64_t      created_ms;
	int64_t      completed_ms; /* 0: not yet */
};
