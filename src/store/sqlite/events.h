/* events: the statements that append to the event log.  All run inside the writer's transaction.
 *
 * They return an SQLite code, as operations do (op.h).  What the log is made of stands in
 * migrations/0002_events.sql. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/events.h"

struct events {
	struct conn        *conn;    /* borrowed */
	int64_t             written; /* bytes ever logged; -1: to be read */
	int64_t             removed;
	int64_t             version; /* of the file, as its other writers change it */
	int64_t             part;    /* of the row that was written last */
	struct events_live *live;    /* owned; what is known of runs that go on */
};

enum errc events_init(struct events *ev, struct conn *conn, struct err *e) MUST_USE;
void      events_finish(struct events *ev);
/* events_forget: after a rollback: nothing that was kept in memory holds any longer. */
void events_forget(struct events *ev);
/* events_refresh: in a transaction, before the rest: another process may have written to the log. */
int events_refresh(struct events *ev) MUST_USE;

/* events_size: bytes in the log. */
int events_size(struct events *ev, int64_t *ret_bytes) MUST_USE;
/* events_part: the part that is written to now. */
int events_part(struct events *ev, int64_t *ret_part) MUST_USE;

/* events_open: a run begins.  *ret_from is its run.events_from. */
int events_open(struct events *ev, struct id run, int64_t *ret_from) MUST_USE;
/* events_known: a run goes on, and its last logged event is this (0: none). */
void events_known(struct events *ev, struct id run, uint64_t last);
/* events_close: a run ends; its last piece (data may be empty: none) is logged.  from is its
 * run.events_from, *ret_to its run.events_to. */
int events_close(struct events *ev, struct id run, int64_t from, const struct events_piece *piece,
		 int64_t *ret_to) MUST_USE;

/* events_erase: the log of a run that has ended goes; from and to as in its row. */
int events_erase(struct events *ev, int64_t run, int64_t from, int64_t to) MUST_USE;

/* events_append: what is there already is left out, also a part of a piece. */
int events_append(struct events *ev, struct events_append *j) MUST_USE;
