/* claim_made: the idempotency key of a write that creates an object without a run: looked up before the write,
 * and written with it. */
#pragma once

#include "store/idem.h"
#include "store/postgres/work.h"

/* Result of a write. */
struct claim_thing {
	int64_t owner;
	int64_t now_ms;
	int64_t subject;      /* key of the conversation or the file; 0: none */
	int64_t message_from; /* first and last key of the messages in the answer; 0: none */
	int64_t message_to;
	struct store_job *job; /* borrowed; for idem_made.print */
};

/* claim_made_ask: asks for the key; there is a result even without one. */
void claim_made_ask(struct work *w, int64_t owner, struct idem_made *m);
/* claim_made_replay: judges the n-th result.  m->replayed: m->answer is the answer of an earlier request; an
 * error in e: the key can't be used.  True: the caller does the write. */
bool claim_made_replay(struct work *w, size_t n, struct idem_made *m, struct err *e) MUST_USE;
/* claim_made_put: prints the answer, and asks to write it with the key, if there is one.  If another gateway
 * has written the key meanwhile, the write is begun again, and finds it. */
void claim_made_put(struct work *w, const struct claim_thing *thing, struct idem_made *m,
		    struct err *e);
