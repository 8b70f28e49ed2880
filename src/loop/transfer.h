/* loop/transfer: libcurl's multi handles on a loop.  There are sixteen, because libcurl walks over
 * all connections of a handle to a host for each new transfer, a few more for transfers that may
 * share a connection with others (HTTP/2), and up to sixty-four for connections that are set up for our own
 * client: with TLS they stay there, and libcurl walks over them for each record.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/list.h"
#include "loop/loop.h"

struct transfers;

/* transfers_create: *ret is owned, and must be destroyed before the loop.  transfers_destroy ends
 * running transfers: their done gets CURLE_ABORTED_BY_CALLBACK. */
enum errc transfers_create(struct loop *l, struct transfers **ret, struct err *e) MUST_USE;
void      transfers_destroy(struct transfers *t);
OWNABLE(transfers);

/* A running transfer; embedded in upstream's call.  `easy` is a CURL *, owned by the embedder. */
struct transfer {
	void *easy;
	void (*done)(struct transfer *t, int curl_code); /* after removal from its multi */
	/* May share a connection with others, and leaves it to them.  So it must never be
	 * paused, and must speak HTTP/2, whose frames say to which request they belong: libcurl
	 * 7.88 uses an HTTP/1.1 connection again although bytes have come after the last answer,
	 * and takes them for the next one.  The connection of any other transfer is closed at
	 * its end. */
	bool shared;
	/* The handle only sets a connection up (CURLOPT_CONNECT_ONLY): done's CURLE_OK means that it
	 * stands, and leaves the handle in its multi.  transfer_socket or transfer_take_socket
	 * follows from within done. */
	bool             connect;
	unsigned         multi;  /* number of its handle; set by transfer_start */
	int              socket; /* the last descriptor that it was seen to use; -1: none */
	struct list_link link;   /* in the list of running transfers */
};
/* transfer_start: starts the transfer; done is called later, never from within this call. */
bool transfer_start(struct transfers *ts, struct transfer *t) MUST_USE;
/* transfer_cancel: ends a transfer without calling done: closes its connection, or resets its
 * stream if others use the connection.  Not from within a libcurl callback of the same transfer. */
void transfer_cancel(struct transfers *ts, struct transfer *t);
/* transfer_unpause: after a write callback returned CURL_WRITEFUNC_PAUSE. */
/* transfer_socket: the descriptor of a connection that was set up, which stays libcurl's (for TLS) until
 * transfer_cancel closes it. The loop does not watch it any more. -1: there is none. */
int transfer_socket(struct transfers *ts, struct transfer *t) MUST_USE;
/* transfer_take_socket: the same, but the descriptor becomes the caller's, and the handle is free. */
int          transfer_take_socket(struct transfers *ts, struct transfer *t) MUST_USE;
void         transfer_unpause(struct transfers *ts, struct transfer *t);
struct loop *transfers_loop(struct transfers *ts);
