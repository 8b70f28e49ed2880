/* turn: the statements that write turns.  All run inside the writer's transaction.
 *
 * They return an SQLite code.  On SQLITE_OK, e->code says whether the job was refused; a refused
 * job has written nothing (but that turn_end settles what its run has used).  On any other code the transaction may hold half of the job. */
#pragma once

#include "store/sqlite/budgets.h"
#include "store/sqlite/claim.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/events.h"
#include "store/sqlite/search/search_queue.h"
#include "store/store.h"

enum turn_sql {
	TURN_SQL_FIND_LEAF,
	TURN_SQL_FIND_PARENT,
	TURN_SQL_FIND_RUN,
	TURN_SQL_ADD_CONVERSATION,
	TURN_SQL_ADD_LABELS,
	TURN_SQL_MOVE_LEAF,
	TURN_SQL_ADD_RUN,
	TURN_SQL_ADD_MESSAGE,
	TURN_SQL_END_RUN,
	TURN_SQL_RESERVE,
	TURN_SQL__COUNT
};

struct turns {
	sqlite3_stmt *st[TURN_SQL__COUNT];
	struct events events;
	struct claims claims;
	struct search_queue search;
	struct budgets budgets;
};

/* An end that could not be stored; the run must not look alive for ever. */
struct turn_lost {
	struct id run;
	int64_t   completed_ms;
	uint64_t  last_seq;
	struct usage usage;
	int64_t   first_token_ms;
	int64_t   attempts;
	bool      costs;
	int64_t   cost_nano;
	bool      bound; /* its key, if it has one, stands for an answer */
	bool      noted; /* something was used or reserved: */
	struct usage_note note;
};

enum errc turns_prepare(struct turns *t, sqlite3 *db, struct err *e) MUST_USE;
void      turns_finish(struct turns *t);

int turn_begin(struct turns *t, const struct turn_begin *j, struct err *e) MUST_USE;
int turn_end(struct turns *t, const struct turn_end *j, struct err *e) MUST_USE;
int turn_reserve(struct turns *t, const struct seq_reserve *j, struct err *e) MUST_USE;
