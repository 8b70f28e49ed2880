/* Takes the highest possible cost of a call from the budget, or refuses the call. */
#include "base/money.h"
#include "store/usage.h"
#include "store/sqlite/op.h"
#include "store/sqlite/peer.h"

#include <stdio.h>

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

static int64_t budget_reserve_left(int64_t limit, int64_t spent, int64_t reserved)
{
	int64_t v = limit - spent;

	return v > reserved ? v - reserved : 0;
}

static void budget_reserve_say(const struct budget_reserve *j, int64_t spent[2],
			       const int64_t reserved[2], int64_t wait_ms, struct err *e)
{
	char money[MONEY_TEXT], most[MONEY_TEXT], all[MONEY_TEXT];
	char end[80] = "";

	if (wait_ms > 0)
		snprintf(end, sizeof end, "; the budget is renewed in %lld s",
			 (long long)((wait_ms + 999) / 1000));
	if (j->limit_nano > 0 &&
	    j->nano > budget_reserve_left(j->limit_nano, spent[0], reserved[0]))
		err_set(e, ERR_INSUFFICIENT_QUOTA, "",
			"this call may cost up to %s, and %s is left of this key's budget of %s%s",
			money_print(j->nano, most),
			money_print(budget_reserve_left(j->limit_nano, spent[0], reserved[0]),
				    money),
			money_print(j->limit_nano, all), end);
	else
		err_set(e, ERR_INSUFFICIENT_QUOTA, "",
			"this call may take up to %lld tokens, and %lld are left of this key's budget "
			"of %lld tokens%s",
			(long long)j->tokens,
			(long long)budget_reserve_left(j->limit_tokens, spent[1], reserved[1]),
			(long long)j->limit_tokens, end);
	e->retry_after_ms = wait_ms;
}

static int budget_reserve_refuse(struct session *s, const struct budget_reserve *j, struct err *e)
{
	struct db_bind bind = conn_bind(s->conn, sql_left);
	sqlite3_stmt  *st = bind.st;
	int64_t        spent[2] = { 0, 0 };
	int64_t        reserved[2] = { 0, 0 };
	int64_t        wait_ms = 0;

	db_bind_text(&bind, j->key);
	int rc = db_bind_row(&bind);
	if (rc == SQLITE_ROW) {
		int64_t gone = j->now_ms - db_int(st, 0);
		bool    over = j->window_ms > 0 && gone >= j->window_ms;

		spent[0] = over ? 0 : db_int(st, 1);
		spent[1] = over ? 0 : db_int(st, 3);
		reserved[0] = db_int(st, 2);
		reserved[1] = db_int(st, 4);
		if (j->window_ms > 0 && !over)
			wait_ms = j->window_ms - (gone > 0 ? gone : 0);
		rc = sqlite3_reset(st);
	}
	/* A call above the whole budget does not fit into the next window either. */
	if ((j->limit_nano > 0 && j->nano > j->limit_nano) ||
	    (j->limit_tokens > 0 && j->tokens > j->limit_tokens))
		wait_ms = 0;
	if (rc == SQLITE_OK || rc == SQLITE_DONE)
		budget_reserve_say(j, spent, reserved, wait_ms, e);
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
