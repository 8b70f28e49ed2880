/* search_recent: the messages of turns that the writer has just written, kept until the indexer takes
 * them, which would otherwise read each of them back from the database.
 *
 *   turn_begin --messages--> BEGUN --turn_end, answer--> ENDED --row of search_queue--> taken
 *        any --too many bytes; a message of it is removed; begun again; nobody indexes--> dropped
 *
 * Streams never come here, because an open one would hold its copy for as long as it lasts.  What is not
 * here is in the database, so any turn may be dropped at any time: the oldest are when there
 * are more than LIMIT_SEARCH_RECENT bytes.  The queue says which turns are indexed: a turn's row comes
 * with the commit of its end, and a turn that was rolled back has none.  Code that removes a message
 * drops the message's turn, because the removal may come before the turn's row.
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
	const struct store_message *messages; /* messages of the request */
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

/* search_recent_fills: so much has ended since the indexer last looked that it should come soon, before
 * turns must be dropped.  Any thread. */
bool search_recent_fills(struct search_recent *r);
/* search_recent_seen: the indexer is about to read the queue, and goes on until nothing is left. */
void search_recent_seen(struct search_recent *r);
/* search_recent_keep: whether turns are kept from now on; at first they are not.  False drops all.  Turns
 * are not kept while nobody takes any, nor while another process writes to the database, because
 * search_recent_drop does not learn what that process removes.  Any thread; r may be NULL. */
void search_recent_keep(struct search_recent *r, bool keep);
