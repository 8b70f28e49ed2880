/* Takes the highest possible cost of a call from the budget, or refuses the call. */
#include "store/common/budget_text.h"
#include "store/usage.h"
#include "store/sqlite/op.h"
#include "store/sqlite/chores.h"

/* ?1 key, ?2 now, ?3 money, ?4 tokens, ?5 and ?6 their limits, ?7 the window (0: for ever). */
#define OVER "(?7 > 0 AND ?2 - began_ms >= ?7)"

/* Reservations stay in a new window, because it pays for those calls. */
static const char sql_reserve[] =
	"INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, "
	"reserved_tokens) SELECT ?1, ?2, 0, ?3, 0, ?4 WHERE ?3 <= ?5 AND ?4 <= ?6 "
	"ON CONFLICT (key) DO UPDATE SET began_ms = iif(" OVER ", ?2, began_ms), "
	"spent_nano = iif(" OVER ", 0, spent_nano), "
	"spent_tokens = iif(" OVER ", 0, spent_tokens), "
	"reserved_nano = reserved_nano + ?3, reserved_tokens = reserved_tokens + ?4 "
	"WHERE iif(" OVER ", 0, spent_nano) + reserved_nano + ?3 <= ?5 "
	"AND iif(" OVER ", 0, spent_tokens) + reserved_tokens + ?4 <= ?6";
static const char sql_add[] = "INSERT INTO reservation (run, key, model, provider, nano, tokens, "
			      "tokens_in, made_ms) VALUES (?,?,?,?,?,?,?,?)";
static const char sql_left[] =
	"SELECT began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens "
	"FROM budget WHERE key = ?";

static int64_t budget_reserve_limit(int64_t v)
{
	return v > 0 ? v : INT64_MAX;
}

static int budget_reserve_refuse(struct session *s, const struct budget_reserve *j, struct err *e)
{
	struct db_bind     bind = conn_bind(s->conn, sql_left);
	sqlite3_stmt      *st = bind.st;
	struct budget_left left = { 0 };

	db_bind_text(&bind, j->key);
	int rc = db_bind_row(&bind);
	if (rc == SQLITE_ROW) {
		left = (struct budget_left){ .found = true,
					     .began_ms = db_int(st, 0),
					     .spent = { db_int(st, 1), db_int(st, 3) },
					     .reserved = { db_int(st, 2), db_int(st, 4) } };
		rc = sqlite3_reset(st);
	}
	if (rc == SQLITE_OK || rc == SQLITE_DONE)
		budget_text_refuse(j, &left, e);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int budget_reserve_add(struct session *s, const struct budget_reserve *j)
{
	struct db_bind bind = conn_bind(s->conn, sql_add);

	db_bind_int(&bind, j->run.key);
	db_bind_text(&bind, j->key);
	db_bind_text(&bind, j->model);
	db_bind_text(&bind, j->provider);
	db_bind_int(&bind, j->nano);
	db_bind_int(&bind, j->tokens);
	db_bind_int(&bind, j->tokens_in);
	db_bind_int(&bind, j->now_ms);
	return db_bind_run(&bind);
}

static int budget_reserve_put(struct session *s, struct budget_reserve *j)
{
	struct db_bind bind = conn_bind(s->conn, sql_reserve);
	sqlite3_stmt  *st = bind.st;

	peer_own(s->peer, j->run);
	db_bind_text(&bind, j->key);
	db_bind_int(&bind, j->now_ms);
	db_bind_int(&bind, j->nano);
	db_bind_int(&bind, j->tokens);
	db_bind_int(&bind, budget_reserve_limit(j->limit_nano));
	db_bind_int(&bind, budget_reserve_limit(j->limit_tokens));
	db_bind_int(&bind, j->window_ms);
	int rc = db_bind_run(&bind);
	if (rc != SQLITE_OK)
		return rc;
	return sqlite3_changes(sqlite3_db_handle(st)) > 0
		       ? budget_reserve_add(s, j)
		       : budget_reserve_refuse(s, j, &j->job.err);
}

OP(budget_reserve, budget_reserve_put);
