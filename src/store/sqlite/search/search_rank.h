/* search_rank: how well a message matches, as a function of FTS5: score(entry, bytes), with the length
 * of the message's text.
 *
 * The score is that of BM25, from the number of matches and the length of the message, but without
 * the rarity of the words: rarity needs a look at every match, and changes little where all words
 * must match.  The score depends on the message alone, so pages stay in order while new messages
 * come in. */
#pragma once

#include "base/base.h"

#include <sqlite3.h>

/* search_rank_register: an SQLite code. */
int search_rank_register(sqlite3 *db) MUST_USE;
