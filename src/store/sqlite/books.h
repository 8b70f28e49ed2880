/* books: the chore that writes the usage of calls, which is summed up in memory
 * (store/usage_gather.h), and settles reservations whose calls are lost. */
#pragma once

#include "store/sqlite/chore.h"
#include "store/sqlite/kit/conn.h"
#include "store/usage_gather.h"

#include <stdatomic.h>

enum {
	BOOKS_MS = 1000,           /* from the first usage in memory until it is written */
	BOOKS_REST_MS = 60 * 1000, /* interval of the search for lost reservations */
};

struct books { /* all borrowed */
	struct conn         *conn;
	struct usage_gather *usage;
	const atomic_bool   *quiesced; /* while true, no lost reservation is settled */
};

extern const struct chore chore_books;
