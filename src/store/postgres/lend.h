/* lend: connections for threads that may wait for the server: two at most.  They are made when they are needed;
 * one is kept.
 *
 * Threads: any. */
#pragma once

#include "store/postgres/link.h"

struct lend;

struct lend *lend_create(
	const struct link_target *target); /* owned; borrows target; NULL: no memory */
void lend_destroy(struct lend *d);         /* NULL is fine */

/* lend_do: calls `on` with a connection.  `on` returns false if something has failed: then e says what, or else
 * is as it was, and the link's fault says it.  A kept connection may have been lost long ago, and the server
 * may end one of two transactions that wait for each other, so `on` may be called again, and must begin anew.
 * Who finds both in use waits for five minutes; unwanted jobs (loop/work.h) do not.  `on` must not call lend_do.
 * Errors: STORAGE, OVERLOADED; those of `on`. */
enum errc lend_do(struct lend *d, bool (*on)(struct link *l, void *arg, struct err *e), void *arg,
		  struct err *e) MUST_USE;
/* lend_await: sends what was asked, and waits for it. */
bool lend_await(struct link *l) MUST_USE;
