/* lost: ends of runs whose own gateway could not write them: it is dead (reap), or the server was away too
 * long (lost). */
#pragma once

#include "store/common/salvage.h"
#include "store/postgres/work.h"
#include "store/turn.h"

/* lost_wanted, lost_step, lost_over: the chore that writes what is in db->unfinished. */
bool           lost_wanted(struct postgres *db);
enum work_next lost_step(struct work *w);
void           lost_over(struct work *w, const struct fault *f);

/* reap_step: declares gateways dead whose lease is over, and ends some of the runs, keys and reservations of
 * dead gateways.  reap_over: notes in db whether there may be more. */
enum work_next reap_step(struct work *w);
void           reap_over(struct work *w, const struct fault *f);
