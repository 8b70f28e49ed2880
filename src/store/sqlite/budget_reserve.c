/* Takes the highest possible cost of a call from its budgets, or refuses the call.  One thread writes, in a transaction, so
 * what was read is still so when it is written. */
#include "store/common/budget_text.h"
#include "store/usage.h"
#include "store/sqlite/op.h"
#include "store/sqlite/chores.h"

#include <stdlib.h>

static const char sql_left[] =
	"SELECT began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens, "
	"ifnull(limit_nano, 0), ifnull(until_ms, 0) FROM budget WHERE key = ?";
static const char sql_cost[] = "SELECT cost_nano FROM conversation WHERE id = ?";
/* Reservations stay in a new window, because it pays for those calls. */
static const char sql_put[] =
	"INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, "
	"reserved_tokens, limit_nano, until_ms) VALUES (?1,?2,?3,?4,?5,?6,?7,?8) "
	"ON CONFLICT (key) DO UPDATE SET began_ms = ?2, spent_nano = ?3, reserved_nano = ?4, "
	"spent_tokens = ?5, reserved_tokens = ?6, limit_nano = ?7, until_ms = ?8";
static const char sql_add[] = "INSERT INTO reservation (run, key, model, provider, nano, tokens, "
			      "tokens_in, made_ms, budgets, tags) VALUES (?,?,?,?,?,?,?,?,?,?)";
static const char sql_find[] = "SELECT ifnull(budgets, key) FROM reservation WHERE run = ?";
static const char sql_grow[] =
	"UPDATE reservation SET nano = nano + ?2, tokens = tokens + ?3 WHERE run = ?1";

/* budget_reserve_before: with the first ceiling of a conversation, what its stored calls have cost counts as spent. */
static int budget_reserve_before(struct session *s, const struct budget_part *p, int64_t now_ms,
				 struct budget_left *left)
{
	struct db_bind bind;

	if (p->whose != BUDGET_CONVERSATION || p->limit_nano == 0 || left->limit_nano > 0)
		return SQLITE_OK;
	bind = conn_bind(s->conn, sql_cost);
	db_bind_int(&bind, strtoll(p->name + strlen(BUDGET_OF_CONVERSATION), NULL, 10));
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	int64_t cost = db_int(bind.st, 0);
	if (!left->found)
		*left = (struct budget_left){ .found = true, .began_ms = now_ms };
	if (cost > left->spent[0])
		left->spent[0] = cost;
	return sqlite3_reset(bind.st);
}

static int budget_reserve_read(struct session *s, const struct budget_part *p,
			       struct budget_left *ret)
{
	struct db_bind bind = conn_bind(s->conn, sql_left);
	sqlite3_stmt  *st = bind.st;

	*ret = (struct budget_left){ 0 };
	db_bind_text(&bind, str_of(p->name));
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret = (struct budget_left){ .found = true,
				     .began_ms = db_int(st, 0),
				     .spent = { db_int(st, 1), db_int(st, 3) },
				     .reserved = { db_int(st, 2), db_int(st, 4) },
				     .limit_nano = db_int(st, 5),
				     .until_ms = db_int(st, 6) };
	return sqlite3_reset(st);
}

/* budget_reserve_own: with `more`: the budgets of the reservation, with the limits that the call has for them; *ret_found:
 * there is one. */
static int budget_reserve_own(struct session *s, struct budget_reserve *j, bool *ret_found)
{
	struct budget_part told[BUDGET_PARTS];
	size_t             told_count = j->part_count;
	struct db_bind     bind = conn_bind(s->conn, sql_find);
	struct str         name;

	db_bind_int(&bind, j->run.key);
	int rc = db_bind_row(&bind);
	*ret_found = rc == SQLITE_ROW;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	memcpy(told, j->parts, sizeof told);
	j->part_count = 0;
	for (struct str rest = db_column(bind.st, 0);
	     j->part_count < BUDGET_PARTS && usage_next_name(&rest, &name);) {
		struct budget_part *p = &j->parts[j->part_count++];

		*p = (struct budget_part){ .whose = BUDGET_CONVERSATION, .kept = true };
		str_copy(p->name, sizeof p->name, name);
		for (size_t i = 0; i < told_count; i++)
			if (str_is(name, told[i].name))
				*p = told[i];
	}
	return sqlite3_reset(bind.st);
}

static void bind_maybe(struct db_bind *bind, bool some, int64_t v)
{
	if (some)
		db_bind_int(bind, v);
	else
		db_bind_null(bind);
}

static int budget_reserve_put(struct session *s, const struct budget_reserve *j,
			      const struct budget_part *p, const struct budget_left *left)
{
	struct budget_now now = budget_text_now(j, p, left);
	struct db_bind    bind = conn_bind(s->conn, sql_put);
	int64_t           limit = p->kept && now.limit[0] < INT64_MAX ? now.limit[0] : 0;
	int64_t           began_ms = now.over ? j->now_ms : left->began_ms;
	int64_t           until_ms = budget_text_until(p, began_ms, left->until_ms);

	db_bind_text(&bind, str_of(p->name));
	db_bind_int(&bind, began_ms);
	db_bind_int(&bind, now.spent[0]);
	db_bind_int(&bind, now.reserved[0] + j->nano);
	db_bind_int(&bind, now.spent[1]);
	db_bind_int(&bind, now.reserved[1] + j->tokens);
	bind_maybe(&bind, limit > 0, limit);
	bind_maybe(&bind, until_ms > 0, until_ms);
	return db_bind_run(&bind);
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
	db_bind_maybe(&bind, str_is(j->key, j->names) ? STR_NONE : str_of(j->names));
	db_bind_maybe(&bind, j->tags);
	return db_bind_run(&bind);
}

static int budget_reserve_grow(struct session *s, const struct budget_reserve *j)
{
	struct db_bind bind = conn_bind(s->conn, sql_grow);

	db_bind_int(&bind, j->run.key);
	db_bind_int(&bind, j->nano);
	db_bind_int(&bind, j->tokens);
	return db_bind_run(&bind);
}

static int budget_reserve_do(struct session *s, struct budget_reserve *j)
{
	struct budget_left left[BUDGET_PARTS];
	bool               fits = true;
	int                rc = SQLITE_OK;

	peer_own(s->peer, j->run);
	if (j->more)
		rc = budget_reserve_own(s, j, &fits);
	for (size_t i = 0; rc == SQLITE_OK && i < j->part_count; i++) {
		rc = budget_reserve_read(s, &j->parts[i], &left[i]);
		if (rc == SQLITE_OK)
			rc = budget_reserve_before(s, &j->parts[i], j->now_ms, &left[i]);
		struct budget_now now = budget_text_now(j, &j->parts[i], &left[i]);
		fits = fits && (j->sets || budget_text_fits(j, &now));
	}
	if (rc == SQLITE_OK && !fits)
		budget_text_refuse(j, left, &j->job.err);
	if (rc != SQLITE_OK || !fits)
		return rc;
	for (size_t i = 0; rc == SQLITE_OK && i < j->part_count; i++)
		rc = budget_reserve_put(s, j, &j->parts[i], &left[i]);
	if (rc == SQLITE_OK && !j->sets)
		rc = j->more ? budget_reserve_grow(s, j) : budget_reserve_add(s, j);
	return rc;
}

OP(budget_reserve, budget_reserve_do);
