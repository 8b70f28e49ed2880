/* run/ticket: what lets a reader in once without a key: an EventSource can't send one, and a key has
 * no place in a URL.
 *
 * Kept in memory alone: a restart ends them all.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/id.h"

enum { TICKET_SECONDS = 60, TICKET_MAX = 48 }; /* TICKET_MAX: room for the text and its NUL */

/* ticket_make: a ticket for one look at the events of a run of owner's, NUL-terminated, into ret.
 * False: too many are out. */
bool ticket_make(struct id run, int64_t owner, char ret[TICKET_MAX]) MUST_USE;
/* ticket_take: whether text is a ticket for this run that is still good; then it is used up. */
bool ticket_take(struct str text, struct id run, int64_t *ret_owner) MUST_USE;
