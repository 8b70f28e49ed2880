/* api_key_row: reads rows of API keys: single ones, and all valid ones for the key ring. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/api_key.h"

struct key_ring;
struct session;
struct store_api_key;

#define API_KEY_ALLOWANCE                                                                \
	"requests, requests_window_us, tokens, tokens_window_us, concurrent, max_body, " \
	"budget_nano, budget_tokens, budget_window_us"
#define API_KEY_ROW                                                                          \
	"SELECT number, id, owner, name, scopes, models, metadata, created_ms, expires_ms, " \
	"revoked_ms, rotated_ms, old_until_ms, used_ms, " API_KEY_ALLOWANCE " FROM api_key "

/* Functions that return an int return an SQLite code; refusals are in e.  api_key_row_find: finds a
 * key by its id; e is NOT_FOUND at `path` if there is none. */
int api_key_row_find(struct conn *c, struct str id, const char *path, struct arena *a,
		     struct store_api_key *ret, struct err *e) MUST_USE;
/* api_key_row_read: reads a row of API_KEY_ROW into *ret, with texts in a; false: e says why
 * not. */
bool api_key_row_read(sqlite3_stmt *st, struct arena *a, struct store_api_key *ret, struct err *e);
/* api_key_row_load: fills the ring if its version is not that of the database; inside a
 * transaction. */
int api_key_row_load(struct conn *c, struct key_ring *ring) MUST_USE;
/* api_key_row_settle: settles a job that has changed what the ring has (op.settle). */
void api_key_row_settle(struct session *s, struct store_job *job);
