/* claim: writes idempotency keys, inside the transaction of the run or object that they belong to.
 *
 * The functions return an SQLite code, as operations do (op.h). */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/turn.h"

/* claim_begin: writes j->key, if there is one, without an answer yet. */
int claim_begin(struct conn *c, const struct turn_begin *j) MUST_USE;
/* claim_end: gives the run's key its answer, or frees the key. */
int claim_end(struct conn *c, const struct turn_end *j) MUST_USE;
/* claim_keep: writes a key together with its answer. */
int claim_keep(struct conn *c, const struct idem_keep *j) MUST_USE;
/* claim_replay: looks up the key of a write.  m->replayed: m->answer is the answer of an earlier
 * request; an error in e: the key can't be used.  Otherwise the caller does the write, and then
 * calls claim_made. */
int claim_replay(struct conn *c, int64_t owner, struct idem_made *m, struct err *e) MUST_USE;

/* Result of a write. */
struct claim_thing {
	int64_t owner;
	int64_t now_ms;
	int64_t subject;      /* key of the conversation or the file; 0: none */
	int64_t message_from; /* first and last key of the messages in the answer; 0: none */
	int64_t message_to;
	struct store_job *job; /* borrowed; for idem_made.print */
};
/* claim_made: prints the answer and writes it with the key, if there is one.  SQLITE_TOOBIG: the
 * answer can't be printed. */
int claim_made(struct conn *c, const struct claim_thing *thing, struct idem_made *m) MUST_USE;
/* claim_forget: removes the kept answers that contain a removed message. */
int claim_forget(struct conn *c, int64_t conversation, int64_t message) MUST_USE;
/* claim_sweep: removes some answered keys from before older_ms; *ret_again: there may be more. */
int claim_sweep(struct conn *c, int64_t older_ms, bool *ret_again) MUST_USE;
