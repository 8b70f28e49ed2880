/* Runs whose end could not be stored.  The store ends these runs as soon as it takes writes again;
 * then their watchers are told to look. */
#include "run/internal.h"
#include "desk/watch.h"
#include "store/store.h"

#include <stdlib.h>

/* The time between two looks at the store. */
enum { LOOK_US = 500 * 1000 };

struct lost {
	struct id    run;
	struct lost *next;
};

static bool ends_stored(struct run_engine *g)
{
	struct store_stats now;

	store_stats(g->o.store, &now);
	return now.writable && now.unfinished == 0;
}

static void lost_on_timer(struct timer *t)
{
	struct run_engine *g = container_of(t, struct run_engine, lost_timer);

	if (!ends_stored(g)) {
		timer_start(g->o.env.loop, t, LOOK_US);
		return;
	}
	while (g->lost) {
		struct lost *l = g->lost;

		g->lost = l->next;
		watch_notify(l->run);
		free(l);
	}
}

void lost_add(struct run *r)
{
	struct run_engine *g = r->engine;
	struct lost       *l = malloc(sizeof *l);

	if (!l)
		return; /* the watchers of this run wait until they leave */
	*l = (struct lost){ r->names.id, g->lost };
	g->lost = l;
	g->lost_timer.fn = lost_on_timer;
	if (!timer_running(&g->lost_timer))
		timer_start(g->o.env.loop, &g->lost_timer, LOOK_US);
}

void lost_stop(struct run_engine *g)
{
	timer_stop(g->o.env.loop, &g->lost_timer);
	while (g->lost) {
		struct lost *l = g->lost;

		g->lost = l->next;
		free(l);
	}
}
