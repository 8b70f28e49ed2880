/* claim: the statements of idempotency keys: written inside the writer's transaction, with the turn
 * they belong to; read by a reader.
 *
 * They return an SQLite code, as turn.h's do. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum claim_sql {
	CLAIM_SQL_ADD,
	CLAIM_SQL_FIND,
	CLAIM_SQL_FORGET,
	CLAIM_SQL_BIND,
	CLAIM_SQL_FREE,
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
/* claim_replay: what the key stands for already; m->replayed, or e says why not.  Else the write is to
 * be done, and then claim_made. */
int claim_replay(struct claims *c, int64_t owner, struct key_made *m, struct err *e) MUST_USE;

/* What a write has made. */
struct claim_thing {
	int64_t           owner;
	int64_t           now_ms;
	int64_t           subject;      /* key of a conversation or a file: what it goes with; 0: nothing */
	int64_t           message_from; /* keys of what the answer tells; 0: no message */
	int64_t           message_to;
	struct store_job *job;
};
/* claim_made: prints the answer and keeps it, if there is a key.  SQLITE_TOOBIG: it can't be kept. */
int claim_made(struct claims *c, const struct claim_thing *thing, struct key_made *m) MUST_USE;
/* claim_forget: answers that tell a message which has been removed. */
int claim_forget(struct claims *c, int64_t conversation, int64_t message) MUST_USE;
/* claim_sweep: removes some that are older; *ret_again: there may be more. */
int claim_sweep(struct claims *c, int64_t older_ms, bool *ret_again) MUST_USE;

struct claim_reads {
	sqlite3_stmt *find[1];
};

enum errc claim_reads_prepare(struct claim_reads *c, sqlite3 *db, struct err *e) MUST_USE;
void      claim_reads_finish(struct claim_reads *c);
int       claim_read(struct claim_reads *c, struct key_read *j) MUST_USE;
