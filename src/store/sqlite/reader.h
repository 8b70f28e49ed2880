/* reader: a small pool of threads, each with its own read-only connection.
 *
 * What loops are slow to handle bounds what is read for them: by number (readers_add refuses) and
 * by bytes (the pool pauses). */
#pragma once

#include "store/sqlite/moved.h"
#include "store/store.h"

struct readers;
struct search;

/* What a pool works with; all borrowed. */
struct readers_parts {
	const char *path;
	int64_t     busy_ms;
	const struct moved
		*moved; /* while its files are gone, all reads are refused: what could still be
	                             * read would look kept */
	struct search
		*search; /* for a pool that searches, which may take seconds and so has threads
	                             * of its own; else NULL */
};

enum errc readers_create(const struct readers_parts *parts, unsigned count, struct readers **ret,
			 struct err *e) MUST_USE;
/* readers_destroy: after everything queued was done; answers may still be on their way. */
void readers_destroy(struct readers *p);
/* readers_add: false when as many as its kind's bound wait, or are answered and not handled.  Any
 * thread. */
bool readers_add(struct readers *p, struct store_job *job) MUST_USE;
