/* desk/key_table: entries by the numbers of API keys, at most so many.  An entry begins with a key_slot; all
 * else in a new one is zero.  When the table is full, the entry goes that its owner can best do without.
 * Threads: one at a time; the owner's lock guards it. */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_TABLE_BUCKETS = 16384 };

struct key_slot {
	struct key_slot *next;
	int64_t          key;
};

/* An entry's worth: it must stay; it may go if there is nothing better; nothing is lost with it. */
enum key_worth { KEY_STAYS, KEY_MAY_GO, KEY_IS_OVER };

/* Laid open so that it can be embedded. */
struct key_table {
	size_t entry_bytes;
	size_t max, count;
	size_t hand; /* the bucket in which the last search for room has ended */
	enum key_worth (*worth)(const struct key_slot *s, int64_t now_us);
	struct key_slot *buckets[KEY_TABLE_BUCKETS]; /* entries are owned */
};

/* key_table_init: t must be all zero. */
void key_table_init(struct key_table *t, size_t entry_bytes, size_t max,
		    enum key_worth (*worth)(const struct key_slot *s, int64_t now_us));
void key_table_finish(struct key_table *t);

/* key_table_find: NULL: none.  key_table_get: makes one; NULL: no memory, or all the others must stay. */
struct key_slot *key_table_find(const struct key_table *t, int64_t key);
struct key_slot *key_table_get(struct key_table *t, int64_t key, int64_t now_us);
