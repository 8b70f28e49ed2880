/* operations: how each kind of job is done (operation.h, store/sql/query.h). */
#pragma once

#include "store/postgres/work.h"

/* operation_mode, operation_step: of a job that is not gathered, with this engine's own operation or a shared one.
 * operation_after: what follows a job that was stored. */
enum work_mode operation_mode(const struct job_kind *kind);
enum work_next operation_step(struct work *w, struct store_job *job);
void           operation_after(struct postgres *db, struct store_job *job);
bool           operation_is_gathered(const struct job_kind *kind);
