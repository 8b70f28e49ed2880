/* api_key_cell: reads rows of API keys. */
#pragma once

#include "store/api_key.h"
#include "store/sql/query.h"

#define API_KEY_ALLOWANCE                                                                \
	"requests, requests_window_us, tokens, tokens_window_us, concurrent, max_body, " \
	"budget_nano, budget_tokens, budget_window_us"
#define API_KEY_CELL                                                                         \
	"SELECT number, id, owner, name, scopes, models, metadata, created_ms, expires_ms, " \
	"revoked_ms, rotated_ms, old_until_ms, used_ms, " API_KEY_ALLOWANCE " FROM api_key "

/* api_key_cell_ask: asks for a key by its id; a write locks it.  api_key_cell_find: the row of the n-th statement;
 * false: e is NOT_FOUND at `path`, or there is no memory. */
void api_key_cell_ask(struct query *q, struct str id, bool lock);
bool api_key_cell_find(struct query *q, size_t n, const char *path, struct arena *a,
		       struct store_api_key *ret, struct err *e) MUST_USE;
/* api_key_cell_read: reads a row of API_KEY_CELL into *ret, with texts in a; false: e says why not. */
bool api_key_cell_read(struct row r, struct arena *a, struct store_api_key *ret, struct err *e);
struct allowance api_key_cell_allowance(struct row r, int first);
