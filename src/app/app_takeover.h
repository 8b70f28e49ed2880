/* app_takeover: one process hands its sockets and its database's lock to the next one, over a unix
 * socket beside the database (FILE.takeover, of this user alone).
 *
 *   new: asks    --> old: its background work rests; lock and sockets
 *   new: opens all that it needs
 *   new: ready   --> old: takes nothing new any more, ends its answers; says so
 *   new: serves
 *
 * Whichever of them goes before that: the old one goes on as if nothing had been asked. */
#pragma once

#include "app/app_listen.h"
#include "base/id.h"

enum takeover_word {
	TAKEOVER_NOTHING,
	TAKEOVER_READY,
	TAKEOVER_CANCEL, /* of a run that goes on in the old one */
	TAKEOVER_LEFT,
};

/* --- the old one --- */

/* takeover_offer: *ret_fd listens, and shows by poll that somebody asks.  Errors: STORAGE. */
enum errc takeover_offer(const char *database, int *ret_fd, struct err *e) MUST_USE;
/* takeover_accept: the connection of one who asked as he should, else -1. */
int       takeover_accept(int fd);
enum errc takeover_give(int peer, int lock_fd, const struct listen_set *s, struct err *e) MUST_USE;
void      takeover_refuse(int peer, const struct err *why);
enum takeover_word takeover_read(int peer, struct id *ret_run, int64_t *ret_owner);
/* takeover_done: the answer to TAKEOVER_READY. */
void takeover_done(int peer);
/* takeover_withdraw: closes fd and removes the socket, where `mine` says that it is ours still. */
void takeover_withdraw(const char *database, int fd, bool mine);

/* --- the new one --- */

/* takeover_ask: *ret_peer -1: there is nobody to take over from; else all three are the caller's.
 * Errors: OVERLOADED with the old one's reason; STORAGE. */
enum errc takeover_ask(const char *database, int *ret_peer, int *ret_lock_fd,
		       struct listen_set *ret_set, struct err *e) MUST_USE;
/* takeover_begin: says that all is ready, and waits until the old one takes nothing new. */
enum errc takeover_begin(int peer, struct err *e) MUST_USE;
/* takeover_cancel: asks the old one to end a run, and does not wait where he can't take it.  Any
 * thread. */
void takeover_cancel(int peer, struct id run, int64_t owner);
