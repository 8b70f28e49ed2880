/* answer_names: names of kept answers, in the statements of the runs and objects that they belong to. */
#pragma once

#include "store/answer.h"
#include "store/postgres/work.h"

/* The name was taken before (claim_take): the row that is replaced here is that claim, which the reaper may have ended
 * meanwhile.  What another gateway has stays: this one was away for longer than its lease, or a crash of the
 * server has taken the claim. */
#define ANSWER_REPLACE                                                                        \
	"ON CONFLICT (owner, key) DO UPDATE SET id = excluded.id, secret = excluded.secret, " \
	"gateway = excluded.gateway, fingerprint = excluded.fingerprint, "                    \
	"created_ms = excluded.created_ms, stored = excluded.stored, "                        \
	"outcome = excluded.outcome, http = excluded.http, body = excluded.body, "            \
	"subject = excluded.subject, message_from = excluded.message_from, "                  \
	"message_to = excluded.message_to WHERE idempotency.gateway = excluded.gateway"

/* answer_thing: a number for the name, by which a batch has it only once; 0: no name. */
int64_t answer_thing(int64_t owner, const struct answer_name *key);

/* --- answer_made: the name of the answer of a write that creates an object without a run: looked up before the write,
 * and written with it. */

/* answer_made_ask: asks for the key; there is a result even without one. */
void answer_made_ask(struct work *w, int64_t owner, struct answer_made *m);
/* answer_made_replay: judges the n-th result.  m->replayed: m->answer is the answer of an earlier request; an
 * error in e: the key can't be used.  True: the caller does the write. */
bool answer_made_replay(struct work *w, size_t n, struct answer_made *m, struct err *e) MUST_USE;
/* answer_made_put: prints the answer, and asks to write it with the key, if there is one.  If another gateway
 * has written the key meanwhile, the write is begun again, and finds it. */
void answer_made_put(struct work *w, const struct answer_object *thing, struct answer_made *m,
		     struct err *e);
