/* archive_plan: the order of a conversation's parts in an archive: runs, each with its messages, and messages
 * that no run brought.  Parts are in the order of their ids, which is that of their making, unless one was gone
 * on from before its id was made known: then it comes first. */
#pragma once

#include "base/err.h"

struct archive_part {
	int64_t  key;
	int64_t  needs; /* the part that it continues; 0: none */
	uint32_t up;    /* while parts are sorted: the part that waits for this one */
	bool     loose;
	bool     done;
};

struct archive_plan {
	size_t  count;
	int64_t parts[]; /* key of a run, or ~key of a message without a run */
};

/* Laid open so that it can be embedded; all zero is empty. */
struct archive_parts {
	struct archive_part *at; /* owned */
	size_t               count;
	size_t               cap;
};

enum archive_plan_end { ARCHIVE_PLAN_MADE, ARCHIVE_PLAN_NO_MEMORY, ARCHIVE_PLAN_DAMAGED };

/* archive_parts_add: a part, which continues the message `base` of the run `run` (as a message's row has it;
 * 0: of none).  False: no memory, or too many. */
bool archive_parts_add(struct archive_parts *p, int64_t key, bool loose, int64_t base,
		       int64_t run) MUST_USE;
/* archive_parts_plan: *ret is owned (free).  Frees the parts. */
enum archive_plan_end archive_parts_plan(struct archive_parts *p,
					 struct archive_plan **ret) MUST_USE;
void                  archive_parts_finish(struct archive_parts *p);
