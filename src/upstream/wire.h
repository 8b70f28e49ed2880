/* upstream/wire: a connection to a provider, on which our own client speaks HTTP/1.1.  libcurl resolves,
 * goes through proxies, connects and does TLS.  A connection without TLS is then taken from it, so that
 * it costs a descriptor and this struct; one with TLS stays libcurl's, which encrypts.
 *
 * HTTP/1.1 has no numbers that say to which request an answer belongs (RFC 9112, section 9.2: a client
 * matches them by their order).  So bytes that come between two calls would be the next call's answer, and
 * that call may be another tenant's.  A connection is looked at before it is kept, while it is idle, and
 * when it is taken; where anything has come, it is closed, and the target keeps none for a while.  Bytes
 * that come once the next request is being sent can't be told from its answer.
 *
 * Internal to upstream/.  Threads: the loop's own. */
#pragma once

#include "upstream/internal.h"

#include <sys/types.h>
#include <sys/uio.h>

struct wire;

/* The user of a wire: one call at a time.  Both functions may destroy or keep the wire. */
struct wire_user {
	/* opened: the connection stands, or e says why it does not: UPSTREAM_CONNECT,
	 * CONNECT_TIMEOUT, OVERLOADED. */
	void (*opened)(struct wire_user *u, const struct err *e);
	/* ready: there may be bytes to read (or an end), or room to write. */
	void (*ready)(struct wire_user *u, bool readable, bool writable);
};

/* wire_open: a kept connection to the target if there is one and `fresh` is false, which is ready at
 * once; else a new one, and `opened` is called later.  NULL: no memory. */
struct wire *wire_open(struct upstream_pool *p, struct upstream_target *t, bool fresh,
		       struct wire_user *u) MUST_USE;
/* wire_destroy: closes the connection, or gives up its set-up. */
void wire_destroy(struct wire *w);
/* wire_keep_take: the answer is over, and the connection may carry another call, if nothing has come
 * behind the answer. */
void wire_keep_take(struct wire *w);

/* wire_sweep: closes connections that have been idle for long, or all idle ones. */
void wire_sweep(struct upstream_pool *p, bool all);

bool wire_stands(const struct wire *w);
bool wire_was_kept(const struct wire *w); /* an earlier call used it */

enum { WIRE_LATER = -1, WIRE_BROKEN = -2 };
/* wire_send: how many bytes the kernel, or TLS, took; WIRE_LATER: no room; WIRE_BROKEN. */
ssize_t wire_send(struct wire *w, const struct iovec *iov, int count) MUST_USE;
/* wire_recv: how many bytes came; 0: the end; WIRE_LATER: none yet; WIRE_BROKEN.  *ret_more: TLS may
 * hold more bytes, of which the descriptor knows nothing. */
ssize_t wire_recv(struct wire *w, char *to, size_t size, bool *ret_more) MUST_USE;
/* wire_want: of what `ready` is to tell from now on.  False: no memory in the kernel. */
bool wire_want(struct wire *w, bool readable, bool writable) MUST_USE;
