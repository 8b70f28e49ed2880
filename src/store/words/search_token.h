/* search_token: splits a text into the words of the index.
 *
 * The tokenizer is SQLite's unicode61, without accents and case, with one difference: every
 * character of a script that is written without blanks (Chinese, Japanese, Thai, Lao, Khmer,
 * Burmese, …), every Hangul character and every emoji is a word of its own, so that any stretch of
 * such text is found as a phrase.  A second index of trigrams would not help: trigrams can't find
 * the words of two characters, which most words of these languages have, and cost as much again.
 * Korean has blanks, but its particles are joined to its words.  Vowel signs of Arabic and Hebrew
 * are removed, because most people write without them.
 *
 * FTS5's interface for tokenizers: https://sqlite.org/fts5.html#custom_tokenizers */
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

/* A tokenizer for use without a table.  Laid open so that it can be embedded; all zero: closed. */
struct search_words {
	struct fts5_tokenizer *how; /* owned */
	struct Fts5Tokenizer  *with;
	struct sqlite3        *memory; /* owned; NULL: the database is another's */
};

/* search_words_open: the tokenizer must be registered with db, which must outlive w.  Returns an
 * SQLite code. */
int search_words_open(struct search_words *w, sqlite3 *db) MUST_USE;
/* search_words_alone: the same with an empty database of its own. */
int  search_words_alone(struct search_words *w) MUST_USE;
void search_words_close(struct search_words *w);

/* search_words_each: calls fn for each word of the text, with the word in the index's form and its
 * place in the text.  If fn returns another code than SQLITE_OK, no further word follows, and the
 * code is returned. */
typedef int (*search_word_fn)(void *arg, struct str word, size_t start, size_t end);
int search_words_each(const struct search_words *w, struct str text, search_word_fn fn,
		      void *arg) MUST_USE;

/* search_token_alone: whether the character v is a word of its own. */
bool search_token_alone(unsigned v);
/* search_utf8: the character at *at in valid UTF-8; *at is moved to the next one. */
unsigned search_utf8(struct str s, size_t *at);
