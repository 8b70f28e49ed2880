/* Fills the key ring. */
#include "store/sqlite/op.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/common/key_row.h"
#include "store/key_ring.h"
#include "store/sql/cells.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/session.h"

static const char sql_good[] = API_KEY_RING "WHERE k.revoked_ms = 0 OR k.revoked_ms > ?";
static const char sql_groups[] = KEY_GROUP_RING;
static const char sql_ended[] = "SELECT id, secret FROM session_ended WHERE ends_ms > ?";
static const char sql_version[] =
	"SELECT version, EXISTS (SELECT 1 FROM api_key), ticket_secret FROM api_key_change";

static int api_key_row_add_row(sqlite3_stmt *st, struct key_ring_table *t)
{
	struct key_row row = api_key_cell_ring(row_of(st));

	return key_row_add(t, &row) ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_good(struct conn *c, struct key_ring_table *t)
{
	struct db_bind b = conn_bind(c, sql_good);
	sqlite3_stmt  *st = b.st;
	int            rc;

	db_bind_int(&b, clock_wall_ms() - KEY_ROW_REVOKED_MS);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(st)) {
		int added = api_key_row_add_row(st, t);

		if (added != SQLITE_OK) {
			(void)sqlite3_reset(st);
			return added;
		}
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_ring_groups(struct conn *c, struct key_ring_table *t)
{
	struct db_bind b = conn_bind(c, sql_groups);
	int            rc;

	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(b.st)) {
		struct key_row row = key_group_cell_ring(row_of(b.st));

		if (!key_row_add_group(t, &row)) {
			(void)sqlite3_reset(b.st);
			return SQLITE_NOMEM;
		}
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_ended(struct conn *c, struct key_ring_table *t)
{
	struct db_bind b = conn_bind(c, sql_ended);
	sqlite3_stmt  *st = b.st;
	int            rc;

	db_bind_int(&b, clock_wall_ms());
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(st))
		if (!key_ring_end(t, (struct id){ db_int(st, 0), (uint64_t)db_int(st, 1) })) {
			(void)sqlite3_reset(st);
			return SQLITE_NOMEM;
		}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int api_key_row_load(struct conn *c, struct key_ring *ring)
{
	sqlite3_stmt *st;
	int           rc = conn_row(c, sql_version, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	int64_t       version = db_int(st, 0);
	bool          any = db_int(st, 1) != 0;
	struct str    secret = db_blob(st, 2);
	unsigned char signing[HASH_BYTES];

	if (secret.n == HASH_BYTES)
		memcpy(signing, secret.p, HASH_BYTES);
	(void)sqlite3_reset(st);
	if (secret.n != HASH_BYTES)
		return SQLITE_CORRUPT;
	if (version == key_ring_version(ring))
		return SQLITE_OK;

	struct key_ring_table *t = key_ring_table_create(signing);
	if (!t)
		return SQLITE_NOMEM;
	rc = read_good(c, t);
	if (rc == SQLITE_OK)
		rc = read_ring_groups(c, t);
	if (rc == SQLITE_OK)
		rc = read_ended(c, t);
	if (rc != SQLITE_OK) {
		key_ring_table_destroy(t);
		return rc;
	}
	return key_ring_put(ring, t, version, any) ? SQLITE_OK : SQLITE_NOMEM;
}

/* The ring changes before the answer, so that a revoked key is refused after it. Without memory,
 * the thread that looks for changes tries again. */
void api_key_row_settle(struct session *s, struct store_job *job)
{
	if (job->err.code != ERR_OK)
		return;
	int rc = conn_begin(s->conn);
	if (rc == SQLITE_OK)
		rc = api_key_row_load(s->conn, s->ring);
	conn_reset(s->conn);
	if (rc == SQLITE_OK)
		rc = conn_commit(s->conn);
	if (rc == SQLITE_OK)
		return;
	conn_rollback(s->conn);
	log_note(LOG_WARN, "keys_failed", "a change of keys is not in effect yet");
}
