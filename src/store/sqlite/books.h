/* books: what calls have used is summed up in memory (store/usage_gather.h) and booked now and then. */
#pragma once

#include "store/sqlite/chore.h"
#include "store/sqlite/kit/conn.h"
#include "store/usage_gather.h"

#include <stdatomic.h>

enum {
	BOOKS_MS = 1000, /* what was used is written so long after the first of it, */
	BOOKS_REST_MS =
		60 * 1000, /* and reservations that nobody has settled are looked for so often, */
};

struct books { /* all borrowed */
	struct conn         *conn;
	struct usage_gather *usage;
	const atomic_bool   *quiesced; /* but not while this is true */
};

extern const struct chore chore_books;
