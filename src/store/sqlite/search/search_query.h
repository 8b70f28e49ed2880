/* search_query: what a person typed, as words and phrases, and as an expression of FTS5.
 *
 *   tea pot        both words         "tea pot"   one behind the other
 *   tea*           words that begin so            -pot   not this one; -"tea pot" neither
 *
 * All else is text: no sign or word of FTS5's own language reaches it.  What the tokenizer sees as
 * several words (tea-pot, 東京) is a phrase. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "store/sqlite/search/search_token.h"

struct search_term {
	size_t first; /* its words */
	size_t count;
	bool   prefix; /* the last of them may go on */
	bool   exclude;
};

/* Laid open so that it can be embedded and reused. */
struct search_query {
	struct search_term terms[LIMIT_SEARCH_TERMS];
	size_t             term_count;
	struct {
		size_t at; /* in text */
		size_t n;
	} words[LIMIT_SEARCH_WORDS];
	size_t     word_count;
	struct buf text; /* the words as the index has them */
};

void search_query_init(struct search_query *q);
void search_query_finish(struct search_query *q);

/* search_query_read: typed is UTF-8 without NUL.
 * Errors: INVALID_VALUE at "q", OVERLOADED. */
enum errc search_query_read(struct search_query *q, const struct search_words *w, struct str typed,
			    struct err *e) MUST_USE;

/* search_query_word: borrowed until the next search_query_read. */
struct str search_query_word(const struct search_query *q, size_t i);

/* search_query_print: the expression, within the rows whose scope has all of `scope`'s words (plain
 * ones, with blanks between them).  False: no memory. */
bool search_query_print(const struct search_query *q, struct str scope, struct buf *out) MUST_USE;
