/* api_key_cell: reads rows of API keys. */
#pragma once

#include "store/api_key.h"
#include "store/postgres/work.h"

#define API_KEY_ALLOWANCE                                                                \
	"requests, requests_window_us, tokens, tokens_window_us, concurrent, max_body, " \
	"budget_nano, budget_tokens, budget_window_us"
#define API_KEY_CELL                                                                         \
	"SELECT number, id, owner, name, scopes, models, metadata, created_ms, expires_ms, " \
	"revoked_ms, rotated_ms, old_until_ms, used_ms, " API_KEY_ALLOWANCE " FROM api_key "

struct key_ring;

/* api_key_cell_ask: asks for a key by its id.  api_key_cell_lock: the same, and locks it. */
void api_key_cell_ask(struct work *w, struct str id);
void api_key_cell_lock(struct work *w, struct str id);
/* api_key_cell_find: the row of the n-th result; false: e is NOT_FOUND at `path`, or there is no memory. */
bool api_key_cell_find(struct work *w, size_t n, const char *path, struct arena *a,
		       struct store_api_key *ret, struct err *e) MUST_USE;
/* api_key_cell_read: reads a row of API_KEY_CELL into *ret, with texts in a; false: e says why not. */
bool api_key_cell_read(struct row r, struct arena *a, struct store_api_key *ret, struct err *e);
struct allowance api_key_cell_allowance(struct row r, int first);
