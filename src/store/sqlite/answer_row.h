/* answer_row: writes the names of kept answers, inside the transaction of the run or object that they belong to.
 *
 * The functions return an SQLite code, as operations do (op.h). */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/turn.h"

/* answer_row_begin: writes j->key, if there is one, without an answer yet. */
int answer_row_begin(struct conn *c, const struct turn_begin *j) MUST_USE;
/* answer_row_end: gives the run's key its answer, or frees the key. */
int answer_row_end(struct conn *c, const struct turn_end *j) MUST_USE;
/* answer_row_keep: writes a key together with its answer. */
int answer_row_keep(struct conn *c, const struct answer_keep *j) MUST_USE;
/* answer_row_replay: looks up the key of a write.  m->replayed: m->answer is the answer of an earlier
 * request; an error in e: the key can't be used.  Otherwise the caller does the write, and then
 * calls answer_row_made. */
int answer_row_replay(struct conn *c, int64_t owner, struct answer_made *m, struct err *e) MUST_USE;

/* answer_row_made: prints the answer and writes it with the key, if there is one.  SQLITE_TOOBIG: the
 * answer can't be printed. */
int answer_row_made(struct conn *c, const struct answer_object *thing,
		    struct answer_made *m) MUST_USE;
/* answer_row_forget: removes the kept answers that contain a removed message. */
int answer_row_forget(struct conn *c, int64_t conversation, int64_t message) MUST_USE;
/* answer_row_sweep: removes some answered keys from before older_ms; *ret_again: there may be more. */
int answer_row_sweep(struct conn *c, int64_t older_ms, bool *ret_again) MUST_USE;
