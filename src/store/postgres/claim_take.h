/* claim_given: names that calls of this gateway have taken (the job claim_take) and that no answer needs. */
#pragma once

#include "base/id.h"
#include "store/postgres/work.h"

struct claim_given;

struct claim_given *claim_given_create(void) MUST_USE; /* NULL: no memory */
void                claim_given_destroy(struct claim_given *x);
/* claim_given_add: the claim is removed soon, unless a run has its key.  Any thread. */
void claim_given_add(struct claim_given *x, struct id claim);

/* The chore that removes them. */
bool           claim_given_wanted(struct postgres *db);
enum work_next claim_given_step(struct work *w);
void           claim_given_over(struct work *w, const struct fault *f);
