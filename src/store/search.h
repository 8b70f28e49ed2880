/* The job that searches messages. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/str.h"
#include "store/job.h"

enum search_role { /* the numbers are stored in the index: a new role goes to the end */
		   SEARCH_ROLE_OTHER,
		   SEARCH_ROLE_USER,
		   SEARCH_ROLE_ASSISTANT,
		   SEARCH_ROLE_SYSTEM,
		   SEARCH_ROLE_DEVELOPER,
		   SEARCH_ROLE_TOOL,
		   SEARCH_ROLE_COMPUTER,
		   SEARCH_ROLE_TITLE, /* no message: the title of a conversation */
		   SEARCH_ROLE__COUNT
};
const char *search_role_name(enum search_role r);

/* A stretch of a snippet. */
struct search_segment {
	struct str text;
	bool       match;
};

struct search_hit {
	bool                   of_title; /* the title was found; then there is no message */
	struct id              message;
	struct id              conversation;
	struct str             title; /* the conversation's, or its first words; empty: none */
	int64_t                created_ms;
	enum search_role       role;
	int64_t                score;    /* millionths */
	struct search_segment *segments; /* the snippet, in order */
	size_t                 segment_count;
};

/* search_read: messages and titles that match, the best ones among the newest first.
 * Errors: INVALID_VALUE "q": nothing to search for, or too much; INVALID_VALUE "after"; OVERLOADED
 * with retry_after_ms: out of time; STORAGE with retry_after_ms: the index can't be read. */
struct search_read {
	struct store_job job;
	int64_t          owner;
	struct str       query;        /* text as typed; UTF-8 without NUL */
	struct id        conversation; /* none: all */
	int              role;         /* enum search_role, or -1: any, and titles */
	bool             no_titles;
	struct str   after; /* `next` of the page before, of the same search; empty: first page */
	size_t       limit;
	struct arena arena;
	/* out */
	struct search_hit *hits;
	size_t             hit_count;
	struct str         next;     /* cursor of the next page; empty: this is the last one */
	bool               complete; /* the index had all messages that were stored at the time */
};
