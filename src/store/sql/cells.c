/* Rows of tables. */
#include "store/sql/cells.h"

#include "base/identity.h"
#include "base/limits.h"
#include "store/usage.h"

static const char conversation_cell_find[] =
	CONVERSATION_CELL "FROM conversation c WHERE c.id = $1 AND c.secret = $2 AND c.owner = $3";

void conversation_cell_ask(struct query *q, struct id id, int64_t owner)
{
	struct param *a = query_param(q);

	param_int(a, id.key);
	param_secret(a, id.secret);
	param_int(a, owner);
	query_ask(q, conversation_cell_find);
}

static int64_t conversation_cell_changed(struct row r)
{
	int64_t tip = cell_int(r, CONVERSATION_CELL_TIP);
	int64_t newest = id_key_ms(tip ? tip : cell_int(r, CONVERSATION_CELL_LEAF));
	int64_t created_ms = cell_int(r, 2);

	return newest > created_ms ? newest : created_ms; /* a key's time is a moment before */
}

const char ceiling_cell_put[] =
	"INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, "
	"reserved_tokens, limit_nano) VALUES ('" BUDGET_OF_CONVERSATION
	"' || $1, $2, coalesce((SELECT cost_nano FROM conversation WHERE id = $1), 0), 0, 0, 0, $3) "
	"ON CONFLICT (key) DO UPDATE SET limit_nano = $3, spent_nano = CASE WHEN "
	"budget.limit_nano IS NULL AND excluded.spent_nano > budget.spent_nano "
	"THEN excluded.spent_nano ELSE budget.spent_nano END";
const char ceiling_cell_drop[] =
	"DELETE FROM budget WHERE key = '" BUDGET_OF_CONVERSATION "' || $1";
#define OLD(E)                                                                                     \
	"DELETE FROM budget WHERE key IN (SELECT key FROM budget WHERE until_ms < $1 "             \
	"AND reserved_nano = 0 AND reserved_tokens = 0 ORDER BY until_ms LIMIT $2" E##_SKIP_LOCKED \
		")"
const struct sql ceiling_cell_old = SQL_EITHER(OLD);

#define UNBEGUN(E)                                                                      \
	"DELETE FROM budget WHERE key IN (SELECT key FROM budget b WHERE key > $1 "     \
	"AND key <= $2 AND reserved_nano = 0 AND reserved_tokens = 0 AND NOT EXISTS "   \
	"(SELECT 1 FROM conversation c WHERE c.id = CAST(substr(b.key, 6) AS bigint)) " \
	"ORDER BY key" E##_SKIP_LOCKED ")"
const struct sql ceiling_cell_unbegun = SQL_EITHER(UNBEGUN);
const char       ceiling_cell_next[] =
	"SELECT max(key) FROM (SELECT key FROM budget WHERE key > $1 AND key < $2 ORDER BY key "
	"LIMIT $3) AS b";

const char keep_cell_owner[] =
	"WITH n AS (SELECT min(owner) AS owner FROM (SELECT min(owner) AS owner FROM api_key WHERE "
	"keep_ms > 0 AND owner > $1 UNION ALL SELECT min((SELECT min(k.owner) FROM api_key k "
	"WHERE k.key_group = g.id AND k.owner > $1)) FROM key_group g WHERE g.keep_ms > 0) AS x) "
	"SELECT n.owner, (SELECT min(keep_ms) FROM (SELECT a.keep_ms FROM api_key a "
	"WHERE a.keep_ms > 0 AND a.owner = n.owner UNION ALL SELECT g.keep_ms FROM key_group g "
	"WHERE g.keep_ms > 0 AND EXISTS (SELECT 1 FROM api_key k WHERE k.key_group = g.id "
	"AND k.owner = n.owner)) AS y) FROM n WHERE n.owner IS NOT NULL";

static void ceiling_read(struct str text, struct store_ceiling *ret)
{
	int64_t *const to[] = { &ret->limit_nano, &ret->spent_nano, &ret->reserved_nano };
	struct str     number;

	for (size_t i = 0; i < ARRAY_LEN(to) && usage_next_name(&text, &number); i++)
		for (size_t k = 0; k < number.n; k++)
			*to[i] = *to[i] * 10 + (number.p[k] - '0');
}

bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e)
{
	*ret = (struct store_conversation){
		.id = cell_id(cell_int(r, 0), r, 1),
		.created_ms = cell_int(r, 2),
		.revision = cell_int(r, 3),
		.origin = cell_int(r, CONVERSATION_CELL_ORIGIN) ? ORIGIN_CONSOLE : ORIGIN_PROGRAM,
		.pinned = cell_int(r, CONVERSATION_CELL_PINNED) != 0,
		.changed_ms = conversation_cell_changed(r),
		.keep_ms = cell_null(r, CONVERSATION_CELL_KEEP)
				   ? 0
				   : cell_int(r, CONVERSATION_CELL_KEEP),
	};
	ceiling_read(cell_str(r, CONVERSATION_CELL_CEILING), &ret->ceiling);
	if (!cell_keep(a, r, 4, &ret->title, e) || !cell_keep(a, r, 5, &ret->metadata, e) ||
	    !cell_keep(a, r, CONVERSATION_CELL_OPENING, &ret->opening, e))
		return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	ret->titled = ret->title.n == 0                       ? TITLED_BY_WORDS
		      : cell_int(r, CONVERSATION_CELL_TITLED) ? TITLED_BY_MODEL
							      : TITLED_BY_USER;
	return true;
}

bool conversation_cell_line(struct row r, struct arena *a, struct conversation_line *ret,
			    struct err *e)
{
	*ret = (struct conversation_line){
		.messages = cell_int(r, CONVERSATION_CELL_END + 2),
		.costs = !cell_null(r, CONVERSATION_CELL_END + 3),
		.cost_nano = cell_int(r, CONVERSATION_CELL_END + 3),
	};
	if (!conversation_cell_keep(r, a, &ret->conversation, e) ||
	    !cell_keep(a, r, CONVERSATION_CELL_END, &ret->excerpt, e) ||
	    !cell_keep(a, r, CONVERSATION_CELL_END + 1, &ret->model, e))
		return false;
	return true;
}

bool run_cell_status(int64_t status, enum run_status *ret, struct err *e)
{
	if (status < 0 || status >= RUN_STATUS__COUNT) {
		cell_damaged(e);
		return false;
	}
	*ret = (enum run_status)status;
	return true;
}

void run_cell_read(struct row r, struct arena *a, struct run_read *ret, struct err *e)
{
	if (!run_cell_status(cell_int(r, 0), &ret->status, e) ||
	    !cell_keep(a, r, 5, &ret->model, e) || !cell_keep(a, r, 6, &ret->provider, e) ||
	    !cell_keep(a, r, 7, &ret->finish_reason, e) || !cell_keep(a, r, 8, &ret->error, e) ||
	    !cell_keep(a, r, RUN_CELL_NATIVE, &ret->native_reason, e))
		return;
	ret->conversation = cell_id(cell_int(r, 1), r, 2);
	ret->continues = cell_id(cell_int(r, 3), r, 4);
	ret->usage = cell_usage(r, 9);
	ret->created_ms = cell_int(r, 15);
	ret->first_token_ms = cell_int(r, 16);
	ret->completed_ms = cell_int(r, 17);
	ret->attempts = cell_int(r, 18);
	ret->costs = !cell_null(r, RUN_CELL_COST);
	ret->cost_nano = cell_int(r, RUN_CELL_COST);
}

/* Gateways that share a database of SQLite take it over from each other. */
/* An id has the lane of the gateway that made it, and no other living gateway has this lane. */
const struct sql run_missing_find = {
	"SELECT 1 WHERE false",
	"SELECT id FROM gateway WHERE lane = $1 AND dead = 0 AND id <> $2",
};

void run_missing_params(struct param *a, struct id run, int64_t gateway)
{
	param_int(a, id_key_lane(run.key));
	param_int(a, gateway);
}

void run_missing_judge(bool elsewhere, const char *what, struct err *e)
{
	if (!elsewhere)
		err_set(e, ERR_NOT_FOUND, "", "there is no such %s", what);
	else
		err_set(e, ERR_RUN_ELSEWHERE, "",
			"there is no such %s here or in the database; if it is not stored, only the gateway "
			"that began it knows it",
			what);
}

enum { FIRST_TEXT = 3, LAST_TEXT = 8, USAGE = 9 };

void completion_cell_params(struct param *a, struct id run, int64_t owner)
{
	param_int(a, run.key);
	param_secret(a, run.secret);
	param_int(a, owner);
}

void completion_cell_missing(struct err *e)
{
	err_set(e, ERR_NOT_FOUND, "", "there is no such stored completion");
}

void completion_cell_too_large(struct err *e, const struct arena *a)
{
	err_set(e, ERR_REQUEST_TOO_LARGE, "",
		"the completion is larger than the %zu KiB that can be read at once", a->max / KIB);
}

