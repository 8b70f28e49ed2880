/* session: what an operation works with: a connection, and the state of its thread.  The writer and
 * each reader have a session, and so has a process that works on the database beside the
 * gateway. */
#pragma once

#include "store/blob.h"
#include "store/key_ring.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/search/search_queue.h"

struct search_reads;
struct peer;
struct unfinished;
struct salvage_read;

struct session {
	struct conn *conn; /* borrowed */
	/* Only in a session that writes (session_write). */
	struct events        events;
	struct search_queue  search;
	struct unfinished   *unfinished; /* borrowed; NULL: nothing is remembered for later */
	struct salvage_read *salvage;    /* borrowed; for the runs of `unfinished` */
	struct blobs        *blobs;      /* borrowed */
	struct key_ring     *ring;       /* borrowed */
	struct peer         *peer;       /* borrowed; the previous process of a takeover */
	bool erased; /* something that somebody wrote was deleted, and the writer has not seen this flag */
	/* Only in the session of a reader that searches; borrowed. */
	struct search_reads *searches;
};

/* session_write: makes s a session that writes.  s is zero but for the borrowed members. */
void session_write(struct session *s, struct conn *conn);
void session_finish(struct session *s);
/* session_commit: commits what the session's operations have done.  An SQLite code. */
int session_commit(struct session *s) MUST_USE;
/* session_forget: to be called after a rollback; forgets what the session knows from the
 * transaction. */
void session_forget(struct session *s);
