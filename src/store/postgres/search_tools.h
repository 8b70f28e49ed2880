/* search_tools: what searches and the index need, made when it is needed; used by the store's thread. */
#pragma once

#include "store/postgres/link.h"
#include "store/words/search_query.h"
#include "store/words/search_snippet.h"
#include "store/words/search_text.h"

struct search_candidate {
	int64_t doc;
	int64_t score;
};

struct search_tools {
	struct search_words     words;
	struct search_query     query;
	struct search_snippet   snippet;
	struct search_text      text;
	struct buf              match; /* the query, as the server reads it */
	struct search_candidate found[LIMIT_SEARCH_WINDOW];
	size_t                  count;
	size_t                  at; /* the next one that is looked at */
};

/* search_tools_of: *tools, which is made if it is not there; NULL: no memory. */
struct search_tools *search_tools_of(struct search_tools **tools) MUST_USE;
void                 search_tools_destroy(struct search_tools *t); /* NULL is fine */

/* The row of a message or of a conversation's title: two kinds of keys that may be equal. */
static inline int64_t search_doc(int64_t key, bool title)
{
	return (int64_t)((uint64_t)key << 1 | title);
}
static inline bool search_doc_is_title(int64_t doc)
{
	return doc & 1;
}
static inline int64_t search_doc_key(int64_t doc)
{
	return (int64_t)((uint64_t)doc >> 1);
}

/* search_read: what a failed search says to the client. */
void search_read_refuse(const struct fault *f, struct err *e);
