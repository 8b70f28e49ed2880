/* What the tests of a run's log share: a stream that is logged, and its time. */
#pragma once

#include "desk/answer_slot.h"
#include "store/run.h"
#include "tests/unit/run_help.h"

/* clang-format off */
#define START   { .kind = EVENT_START, .id = STR("up-1"), .text = STR("tiny") }
#define TEXT(s) { .kind = EVENT_TEXT, .text = STR(s) }
#define FINISH  { .kind = EVENT_FINISH, .text = STR("stop") }
#define END     { .kind = EVENT_END }
/* clang-format on */

__attribute__((unused)) static const struct event one = { .kind = EVENT_TEXT, .text = { "a", 1 } };
__attribute__((unused)) static const struct event finish = { .kind = EVENT_FINISH,
							     .text = { "stop", 4 } };

static inline void world_streams(struct world *w, bool strict)
{
	world_start(w);
	world_logs(w);
	w->settings.strict = strict;
	w->rq.manner.store = true;
	w->rq.what.prompt.stream = true;
	ask(w);
	store_answers(w, OP_BEGIN, ERR_OK);
	assert_trace(w, "begin start");
}

static inline void world_ends(struct world *w)
{
	if (w->run)
		reader_leaves(w);
	assert_int_equal(w->live, 0);
	world_stop(w);
}

/* ends_well: the rest of a stream, with its end stored. */
static inline void ends_well(struct world *w)
{
	provider_says(w, FINISH, END);
	store_answers(w, OP_END, ERR_OK);
	if (w->waiting[OP_APPEND])
		store_answers(w, OP_APPEND, ERR_OK);
}

/* --- time --- */

__attribute__((unused)) static struct {
	struct timer  early, late;
	struct world *world;
	bool          was_asked; /* at the early time */
	sem_t         over;
} moment;

static inline void on_early(struct timer *t)
{
	(void)t;
	moment.was_asked = moment.world->waiting[OP_APPEND];
}

static inline void on_late(struct timer *t)
{
	(void)t;
	sem_post(&moment.over);
}

static inline void time_fn(struct world *w)
{
	if (w->event_count > 0)
		events_fn(w);
	timer_start(w->loop, &moment.early, 20 * 1000);
	timer_start(w->loop, &moment.late, 26 * 1000);
}

/* events_and_time: these events, and then 26 ms of the loop's time: what was due in between has
 * been done, in its order, however late the thread is. */
static inline void events_and_time(struct world *w, const struct event *events, size_t count)
{
	w->events = events;
	w->event_count = count;
	w->times = 1;
	moment.world = w;
	moment.early = (struct timer){ .fn = on_early };
	moment.late = (struct timer){ .fn = on_late };
	sem_init(&moment.over, 0, 0);
	on_loop(w, time_fn);
	while (sem_wait(&moment.over) != 0) {
	}
	sem_destroy(&moment.over);
	on_loop(w, nothing);
}

static inline void time_passes(struct world *w)
{
	events_and_time(w, NULL, 0);
}
