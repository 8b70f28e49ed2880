/* Writes the times of keys' last use, from time to time. Only lists show them. */
#include "store/sqlite/chores.h"

#include "store/sqlite/session.h"

enum { USED_STEP = 128 }; /* rows of one transaction */

static const char sql_used[] = "UPDATE api_key SET used_ms = ?2 WHERE number = ?1 AND used_ms < ?2";

static int put_used(struct conn *c, struct identity *const *used, const int64_t *when, size_t n)
{
	int rc = conn_begin_write(c);

	for (size_t i = 0; rc == SQLITE_OK && i < n; i++) {
		struct db_bind b = conn_bind(c, sql_used);

		db_bind_int(&b, used[i]->number);
		db_bind_int(&b, when[i]);
		rc = db_bind_run(&b);
	}
	if (rc == SQLITE_OK)
		rc = conn_commit(c);
	if (rc != SQLITE_OK)
		conn_rollback(c);
	return rc;
}

static int note_some(void *session, int64_t *ret_again_ms)
{
	struct session  *s = session;
	struct identity *used[USED_STEP];
	int64_t          when[USED_STEP];
	struct key_ring *ring = s->ring;
	size_t           n = key_ring_used(ring, used, USED_STEP);

	for (size_t i = 0; i < n; i++)
		when[i] = atomic_load(&used[i]->used_ms);
	int rc = n > 0 ? put_used(s->conn, used, when, n) : SQLITE_OK;
	for (size_t i = 0; i < n; i++) {
		if (rc == SQLITE_OK)
			atomic_store(&used[i]->noted_ms, when[i]);
		identity_release(used[i]);
	}
	*ret_again_ms = key_ring_is_used(ring) ? 0 : CHORE_IDLE;
	return rc;
}

/* The thread that watches keys repeats a failed write. */
const struct chore chore_key_used = { .run = note_some, .retry_ms = CHORE_IDLE, .last = true };
