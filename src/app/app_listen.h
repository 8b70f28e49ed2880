/* app_listen: the sockets to serve on: opened here or inherited, each shared out to all loops. */
#pragma once

#include "base/err.h"
#include "http/server.h"

#include <sys/types.h>

enum { LISTEN_PLACES = 17, LISTEN_SOCKETS = 256 };

/* One address: a socket for each loop that shares the port, or one that all loops have. */
struct listen_place {
	char   address[HTTP_BOUND]; /* as configured */
	char   bound[HTTP_BOUND];
	bool   admin;
	bool   local;     /* only this machine gets there */
	bool   inherited; /* whoever gave it keeps it */
	ino_t  inode;     /* of the path of a unix socket of ours; 0: none */
	int    fds[LISTEN_SOCKETS];
	size_t count;
};

/* Owned by who has it; the descriptors are open until listen_set_finish. */
struct listen_set {
	struct listen_place places[LISTEN_PLACES];
	size_t              count;
};

/* listen_set_add: opens ADDR:PORT for so many loops, or unix:/path with the mode, or takes fd:N, fd:NAME
 * or systemd (which may be several) from what was inherited.  Errors: INVALID_VALUE, OVERLOADED (it
 * is in use). */
enum errc listen_set_add(struct listen_set *s, const char *address, bool admin, size_t loops,
			 unsigned mode, struct err *e) MUST_USE;
/* listen_set_take: moves what `from` has for this address, as it was configured or as it is bound;
 * false: nothing. */
bool listen_set_take(struct listen_set *s, struct listen_set *from, const char *address,
		     bool admin);
/* listen_set_check: open: without API keys only this machine may be served.  *ret_local: it is. */
enum errc listen_set_check(const struct listen_set *s, bool open, bool *ret_local, struct err *e);
/* listen_set_is_loopback: all main addresses are TCP's loopback.  A unix socket is not: what clients reach
 * it is a proxy's choice. */
bool listen_set_is_loopback(const struct listen_set *s);
/* listen_set_shut: nobody waits in the queues any longer, and the ports are free; not of what was
 * inherited. */
void listen_set_shut(struct listen_set *s);
/* listen_set_finish: paths of unix sockets are removed, unless somebody goes on listening there. */
void listen_set_finish(struct listen_set *s, bool leave);
