/* search_snippet: the stretch of a message that shows best why the message was found.
 *
 * The words of the message are compared in the form that the tokenizer gives them, so that the
 * marked matches are those of FTS5, although the index keeps no text. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "store/words/search_query.h"
#include "store/search.h"

enum { SEARCH_MATCHES = 512 }; /* matches considered in one message, at most */

/* Laid open so that it can be embedded and reused. */
struct search_snippet {
	struct search_place {
		size_t start; /* in the message's text */
		size_t end;
		size_t at; /* the word in the tokenizer's form, in `words` */
		size_t n;
	} * places; /* owned; the words of the message */
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

/* search_snippet_make: *ret is in the arena.  White space becomes one blank, and "…" stands where
 * text is left out.  Errors: OVERLOADED. */
enum errc search_snippet_make(struct search_snippet *s, const struct search_words *w,
			      const struct search_query *q, struct str text, struct arena *a,
			      struct search_segment **ret, size_t *ret_count,
			      struct err *e) MUST_USE;
