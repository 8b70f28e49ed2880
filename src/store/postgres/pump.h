/* pump: the store's thread.  It takes jobs from queues (queues.h), does them as works (work.h) on a few connections, and
 * moves the bytes of all connections; it waits in one poll. */
#pragma once

#include "store/postgres/queues.h"
#include "store/postgres/work.h"

struct postgres;
struct pump;

/* A work that the pump begins by itself, at the latest `every_ms` after its last end. */
struct pump_chore {
	struct work_kind kind;
	enum queue       queue;
	int64_t          every_ms;
	/* wanted: NULL: always. */
	bool (*wanted)(struct postgres *db);
	bool last; /* done once more at the end, if it is wanted */
};

/* pump_create: connects to the database and starts the thread, which reads db->pump; chores: a table that ends
 * with a row without step.  db->pump is owned. */
enum errc pump_create(struct postgres *db, const struct pump_chore *chores, struct err *e) MUST_USE;
/* pump_destroy: does all queued jobs, and ends the thread. */
void pump_destroy(struct pump *p);

bool pump_add(struct pump *p, struct store_job *job) MUST_USE;
/* pump_call: chores become due now.  Any thread. */
void pump_call(struct pump *p);
void pump_stats(struct pump *p, struct store_stats *ret);
/* pump_figures: the sizes in pump_stats from now on; on the store's thread. */
void pump_figures(struct pump *p, const struct store_stats *figures);
