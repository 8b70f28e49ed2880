/* run/ticket: what lets a reader in once without a key: an EventSource can't send one, and a key has
 * no place in a URL.
 *
 * Kept in memory alone: a restart ends them all.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/id.h"
#include "base/identity.h"

enum { TICKET_SECONDS = 60, TICKET_MAX = 48 }; /* TICKET_MAX: room for the text and its NUL */

/* ticket_make: a ticket for one look at the events of a run of who's, NUL-terminated, into ret; it
 * holds who.  False: too many are out. */
bool ticket_make(struct id run, struct identity *who, char ret[TICKET_MAX]) MUST_USE;
/* ticket_take: who made it, held, if text is a ticket for this run that is still good; then it is
 * used up.  NULL: it is not. */
struct identity *ticket_take(struct str text, struct id run) MUST_USE;
