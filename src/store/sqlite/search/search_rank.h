/* search_rank: how well a message matches, as a function of FTS5: score(entry).
 *
 * What BM25 makes of how often the words come and how long the message is.  Not how rare a word is
 * in all messages: that takes a look at every hit, and where all words have to match it moves
 * little.  It depends on nothing but the message, so pages stay in order while others come in. */
#pragma once

#include "base/base.h"

#include <sqlite3.h>

/* search_rank_register: an SQLite code. */
int search_rank_register(sqlite3 *db) MUST_USE;
