/* Archives (docs/archive.md): reading conversations as lines, and writing them from lines. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"
#include "store/answer.h"
#include "store/conversation.h"
#include "store/job.h"

struct archive_plan; /* the engine's: the order of a conversation's parts */

/* archive_read: the next page of a conversation's lines.  The first page also fixes which runs and
 * messages the archive has.  Only the members up to page_bytes are set at first, the rest is zero;
 * archive_read_finish frees the job's memory after the last page.
 * Errors: NOT_FOUND, also if the conversation is deleted between two pages. */
struct archive_read {
	struct store_job job;
	int64_t          owner;
	bool      any_owner; /* the conversation may be anybody's; its line names the owner */
	struct id conversation;
	size_t    page_bytes; /* a page ends after the line that makes it so long */
	/* out; the caller empties page between two pages */
	struct buf page;
	bool       has_more;
	/* the engine's */
	struct archive_plan *plan; /* owned */
	size_t               at;   /* index of the next part in the plan */
	size_t               line; /* lines of this part that earlier pages have */
	bool                 live; /* the part is a run that was live when its line was printed */
	struct {
		bool   planned;
		size_t at, line;
		bool   live;
	} from; /* where this page began, for another try */
};
void archive_read_finish(struct archive_read *j);

/* The error of a run that went on when it was exported. */
#define ARCHIVE_CUT_OFF                                                            \
	"{\"message\":\"This answer was still being made when it was exported.\"," \
	"\"type\":\"server_error\",\"param\":null,\"code\":\"exported_unfinished\"}"

/* archive_write: a write; stores all conversations of a checked archive (archive/archive.h),
 * or none.  Errors: OVERLOADED (memory). */
struct archive_write {
	struct store_job job;
	int64_t          owner;
	bool owners; /* owners in the archive count; `owner` gets the other conversations */
	bool quiet;  /* `results` stays empty */
	enum store_origin  origin; /* which list the conversations are in */
	int64_t            now_ms;
	struct str         text; /* the archive */
	struct answer_made made;
	/* out */
	size_t conversation_count;
	size_t message_count;
	struct buf
		results; /* {"id":…,"source_id":…,"messages":…} of each, with commas between them */
};

/* An export by another process than the gateway (store_engine.export). */
struct store_export {
	const struct id *ids;   /* borrowed; NULL: all conversations */
	size_t           count; /* number of ids; out: of exported conversations */
	enum errc (*put)(void *arg, struct str lines, size_t conversations, struct err *e);
	void *arg;
};