size_t completion_cell_bytes(struct row r)
{
	size_t n = 0;

	for (int column = FIRST_TEXT; column <= LAST_TEXT; column++)
		n += cell_str(r, column).n + 64;
	return n;
}

bool completion_cell_keep(struct row r, struct arena *a, struct store_completion *ret,
			  struct err *e)
{
	struct str *const texts[] = {
		&ret->model,    &ret->finish_reason, &ret->request_id,
		&ret->settings, &ret->answer,        &ret->metadata,
	};
	_Static_assert(ARRAY_LEN(texts) == LAST_TEXT - FIRST_TEXT + 1, "one for each column");

	ret->run = cell_id(cell_int(r, 0), r, 1);
	ret->created_ms = cell_int(r, 2);
	ret->usage = cell_usage(r, USAGE);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!cell_keep(a, r, FIRST_TEXT + (int)i, texts[i], e))
			return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	return true;
}

bool file_cell_keep(struct row r, struct arena *a, struct store_file *ret, struct err *e)
{
	struct str sum = cell_str(r, 4);

	if (sum.n != HASH_BYTES) {
		cell_damaged(e);
		return false;
	}
	if (!cell_keep(a, r, 5, &ret->name, e) || !cell_keep(a, r, 6, &ret->type, e) ||
	    !cell_keep(a, r, 7, &ret->purpose, e))
		return false;
	ret->id = cell_id(cell_int(r, 0), r, 1);
	ret->created_ms = cell_int(r, 2);
	ret->bytes = cell_int(r, 3);
	ret->expires_ms = cell_int(r, 8);
	memcpy(ret->sha256, sum.p, HASH_BYTES);
	return true;
}

bool file_cell_room(struct arena *a, size_t count, struct store_file **ret, struct err *e)
{
	*ret = count <= a->max / sizeof **ret ? arena_alloc(a, count * sizeof **ret) : NULL;
	if (!*ret)
		cell_no_memory(e);
	return *ret;
}

static const char       sql_one[] = API_KEY_CELL "WHERE id = $1";
static const char       sql_own[] = API_KEY_CELL "WHERE id = $1";
static const struct sql sql_lock = { sql_own, API_KEY_CELL "WHERE id = $1 FOR UPDATE" };

void api_key_cell_ask(struct query *q, struct str id, bool lock)
{
	param_text(query_param(q), id);
	if (lock)
		query_ask_either(q, &sql_lock);
	else
		query_ask(q, sql_one);
}

struct allowance api_key_cell_allowance(struct row r, int first)
{
	struct allowance a = {
		.requests = cell_int(r, first),
		.requests_window_us = cell_int(r, first + 1),
		.tokens = cell_int(r, first + 2),
		.tokens_window_us = cell_int(r, first + 3),
		.concurrent = cell_int(r, first + 4),
		.max_body = cell_int(r, first + 5),
		.budget_nano = cell_int(r, first + 6),
		.budget_tokens = cell_int(r, first + 7),
		.budget_window_us = cell_int(r, first + 8),
		.each_nano = cell_int(r, first + 10),
		.each_window_us = cell_int(r, first + 11),
	};

	str_copy(a.each_tag, sizeof a.each_tag, cell_str(r, first + 9));
	return key_row_allowance(&a);
}

void api_key_cell_set(struct param *a, const struct allowance_set *to, const struct allowance *was)
{
	const struct allowance *limits = to->limits_set || !was ? &to->allowance : was;
	const struct allowance *budget = to->budget_set || !was ? &to->allowance : was;

	param_int(a, limits->requests);
	param_int(a, limits->requests_window_us);
	param_int(a, limits->tokens);
	param_int(a, limits->tokens_window_us);
	param_int(a, limits->concurrent);
	param_int(a, limits->max_body);
	param_int(a, budget->budget_nano);
	param_int(a, budget->budget_tokens);
	param_int(a, budget->budget_window_us);
	param_text(a, str_of(budget->each_tag));
	param_int(a, budget->each_nano);
	param_int(a, budget->each_window_us);
}

/* ring_group: reads KEY_GROUP_COLUMNS, from the column `first` on. */
static void ring_group(struct row r, int first, struct key_row *ret)
{
	ret->group = cell_str(r, first);
	ret->group_models = cell_str(r, first + 1);
	ret->group_hooks = cell_str(r, first + 2);
	ret->group_allowance = api_key_cell_allowance(r, first + 3);
}

struct key_row key_group_cell_ring(struct row r)
{
	struct key_row row = { 0 };

	ring_group(r, 0, &row);
	return row;
}

