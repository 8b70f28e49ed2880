/* desk/live: the running runs of this process, found by id from any loop. All of them can be
 * cancelled; those that are not stored can also be read. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "store/run.h"

struct run;
struct shape;
struct tape;

/* A running run.  Owned by the run.  live_look and live_find copy the fields on other threads, so
 * between live_add and live_remove only the live_set_… functions change them. */
struct live {
	struct list_link    link;
	struct id           id;
	int64_t             owner;
	bool                stored; /* the run is stored, and the store has its other fields */
	const struct shape *shape;  /* of the first client's answer */
	enum run_status     status;
	int64_t             created_ms;
	char                model[96];
	char                provider[64];
	unsigned            attempts;
	int64_t             first_token_ms; /* wall; 0: none yet */

	struct run  *run;
	struct tape *tape;   /* the run's hold, if it is an unstored stream; else NULL */
	struct loop *loop;   /* the run's */
	struct task  cancel; /* fn is set by the run; runs on the run's loop after live_cancel */
	bool         posted; /* `cancel` is on its way */
};

/* Threads: any. */
void live_add(struct live *l);
void live_remove(struct live *l); /* does nothing if l was never added */
void live_set_status(struct live *l, enum run_status status);
void live_set_attempt(struct live *l, const char *provider, unsigned attempts);
void live_set_first(struct live *l, int64_t first_token_ms);
/* live_look: copies the fields of a run; false: no such run is running here, or it is another
 * owner's. */
bool live_look(struct id id, int64_t owner, struct live *ret);
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
