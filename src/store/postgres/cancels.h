/* cancels: tells other gateways to cancel runs of theirs, and hears of such wishes, through the table
 * `signal`. */
#pragma once

#include "store/postgres/work.h"

struct cancels;

struct cancels *cancels_create(void) MUST_USE; /* NULL: no memory */
void            cancels_destroy(struct cancels *c);

/* cancels_add: the wish is written soon, and again until the database has it.  Any thread. */
void cancels_add(struct cancels *c, struct id run, int64_t owner);

/* The chores: the first one writes wishes, the other one reads those of other gateways. */
bool           cancels_send_wanted(struct postgres *db);
enum work_next cancels_send_step(struct work *w);
void           cancels_send_over(struct work *w, const struct fault *f);
bool           cancels_take_wanted(struct postgres *db);
enum work_next cancels_take_step(struct work *w);
void           cancels_take_over(struct work *w, const struct fault *f);