struct key_row api_key_cell_ring(struct row r)
{
	struct key_row row = {
		.number = cell_int(r, 0),
		.id = cell_str(r, 1),
		.owner = cell_int(r, 2),
		.scopes = cell_int(r, 3),
		.models = cell_str(r, 4),
		.sha256 = cell_str(r, 5),
		.old_sha256 = cell_str(r, 6),
		.old_until_ms = cell_int(r, 7),
		.expires_ms = cell_int(r, 8),
		.used_ms = cell_int(r, 9),
		.revoked = cell_int(r, 10) != 0,
		.metadata = cell_str(r, 11),
		.allowance = api_key_cell_allowance(r, 12),
	};

	ring_group(r, 12 + API_KEY_ALLOWANCE_END, &row);
	return row;
}

bool api_key_cell_read(struct row r, struct arena *a, struct store_api_key *ret, struct err *e)
{
	enum { KEEP = 13 + API_KEY_ALLOWANCE_END };

	*ret = (struct store_api_key){
		.number = cell_int(r, 0),
		.owner = cell_int(r, 2),
		.scopes = (unsigned)cell_int(r, 4) & SCOPES_ALL,
		.caches = (cell_int(r, 4) & KEY_CACHES) != 0,
		.created_ms = cell_int(r, 7),
		.expires_ms = cell_int(r, 8),
		.revoked_ms = cell_int(r, 9),
		.rotated_ms = cell_int(r, 10),
		.old_until_ms = cell_int(r, 11),
		.used_ms = cell_int(r, 12),
		.allowance = api_key_cell_allowance(r, 13),
		.keep_ms = cell_int(r, KEEP),
	};
	str_copy(ret->id, sizeof ret->id, cell_str(r, 1));
	str_copy(ret->group, sizeof ret->group, cell_str(r, KEEP + 1));
	if (!cell_keep(a, r, 3, &ret->name, e) || !cell_keep(a, r, 5, &ret->models, e) ||
	    !cell_keep(a, r, 6, &ret->metadata, e))
		return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	return true;
}

bool api_key_cell_find(struct query *q, size_t n, const char *path, struct arena *a,
		       struct store_api_key *ret, struct err *e)
{
	struct row r;

	if (query_row(q, n, &r))
		return api_key_cell_read(r, a, ret, e);
	err_set(e, ERR_NOT_FOUND, path, "there is no such key");
	return false;
}

void key_group_cell_ask(struct query *q, struct str id)
{
	static const char sql[] = KEY_GROUP_CELL "WHERE g.id = $1";

	param_text(query_param(q), id);
	query_ask(q, sql);
}

bool key_group_cell_read(struct row r, struct arena *a, struct store_key_group *ret, struct err *e)
{
	*ret = (struct store_key_group){
		.created_ms = cell_int(r, 5),
		.key_count = cell_int(r, 6),
		.began_ms = cell_int(r, 7),
		.spent_nano = cell_int(r, 8),
		.reserved_nano = cell_int(r, 9),
		.spent_tokens = cell_int(r, 10),
		.reserved_tokens = cell_int(r, 11),
		.allowance = api_key_cell_allowance(r, 12),
		.keep_ms = cell_int(r, 12 + API_KEY_ALLOWANCE_END),
	};
	str_copy(ret->id, sizeof ret->id, cell_str(r, 0));
	if (!cell_keep(a, r, 1, &ret->name, e) || !cell_keep(a, r, 2, &ret->models, e) ||
	    !cell_keep(a, r, 3, &ret->hooks, e) || !cell_keep(a, r, 4, &ret->metadata, e))
		return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	return true;
}

bool events_cell_keep(struct row r, struct events_read *j)
{
	struct err *e = &j->job.err;

	if (!run_cell_status(cell_int(r, 0), &j->status, e) ||
	    !cell_keep(&j->arena, r, 3, &j->model, e) ||
	    !cell_keep(&j->arena, r, 4, &j->shape, e) ||
	    !cell_keep(&j->arena, r, 5, &j->error, e) ||
	    !cell_keep(&j->arena, r, 6, &j->finish_reason, e) ||
	    !cell_keep(&j->arena, r, 15, &j->settings, e))
		return false;
	j->conversation = cell_id(cell_int(r, 1), r, 2);
	j->usage = cell_usage(r, 7);
	j->created_ms = cell_int(r, 13);
	j->completed_ms = cell_int(r, 16);
	j->last_seq = j->status > RUN_RUNNING ? (uint64_t)cell_int(r, 14) : 0;
	return true;
}

