/* search_snippet: the stretch of a message that shows best why it was found.
 *
 * Words are compared here as the tokenizer gives them, so that marks agree with the matching, and
 * no index of the text is made for it. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "store/sqlite/search/search_query.h"
#include "store/search.h"

enum { SEARCH_MATCHES = 512 }; /* looked at in one message */

/* Laid open so that it can be embedded and reused. */
struct search_snippet {
	struct search_place {
		size_t start; /* in the message's text */
		size_t end;
		size_t at; /* its word, in words */
		size_t n;
	} * places; /* owned */
	size_t     count;
	size_t     cap;
	struct buf words;
	struct search_match {
		size_t   start;
		size_t   end;
		unsigned term;
	} matches[SEARCH_MATCHES];
	size_t match_count;
};

void search_snippet_init(struct search_snippet *s);
void search_snippet_finish(struct search_snippet *s);

/* search_snippet_make: *ret in the arena; white space is one blank, and what is left out "…".
 * Errors: OVERLOADED. */
enum errc search_snippet_make(struct search_snippet *s, const struct search_words *w,
			      const struct search_query *q, struct str text, struct arena *a,
			      struct search_segment **ret, size_t *ret_count,
			      struct err *e) MUST_USE;
