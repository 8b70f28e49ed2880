/* peer: the previous process, which finishes its runs beside ours during a takeover (store_peers in
 * store/store.h).
 *
 * While the peer lives, the runs that begin in this process are noted; all other live runs are the
 * peer's.  When the peer has ended, its live runs are unfinished, as after a crash, and get
 * ends. */
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
	struct session             *session; /* borrowed */
	const struct store_options *options; /* borrowed */
	atomic_bool                 alive;
	/* The peer has not confirmed the takeover (store_taken_over).  It may still give the
	 * takeover up and serve on; then it drops its lock without having ended. */
	atomic_bool early;
	int64_t    *own; /* owned; keys of our runs; used by the writer's thread alone */
	size_t      own_count;
	size_t      own_cap;
	bool        own_lost; /* memory was short for `own`: the next start ends the peer's runs */
};

void peer_init(struct peer *p, bool alive, bool early);
/* peer_watch: session and o are borrowed until peer_finish; the chore needs both. */
void peer_watch(struct peer *p, struct session *session, const struct store_options *o);
void peer_finish(struct peer *p);

extern const struct chore chore_peer;

/* peer_alive: any thread; cheap. */
bool peer_alive(const struct peer *p);
/* peer_own: notes that a run, or an idempotency key or a reservation of a call, begins in this
 * process.  NULL is fine.  On the writer's thread. */
void peer_own(struct peer *p, struct id run);
