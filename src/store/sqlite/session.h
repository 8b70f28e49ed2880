/* session: what an operation works with: a connection, and what its thread knows besides.  The writer
 * has one, each reader has one, and so has whoever works on a database beside the gateway. */
#pragma once

#include "store/blob.h"
#include "store/key_ring.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/search/search_queue.h"

struct search_reads;
struct peer;
struct unfinished;

struct session {
	struct conn *conn; /* borrowed */
	/* Of who writes (session_write). */
	struct events       events;
	struct search_queue search;
	struct unfinished
		*unfinished; /* borrowed, as the next three; NULL where nothing is kept for later */
	struct blobs    *blobs;
	struct key_ring *ring;
	struct peer     *peer; /* the process beside */
	/* Of a reader that searches; borrowed. */
	struct search_reads *searches;
};

/* session_write: s is zero but for what is borrowed; it is to be finished also when this fails. */
enum errc session_write(struct session *s, struct conn *conn, struct err *e) MUST_USE;
void      session_finish(struct session *s);
/* session_forget: after a rollback: nothing that was learned in the transaction holds any longer. */
void session_forget(struct session *s);