#define BRANCH_RUN(E)                                                                         \
	"SELECT r.status, r.conversation, c.secret, m.run FROM run r " E##_JOIN               \
		"conversation c ON c.id = r.conversation LEFT JOIN message m ON m.id = r.id " \
		"WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND r.shape = $4"
const struct sql branch_cell_run = SQL_EITHER(BRANCH_RUN);

void branch_cell_take(const struct row *r, struct branch_read *j)
{
	static const char path[] = "previous_response_id";
	struct err       *e = &j->job.err;

	if (!r || cell_int(*r, 3) < 0) {
		err_set(e, ERR_NOT_FOUND, path, "there is no such response");
	} else if (cell_int(*r, 0) <= RUN_RUNNING) {
		err_set(e, ERR_CONVERSATION_BUSY, path,
			"this response is still being made; try again when it has ended");
		e->retry_after_ms = 1000;
	} else if (cell_null(*r, 3)) {
		err_set(e, ERR_INVALID_VALUE, path,
			"this response has failed without an answer that could be continued");
	} else {
		j->conversation = cell_id(cell_int(*r, 1), *r, 2);
		j->from = j->run;
	}
}

void branch_cell_too_long(struct branch_read *j)
{
	size_t max = j->arena.max < LIMIT_BRANCH_BYTES ? j->arena.max : LIMIT_BRANCH_BYTES;

	err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "conversation",
		"the conversation's history is larger than the %zu KiB that can be sent with one "
		"turn; start a new conversation",
		max / KIB);
}

const char answer_cell_find[] =
	"SELECT fingerprint, http, body FROM idempotency WHERE owner = $1 AND key = $2";

void answer_cell_replay(struct row r, struct answer_made *m, struct err *e)
{
	if (!str_eq(cell_str(r, 0), m->key.digest))
		answer_refuse_other(e);
	else if (cell_int(r, 1) == 410)
		err_set(e, ERR_GONE, "",
			"the object that an earlier request with this Idempotency-Key created has been deleted");
	else if (!buf_str(&m->answer, cell_str(r, 2)))
		cell_no_memory(e);
	else
		m->replayed = true;
}

void change_cell_busy(struct err *e)
{
	err_set(e, ERR_CONVERSATION_BUSY, "conversation",
		"a turn of this conversation is still running; try again when it has ended");
	e->retry_after_ms = 1000;
}

bool change_cell_allows(struct conversation_write *j)
{
	bool good = !j->conditional;

	if (j->change == CONVERSATION_TITLE && j->now.title.n > 0)
		return false; /* its user was faster */
	for (size_t i = 0; !good && i < j->revision_count; i++)
		good = j->revisions[i] == j->now.revision;
	if (!good)
		err_set(&j->job.err, ERR_PRECONDITION_FAILED, "",
			"the conversation has changed: it is now \"%lld\"",
			(long long)j->now.revision);
	return good;
}

void change_cell_update(struct conversation_write *j)
{
	if (j->title_set) {
		j->now.title = j->title;
		j->now.titled = j->title.n == 0                   ? TITLED_BY_WORDS
				: j->change == CONVERSATION_TITLE ? TITLED_BY_MODEL
								  : TITLED_BY_USER;
	}
	if (j->metadata_set)
		j->now.metadata = j->metadata.n > 0 ? j->metadata : STR("{}");
	if (j->pinned_set)
		j->now.pinned = j->pinned;
	if (j->keep_set)
		j->now.keep_ms = j->keep_ms;
	if (j->ceiling_set)
		j->now.ceiling.limit_nano = j->ceiling_nano;
	j->now.revision += j->change != CONVERSATION_TITLE;
}

struct store_conversation change_cell_forked(const struct conversation_write *j)
{
	struct store_conversation c = { .title = j->title_set ? j->title : j->now.title,
					.metadata = j->metadata_set ? j->metadata : j->now.metadata,
					.opening = j->now.opening,
					.titled = j->title_set ? TITLED_BY_USER : j->now.titled };

	if (str_is(c.metadata, "{}"))
		c.metadata = STR_NONE;
	return c;
}

struct store_conversation change_cell_made(const struct conversation_write *j,
					   struct store_conversation        c)
{
	c.id = j->conversation;
	c.created_ms = j->now_ms;
	c.changed_ms = j->now_ms;
	c.revision = 1;
	c.origin = j->origin;
	c.keep_ms = j->keep_ms;
	c.ceiling.limit_nano = j->ceiling_nano;
	if (c.title.n == 0)
		c.titled = TITLED_BY_WORDS;
	if (c.metadata.n == 0)
		c.metadata = STR("{}");
	return c;
}
