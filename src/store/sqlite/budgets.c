/* What calls may cost, have cost, and what is left. */
#include "store/sqlite/budgets.h"

#include "base/money.h"
#include "msg/price.h"

#include <stdio.h>

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* ?1 key, ?2 now, ?3 money, ?4 tokens, ?5 and ?6 their limits, ?7 the window (0: for ever). */
#define OVER "(?7 > 0 AND ?2 - began_ms >= ?7)"

static const char *const sql[BUDGETS_SQL__COUNT] = {
	/* What is reserved stays so in a new window: those calls will be paid out of it. */
	[BUDGETS_SQL_RESERVE] =
		("INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, "
		"reserved_tokens) SELECT ?1, ?2, 0, ?3, 0, ?4 WHERE ?3 <= ?5 AND ?4 <= ?6 "
		"ON CONFLICT (key) DO UPDATE SET began_ms = iif(" OVER ", ?2, began_ms), "
		"spent_nano = iif(" OVER ", 0, spent_nano), "
		"spent_tokens = iif(" OVER ", 0, spent_tokens), "
		"reserved_nano = reserved_nano + ?3, reserved_tokens = reserved_tokens + ?4 "
		"WHERE iif(" OVER ", 0, spent_nano) + reserved_nano + ?3 <= ?5 "
		"AND iif(" OVER ", 0, spent_tokens) + reserved_tokens + ?4 <= ?6"),
	[BUDGETS_SQL_ADD] = ("INSERT INTO reservation (run, key, model, provider, nano, tokens, "
			    "tokens_in, made_ms) VALUES (?,?,?,?,?,?,?,?)"),
	[BUDGETS_SQL_LEFT] =
		("SELECT began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens "
		"FROM budget WHERE key = ?"),
	[BUDGETS_SQL_TAKE] = ("DELETE FROM reservation WHERE run = ? "
			     "RETURNING key, nano, tokens, model, provider, tokens_in"),
	[BUDGETS_SQL_SPEND] =
		("UPDATE budget SET reserved_nano = max(reserved_nano - ?2, 0), "
		"reserved_tokens = max(reserved_tokens - ?3, 0), spent_nano = min(spent_nano + ?4, ?6), "
		"spent_tokens = min(spent_tokens + ?5, ?6) WHERE key = ?1"),
	[BUDGETS_SQL_USED] =
		("INSERT INTO usage_day (key, day, model, provider, calls, estimated, tokens_in, "
		"tokens_out, cached, reasoning, nano, unpriced) VALUES (?,?,?,?,?,?,?,?,?,?,?,?) "
		"ON CONFLICT (key, day, model, provider) DO UPDATE SET calls = calls + excluded.calls, "
		"estimated = estimated + excluded.estimated, "
		"tokens_in = tokens_in + excluded.tokens_in, "
		"tokens_out = tokens_out + excluded.tokens_out, cached = cached + excluded.cached, "
		"reasoning = reasoning + excluded.reasoning, nano = nano + excluded.nano, "
		"unpriced = unpriced + excluded.unpriced"),
	[BUDGETS_SQL_NEXT] = "SELECT run FROM reservation WHERE run > ? ORDER BY run LIMIT 1",
	[BUDGETS_SQL_OLD] = "SELECT run FROM reservation WHERE made_ms < ? ORDER BY made_ms LIMIT 1",
	[BUDGETS_SQL_GUESS] = ("UPDATE run SET usage_estimated = 1, usage_in = ?2, usage_out = ?3, "
			      "cost_nano = ?4 WHERE id = ?1 AND usage_estimated IS NULL"),
};

enum errc budgets_prepare(struct budgets *b, sqlite3 *db, struct err *e)
{
	return db_prepare(db, sql, BUDGETS_SQL__COUNT, b->st, e);
}

void budgets_finish(struct budgets *b)
{
	db_finalize(b->st, BUDGETS_SQL__COUNT);
}

/* --- before a call --- */

static int64_t limit(int64_t v)
{
	return v > 0 ? v : INT64_MAX;
}

static int64_t left(int64_t limit, int64_t spent, int64_t reserved)
{
	int64_t v = limit - spent;

	return v > reserved ? v - reserved : 0;
}

