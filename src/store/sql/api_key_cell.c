/* Rows of API keys. */
#include "store/sql/api_key_cell.h"

#include "base/identity.h"
#include "store/common/key_row.h"

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
