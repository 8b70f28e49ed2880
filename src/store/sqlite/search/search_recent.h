/* search_recent: the messages of turns that the writer has just written, kept until the indexer takes
 * them, which would otherwise read each of them back from the database.
 *
 *   turn_begin --messages--> begun --turn_end, answer--> ended --row of search_queue--> taken
 *        any of them --too many bytes, begun again--> dropped
 *
 * What is not here is in the database, so anything may be dropped at any time: the oldest turns are when
 * there are more than LIMIT_SEARCH_RECENT bytes.  The queue decides what is indexed; a turn that was
 * rolled back has no row there.  A message that was removed meanwhile is added and then dropped again,
 * because its removal stands in the queue behind it, with its text.
 *
 * Begin and end belong to the writer's thread, take to the indexer's; a lock is between them. */
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
/* search_recent_take: the ended turn of the run, for search_turn_free; NULL: it is not here. */
/* search_recent_fills: half of the room is used, so that the indexer should come soon.  Any thread. */
bool                search_recent_fills(struct search_recent *r);
struct search_turn *search_recent_take(struct search_recent *r, int64_t run);
void                search_turn_free(struct search_turn *t);
