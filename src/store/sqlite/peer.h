/* peer: another process whose runs go on beside ours during a takeover (store/store.h, store_peers).
 *
 * While it lives, what begins here is noted: all else that goes on is its.  Once it has ended, that has
 * no end, as after a crash, and gets one. */
#pragma once

#include "base/id.h"
#include "store/engine.h"
#include "store/sqlite/chore.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct session;
struct store_options;

struct peer {
	struct session             *session; /* borrowed, as the next one */
	const struct store_options *options;
	atomic_bool                 alive;
	atomic_bool
		 early; /* it serves still, and may go on with that: its end may be only seeming */
	int64_t *own;   /* owned, as the writer's thread alone; runs that began here */
	size_t   own_count;
	size_t   own_cap;
	bool     own_lost; /* some could not be noted: its runs are left to the next start */
};

void peer_init(struct peer *p, bool alive, bool early);
/* peer_watch: what the chore works with. */
void peer_watch(struct peer *p, struct session *session, const struct store_options *o);
void peer_finish(struct peer *p);

extern const struct chore chore_peer;

/* peer_alive: any thread; cheap. */
bool peer_alive(const struct peer *p);
/* peer_own: a run, or a key or a reservation of a call, that begins here.  NULL is fine.  The writer's
 * thread. */
void peer_own(struct peer *p, struct id run);
