/* search_query: reads what a person typed as words and phrases, and prints an expression of FTS5.
 *
 *   tea pot        both words
 *   "tea pot"      the phrase
 *   tea*           words that begin with tea
 *   -pot           messages without this word; also -"tea pot"
 *
 * Everything else is text: what is typed never becomes an operator of FTS5's query language.  A
 * typed word that the tokenizer splits (tea-pot, 東京) is a phrase. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/words/search_token.h"

#include <stdbool.h>
#include <stdint.h>

struct search_term {
	size_t first;   /* index of its first word */
	size_t count;   /* number of its words; more than one: a phrase */
	bool   prefix;  /* the last word is the beginning of a word */
	bool   exclude; /* a message with this term is no match */
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
	struct buf text; /* the words in the form that the index has */
};

void search_query_init(struct search_query *q);
void search_query_finish(struct search_query *q);

/* search_query_read: typed is UTF-8 without NUL.
 * Errors: INVALID_VALUE at "q", OVERLOADED. */
enum errc search_query_read(struct search_query *q, const struct search_words *w, struct str typed,
			    struct err *e) MUST_USE;

/* search_query_word: borrowed until the next search_query_read. */
struct str search_query_word(const struct search_query *q, size_t i);

/* search_query_print: prints the expression, limited to rows whose scope has all words of `scope`
 * (letters and digits, separated by blanks; empty: no limit).  False: no memory. */
bool search_query_print(const struct search_query *q, struct str scope, struct buf *out) MUST_USE;

/* search_cursor: where a page of a search ended, in the form that clients send back. */
struct search_cursor {
	uint64_t query; /* hash of the search's expression; a cursor fits its own search only */
	int64_t  top;   /* id of the window's newest message; newer ones are not in the window */
	int64_t  score; /* score of the last hit on the page, in millionths */
	int64_t  id;    /* id of this hit; 0: the page has no hit of this window */
};

enum { SEARCH_CURSOR = 64 };

void search_cursor_print(const struct search_cursor *c, char ret[SEARCH_CURSOR + 1]);
bool search_cursor_parse(struct str text, struct search_cursor *ret);
