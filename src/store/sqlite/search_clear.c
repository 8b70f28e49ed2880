/* Removes indexed rows from the queue of the search index. After a crash, the queue may have rows
 * that the index knows already. */
#include "store/sqlite/chores.h"

enum { AGAIN_MS = 5, RETRY_MS = 1000 };

static int clear_some(void *subject, int64_t *ret_again_ms)
{
	struct search_clear *c = subject;
	int64_t              upto = atomic_load(&c->settled);
	bool                 again = false;

	if (upto <= c->cleared)
		return SQLITE_OK;
	int rc = search_queue_clear(c->queue, upto, &again);
	if (rc == SQLITE_OK && again)
		*ret_again_ms = AGAIN_MS;
	else if (rc == SQLITE_OK)
		c->cleared = upto;
	return rc;
}

const struct chore chore_search_clear = {
	.run = clear_some,
	.event = "search_failed",
	.failed = "the search index's queue could not be cleared",
	.retry_ms = RETRY_MS,
	.pause_ms = AGAIN_MS,
	.alone = true,
	.last = true,
};
