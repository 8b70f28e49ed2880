/* usage_gather: sums of usage in memory, until an engine writes them.  Threads: any, except that
 * one thread alone calls usage_gather_flush and usage_gather_done. */
#pragma once

#include "store/usage.h"

struct usage_gather;

/* The usage of all calls of one key, day, model and provider. */
struct usage_sum {
	struct usage_note note;
	int64_t           calls, estimated, unpriced;
	struct usage_sum *next; /* the gatherer's */
};

/* usage_gather_create: first(arg) is called, on any thread, when usage comes and none has waited.
 * Owned; NULL: no memory. */
struct usage_gather *usage_gather_create(void (*first)(void *arg), void *arg);
void                 usage_gather_destroy(struct usage_gather *g);

void usage_gather_add(struct usage_gather *g, const struct usage_note *note);
/* usage_gather_flush: hands each sum to put, and stops at the first result other than 0, which is
 * returned.  usage_gather_done must follow: it says whether the sums were committed. */
int  usage_gather_flush(struct usage_gather *g, int (*put)(void *arg, const struct usage_sum *sum),
			void                *arg) MUST_USE;
void usage_gather_done(struct usage_gather *g, bool written);
/* usage_gather_any: whether usage waits to be written. */
bool usage_gather_any(struct usage_gather *g);
