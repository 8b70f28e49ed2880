/* Stored completions: calls of OpenAI's routes that ended well, and whose answer is there. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"
#include "store/label.h"

struct store_completion {
	struct id    run;
	int64_t      created_ms;
	struct str   model; /* as asked */
	struct str   finish_reason;
	struct usage usage;
	struct str   request_id;
	struct str   settings; /* as in turn_begin */
	struct str   answer;   /* the assistant's message object */
	struct str   metadata; /* of its conversation: JSON object, "{}" if none */
};

/* completion_read.  Errors: NOT_FOUND. */
struct completion_read {
	struct store_job        job;
	int64_t                 owner;
	struct id               run;
	struct arena            arena;
	struct store_completion found; /* out */
};

/* completions_read: an owner's completions by the time they were asked for.
 * Errors: INVALID_VALUE "after": no such run. */
struct completions_read {
	struct store_job    job;
	int64_t             owner;
	struct id           after; /* none: from the beginning, in the order asked */
	bool                descending;
	size_t              limit;
	size_t              page_bytes; /* as in items_read */
	struct str          model;      /* .p NULL: of any */
	struct store_labels labels;
	struct arena        arena;
	/* out */
	struct store_completion *completions;
	size_t                   completion_count;
	bool                     has_more; /* also when page_bytes or the arena ended the page */
};

/* completion_messages_read: what a completion was asked, by places from 0 on.  A message that was
 * removed from the conversation leaves its place empty.
 * Errors: NOT_FOUND; INVALID_VALUE "after": it has no such place. */
struct completion_messages_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	int64_t          after; /* a place; -1: from the beginning (in the order asked) */
	bool             descending;
	size_t           limit;
	size_t           page_bytes; /* as in items_read */
	struct arena     arena;
	/* out */
	struct completion_message {
		int64_t    place;
		struct str body;
	} * messages;
	size_t message_count;
	bool   has_more;
};

/* completion_write: a write.  Errors: NOT_FOUND. */
struct completion_write {
	struct store_job job;
	int64_t          owner;
	int64_t          now_ms;
	struct id        run;
	/* With its conversation if that has nothing else, else its answer alone goes. */
	bool delete;
	struct str              metadata; /* the new one: JSON object; empty: as it is */
	struct arena            arena;    /* init'ed and finished by the caller */
	struct store_completion now;      /* out: as it is then; not if deleted */
};
