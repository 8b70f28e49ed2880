/* archive/archive_walk: an archive read conversation by conversation, with everything checked that is
 * between its lines: that what is referred to stands in front, that ids are told apart, that a run's
 * messages are a chain.  Pure; nothing of the text is copied but what was escaped. */
#pragma once

#include "archive/archive_line.h"

#define ARCHIVE_NONE UINT32_MAX /* an index: no such entry */

/* A run or a message of the conversation at hand.  Indices are places in archive_walk.entries. */
struct archive_entry {
	enum archive_kind kind; /* RUN or MESSAGE */
	struct id         id;   /* as it stands in the archive */
	struct id         as;   /* as it is to be stored; an answer's is its run's */
	int64_t           created_ms;
	struct str        text; /* a run's line; a message's body, p NULL: removed */
	uint32_t          parent; /* message, or ARCHIVE_NONE; of a run: its base */
	uint32_t          run;    /* of a message; of a run: the one that it continues */
	uint32_t          last;   /* of a run: the last message that it was sent, or its base */
	uint32_t          answer; /* of a run */
	uint32_t          messages; /* of a run: so many came with it, its answer included */
};

struct archive_walk {
	struct str text; /* the whole archive, borrowed */
	size_t     at;   /* where the next conversation's lines begin */
	size_t     line; /* lines in front of it */
	int64_t    now_ms;

	/* The conversation at hand. */
	bool                        found;
	struct archive_conversation conversation;
	struct id                   conversation_as;
	struct archive_entry       *entries; /* owned */
	uint32_t                    count;
	uint32_t                    messages; /* how many of them are messages */
	uint32_t                    leaf;
	uint32_t                    tip;

	/* The rest is the walk's own. */
	uint32_t        cap;
	uint32_t       *slots; /* owned; by key: 1 + place of an entry, 0: free */
	uint32_t        slot_count;
	uint64_t        seed;
	struct json_doc doc;
	struct arena    arena; /* what the conversation's texts point into */
};

void archive_walk_init(struct archive_walk *w, struct str text, int64_t now_ms);
void archive_walk_finish(struct archive_walk *w);
/* archive_walk_next: reads all lines of the next conversation; found is false at the end.  Every `as`
 * is the id of the archive.
 * Errors: with the line in front, as in "lines[17].message.role"; lines are counted from 1. */
enum errc archive_walk_next(struct archive_walk *w, struct err *e) MUST_USE;
/* archive_walk_run: a run's line once more; what it points into is the arena's or the text's. */
enum errc archive_walk_run(struct archive_walk *w, const struct archive_entry *run,
			   struct arena *arena, struct archive_run *ret, struct err *e) MUST_USE;
/* archive_walk_is_past: no id of the conversation at hand is of a time to come. */
bool archive_walk_is_past(const struct archive_walk *w);
/* archive_walk_renew: gives new ids to all that was read: as old as what they name, and in the same
 * order.  tries: how often the ids were found to be in use: with each they are sought in a longer time
 * before, up to some hours. */
void archive_walk_renew(struct archive_walk *w, int tries);
