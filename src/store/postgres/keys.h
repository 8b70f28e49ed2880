/* keys: fills the key ring from the database, when its version has changed. */
#pragma once

#include "store/postgres/work.h"

enum { KEYS_RESULTS = 3 }; /* results of keys_ask */

/* keys_ask: asks for the version, for all valid keys and for the ended sessions.  keys_take: puts the results,
 * from the n-th on, into the ring.  False: no memory, or no sense. */
void keys_ask(struct work *w);
bool keys_take(struct work *w, size_t n);

/* The chores: keys_step looks for a new version, and loads the keys; used_step notes when keys were used. */
enum work_next keys_step(struct work *w);
void           keys_over(struct work *w, const struct fault *f);
bool           used_wanted(struct postgres *db);
enum work_next used_step(struct work *w);
void           used_over(struct work *w, const struct fault *f);
