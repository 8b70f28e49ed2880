/* turn_end: does the job of this name; also for runs that could not end themselves (salvage.h,
 * recover.h).  Returns what an operation returns (op.h), but a refused end settles the run's usage
 * all the same. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/sqlite/session.h"
#include "store/turn.h"

int turn_end(struct session *s, struct turn_end *j) MUST_USE;

/* message_row: writes a message of a turn, or the turn's answer. */
struct message_place {
	int64_t owner;
	int64_t conversation;
	int64_t prev;
	int64_t run;
	int64_t created_ms;
};

int message_row_add(struct conn *c, struct message_place at, struct id id,
		    struct str body) MUST_USE;

/* unfinished_write: writes some of the unfinished ends and all settlements (salvage.h) in the
 * open transaction, and returns an SQLite code.  An entry that fails because of its own data would
 * always fail, and is forgotten. */
int unfinished_write(struct session *s) MUST_USE;
