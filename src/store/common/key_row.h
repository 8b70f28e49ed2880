/* key_row: makes entries of the key ring from stored rows, which other programs may have changed. */
#pragma once

#include "base/allowance.h"
#include "base/str.h"
#include "store/key_ring.h"

struct key_row {
	int64_t          number;
	struct str       id;
	int64_t          owner;
	int64_t          scopes;
	struct str       models; /* JSON array; empty: all */
	struct str       sha256, old_sha256;
	int64_t          old_until_ms, expires_ms, used_ms;
	struct allowance allowance; /* result of key_row_allowance */
};

/* key_row_allowance: the stored numbers, with sense. */
struct allowance key_row_allowance(const struct allowance *stored);
/* key_row_add: adds the row to the table.  A wrong row admits nobody, and does not prevent the reading of
 * other rows.  False: no memory. */
bool key_row_add(struct key_ring_table *t, const struct key_row *row) MUST_USE;
