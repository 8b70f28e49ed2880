/* desk/ticket: a short string that lets a reader read one run's events without an API key: a
 * browser's EventSource can't send a key, reconnects with the same URL, and a URL is no place
 * for a key.
 *
 * A ticket is tick_UNTIL_WHO_MAC: its end (seconds, hex), the key that requested it, and an
 * HMAC-SHA-256 of these and of the run, cut to 128 bits. Tickets are not stored, so they survive
 * a restart. The caller checks whether the key is still valid. Threads: any. */
#pragma once

#include "base/base.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/identity.h"

enum {
	TICKET_WHO = 33, /* room for 16 signs, 8 of a group, 8 of a proof, and a NUL */
	TICKET_MAX = 88, /* bytes of a ticket, its NUL included */
};

/* ticket_who: the name of an identity in a ticket: a stored key's id (without key_), a
 * configured key's owner in 16 hex digits, j and what is after jwt: of a token's holder, or g, the same and what is after
 * grp_ of its group; all survive a restart. */
void ticket_who(const struct identity *who, char ret[TICKET_WHO]);
/* ticket_make: makes a ticket for the events of a run that belongs to who, valid before until_s
 * (wall clock), NUL-terminated.  The proof of a token's holder is after the name, in 8 hex digits. */
void ticket_make(const unsigned char signing[HASH_BYTES], struct id run, const struct identity *who,
		 int64_t until_s, char ret[TICKET_MAX]);
/* ticket_read: whether text is a valid ticket for this run at now_s; ret_who is its key. The
 * time that the check takes does not show how much of a ticket is right. */
bool ticket_read(const unsigned char signing[HASH_BYTES], struct str text, struct id run,
		 int64_t now_s, char ret_who[TICKET_WHO]) MUST_USE;
