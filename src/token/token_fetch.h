/* token/token_fetch: fetches the keys of issuers, on one loop, for all loops of the process.
 *
 * It looks four times a second whether keys are due, as long as there are issuers, so that a token with a new key is known
 * soon, and no loop has to wake another one.  Threads: the loop's own. */
#pragma once

#include "base/err.h"

struct loop;
struct upstream_pool;
struct tokens;
struct token_fetch;

struct token_fetch_options {
	struct loop          *loop;
	struct upstream_pool *upstreams;
	/* now: the issuers of the present configuration, borrowed for the call; NULL: none. */
	const struct tokens *(*now)(void *arg);
	void *arg;
};

/* token_fetch_create: *ret is owned, and does nothing before token_fetch_look; token_fetch_destroy ends what it
 * fetches (NULL is fine).  Errors: INTERNAL (memory). */
enum errc token_fetch_create(const struct token_fetch_options *o, struct token_fetch **ret,
			     struct err *e) MUST_USE;
void      token_fetch_destroy(struct token_fetch *f);
/* token_fetch_look: there may be other issuers now. */
void token_fetch_look(struct token_fetch *f);
