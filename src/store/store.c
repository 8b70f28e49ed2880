/* The part of the store that all engines share: names, kinds of jobs, and the call through the
 * engine's table. */
#include "store/store.h"

#include "base/limits.h"
#include "store/answer.h"
#include "store/api_key.h"
#include "store/key_group.h"
#include "store/archive.h"
#include "store/audit.h"
#include "store/cache.h"
#include "store/completion.h"
#include "store/conversation.h"
#include "store/cut_off.h"
#include "store/events.h"
#include "store/file.h"
#include "store/ledger.h"
#include "store/health.h"
#include "store/run.h"
#include "store/search.h"
#include "store/share.h"
#include "store/turn.h"
#include "store/usage.h"
#define SCRATCH_JOB_HEADERS
#include "base/scratch.def"
#undef SCRATCH_JOB_HEADERS

#include <stdlib.h>

#define X(number, name, lane_, by, bound_, bytes)                     \
	static size_t name##_bytes(struct store_job *job)             \
	{                                                             \
		struct name *j = container_of(job, struct name, job); \
                                                                      \
		(void)j;                                              \
		return bytes;                                         \
	}                                                             \
                                                                      \
	bool store_##name(struct store *s, struct name *j)            \
	{                                                             \
		j->job.kind = &job_kinds[JOB_##number];               \
		return s->ops->submit(s, &j->job);                    \
	}
#include "store/job.def"
#undef X

const struct job_kind job_kinds[JOB__COUNT] = {
#define X(number, name, lane, by, bound, bytes) \
	[JOB_##number] = { JOB_##number, #name, LANE_##lane, bound, name##_bytes },
#include "store/job.def"
#undef X
};

bool store_does(const struct store *s, enum job job)
{
	return !s->ops->does || s->ops->does(&job_kinds[job]);
}

void store_stats(struct store *s, struct store_stats *ret)
{
	*ret = (struct store_stats){ .writable = true, .reason = "" };
	if (s->ops->stats)
		s->ops->stats(s, ret);
}

void store_usage_add(struct store *s, const struct usage_note *note)
{
	usage_gather_add(s->usage, note);
}

void store_call_add(struct store *s, struct call_row *row)
{
	if (s->ledger)
		ledger_add(s->ledger, row);
}

enum errc store_quiesce(struct store *s, int *ret_fd, struct err *e)
{
	*ret_fd = -1;
	return s->ops->peers ? s->ops->peers->quiesce(s, ret_fd, e) : ERR_OK;
}

enum errc store_resume(struct store *s, struct err *e)
{
	return s->ops->peers ? s->ops->peers->resume(s, e) : ERR_OK;
}

void store_handed_over(struct store *s)
{
	if (s->ops->peers)
		s->ops->peers->handed_over(s);
}

void store_taken_over(struct store *s)
{
	if (s->ops->peers)
		s->ops->peers->taken_over(s);
}

bool store_peer_alive(struct store *s)
{
	return s->ops->peers && s->ops->peers->alive(s);
}

bool store_is_shared(const struct store *s)
{
	return s->ops->cancel;
}

void store_cancel(struct store *s, struct id run, int64_t owner)
{
	if (s->ops->cancel)
		s->ops->cancel(s, run, owner);
}

void store_claim_free(struct store *s, struct id claim)
{
	if (s->ops->claim_free)
		s->ops->claim_free(s, claim);
}

const char *run_status_name(enum run_status s)
{
	/* clang-format off */
	static const char *const names[RUN_STATUS__COUNT] = {
		[RUN_QUEUED] = "queued",         [RUN_RUNNING] = "running",
		[RUN_COMPLETED] = "completed",   [RUN_INCOMPLETE] = "incomplete",
		[RUN_FAILED] = "failed",         [RUN_CANCELLED] = "cancelled",
	};
	/* clang-format on */

	CHECK((unsigned)s < RUN_STATUS__COUNT);
	return names[s];
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
		[SEARCH_ROLE_COMPUTER] = "computer",   [SEARCH_ROLE_TITLE] = "title",
	};

	CHECK((unsigned)r < SEARCH_ROLE__COUNT);
	return names[r];
}

void store_destroy(struct store *s)
{
	if (s)
		s->ops->destroy(s);
}
