/* run/live: runs that are stored nowhere, findable by id from any loop while they live. */
#pragma once

#include "base/id.h"
#include "store/store.h"

/* Embedded in a run; the fields are copied out by live_find, so they are changed only through
 * live_set_status once it is in. */
struct live {
	struct live    *prev;
	struct live    *next;
	struct id       id;
	int64_t         owner;
	enum run_status status;
	int64_t         created_ms;
	char            model[96];
	char            provider[64];
};

/* Threads: any. */
void live_add(struct live *l);
void live_remove(struct live *l); /* fine if it was never added */
void live_set_status(struct live *l, enum run_status status);
/* live_find: copies; false: no such run, or another owner's. */
bool live_find(struct id id, int64_t owner, struct live *ret);
