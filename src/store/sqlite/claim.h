/* claim: idempotency keys, written inside the transaction of what they belong to.
 *
 * SQLite codes, as operations return them (op.h). */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/turn.h"

/* claim_begin: j->key, if it has one. */
int claim_begin(struct conn *c, const struct turn_begin *j) MUST_USE;
/* claim_end: binds the run's key, or frees it. */
int claim_end(struct conn *c, const struct turn_end *j) MUST_USE;
int claim_keep(struct conn *c, const struct idem_keep *j) MUST_USE;
/* claim_replay: what the key stands for already; m->replayed, or e says why not.  Else the write is to
 * be done, and then claim_made. */
int claim_replay(struct conn *c, int64_t owner, struct idem_made *m, struct err *e) MUST_USE;

/* What a write has made. */
struct claim_thing {
	int64_t owner;
	int64_t now_ms;
	int64_t subject;      /* key of a conversation or a file: what it goes with; 0: nothing */
	int64_t message_from; /* keys of what the answer tells; 0: no message */
	int64_t message_to;
	struct store_job *job;
};
/* claim_made: prints the answer and keeps it, if there is a key.  SQLITE_TOOBIG: it can't be kept. */
int claim_made(struct conn *c, const struct claim_thing *thing, struct idem_made *m) MUST_USE;
/* claim_forget: answers that tell a message which has been removed. */
int claim_forget(struct conn *c, int64_t conversation, int64_t message) MUST_USE;
/* claim_sweep: removes some that are older; *ret_again: there may be more. */
int claim_sweep(struct conn *c, int64_t older_ms, bool *ret_again) MUST_USE;
