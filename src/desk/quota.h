/* desk/quota: counts calls and tokens like desk/rate, in a process that shares its limits with other processes.
 *
 * The store hands out shares of each limit (store/share.h), and their sum never passes the limit; a call spends
 * its process's share in memory.
 *
 *   call --> quota_take --the share suffices--> TAKEN
 *               | ^---SHORT--> share_take of the store --its answer--> quota_take once more
 *               `--REFUSED: the store had too little left, a moment ago
 *   quota_spare, 20 times a second --> share_keep: what is not needed here goes back
 *
 * - A share is a quarter of this process's part of what is left: left / (4 * processes).  Of a limit below
 *   16 * processes there are no shares: each call asks for what it needs.  Near the end of a window it is the
 *   same, so nothing is refused while something is left, except what others have not spent yet.
 * - The calls of a process spend from the same shares, so an answer may not suffice for the call that has asked: others
 *   have spent what was here beside it.  The call then asks for all that it needs of each limit.  A call that has asked
 *   too often (desk/admit) ends with 503.
 * - Windows are the store's, and begin when some process asks first.  A process believes a window over a little
 *   too early, never too late: it counts the rest of it from when it sent its question.
 * - What a call took and did not use goes back at its end.  A process keeps no more than a share, and after half
 *   a second without a call nothing.  The shares of a process that died are lost until their window is over.
 * - If a call has used more tokens than were estimated, the store is told, too; then the sum is above the limit,
 *   as it is with one process, and nothing is left.
 * - `concurrent` is a limit without a window.  What a running call has comes back at its end; what a dead process
 *   had counts no more when its lease is over.
 * - Without its store, a process spends its shares until their windows are over, and then its calls fail with the
 *   store's error (503 storage_unavailable).  To divide the limit by the processes that were there last would not
 *   be safe, as some may have spent more than their part already.
 *
 * Pure like desk/rate: the caller passes the time, and asks the store.  Threads: any; one lock. */
#pragma once

#include "desk/rate.h"
#include "store/share.h"

struct quota;
struct quota_slot;

/* quota_create: as rate_create; a key takes some 400 bytes. */
struct quota *quota_create(size_t max_keys) MUST_USE;
void          quota_destroy(struct quota *q);
OWNABLE(quota);

/* The amounts that a call has taken; must be given back exactly once. */
struct quota_hold {
	struct quota_slot *slot[RATE_WHOSE__COUNT]; /* NULL: nothing was taken */
	/* Numbers of the windows in which something was counted; 0: nothing. */
	uint32_t epoch[RATE_WHOSE__COUNT][RATE_POLICY__COUNT];
	int64_t  tokens[RATE_WHOSE__COUNT];
};

/* quota_take: as rate_take; only what is known here is in *view.  take: the store's answers, if there are some
 * (count above 0), which are counted first; with RATE_SHORT, what the store must be asked, and every such question
 * comes back here or to quota_answer.  Its asked_us is the caller's to set. */
enum rate_answer quota_take(struct quota *q, const struct rate_ask *ask, struct share_take *take,
			    struct quota_hold *ret, struct rate_view *view, enum rate_policy *why,
			    enum rate_whose *whose) MUST_USE;
/* quota_answer: counts the store's answers, errors too, for a call that is not there any more. */
void quota_answer(struct quota *q, struct share_take *take, int64_t now_us);
void quota_look(struct quota *q, const struct rate_ask *ask, struct rate_view *view);
/* quota_give: as rate_give. */
void quota_give(struct quota *q, struct quota_hold *hold, bool asked, int64_t tokens);
/* quota_spare: shares that are too large for what is used of them, at most max; they are smaller from now on.
 * again: what was said last was not stored.  all: no share is needed any more. */
size_t quota_spare(struct quota *q, struct share_keep *ret, size_t max, bool again, bool all,
		   int64_t now_us);
