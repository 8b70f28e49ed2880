/* Counts the cost of calls, and writes the sums of their usage. */
#include "store/sqlite/budgets.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/money.h"
#include "msg/price.h"
#include "store/ledger.h"
#include "store/sqlite/chores.h"
#include "store/usage.h"

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

static const char sql_take[] =
	"DELETE FROM reservation WHERE run = ? RETURNING key, nano, tokens, model, provider, "
	"tokens_in, ifnull(budgets, key), (SELECT 'grp_' || k.key_group FROM api_key k "
	"WHERE reservation.key LIKE 'key\\_%' ESCAPE '\\' AND k.id = substr(reservation.key, 5)), "
	"tags";
static const char sql_group[] = "SELECT 'grp_' || key_group FROM api_key WHERE ?1 LIKE 'key\\_%' "
				"ESCAPE '\\' AND id = substr(?1, 5)";
static const char sql_spend[] =
	"UPDATE budget SET reserved_nano = max(reserved_nano - ?2, 0), "
	"reserved_tokens = max(reserved_tokens - ?3, 0), spent_nano = min(spent_nano + ?4, ?6), "
	"spent_tokens = min(spent_tokens + ?5, ?6) WHERE key = ?1";
/* USED: adds to a table of sums; ?13 is the group, ?14 the tags. */
#define USED(table, of, marks)                                                                     \
	"INSERT INTO " table " (" of ", calls, estimated, tokens_in, tokens_out, cached, "         \
	"reasoning, nano, unpriced) VALUES (" marks ",?5,?6,?7,?8,?9,?10,?11,?12) "                \
	"ON CONFLICT (" of ") DO UPDATE SET calls = calls + excluded.calls, "                      \
	"estimated = estimated + excluded.estimated, tokens_in = tokens_in + excluded.tokens_in, " \
	"tokens_out = tokens_out + excluded.tokens_out, cached = cached + excluded.cached, "       \
	"reasoning = reasoning + excluded.reasoning, nano = nano + excluded.nano, "                \
	"unpriced = unpriced + excluded.unpriced"
static const char sql_used[] = USED("usage_day", "key, day, model, provider", "?1,?2,?3,?4");
static const char sql_used_group[] =
	USED("usage_group", "key, day, model, provider, key_group", "?1,?2,?3,?4,?13");
static const char sql_used_tags[] =
	USED("usage_tag", "key, day, model, key_group, tags", "?1,?2,?3,?13,?14");
static const char sql_next[] = "SELECT run FROM reservation WHERE run > ? ORDER BY run LIMIT 1";
/* A stored run that goes on, or is being taken up, settles its own at its end. */
static const char sql_old[] =
	"SELECT v.run FROM reservation v WHERE v.made_ms < ? AND NOT EXISTS (SELECT 1 FROM run r "
	"WHERE r.id = v.run AND r.status < 2) ORDER BY v.made_ms LIMIT 1";
static const char sql_guess[] =
	"UPDATE run SET usage_estimated = 1, usage_in = ?2, usage_out = ?3, "
	"cost_nano = ?4 WHERE id = ?1 AND usage_estimated IS NULL";

static int64_t budgets_tokens_of(int64_t n)
{
	return n < 0 ? 0 : n > PRICE_TOKENS ? PRICE_TOKENS : n;
}

static int book_in(struct conn *c, const char *sql, const struct usage_note *note,
		   const int64_t counts[3])
{
	const struct usage *u = &note->usage;
	struct db_bind      bind = conn_bind(c, sql);

	db_bind_text(&bind, str_of(note->key));
	db_bind_int(&bind, note->at_ms / DAY_MS);
	db_bind_text(&bind, str_of(note->model));
	db_bind_text(&bind, str_of(note->provider));
	db_bind_int(&bind, counts[0]);
	db_bind_int(&bind, counts[1]);
	db_bind_int(&bind, u->in);
	db_bind_int(&bind, u->out);
	db_bind_int(&bind, u->cached_read);
	db_bind_int(&bind, u->reasoning);
	db_bind_int(&bind, note->nano);
	db_bind_int(&bind, counts[2]);
	if (sql != sql_used)
		db_bind_text(&bind, str_of(note->group));
	if (sql == sql_used_tags)
		db_bind_text(&bind, note->tags);
	return db_bind_run(&bind);
}

