/* guard/hook_check: one check: the texts go to each of the hooks, in their order; each has those that the one before has let out.
 *
 * A hook answers with a verdict; everything else that comes of it is its failure.  Threads: the loop's own. */
#pragma once

#include "guard/hook.h"
#include "loop/loop.h"

struct check;
struct upstream_pool;

enum check_verdict {
	CHECK_ALLOW,
	CHECK_REPLACE,
	CHECK_BLOCK,
	CHECK_FAIL, /* a hook failed that refuses then */
	CHECK__COUNT
};

/* A question; all members are borrowed until check_begin returns. */
struct check_ask {
	struct upstream_pool *pool;
	struct hooks         *hooks; /* held by the check, too */
	uint32_t              mask;  /* bits of the hooks; at least one is set */
	enum hook_phase       phase;
	struct str            texts; /* JSON strings with commas between them */
	size_t                count;
	struct str            images;      /* the same, for hooks that want images; empty: none */
	struct str            tools;       /* a JSON array; empty: none */
	struct str            calls;       /* tool calls, as sieve_calls puts them; empty: none */
	struct str            call, trace; /* ids: of the run, and of the conversation */
	struct str            model, key, request;
	bool                  whole; /* no further text of the answer follows */
};

/* The outcome; texts: of REPLACE, one for each, escaped, borrowed for the callback, else NULL; e: of BLOCK and
 * FAIL.  The check is gone. */
typedef void check_done_fn(void *arg, enum check_verdict v, const struct str *texts,
			   const struct err *e);
/* A hook has answered, or failed; name is static as long as its hooks are. */
typedef void check_note_fn(void *arg, const char *hook, enum hook_phase phase, const char *verdict,
			   int64_t ms);

/* check_begin: `done` is called later, never from within.  Errors: nobody was asked:
 * REQUEST_TOO_LARGE, UPSTREAM_BAD_RESPONSE: it is more than LIMIT_HOOK_ASK; OVERLOADED. */
enum errc check_begin(const struct check_ask *ask, check_note_fn *note, check_done_fn *done,
		      void *arg, struct check **ret, struct err *e) MUST_USE;
/* check_cancel: no callback follows.  Not from within one. */
void check_cancel(struct check *c);
