/* provider/credential/over_time: what the keeper does with the keys of an entry: finds which are due, has a worker run
 * their job, and takes its end.  For credential.c, credential_keeper.c and credential_lines.c.
 *
 *   credential_due --> credential_job on a worker --> credential_over --> credential_release */
#pragma once

#include "provider/credential/internal.h"

/* credential_want: the entry is in use, so that its keys are kept fresh. */
void credential_want(struct credential *c);
/* credential_due: one whose job should run now, held; it counts as running until credential_over.  NULL: none is. */
struct credential *credential_due(int64_t now_us);
/* credential_job: the job, without its loop and done; credential_of: the way back. */
struct work_job   *credential_job(struct credential *c);
struct credential *credential_of(struct work_job *job);
/* credential_over: the job has run, or will not: takes the keys, and wakes who waits. */
void credential_over(struct credential *c);
/* credential_unwant_all: the jobs that run end early. */
void credential_unwant_all(void);
/* credential_setup_of: borrowed. */
const struct credential_setup *credential_setup_of(const struct credential *c);
