/* usage_gather: what calls have used, summed up in memory until an engine writes it.  Threads: any, but for
 * usage_gather_flush and usage_gather_done, which one thread calls. */
#pragma once

#include "store/usage.h"

struct usage_gather;

/* What calls of one key, day, model and provider have used. */
struct usage_sum {
	struct usage_note note;
	int64_t           calls, estimated, unpriced;
	struct usage_sum *next; /* the gatherer's */
};

/* usage_gather_create: first(arg) is called, on any thread, when there is something to write again.  NULL:
 * no memory. */
struct usage_gather *usage_gather_create(void (*first)(void *arg), void *arg);
void                 usage_gather_destroy(struct usage_gather *g);

void usage_gather_add(struct usage_gather *g, const struct usage_note *note);
/* usage_gather_flush: hands each sum to put, up to one that returns other than 0, which is returned; they
 * count as written only with usage_gather_done, which says whether that was committed. */
int  usage_gather_flush(struct usage_gather *g, int (*put)(void *arg, const struct usage_sum *sum),
			void                *arg) MUST_USE;
void usage_gather_done(struct usage_gather *g, bool written);
/* usage_gather_any: there is something to write. */
bool usage_gather_any(struct usage_gather *g);
