/* Appends pieces of the logs of live runs. */
#include "store/sqlite/op.h"
#include "store/events.h"

static int append_events(struct session *s, struct events_append *j)
{
	return events_append(&s->events, j);
}

static bool events_append_relaxed(struct store_job *job)
{
	return !container_of(job, struct events_append, job)->sync;
}

OP_WITH(events_append, append_events, .relaxed = events_append_relaxed);
