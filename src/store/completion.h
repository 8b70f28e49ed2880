/* Stored completions: runs of OpenAI's routes that have ended well and have an answer. */
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
	struct str   model; /* name in the request */
	struct str   finish_reason;
	struct usage usage;
	struct str   request_id;
	struct str   settings; /* same as in turn_begin */
	struct str   answer;   /* the assistant's message object */
	struct str   metadata; /* its conversation's; JSON object, "{}" if none */
};

/* completion_read.  Errors: NOT_FOUND. */
struct completion_read {
	struct store_job        job;
	int64_t                 owner;
	struct id               run;
	struct arena            arena;
	struct store_completion found; /* out */
};

/* completions_read: an owner's completions in the order of their creation.
 * Errors: INVALID_VALUE "after": no such run. */
struct completions_read {
	struct store_job    job;
	int64_t             owner;
	struct id           after; /* none: from the beginning, in the requested order */
	bool                descending;
	size_t              limit;
	size_t              page_bytes; /* same as in items_read */
	struct str          model;      /* p NULL: any */
	struct store_labels labels;
	struct arena        arena;
	/* out */
	struct store_completion *completions;
	size_t                   completion_count;
	bool                     has_more; /* also when page_bytes or the arena ended the page */
};

/* completion_messages_read: the messages of a completion's request, whose places count from 0.  The
 * place of a message that was removed from the conversation is left out.
 * Errors: NOT_FOUND; INVALID_VALUE "after": there is no such place. */
struct completion_messages_read {
	struct store_job job;
	int64_t          owner;
	struct id        run;
	int64_t          after; /* a place; -1: from the beginning, in the requested order */
	bool             descending;
	size_t           limit;
	size_t           page_bytes; /* same as in items_read */
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
	/* Deletes the completion: with its conversation if that has nothing else, otherwise only
	 * the answer. */
	bool delete;
	struct str              metadata; /* the new metadata, a JSON object; empty: no change */
	struct arena            arena;    /* init'ed and finished by the caller */
	struct store_completion now;      /* out: after the change; unset if deleted */
};
