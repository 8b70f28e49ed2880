/* health: the history of the providers' health. */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "store/job.h"

enum { HEALTH_KEEP_DAYS = 30 };

/* health_write: a write that notes a provider's state, unless its last one is the same. */
struct health_write {
	struct store_job job;
	struct str       provider;
	struct str       state;
	int64_t          at_ms;
};

struct health_change {
	struct str provider;
	struct str state;
	int64_t    at_ms;
};

/* health_read: the changes since from_ms by provider and time, each provider's last one before it included; of each
 * provider the newest `limit` ones, at least one. */
struct health_read {
	struct store_job job;
	int64_t          from_ms;
	size_t           limit;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out */
	struct health_change *changes;
	size_t                change_count;
};
