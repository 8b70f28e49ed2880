/* scale_fill: conversations as users make them, many at a time, through the store's turns. */
#pragma once

#include "scale_db.h"

enum { FILL_METADATA_MAX = 128, FILL_KEY_MAX = 32, FILL_TOPICS = 20 };

struct fill_counts {
	uint64_t conversations;
	uint64_t turns;
	uint64_t messages;
	uint64_t bytes;
};

/* fill: db's conversations, all ended.  Exits when it is not done at the deadline (monotonic). */
void fill(struct db *db, int64_t deadline_us, struct fill_counts *ret);
/* fill_until_killed: begins as many turns, many of which go on, and kills the process. */
_Noreturn void fill_until_killed(struct db *db, uint64_t turns);

/* What the n-th conversation has, so that it can be asked for again. */
struct str fill_key(uint32_t n, char ret[FILL_KEY_MAX]);
struct str fill_digest(void);
/* fill_first_key: from this one on, they have keys and events; all others are too old. */
uint32_t fill_first_key(const struct db *db);
/* fill_user: one of the users that the metadata names; each has some ten conversations. */
struct str fill_user(const struct db *db, struct dice *d, char ret[FILL_METADATA_MAX]);
