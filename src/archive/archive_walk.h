/* archive/archive_walk: reads an archive conversation by conversation, and checks what no single
 * line shows: that lines refer only to earlier lines, that ids differ, that the messages of a
 * run are a chain. Pure; of the text only escaped strings are copied. */
#pragma once

#include "archive/archive_line.h"

#define ARCHIVE_NONE UINT32_MAX /* an index: no such entry */

/* A run or a message of the conversation at hand.  Indices are places in archive_walk.entries. */
struct archive_entry {
	enum archive_kind kind; /* RUN or MESSAGE */
	struct id         id;   /* the id in the archive */
	struct id         as;   /* the id to be stored; an answer's is its run's */
	int64_t           created_ms;
	struct str        text;     /* a run's line; a message's body, p NULL: removed */
	uint32_t          parent;   /* message, or ARCHIVE_NONE; of a run: its base */
	uint32_t          run;      /* a message's run; of a run: the one that it continues */
	uint32_t          last;     /* the last message that a run was sent, or its base */
	uint32_t          answer;   /* a run's answer */
	uint32_t          messages; /* number that came with a run, its answer included */
};

struct archive_walk {
	struct str text; /* the whole archive, borrowed */
	size_t     at;   /* where the next conversation's lines begin */
	size_t     line; /* lines before it */
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
	struct arena    arena; /* memory of the conversation's texts */
};

void archive_walk_init(struct archive_walk *w, struct str text, int64_t now_ms);
void archive_walk_finish(struct archive_walk *w);
/* archive_walk_next: reads all lines of the next conversation; found is false at the end.  Every
 * `as` is the id of the archive.
 * Errors: with the line first, as in "lines[17].message.role"; lines are counted from 1. */
enum errc archive_walk_next(struct archive_walk *w, struct err *e) MUST_USE;
/* archive_walk_run: reads the line of a run again; the result points into the arena or the text. */
enum errc archive_walk_run(struct archive_walk *w, const struct archive_entry *run,
			   struct arena *arena, struct archive_run *ret, struct err *e) MUST_USE;
/* archive_walk_is_past: whether no id of the current conversation has a time in the future. */
bool archive_walk_is_past(const struct archive_walk *w);
/* archive_walk_renew: gives new ids to everything that was read, with the old times and in the
 * same order. tries: how often the new ids were already in use; with each try they are sought in
 * a longer time before, up to some hours. */
void archive_walk_renew(struct archive_walk *w, int tries);
