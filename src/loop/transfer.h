/* loop/transfer: libcurl's multi handles on a loop.  Sixteen of them, because libcurl walks all
 * connections of a handle to a host for every new transfer, and some for transfers that may share a
 * connection with others (HTTP/2).
 *
 * Threads: the loop's own. */
#pragma once

#include "base/list.h"
#include "loop/loop.h"

struct transfers;

/* transfers_create: owned; destroyed before the loop.  What is still going on then is ended: its done
 * is called with CURLE_ABORTED_BY_CALLBACK. */
enum errc transfers_create(struct loop *l, struct transfers **ret, struct err *e) MUST_USE;
void      transfers_destroy(struct transfers *t);
OWNABLE(transfers);

/* A running transfer; embedded in upstream's call.  `easy` is a CURL *, owned by the embedder. */
struct transfer {
	void *easy;
	void (*done)(struct transfer *t, int curl_code); /* after removal from its multi */
	bool             shared; /* it may be multiplexed; then it must never be paused */
	unsigned         multi;  /* which of the handles, set by transfer_start */
	int              socket; /* the newest one that it was seen to use; -1: none */
	struct list_link link;   /* among the active ones */
};
/* transfer_start: adds it; done is called later, never from within. */
bool transfer_start(struct transfers *ts, struct transfer *t) MUST_USE;
/* transfer_cancel: closes an unfinished connection at once, or resets the stream of one that others use
 * too; done is not called.  Not from within
 * a libcurl callback of the same transfer. */
void transfer_cancel(struct transfers *ts, struct transfer *t);
/* transfer_unpause: after a write callback returned CURL_WRITEFUNC_PAUSE. */
void         transfer_unpause(struct transfers *ts, struct transfer *t);
struct loop *transfers_loop(struct transfers *ts);
