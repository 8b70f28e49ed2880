/* api_key_row: reads the valid API keys for the key ring. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/job.h"

struct key_ring;
struct session;

/* api_key_row_load: fills the ring if its version is not that of the database; inside a
 * transaction.  An SQLite code. */
int api_key_row_load(struct conn *c, struct key_ring *ring) MUST_USE;
/* api_key_row_settle: settles a job that has changed what the ring has (op.settle). */
void api_key_row_settle(struct session *s, struct store_job *job);
