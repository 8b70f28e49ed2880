/* desk/ticket: what lets a reader in to one run's events without a key: an EventSource can't send one,
 * comes again with the same URL, and a key has no place in a URL.
 *
 * tick_UNTIL_WHO_MAC: until when (seconds, hex), whose key asked for it, and an HMAC-SHA-256 of these
 * and of the run, cut to 128 bits.  Nothing is kept of a ticket, so one outlives a restart.  Whether the
 * key is still good is the caller's to look at.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/identity.h"

enum {
	TICKET_WHO = 17, /* room for 16 signs and a NUL */
	TICKET_MAX = 80, /* of a ticket and its NUL */
};

/* ticket_who: how a ticket names an identity: a stored key by its id (without key_), a configured one
 * by its owner, 16 hex digits; both outlive a restart. */
void ticket_who(const struct identity *who, char ret[TICKET_WHO]);
/* ticket_make: a ticket for the events of a run of who's, good before until_s (wall), NUL-terminated. */
void ticket_make(const unsigned char signing[HASH_BYTES], struct id run, const struct identity *who,
		 int64_t until_s, char ret[TICKET_MAX]);
/* ticket_read: whether text is a ticket for this run that is good now; then ret_who is whose it is.
 * How long it takes does not tell how much of a ticket is right. */
bool ticket_read(const unsigned char signing[HASH_BYTES], struct str text, struct id run,
		 int64_t now_s, char ret_who[TICKET_WHO]) MUST_USE;
