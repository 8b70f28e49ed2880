/* key_row: makes entries of the key ring from stored rows, which other programs may have changed. */
#pragma once

#include "base/allowance.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/key_ring.h"

/* A key that was revoked longer ago has no session left that would still live. */
#define KEY_ROW_REVOKED_MS ((int64_t)LIMIT_SESSION_KEPT_SECONDS * 1000)

struct key_row {
	int64_t          number;
	struct str       id;
	int64_t          owner;
	int64_t          scopes;   /* and KEY_CACHES */
	struct str       models;   /* JSON array; empty: all */
	struct str       metadata; /* JSON object; empty: none */
	struct str       sha256, old_sha256;
	int64_t          old_until_ms, expires_ms, used_ms;
	bool             revoked;
	struct allowance allowance;                 /* result of key_row_allowance */
	struct str       group;                     /* its id; empty: the key is in none */
	struct str       group_models, group_hooks; /* JSON arrays; empty: all, none */
	struct allowance group_allowance;
};

/* key_row_allowance: the stored numbers, with sense. */
struct allowance key_row_allowance(const struct allowance *stored);
/* key_row_add: adds the row to the table.  A wrong row admits nobody, and does not prevent the reading of
 * other rows.  False: no memory. */
bool key_row_add(struct key_ring_table *t, const struct key_row *row) MUST_USE;
/* key_row_add_group: the same for a row that has a group alone. */
bool key_row_add_group(struct key_ring_table *t, const struct key_row *row) MUST_USE;
