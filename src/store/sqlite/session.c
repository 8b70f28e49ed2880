/* The state of a writing thread: what it has written. */
#include "store/sqlite/session.h"

enum errc session_write(struct session *s, struct conn *conn, struct err *e)
{
	s->conn = conn;
	search_queue_init(&s->search, conn);
	return events_init(&s->events, conn, e);
}

void session_finish(struct session *s)
{
	events_finish(&s->events);
	search_queue_finish(&s->search);
}

void session_forget(struct session *s)
{
	events_forget(&s->events);
	s->search.noted = false;
}
