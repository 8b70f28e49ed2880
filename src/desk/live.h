/* desk/live: the running runs of this process, found by id from any loop. All of them can be
 * cancelled; those that are not stored can also be read. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/list.h"
#include "desk/live_feed.h"
#include "msg/attempt_log.h"
#include "store/run.h"

struct run;
struct shape;
struct tape;

/* A running run.  Owned by the run.  live_look and live_find copy the fields above `log` on other
 * threads, so between live_add and live_remove only the live_… functions change them. */
struct live {
	struct list_link       link;
	struct id              id;
	int64_t                owner;
	bool                   stored; /* the run is stored, and the store has its other fields */
	const struct shape    *shape;  /* shape of the first client's answer */
	enum run_status        status;
	int64_t                created_ms;
	struct id              conversation; /* none: the run is not stored */
	const struct identity *who;          /* borrowed; NULL: nobody */
	char                   model[LIVE_FEED_MODEL];
	char                   provider[LIVE_FEED_PROVIDER];
	unsigned               attempts;
	int64_t                first_token_ms; /* wall; 0: none yet */
	struct run            *run;
	struct tape           *tape; /* the run's hold, if it is an unstored stream; else NULL */
	struct loop           *loop; /* the run's */

	/* A copy has none of these. */
	struct attempt_log
		    log;    /* owned; others read it with live_look_log; http is the run's own */
	struct task cancel; /* fn is set by the run; runs on the run's loop after live_cancel */
	bool        posted; /* `cancel` is on its way */
};

/* Threads: any. */
void live_add(struct live *l);
void live_remove(struct live *l); /* does nothing if l was never added */
void live_set_status(struct live *l, enum run_status status);
/* live_attempt_begun, _past, _last, _last_step: as attempt_log's. */
void live_attempt_begun(struct live *l, const char *provider, const struct attempt_asked *a,
			int64_t begun_ms, unsigned attempts);
void live_attempt_past(struct live *l, const struct attempt_asked *a, const struct attempt_past *p);
void live_attempt_last(struct live *l, const struct attempt_asked *a, bool several, bool costs,
		       int64_t nano, const struct attempt_price *price);
void live_attempt_last_step(struct live *l, const struct attempt_asked *a,
			    const struct attempt_past *p);
/* live_again: as attempt_log_again, for a run with so many attempts. */
void live_again(struct live *l, struct str past, size_t count, int64_t begun_ms, unsigned attempts);
void live_set_first(struct live *l, int64_t first_token_ms);
/* live_end: the run has ended, and is no live one any more. */
void live_end(struct live *l, enum run_status status, const struct live_end *end);
/* live_each: fn for each run of the i-th bucket that calls a provider, or has called one, within the
 * lock; false: there are no more buckets. */
bool live_each(size_t i, void (*fn)(const struct live_state *s, void *arg), void *arg);
/* live_look: copies the fields of a run; false: no such run is running here, or it is another
 * owner's. */
bool live_look(struct id id, int64_t owner, struct live *ret);
/* live_look_log: the same, with the log of the run's attempts at that moment, copied into a; empty: no memory. */
bool live_look_log(struct id id, int64_t owner, struct live *ret, struct arena *a,
		   struct str *ret_log);
/* live_find: the same for runs that are not stored. */
bool live_find(struct id id, int64_t owner, struct live *ret);
/* live_tape: the tape of a run, held for the caller; NULL: no such run, or it has none. */
struct tape *live_tape(struct id id, int64_t owner);
/* live_cancel: posts the run's cancel task; false: no such run is running, or it is another
 * owner's. */
bool live_cancel(struct id id, int64_t owner);
/* live_is_here: whether this process has the run, of any owner, stored or not. */
bool live_is_here(struct id id);
/* live_elsewhere: sets the function that cancels runs of other processes; NULL: none. */
void live_elsewhere(void (*cancel)(struct id id, int64_t owner));
/* live_posted: a cancel task has been posted; live_taken: it has arrived. */
bool live_posted(struct live *l);
void live_taken(struct live *l);
