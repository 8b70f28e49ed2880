/* routes/admin/api_key_print: a key as a JSON object, for the admin routes and the command line. */
#pragma once

#include "base/buf.h"
#include "store/api_key.h"

struct value;

/* api_key_print: text: shown once, when it was made or rotated; else NULL.  False: out is full. */
bool api_key_print(struct buf *out, const struct store_api_key *k, const char *text,
		   int64_t now_ms) MUST_USE;
/* api_key_print_list: a page of them. */
bool api_key_print_list(struct buf *out, const struct api_keys_read *read, int64_t now_ms) MUST_USE;
/* api_key_scopes: the names of scopes, a list, owned.  NULL: no memory. */
struct value *api_key_scopes(unsigned scopes) MUST_USE;
/* api_key_status: "active", "expired" or "revoked". */
const char *api_key_status(const struct store_api_key *k, int64_t now_ms);
