/* events: the statements that append to the event log.
 *
 * All functions run on the writer's thread, inside its transaction, and those that return an int
 * return an SQLite code, as operations do (op.h).  migrations/0002_events.sql describes the log's
 * rows and parts. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/events.h"

struct events {
	struct conn *conn;    /* borrowed */
	int64_t      written; /* bytes ever logged; -1: not read from the database yet */
	int64_t      removed; /* bytes ever removed; valid with `written` */
	int64_t      version; /* PRAGMA data_version; the commits of others change it */
	int64_t      part;    /* part of the row that was written last */
	struct events_live
		*live; /* owned; the last logged events of live runs; NULL: none was noted */
};

void events_init(struct events *ev, struct conn *conn);
void events_finish(struct events *ev);
/* events_forget: to be called after a rollback, when what is kept in memory may be wrong. */
void events_forget(struct events *ev);
/* events_refresh: the first call in each transaction; checks whether another process has written to
 * the log. */
int events_refresh(struct events *ev) MUST_USE;

/* events_size: bytes in the log. */
int events_size(struct events *ev, int64_t *ret_bytes) MUST_USE;
/* events_part: the part in which the next row begins. */
int events_part(struct events *ev, int64_t *ret_part) MUST_USE;

/* events_open: a run begins.  *ret_from is the value for the column run.events_from. */
int events_open(struct events *ev, struct id run, int64_t *ret_from) MUST_USE;
/* events_known: notes that the run is live, and the number of its last logged event (0: none). */
void events_known(struct events *ev, struct id run, uint64_t last);
/* events_close: a run ends.  Logs the run's last pieces (empty data: there is none).  from is the
 * run's column events_from, *ret_to the value for events_to. */
int events_close(struct events *ev, struct id run, int64_t from,
		 const struct events_piece pieces[EVENTS_REST], int64_t *ret_to) MUST_USE;

/* events_erase: removes the log of a run that has ended; from and to are the run's columns
 * events_from and events_to. */
int events_erase(struct events *ev, int64_t run, int64_t from, int64_t to) MUST_USE;

/* events_append: does the job (store/events.h).  Events that the log already has are skipped, also
 * if they are only a part of a piece. */
int events_append(struct events *ev, struct events_append *j) MUST_USE;
