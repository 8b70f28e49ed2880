/* http/peer: the client's address, also behind trusted proxies. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockaddr;

enum { PEER_TEXT = 48 }; /* an address and its NUL */

/* Addresses of both families in one form: IPv4 as ::ffff:a.b.c.d. */
struct peer_net {
	uint8_t  address[16];
	unsigned bits;
	bool     unix_too; /* "unix": all clients of unix sockets */
};

/* peer_net_parse: 10.0.0.0/8, 2001:db8::/32, one address, or unix. */
bool peer_net_parse(const char *text, struct peer_net *ret) MUST_USE;

/* peer_client: the address of the client.  This is the socket's address; if a trusted proxy has
 * that address, it is the rightmost address in X-Forwarded-For (or, without this header, in
 * Forwarded: RFC 7239) that is no trusted proxy's.  An entry that can't be read ends the search at
 * the proxy that added it.  Empty: a unix socket without such a header. */
void peer_client(const struct sockaddr *peer, struct str x_forwarded_for, struct str forwarded,
		 const struct peer_net *nets, size_t count, char ret[PEER_TEXT]);
