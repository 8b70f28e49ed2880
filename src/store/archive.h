/* Archives (docs/archive.md): conversations as lines, both ways. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"
#include "store/idem.h"
#include "store/job.h"

struct archive_plan; /* the engine's: in which order a conversation's parts are given */

/* archive_read: the next page of a conversation's lines; the first call also settles which runs and
 * messages there will be.  Zero but for the first part; archive_read_finish when it is over.
 * Errors: NOT_FOUND, also when it is deleted in between. */
struct archive_read {
	struct store_job job;
	int64_t          owner;
	bool             any_owner; /* whoever owns it, and its line tells */
	struct id        conversation;
	size_t           page_bytes; /* a page ends behind the line that makes it so long */
	/* out; the caller empties page in between */
	struct buf page;
	bool       has_more;
	/* the engine's */
	struct archive_plan *plan; /* owned */
	size_t               at;   /* the part that is next, */
	size_t               line; /* and its lines that were given */
	bool                 live; /* it is a run that went on when its line was given */
};
void archive_read_finish(struct archive_read *j);

/* archive_write: a write; all conversations of an archive that was checked (archive/archive_walk.h),
 * or none.  Errors: OVERLOADED (memory). */
struct archive_write {
	struct store_job job;
	int64_t          owner;
	bool             owners; /* those that are told own their conversations, owner the others */
	bool             quiet;  /* no results are wanted */
	int64_t          now_ms;
	struct str       text; /* the archive */
	struct idem_made made;
	/* out */
	size_t conversation_count;
	size_t message_count;
	struct buf
		results; /* {"id":…,"source_id":…,"messages":…} of each, with commas between them */
};

/* An export by another process than the gateway's (store_engine.export). */
struct store_export {
	const struct id *ids;
	size_t           count; /* of ids; out: of conversations that were given */
	enum errc (*put)(void *arg, struct str lines, size_t conversations, struct err *e);
	void *arg;
};
