/* Retention of the ledger of calls: the oldest hour goes first, a few blocks at a time. */
#include "store/sqlite/chores.h"

#include "store/ledger_block.h"

enum { SWEEP_BLOCKS = 16 }; /* a block has some 20 KB */

static const char sql_size[] =
	"SELECT min(hour), ifnull(sum(bytes), 0) FROM call_size HAVING count(*) > 0";
static const char sql_blocks[] =
	"DELETE FROM call_block WHERE high IN (SELECT high FROM call_block WHERE high < ? "
	"ORDER BY high LIMIT ?)";
static const char sql_sized[] = "DELETE FROM call_size WHERE hour <= ?";
static const char sql_oldest[] = "SELECT min(hour), 0 FROM call_hour HAVING count(*) > 0";
static const char sql_hours[] = "DELETE FROM call_hour WHERE hour <= ?";
static const char sql_sums[] = "DELETE FROM call_sum WHERE kind IN (0,1,2,3) AND hour <= ?";

/* calls_oldest: the oldest hour of a table; INT64_MAX: it is empty. */
static int calls_oldest(struct conn *c, const char *sql, int64_t *ret_hour, int64_t *ret_bytes)
{
	struct db_bind bind = conn_bind(c, sql);

	*ret_hour = INT64_MAX;
	*ret_bytes = 0;
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret_hour = db_int(bind.st, 0);
	*ret_bytes = db_int(bind.st, 1);
	return sqlite3_reset(bind.st);
}

static int calls_remove(struct conn *c, const char *sql, int64_t upto)
{
	struct db_bind bind = conn_bind(c, sql);

	db_bind_int(&bind, upto);
	return db_bind_run(&bind);
}

/* remove_blocks: some blocks of the hour, and its size with the last of them. */
static int remove_blocks(struct conn *c, int64_t hour, bool *ret_again)
{
	struct db_bind bind = conn_bind(c, sql_blocks);

	db_bind_int(&bind, id_key_at((hour + 1) * LEDGER_HOUR_MS));
	db_bind_int(&bind, SWEEP_BLOCKS);
	int rc = db_bind_run(&bind);
	*ret_again = true;
	return rc == SQLITE_OK && sqlite3_changes(c->db) < SWEEP_BLOCKS
		       ? calls_remove(c, sql_sized, hour)
		       : rc;
}

int calls_sweep(struct conn *c, const struct calls_kept *k, int64_t now_ms, bool *ret_again)
{
	int64_t horizon = k->keep_ms > 0 ? (now_ms - k->keep_ms) / LEDGER_HOUR_MS : 0;
	int64_t sized;
	int64_t bytes;
	int64_t hour;
	int64_t none;
	int     rc = calls_oldest(c, sql_size, &sized, &bytes);

	*ret_again = false;
	if (rc == SQLITE_OK)
		rc = calls_oldest(c, sql_oldest, &hour, &none);
	if (rc != SQLITE_OK)
		return rc;
	bool over = k->keep_bytes > 0 && bytes > k->keep_bytes && sized < now_ms / LEDGER_HOUR_MS;
	bool blocks = sized < horizon || (over && sized != INT64_MAX);
	if (!blocks && hour >= horizon)
		return SQLITE_OK;
	rc = conn_begin_write(c);
	if (rc == SQLITE_OK && blocks)
		rc = remove_blocks(c, sized, ret_again);
	if (rc == SQLITE_OK && hour < horizon)
		rc = calls_remove(c, sql_hours, hour);
	if (rc == SQLITE_OK && hour < horizon)
		rc = calls_remove(c, sql_sums, hour);
	if (rc == SQLITE_OK)
		rc = conn_commit(c);
	if (rc != SQLITE_OK)
		conn_rollback(c);
	*ret_again |= hour < horizon;
	return rc;
}
