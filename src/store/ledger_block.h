/* store/ledger_block: the packed form of the ledger's rows (store/ledger.h).
 *
 *   block  version (1), bytes of the names, names, rows
 *   names  key, configured model, provider
 *   row    key and secret of the id, owner (8 bytes each); the place of its names; outcome and status; flags;
 *          the rest, by the flags
 *
 * Numbers are of variable length, 7 bits a byte, the lowest first; texts begin with their length.  A reader of a
 * newer version refuses nothing that this one has written. */
#pragma once

#include "store/ledger.h"

struct buf;

#define LEDGER_MINUTE_MS ((int64_t)60 * 1000)
#define LEDGER_HOUR_MS   ((int64_t)60 * LEDGER_MINUTE_MS)

/* Bytes that a block takes of the database besides its data, about. */
enum { LEDGER_BLOCK_OWN = 80 };

/* ledger_minute: the minute in which the call with this key of an id began. */
static inline int64_t ledger_minute(int64_t key)
{
	return id_key_ms(key) / LEDGER_MINUTE_MS;
}

/* ledger_bit: bits for a block and for who looks for one: a block that lacks one of them has no call with this
 * word. */
enum ledger_word {
	LEDGER_WORD_KEY,
	LEDGER_WORD_MODEL, /* the name as asked */
	LEDGER_WORD_PROVIDER,
	LEDGER_WORD_ERROR,
	LEDGER_WORD_GROUP,
};
int64_t ledger_bit(enum ledger_word word, struct str text);
int64_t ledger_bit_owner(int64_t owner);
int64_t ledger_bit_outcome(enum call_outcome o);
int64_t ledger_bit_unstored(void);
/* ledger_bits_names: the bits of an hour's names; ledger_bits: all others of a row. */
int64_t ledger_bits_names(const struct ledger_hour *h);
int64_t ledger_bits(const struct call_row *c);

/* Bytes of a row from the outcome on, of a row's beginning, and of its names, at most. */
enum {
	LEDGER_ROW_MOST = 200 + LIMIT_MODEL + 4 * 64,
	LEDGER_HEAD_MOST = 3 * 8 + 10,
	LEDGER_NAMES_MOST = IDENTITY_ID_MAX + LIMIT_MODEL + 64 + 3 * 10,
};

/* ledger_row_put: packs a row into out, from the outcome on; returns its length.  Long texts are cut. */
size_t ledger_row_put(const struct call_row *c, char out[LEDGER_ROW_MOST]);
/* ledger_row_head: appends the beginning of a row, whose names are at `place`. */
bool ledger_row_head(struct buf *out, struct id id, int64_t owner, uint32_t place) MUST_USE;
bool ledger_names_put(struct buf *out, const struct ledger_hour *h) MUST_USE;
/* ledger_block_put: the whole block. */
bool ledger_block_put(struct buf *out, struct str names, struct str rows) MUST_USE;

/* The rows of a block; spans are borrowed from its bytes. */
struct ledger_walk {
	struct str names, rest;
	bool       damaged;
};

/* ledger_walk_begin: false: no version of Parley has written this. */
bool ledger_walk_begin(struct ledger_walk *w, struct str data) MUST_USE;
/* ledger_walk_next: false: no row is left, or the block is damaged. */
bool ledger_walk_next(struct ledger_walk *w, struct call_row *ret) MUST_USE;
