/* idem_given: keys that calls of this gateway have taken (the job idem_take) and that no answer needs. */
#pragma once

#include "base/id.h"
#include "store/postgres/work.h"

struct idem_given;

struct idem_given *idem_given_create(void) MUST_USE; /* NULL: no memory */
void               idem_given_destroy(struct idem_given *x);
/* idem_given_add: the claim is removed soon, unless a run has its key.  Any thread. */
void idem_given_add(struct idem_given *x, struct id claim);

/* The chore that removes them. */
bool           idem_given_wanted(struct postgres *db);
enum work_next idem_given_step(struct work *w);
void           idem_given_over(struct work *w, const struct fault *f);
