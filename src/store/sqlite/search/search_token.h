/* search_token: the words of a text, as the index has them.
 *
 * SQLite's unicode61, without accents and case, with one difference: every sign of a script that is
 * written without blanks (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese, …) and every emoji
 * is a word of its own, so that any stretch of such text is found as a phrase.  A second index of
 * trigrams would not do: it has no words of two signs, which is what most of theirs have, and costs
 * as much again.  Hangul is written with blanks, but particles hang on its words.  Vowel signs of
 * Arabic and Hebrew are left out, as most people write without them. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <sqlite3.h>
#include <stdbool.h>

#define SEARCH_TOKENIZER "parley"

/* search_token_register: makes the tokenizer known to a connection; an SQLite code. */
int search_token_register(sqlite3 *db) MUST_USE;

/* search_token_api: FTS5's own interface of a connection; an SQLite code. */
int search_token_api(sqlite3 *db, fts5_api **ret) MUST_USE;

/* One to use without a table.  Laid open so that it can be embedded; zeroed is closed. */
struct search_words {
	struct fts5_tokenizer *how; /* owned */
	struct Fts5Tokenizer  *with;
};

/* search_words_open: of a connection that knows the tokenizer, and outlives it; an SQLite code. */
int  search_words_open(struct search_words *w, sqlite3 *db) MUST_USE;
void search_words_close(struct search_words *w);

/* search_words_each: fn for every word of text: as the index has it, and where it stands.  What fn
 * returns if it is not SQLITE_OK ends it and is returned. */
typedef int (*search_word_fn)(void *arg, struct str word, size_t start, size_t end);
int search_words_each(const struct search_words *w, struct str text, search_word_fn fn,
		      void *arg) MUST_USE;

/* search_token_alone: whether v is a word of its own. */
bool search_token_alone(unsigned v);
/* search_utf8: the character at *at of valid UTF-8, which is moved behind it. */
unsigned search_utf8(struct str s, size_t *at);
