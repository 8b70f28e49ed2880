/* search_recent: the messages of turns that the writer has just written, kept until the indexer takes
 * them, which would otherwise read each of them back from the database.
 *
 *   turn_begin --messages--> BEGUN --turn_end, answer--> ENDED --row of search_queue--> taken
 *        any --too many bytes; a message of it is removed; begun again; nobody indexes--> dropped
 *
 * What is not here is in the database, so any turn may be dropped at any time: the oldest are when there
 * are more than LIMIT_SEARCH_RECENT bytes.  Which turn is indexed, says the queue, and the row of a turn
 * comes with the commit of its end; one that was rolled back has none.  Who removes a message drops its
 * turn, because the removal may come before that row.
 *
 * Begin, end and drop belong to the writer's thread, take to the indexer's; a lock is between them. */
#pragma once

#include "store/conversation.h"

struct search_recent;

/* search_recent_create: owned; NULL: no memory. */
struct search_recent *search_recent_create(void) MUST_USE;
/* search_recent_destroy: NULL is fine. */
void search_recent_destroy(struct search_recent *r);

/* A turn.  The bodies are the turn's. */
struct search_turn {
	int64_t    owner;
	int64_t    conversation;
	struct str answer; /* its message id is the run's; empty: the run has none */
	const struct store_message *messages; /* of the request */
	size_t                      message_count;
};

/* search_recent_begin: keeps a copy of the messages.  One that is too large, or for which there is no
 * memory, is not kept.  r may be NULL. */
void search_recent_begin(struct search_recent *r, struct id run, int64_t owner,
			 int64_t conversation, const struct store_message *messages, size_t count);
/* search_recent_end: adds a copy of the answer to a turn that is here.  r may be NULL. */
void search_recent_end(struct search_recent *r, struct id run, struct str answer);
/* search_recent_drop: a message of the run is going to be removed.  r may be NULL. */
void search_recent_drop(struct search_recent *r, int64_t run);
/* search_recent_take: the ended turn of the run, for search_turn_free; NULL: it is not here. */
struct search_turn *search_recent_take(struct search_recent *r, int64_t run);
void                search_turn_free(struct search_turn *t);

/* search_recent_fills: so much has ended since the indexer had caught up that it should come soon, before
 * turns must be dropped.  Any thread. */
bool search_recent_fills(struct search_recent *r);
/* search_recent_caught_up: the indexer has done all rows that it knows. */
void search_recent_caught_up(struct search_recent *r);
/* search_recent_keep: whether turns are kept from now on; at first they are not.  False: all are dropped.
 * It is false for as long as nobody takes any, or another process writes to the database, of whose
 * removals search_recent_drop is not told.  Any thread; r may be NULL. */
void search_recent_keep(struct search_recent *r, bool keep);