static void say(const struct budget_reserve *j, int64_t spent[2], const int64_t reserved[2],
                int64_t wait_ms, struct err *e)
{
	char money[MONEY_TEXT], most[MONEY_TEXT], all[MONEY_TEXT];
	char end[80] = "";

	if (wait_ms > 0)
		snprintf(end, sizeof end, " The budget is renewed in %lld s.",
		         (long long)((wait_ms + 999) / 1000));
	if (j->limit_nano > 0 && j->nano > left(j->limit_nano, spent[0], reserved[0]))
		err_set(e, ERR_INSUFFICIENT_QUOTA, "",
		        "This call may cost up to %s, and %s is left of this key's budget of %s.%s",
		        money_print(j->nano, most),
		        money_print(left(j->limit_nano, spent[0], reserved[0]), money),
		        money_print(j->limit_nano, all), end);
	else
		err_set(e, ERR_INSUFFICIENT_QUOTA, "",
		        "This call may take up to %lld tokens, and %lld are left of this key's budget "
		        "of %lld tokens.%s",
		        (long long)j->tokens,
		        (long long)left(j->limit_tokens, spent[1], reserved[1]),
		        (long long)j->limit_tokens, end);
	e->retry_after_ms = wait_ms;
}

static int refuse(struct budgets *b, const struct budget_reserve *j, struct err *e)
{
	sqlite3_stmt  *st = b->st[BUDGETS_SQL_LEFT];
	struct db_bind bind = db_bind(st);
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
	/* A call that is too dear for all of it won't fit into the next one either. */
	if ((j->limit_nano > 0 && j->nano > j->limit_nano) ||
	    (j->limit_tokens > 0 && j->tokens > j->limit_tokens))
		wait_ms = 0;
	if (rc == SQLITE_OK || rc == SQLITE_DONE)
		say(j, spent, reserved, wait_ms, e);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int add(struct budgets *b, const struct budget_reserve *j)
{
	struct db_bind bind = db_bind(b->st[BUDGETS_SQL_ADD]);

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

int budgets_reserve(struct budgets *b, const struct budget_reserve *j, struct err *e)
{
	sqlite3_stmt  *st = b->st[BUDGETS_SQL_RESERVE];
	struct db_bind bind = db_bind(st);

	db_bind_text(&bind, j->key);
	db_bind_int(&bind, j->now_ms);
	db_bind_int(&bind, j->nano);
	db_bind_int(&bind, j->tokens);
	db_bind_int(&bind, limit(j->limit_nano));
	db_bind_int(&bind, limit(j->limit_tokens));
	db_bind_int(&bind, j->window_ms);
	int rc = db_bind_run(&bind);
	if (rc != SQLITE_OK)
		return rc;
	return sqlite3_changes(sqlite3_db_handle(st)) > 0 ? add(b, j) : refuse(b, j, e);
}

/* --- after it --- */

static int64_t tokens_of(int64_t n)
{
	return n < 0 ? 0 : n > PRICE_TOKENS ? PRICE_TOKENS : n;
}

int budgets_book(struct budgets *b, const struct usage_note *note, int64_t calls,
                 int64_t estimated, int64_t unpriced)
{
	const struct usage *u = &note->usage;
	struct db_bind      bind = db_bind(b->st[BUDGETS_SQL_USED]);

	db_bind_text(&bind, str_of(note->key));
	db_bind_int(&bind, note->at_ms / DAY_MS);
	db_bind_text(&bind, str_of(note->model));
	db_bind_text(&bind, str_of(note->provider));
	db_bind_int(&bind, calls);
	db_bind_int(&bind, estimated);
	db_bind_int(&bind, u->in);
	db_bind_int(&bind, u->out);
	db_bind_int(&bind, u->cached_read);
	db_bind_int(&bind, u->reasoning);
	db_bind_int(&bind, note->nano);
	db_bind_int(&bind, unpriced);
	return db_bind_run(&bind);
}

static int spend(struct budgets *b, struct str key, const int64_t reserved[2],
                 const int64_t spent[2])
{
	struct db_bind bind = db_bind(b->st[BUDGETS_SQL_SPEND]);

	db_bind_text(&bind, key);
	db_bind_int(&bind, reserved[0]);
	db_bind_int(&bind, reserved[1]);
	db_bind_int(&bind, spent[0]);
	db_bind_int(&bind, spent[1]);
	db_bind_int(&bind, MONEY_MOST);
	return db_bind_run(&bind);
}

/* What was reserved for a run, which is taken out; *ret_found: it was there. */
static int take(struct budgets *b, int64_t run, struct usage_note *ret, int64_t reserved[2],
                int64_t *ret_in, bool *ret_found)
{
	sqlite3_stmt  *st = b->st[BUDGETS_SQL_TAKE];
	struct db_bind bind = db_bind(st);

	*ret_found = false;
	db_bind_int(&bind, run);
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret_found = true;
	str_copy(ret->key, sizeof ret->key, db_column(st, 0));
	reserved[0] = db_int(st, 1);
	reserved[1] = db_int(st, 2);
	str_copy(ret->model, sizeof ret->model, db_column(st, 3));
	str_copy(ret->provider, sizeof ret->provider, db_column(st, 4));
	*ret_in = db_int(st, 5);
	rc = db_row(st); /* to its end */
	return rc == SQLITE_DONE ? SQLITE_OK : rc == SQLITE_ROW ? SQLITE_CORRUPT : rc;
}

/* A provider may claim anything. */
static struct usage believed(const struct usage *u)
{
	struct usage ret = *u;

	ret.in = tokens_of(u->in);
	ret.out = tokens_of(u->out);
	ret.cached_read = tokens_of(u->cached_read);
	ret.cached_write = tokens_of(u->cached_write);
	ret.reasoning = tokens_of(u->reasoning);
	return ret;
}

int budgets_settle(struct budgets *b, const struct usage_note *told)
{
	struct usage_note note = *told;
	struct usage_note was;
	int64_t           reserved[2];
	int64_t           in;
	bool              found;
	int               rc = take(b, told->run.key, &was, reserved, &in, &found);

	if (rc != SQLITE_OK || (!found && told->reserved))
		return rc;
	note.usage = believed(&told->usage);
	if (found)
		rc = spend(b, str_of(was.key), reserved,
		           (const int64_t[]){ note.nano, note.usage.in + note.usage.out });
	if (rc == SQLITE_OK && (note.usage.known || note.usage.estimated))
		rc = budgets_book(b, &note, 1, note.usage.estimated, !note.priced);
	return rc;
}

/* --- whose end nobody knows --- */

static int first_run(sqlite3_stmt *st, int64_t above, int64_t *ret)
{
	struct db_bind bind = db_bind(st);

	*ret = 0;
	db_bind_int(&bind, above);
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret = db_int(st, 0);
	return sqlite3_reset(st);
}

int budgets_next(struct budgets *b, int64_t *run)
{
	return first_run(b->st[BUDGETS_SQL_NEXT], *run, run);
}

int budgets_old(struct budgets *b, int64_t before_ms, int64_t *ret_run)
{
	return first_run(b->st[BUDGETS_SQL_OLD], before_ms, ret_run);
}

static int guess_run(struct budgets *b, const struct usage_note *note)
{
	struct db_bind bind = db_bind(b->st[BUDGETS_SQL_GUESS]);

	db_bind_int(&bind, note->run.key);
	db_bind_int(&bind, note->usage.in);
	db_bind_int(&bind, note->usage.out);
	db_bind_int(&bind, note->nano);
	return db_bind_run(&bind);
}

int budgets_guess(struct budgets *b, int64_t run, int64_t now_ms)
{
	struct usage_note note = { .run = { .key = run }, .at_ms = now_ms, .priced = true };
	int64_t           reserved[2];
	int64_t           in;
	bool              found;
	int               rc = take(b, run, &note, reserved, &in, &found);

	if (rc != SQLITE_OK || !found)
		return rc;
	note.usage = (struct usage){ .estimated = true, .in = in / 4,
	                             .out = (reserved[1] - in) / 4 };
	note.nano = reserved[0] / 4;
	rc = spend(b, str_of(note.key), reserved,
	           (const int64_t[]){ note.nano, note.usage.in + note.usage.out });
	if (rc == SQLITE_OK)
		rc = budgets_book(b, &note, 1, 1, 0);
	return rc == SQLITE_OK ? guess_run(b, &note) : rc;
}
