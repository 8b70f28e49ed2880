/* reader: a small pool of threads, each with its own read-only connection.
 *
 * Answers that their loops have not handled yet limit further reads: by their number (readers_add
 * refuses) and by their bytes (the pool pauses). */
#pragma once

#include "store/sqlite/moved.h"
#include "store/store.h"

struct readers;
struct search;

/* Parts that a pool works with; all borrowed until readers_destroy. */
struct readers_parts {
	const char *path; /* path of the database; absolute */
	int64_t     busy_ms;
	/* While the database's files are gone, all reads are refused, because an answer would make
	 * the data look safe. */
	const struct moved *moved;
	/* NULL, except in the pool for searches; searches may take seconds, and so have threads of
	 * their own. */
	struct search *search;
};

enum errc readers_create(const struct readers_parts *parts, unsigned count, struct readers **ret,
			 struct err *e) MUST_USE;
/* readers_destroy: does all queued jobs first; answers may still be in the inboxes of loops. */
void readers_destroy(struct readers *p);
/* readers_add: queues a job, lent until it is answered; false: as many jobs as the bound of its
 * kind wait, or are answered and not handled yet.  Any thread. */
bool readers_add(struct readers *p, struct store_job *job) MUST_USE;
