/* The state of a writing thread: what it has written. */
#include "store/sqlite/session.h"

void session_write(struct session *s, struct conn *conn)
{
	s->conn = conn;
	search_queue_init(&s->search, conn);
	events_init(&s->events, conn);
}

void session_finish(struct session *s)
{
	events_finish(&s->events);
	search_queue_finish(&s->search);
}

int session_commit(struct session *s)
{
	int rc = search_queue_put(&s->search);

	return rc == SQLITE_OK ? conn_commit(s->conn) : rc;
}

void session_forget(struct session *s)
{
	events_forget(&s->events);
	search_queue_told(&s->search);
}
