/* op_table: the operations by their jobs (op.h). */
#pragma once

#include "store/sqlite/op.h"

/* op_of: the operation of a submitted job. */
const struct op *op_of(const struct store_job *job);
/* op_is_relaxed: whether the job may be lost in a power cut (op.relaxed). */
bool op_is_relaxed(struct store_job *job);
