/* events: the statements that append to the event log.  All run inside the writer's transaction.
 *
 * They return an SQLite code, as those of turn.h do.  What the log is made of stands in
 * migrations/0002_events.sql. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum events_sql {
	EVENTS_SQL_SIZE,
	EVENTS_SQL_FIND_RUN,
	EVENTS_SQL_FIND_LAST,
	EVENTS_SQL_ADD,
	EVENTS_SQL_PART_BYTES,
	EVENTS_SQL_ERASE_PART,
	EVENTS_SQL_RECORD,
	EVENTS_SQL_NEWS,
	EVENTS_SQL_VERSION,
	EVENTS_SQL__COUNT
};

struct events {
	sqlite3_stmt       *st[EVENTS_SQL__COUNT];
	int64_t             written; /* bytes ever logged; -1: to be read */
	int64_t             removed;
	int64_t             version; /* of the file, as its other writers change it */
	int64_t             part;    /* of the row that was written last */
	struct events_live *live;    /* owned; what is known of runs that go on */
};

enum errc events_prepare(struct events *ev, sqlite3 *db, struct err *e) MUST_USE;
void      events_finish(struct events *ev);
/* events_forget: after a rollback: nothing that was kept in memory holds any longer. */
void      events_forget(struct events *ev);
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
int events_append(struct events *ev, const struct events_append *j) MUST_USE;
