/* routes/call/run_print: the run object. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "desk/live.h"
#include "msg/family.h"
#include "shape/reasoning.h"
#include "store/run.h"

/* run_print: {"id":…,"object":"run",…}.  False: out is full. */
bool run_print(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_whole: the same with attempt_list, for a run that is read alone. */
bool run_print_whole(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_keyed: run_print with the key, for the operator. */
bool run_print_keyed(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_shape: the member `shape` of the run_read for run_print_for, whose arena has this
 * maximum. */
enum { RUN_PRINT_ARENA = 2 * LIMIT_STORE_ROW + MIB };
struct str run_print_shape(const struct family *f);
/* run_print_for: a run as clients of the family see it: their own object, or the run object. */
bool run_print_for(struct buf *out, const struct family *f, enum reasoning_name reasoning,
		   const struct run_read *run) MUST_USE;
/* run_print_object: the run for the functions of families; spans are run's. */
struct run_object run_print_object(const struct run_read *run, enum reasoning_name reasoning);
/* run_print_status: the HTTP status of an answer that is a run which has just begun. */
int run_print_status(const struct family *f);
/* run_print_live: run_print_whole for a run that is not stored; the log of its attempts is borrowed. */
bool run_print_live(struct buf *out, const struct live *live, struct str attempt_log) MUST_USE;