/* budgets_book: books usage in the sums of its day, without a reservation. */
static int budgets_book(struct conn *c, const struct usage_note *note, int64_t calls,
			int64_t estimated, int64_t unpriced)
{
	const int64_t counts[] = { calls, estimated, unpriced };
	int           rc = book_in(c, sql_used, note, counts);

	if (rc == SQLITE_OK && note->group[0])
		rc = book_in(c, sql_used_group, note, counts);
	if (rc == SQLITE_OK && note->tags.n > 0)
		rc = book_in(c, sql_used_tags, note, counts);
	return rc;
}

static int spend_budget(struct conn *c, struct str name, const int64_t reserved[2],
			const int64_t spent[2])
{
	struct db_bind bind = conn_bind(c, sql_spend);

	db_bind_text(&bind, name);
	db_bind_int(&bind, reserved[0]);
	db_bind_int(&bind, reserved[1]);
	db_bind_int(&bind, spent[0]);
	db_bind_int(&bind, spent[1]);
	db_bind_int(&bind, MONEY_MOST);
	return db_bind_run(&bind);
}

/* spend_all: the same in each of these budgets. */
static int spend_all(struct conn *c, struct str names, const int64_t reserved[2],
		     const int64_t spent[2])
{
	struct str name;
	int        rc = SQLITE_OK;

	while (rc == SQLITE_OK && usage_next_name(&names, &name))
		rc = spend_budget(c, name, reserved, spent);
	return rc;
}

/* budgets_take_group: the holder of a token has no row that names its group, but the call has reserved from its budget. */
static void budgets_take_group(struct usage_note *n)
{
	struct str names = str_of(n->budgets), name;

	if (str_starts(str_of(n->key), STR("key_")))
		return;
	while (usage_next_name(&names, &name))
		if (str_starts(name, STR("grp_")))
			str_copy(n->group, sizeof n->group, name);
}

/* Takes out the reservation of a run; *ret_found: there was one.  The note's tags are in `tags`; NULL: they are not
 * wanted. */
static int budgets_take(struct conn *c, int64_t run, struct usage_note *ret, int64_t reserved[2],
			int64_t *ret_in, char tags[LIMIT_TAGS], bool *ret_found)
{
	struct db_bind bind = conn_bind(c, sql_take);
	sqlite3_stmt  *st = bind.st;

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
	str_copy(ret->budgets, sizeof ret->budgets, db_column(st, 6));
	str_copy(ret->group, sizeof ret->group, db_column(st, 7));
	budgets_take_group(ret);
	if (tags) {
		str_copy(tags, LIMIT_TAGS, db_column(st, 8));
		ret->tags = str_of(tags);
	}
	rc = db_row(st); /* to its end */
	return rc == SQLITE_DONE ? SQLITE_OK : rc == SQLITE_ROW ? SQLITE_CORRUPT : rc;
}

static int budgets_group(struct conn *c, struct usage_note *note)
{
	struct db_bind bind = conn_bind(c, sql_group);

	db_bind_text(&bind, str_of(note->key));
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	str_copy(note->group, sizeof note->group, db_column(bind.st, 0));
	return sqlite3_reset(bind.st);
}

/* A provider may report any number. */
static struct usage clamp_usage(const struct usage *u)
{
	struct usage ret = *u;

	ret.in = budgets_tokens_of(u->in);
	ret.out = budgets_tokens_of(u->out);
	ret.cached_read = budgets_tokens_of(u->cached_read);
	ret.cached_write = budgets_tokens_of(u->cached_write);
	ret.reasoning = budgets_tokens_of(u->reasoning);
	return ret;
}

int budgets_settle(struct conn *c, const struct usage_note *told)
{
	struct usage_note note = *told;
	struct usage_note was;
	int64_t           reserved[2];
	int64_t           in;
	bool              found;
	int               rc = budgets_take(c, told->run.key, &was, reserved, &in, NULL, &found);

	if (rc != SQLITE_OK || (!found && told->reserved))
		return rc;
	note.usage = clamp_usage(&told->usage);
	if (found)
		rc = spend_all(c, str_of(was.budgets), reserved,
			       (const int64_t[]){ note.nano, note.usage.in + note.usage.out });
	if (found && note.ungrouped)
		str_copy(note.group, sizeof note.group, str_of(was.group));
	else if (rc == SQLITE_OK && note.ungrouped)
		rc = budgets_group(c, &note);
	if (rc == SQLITE_OK && (note.usage.known || note.usage.estimated))
		rc = budgets_book(c, &note, 1, note.usage.estimated, !note.priced);
	return rc;
}

