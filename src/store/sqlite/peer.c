/* Waits for the end of the previous process, and then ends the runs that it left unfinished. */
#include "store/sqlite/chores.h"

#include "base/log.h"
#include "store/engine.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/recover.h"
#include "store/sqlite/session.h"
#include "store/sqlite/search/search_recent.h"

#include <stdlib.h>

enum { LOOK_MS = 100 }; /* interval of the checks whether the peer has ended */

void peer_init(struct peer *p, bool alive, bool early)
{
	atomic_init(&p->alive, alive);
	atomic_init(&p->early, alive && early);
}

void peer_watch(struct peer *p, struct session *session, const struct store_options *o)
{
	p->session = session;
	p->options = o;
}

void peer_finish(struct peer *p)
{
	free(p->own);
	p->own = NULL;
	p->own_count = p->own_cap = 0;
}

bool peer_alive(const struct peer *p)
{
	return atomic_load_explicit(&p->alive, memory_order_relaxed);
}

void peer_own(struct peer *p, struct id run)
{
	if (!p || !peer_alive(p))
		return;
	if (p->own_count == p->own_cap) {
		size_t   cap = p->own_cap ? 2 * p->own_cap : 256;
		int64_t *grown = realloc(p->own, cap * sizeof *grown);

		p->own_lost |= !grown;
		if (!grown)
			return;
		p->own = grown;
		p->own_cap = cap;
	}
	p->own[p->own_count++] = run.key;
}

static int peer_by_key(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void end_its_runs(struct peer *p)
{
	struct err e = { .code = ERR_OK };
	int        runs = 0;

	if (p->own_count > 0)
		qsort(p->own, p->own_count, sizeof *p->own, peer_by_key);
	if (p->own_lost ||
	    recover_others(p->session->conn, p->options,
			   (struct recover_own){ p->own, p->own_count }, &runs, &e) != ERR_OK)
		log_note(LOG_ERROR, "takeover",
			 "the unfinished runs of the previous process wait for the next start: %s",
			 p->own_lost ? "no memory" : e.text);
	events_forget(&p->session->events);
	peer_finish(p);
	atomic_store(&p->alive, false);
	search_recent_keep(p->session->search.recent, true);
	log_note(runs > 0 ? LOG_WARN : LOG_INFO, "takeover",
		 "the previous process has ended; %d of its runs were unfinished", runs);
}

static int peer_look(void *peer, int64_t *ret_again_ms)
{
	struct peer *p = peer;
	int          lane;

	if (!peer_alive(p) || atomic_load(&p->early))
		return SQLITE_OK;
	if (lock_drains(p->options->path, &lane))
		*ret_again_ms = LOOK_MS;
	else
		end_its_runs(p);
	return SQLITE_OK;
}

const struct chore chore_peer = { .run = peer_look, .retry_ms = LOOK_MS, .durable = true };
