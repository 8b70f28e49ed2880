/* Rows of tables. */
#include "store/sql/cells.h"

#include "base/identity.h"
#include "base/limits.h"
#include "store/common/key_row.h"

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

bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e)
{
	*ret = (struct store_conversation){
		.id = cell_id(cell_int(r, 0), r, 1),
		.created_ms = cell_int(r, 2),
		.revision = cell_int(r, 3),
	};
	if (!cell_keep(a, r, 4, &ret->title, e) || !cell_keep(a, r, 5, &ret->metadata, e))
		return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
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
	return key_row_allowance(&(struct allowance){
		.requests = cell_int(r, first),
		.requests_window_us = cell_int(r, first + 1),
		.tokens = cell_int(r, first + 2),
		.tokens_window_us = cell_int(r, first + 3),
		.concurrent = cell_int(r, first + 4),
		.max_body = cell_int(r, first + 5),
		.budget_nano = cell_int(r, first + 6),
		.budget_tokens = cell_int(r, first + 7),
		.budget_window_us = cell_int(r, first + 8),
	});
}

bool api_key_cell_read(struct row r, struct arena *a, struct store_api_key *ret, struct err *e)
{
	*ret = (struct store_api_key){
		.number = cell_int(r, 0),
		.owner = cell_int(r, 2),
		.scopes = (unsigned)cell_int(r, 4) & SCOPES_ALL,
		.created_ms = cell_int(r, 7),
		.expires_ms = cell_int(r, 8),
		.revoked_ms = cell_int(r, 9),
		.rotated_ms = cell_int(r, 10),
		.old_until_ms = cell_int(r, 11),
		.used_ms = cell_int(r, 12),
		.allowance = api_key_cell_allowance(r, 13),
	};
	str_copy(ret->id, sizeof ret->id, cell_str(r, 1));
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

	for (size_t i = 0; !good && i < j->revision_count; i++)
		good = j->revisions[i] == j->now.revision;
	if (!good)
		err_set(&j->job.err, ERR_PRECONDITION_FAILED, "",
			"the conversation has changed: it is now \"%lld\"",
			(long long)j->now.revision);
	return good;
}
