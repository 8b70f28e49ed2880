/* What every storage engine shares: names of states and the way out through the engine's table. */
#include "store/store.h"

#include <stdlib.h>

const char *run_status_name(enum run_status s)
{
	static const char *const names[RUN_STATUS__COUNT] = {
		[RUN_QUEUED] = "queued",         [RUN_RUNNING] = "running",
		[RUN_COMPLETED] = "completed",   [RUN_INCOMPLETE] = "incomplete",
		[RUN_FAILED] = "failed",         [RUN_CANCELLED] = "cancelled",
	};

	CHECK((unsigned)s < RUN_STATUS__COUNT);
	return names[s];
}

void key_reused(struct err *e)
{
	err_set(e, ERR_KEY_REUSED, "Idempotency-Key",
		       "this key was used for another request; a key stands for one path and one body");
}

void archive_read_finish(struct archive_read *j)
{
	buf_finish(&j->page);
	free(j->plan);
	j->plan = NULL;
}

const char *search_role_name(enum search_role r)
{
	static const char *const names[SEARCH_ROLE__COUNT] = {
		[SEARCH_ROLE_OTHER] = "other",         [SEARCH_ROLE_USER] = "user",
		[SEARCH_ROLE_ASSISTANT] = "assistant", [SEARCH_ROLE_SYSTEM] = "system",
		[SEARCH_ROLE_DEVELOPER] = "developer", [SEARCH_ROLE_TOOL] = "tool",
		[SEARCH_ROLE_COMPUTER] = "computer",
	};

	CHECK((unsigned)r < SEARCH_ROLE__COUNT);
	return names[r];
}

void store_destroy(struct store *s)
{
	if (s)
		s->ops->destroy(s);
}