/* --- whose end nobody knows --- */

static int first_run(struct conn *c, const char *sql, int64_t above, int64_t *ret)
{
	struct db_bind bind = conn_bind(c, sql);

	*ret = 0;
	db_bind_int(&bind, above);
	int rc = db_bind_row(&bind);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	*ret = db_int(bind.st, 0);
	return sqlite3_reset(bind.st);
}

int budgets_next(struct conn *c, int64_t *run)
{
	return first_run(c, sql_next, *run, run);
}

/* budgets_old: *ret_run: a run whose reservation was made before before_ms; 0: there is none. */
static int budgets_old(struct conn *c, int64_t before_ms, int64_t *ret_run)
{
	return first_run(c, sql_old, before_ms, ret_run);
}

static int guess_run(struct conn *c, const struct usage_note *note)
{
	struct db_bind bind = conn_bind(c, sql_guess);

	db_bind_int(&bind, note->run.key);
	db_bind_int(&bind, note->usage.in);
	db_bind_int(&bind, note->usage.out);
	db_bind_int(&bind, note->nano);
	return db_bind_run(&bind);
}

int budgets_guess(struct conn *c, int64_t run, int64_t now_ms)
{
	struct usage_note note = { .run = { .key = run }, .at_ms = now_ms, .priced = true };
	int64_t           reserved[2];
	int64_t           in;
	char              tags[LIMIT_TAGS];
	bool              found;
	int               rc = budgets_take(c, run, &note, reserved, &in, tags, &found);

	if (rc != SQLITE_OK || !found)
		return rc;
	note.usage =
		(struct usage){ .estimated = true, .in = in / 4, .out = (reserved[1] - in) / 4 };
	note.nano = reserved[0] / 4;
	rc = spend_all(c, str_of(note.budgets), reserved,
		       (const int64_t[]){ note.nano, note.usage.in + note.usage.out });
	if (rc == SQLITE_OK)
		rc = budgets_book(c, &note, 1, 1, 0);
	return rc == SQLITE_OK ? guess_run(c, &note) : rc;
}

/* No call lasts this long, so an older reservation has lost its call. */
#define RESERVATION_MS ((int64_t)24 * 60 * 60 * 1000)

static int books_book(void *arg, const struct usage_sum *sum)
{
	return budgets_book(arg, &sum->note, sum->calls, sum->estimated, sum->unpriced);
}

static int settle_old(struct conn *c)
{
	int64_t now_ms = clock_wall_ms();
	int64_t run = 0;
	int     rc = budgets_old(c, now_ms - RESERVATION_MS, &run);

	while (rc == SQLITE_OK && run != 0) {
		rc = budgets_guess(c, run, now_ms);
		if (rc == SQLITE_OK)
			rc = budgets_old(c, now_ms - RESERVATION_MS, &run);
	}
	return rc;
}

static bool books_wanted(const struct books *b)
{
	int64_t run = 0;

	return usage_gather_any(b->usage) || (b->ledger && ledger_any(b->ledger)) ||
	       (budgets_old(b->conn, clock_wall_ms() - RESERVATION_MS, &run) == SQLITE_OK &&
		run != 0);
}

/* A power failure loses the sums and rows of the last second, but no reservation. */
static int keep_books(void *books, int64_t *ret_again_ms)
{
	const struct books *b = books;
	struct conn        *conn = b->conn;

	*ret_again_ms = BOOKS_REST_MS;
	if (!books_wanted(b))
		return SQLITE_OK;
	int rc = conn_begin_write(conn);
	if (rc == SQLITE_OK)
		rc = usage_gather_flush(b->usage, books_book, conn);
	if (rc == SQLITE_OK && b->ledger)
		rc = calls_write(conn, b->ledger);
	if (rc == SQLITE_OK && !atomic_load(b->quiesced))
		rc = settle_old(conn);
	if (rc == SQLITE_OK)
		rc = conn_commit(conn);
	if (rc != SQLITE_OK)
		conn_rollback(conn);
	usage_gather_done(b->usage, rc == SQLITE_OK);
	if (b->ledger)
		ledger_done(b->ledger, rc == SQLITE_OK);
	return rc;
}

const struct chore chore_books = {
	.run = keep_books,
	.event = "usage_failed",
	.failed = "what was used could not be written yet",
	.retry_ms = BOOKS_MS,
	.last = true,
};
