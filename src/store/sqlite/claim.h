/* claim: the statements of idempotency keys: written inside the writer's transaction, with the turn
 * they belong to; read by a reader.
 *
 * They return an SQLite code, as turn.h's do. */
#pragma once

#include "store/sqlite/db.h"
#include "store/store.h"

enum claim_sql {
	CLAIM_SQL_ADD,
	CLAIM_SQL_BIND,
	CLAIM_SQL_FREE,
	CLAIM_SQL_ABANDON,
	CLAIM_SQL_SWEEP,
	CLAIM_SQL__COUNT
};

struct claims {
	sqlite3_stmt *st[CLAIM_SQL__COUNT];
};

enum errc claims_prepare(struct claims *c, sqlite3 *db, struct err *e) MUST_USE;
void      claims_finish(struct claims *c);

/* claim_begin: j->key, if it has one. */
int claim_begin(struct claims *c, const struct turn_begin *j) MUST_USE;
/* claim_end: binds the run's key, or frees it. */
int claim_end(struct claims *c, const struct turn_end *j) MUST_USE;
int claim_keep(struct claims *c, const struct key_keep *j) MUST_USE;
/* claim_abandon: the end of a run was lost, and its answer with it. */
int claim_abandon(struct claims *c, struct id run) MUST_USE;
/* claim_sweep: removes some that are older; *ret_again: there may be more. */
int claim_sweep(struct claims *c, int64_t older_ms, bool *ret_again) MUST_USE;

struct claim_reads {
	sqlite3_stmt *find[1];
};

enum errc claim_reads_prepare(struct claim_reads *c, sqlite3 *db, struct err *e) MUST_USE;
void      claim_reads_finish(struct claim_reads *c);
int       claim_read(struct claim_reads *c, struct key_read *j) MUST_USE;
