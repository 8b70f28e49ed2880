/* Writes what the ledger of calls has gathered: blocks of rows, and the sums of hours. */
#include "store/sqlite/chores.h"

#include "base/buf.h"
#include "store/ledger_block.h"

static const char sql_block[] = "INSERT INTO call_block (high, low, calls, bits, data) "
				"VALUES (?,?,?,?,?) ON CONFLICT (high) DO NOTHING";
static const char sql_size[] = "INSERT INTO call_size (hour, bytes) VALUES (?,?) "
			       "ON CONFLICT (hour) DO UPDATE SET bytes = bytes + excluded.bytes";

/* names: the columns that tell a row from others, marks: as many parameters. */
#define FIND(table, names, marks) \
	"SELECT durations, firsts FROM " table " WHERE (" names ", gateway) = (" marks ", 0)"
#define PUT(table, names, marks)                                                                   \
	"INSERT INTO " table " (" names ", gateway, calls, failed, cancelled, client_left, "       \
	"refused, tokens_in, tokens_out, nano, durations, firsts) "                                \
	"VALUES (" marks ",0,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (" names ", gateway) "               \
	"DO UPDATE SET calls = calls + excluded.calls, failed = failed + excluded.failed, "        \
	"cancelled = cancelled + excluded.cancelled, "                                             \
	"client_left = client_left + excluded.client_left, refused = refused + excluded.refused, " \
	"tokens_in = tokens_in + excluded.tokens_in, "                                             \
	"tokens_out = tokens_out + excluded.tokens_out, nano = nano + excluded.nano, "             \
	"durations = excluded.durations, firsts = excluded.firsts"
#define EACH(statement) statement("call_hour", "hour, key, model, provider", "?,?,?,?")
#define SUM(statement)  statement("call_sum", "kind, hour, name", "?,?,?")

static const char sql_find_each[] = EACH(FIND);
static const char sql_find_sum[] = SUM(FIND);
static const char sql_put_each[] = EACH(PUT);
static const char sql_put_sum[] = SUM(PUT);

/* The histograms of an hour, with what the database has of them. */
struct merged {
	struct ledger_histogram durations, firsts;
	struct buf              packed[2];
};

static int write_block(void *conn, const struct ledger_block *b)
{
	struct db_bind bind = conn_bind(conn, sql_block);

	db_bind_int(&bind, b->high);
	db_bind_int(&bind, b->low);
	db_bind_int(&bind, b->rows);
	db_bind_int(&bind, b->bits);
	db_bind_blob(&bind, b->data);
	int rc = db_bind_run(&bind);
	if (rc != SQLITE_OK)
		return rc;
	bind = conn_bind(conn, sql_size);
	db_bind_int(&bind, id_key_ms(b->high) / LEDGER_HOUR_MS);
	db_bind_int(&bind, (int64_t)b->data.n + LEDGER_BLOCK_OWN);
	return db_bind_run(&bind);
}

static void bind_names(struct db_bind *bind, const struct ledger_hour *h)
{
	if (h->by != CALLS_BY_EACH) {
		db_bind_int(bind, (int64_t)h->by);
		db_bind_int(bind, h->hour);
		db_bind_text(bind, str_of(ledger_hour_name(h)));
		return;
	}
	db_bind_int(bind, h->hour);
	db_bind_text(bind, str_of(h->key));
	db_bind_text(bind, str_of(h->model));
	db_bind_text(bind, str_of(h->provider));
}

/* A damaged histogram begins anew. */
static int merge_hour(struct conn *c, const struct ledger_hour *h, struct merged *m)
{
	struct db_bind bind = conn_bind(c, h->by == CALLS_BY_EACH ? sql_find_each : sql_find_sum);
	bool           known = true;

	m->durations = h->durations;
	m->firsts = h->firsts;
	bind_names(&bind, h);
	int rc = db_bind_row(&bind);
	if (rc == SQLITE_ROW) {
		known = ledger_histogram_take(&m->durations, db_blob(bind.st, 0)) &&
			ledger_histogram_take(&m->firsts, db_blob(bind.st, 1));
		rc = sqlite3_reset(bind.st);
	} else if (rc == SQLITE_DONE) {
		rc = SQLITE_OK;
	}
	if (!known) {
		m->durations = h->durations;
		m->firsts = h->firsts;
	}
	if (rc == SQLITE_OK && (!ledger_histogram_put(&m->durations, &m->packed[0]) ||
				!ledger_histogram_put(&m->firsts, &m->packed[1])))
		rc = SQLITE_NOMEM;
	return rc;
}

static int put_hour(struct conn *c, const struct ledger_hour *h, const struct merged *m)
{
	const struct ledger_sums *s = &h->sums;
	struct db_bind bind = conn_bind(c, h->by == CALLS_BY_EACH ? sql_put_each : sql_put_sum);

	bind_names(&bind, h);
	db_bind_int(&bind, s->calls);
	db_bind_int(&bind, s->outcomes[CALL_FAILED]);
	db_bind_int(&bind, s->outcomes[CALL_CANCELLED]);
	db_bind_int(&bind, s->outcomes[CALL_CLIENT_LEFT]);
	db_bind_int(&bind, s->outcomes[CALL_REFUSED]);
	db_bind_int(&bind, s->tokens_in);
	db_bind_int(&bind, s->tokens_out);
	db_bind_int(&bind, s->nano);
	db_bind_blob(&bind, buf_view(&m->packed[0]));
	db_bind_blob(&bind, buf_view(&m->packed[1]));
	return db_bind_run(&bind);
}

static int write_hour(void *conn, const struct ledger_hour *h)
{
	struct merged m = { .durations = { { 0 } } };

	for (size_t i = 0; i < ARRAY_LEN(m.packed); i++)
		buf_init(&m.packed[i], LEDGER_HISTOGRAM_MOST);
	int rc = merge_hour(conn, h, &m);
	if (rc == SQLITE_OK)
		rc = put_hour(conn, h, &m);
	for (size_t i = 0; i < ARRAY_LEN(m.packed); i++)
		buf_finish(&m.packed[i]);
	return rc;
}

int calls_write(struct conn *c, struct ledger *l)
{
	const struct ledger_sink sink = { write_block, write_hour, c };
	uint64_t                 seq; /* a transaction is committed, or not; nothing comes twice */

	return ledger_any(l) ? ledger_flush(l, &sink, &seq) : SQLITE_OK;
}
