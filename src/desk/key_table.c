/* A table of buckets with chains, whose searches for room are bounded. */
#include "desk/key_table.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LOOK = 64 }; /* entries that are looked at for one that may go */

void key_table_init(struct key_table *t, size_t entry_bytes, size_t max,
		    enum key_worth (*worth)(const struct key_slot *s, int64_t now_us))
{
	t->entry_bytes = entry_bytes;
	t->max = max;
	t->worth = worth;
}

void key_table_finish(struct key_table *t)
{
	for (size_t i = 0; i < KEY_TABLE_BUCKETS; i++)
		for (struct key_slot *s = t->buckets[i], *next; s; s = next) {
			next = s->next;
			free(s);
		}
}

static size_t key_table_place(int64_t key)
{
	return ((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 50;
}
_Static_assert(KEY_TABLE_BUCKETS == 1 << (64 - 50), "key_table_place takes the upper bits");

struct key_slot *key_table_find(const struct key_table *t, int64_t key)
{
	struct key_slot *s = t->buckets[key_table_place(key)];

	while (s && s->key != key)
		s = s->next;
	return s;
}

static void key_table_remove(struct key_table *t, struct key_slot *slot)
{
	struct key_slot **at = &t->buckets[key_table_place(slot->key)];

	while (*at != slot)
		at = &(*at)->next;
	*at = slot->next;
	free(slot);
	t->count--;
}

/* key_table_make_room: the search is bounded, and begins where the last one has ended. */
static bool key_table_make_room(struct key_table *t, int64_t now_us)
{
	struct key_slot *gone = NULL;
	size_t           seen = 0;

	for (size_t i = 0; i < KEY_TABLE_BUCKETS && seen < LOOK; i++) {
		t->hand = (t->hand + 1) % KEY_TABLE_BUCKETS;
		for (struct key_slot *s = t->buckets[t->hand]; s; s = s->next, seen++) {
			enum key_worth worth = t->worth(s, now_us);

			if (worth != KEY_STAYS)
				gone = s;
			if (worth == KEY_IS_OVER) {
				seen = LOOK;
				break;
			}
		}
	}
	if (gone)
		key_table_remove(t, gone);
	return gone != NULL;
}

struct key_slot *key_table_get(struct key_table *t, int64_t key, int64_t now_us)
{
	struct key_slot *s = key_table_find(t, key);

	if (s || (t->count >= t->max && !key_table_make_room(t, now_us)))
		return s;
	s = calloc(1, t->entry_bytes);
	if (!s)
		return NULL;
	struct key_slot **at = &t->buckets[key_table_place(key)];
	s->key = key;
	s->next = *at;
	*at = s;
	t->count++;
	return s;
}
