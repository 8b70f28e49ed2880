/* runner/cgroup: a cgroup (v2) for each session, below the one that systemd has delegated to the
 * runner: bounds for memory, processor and processes, a pause, and one signal for all.
 *
 *   UNIT/runner      the runner itself: a cgroup with controllers has no processes of its own
 *   UNIT/session-N   one for each session */
#pragma once

#include "base/err.h"
#include "runner/runner_options.h"

struct cgroups;
/* cgroup_open: mount is where cgroups are (/sys/fs/cgroup), self this process's line of them
 * (/proc/self/cgroup).  Errors: NOT_SUPPORTED_YET says what is not delegated, INTERNAL. */
enum errc cgroup_open(const char *mount, const char *self, struct cgroups **ret,
		      struct err *e) MUST_USE;
void      cgroup_close(struct cgroups *c);

/* A session's; laid open so that it can be embedded. */
struct cgroup {
	int      folder; /* -1: none */
	unsigned number;
};

/* cgroup_make: with the limits of the options.  Errors: INTERNAL. */
enum errc cgroup_make(struct cgroups *c, const struct runner_options *o, struct cgroup *ret,
		      struct err *e) MUST_USE;
/* cgroup_procs: a descriptor for the process that enters it, owned; -1: none. */
int cgroup_procs(const struct cgroup *g);
/* cgroup_pause: no process in it gets any processor time until cgroup_pause(g, false). */
void cgroup_pause(const struct cgroup *g, bool paused);
/* cgroup_remove: kills what is in it.  The folder goes with the last process; false: not yet. */
bool cgroup_remove(struct cgroups *c, struct cgroup *g);

struct cgroup_used {
	int64_t cpu_us; /* since it was made */
	int64_t peak;   /* bytes */
	int64_t memory; /* bytes now */
	int64_t killed; /* processes that a lack of memory has killed */
};
void cgroup_used(const struct cgroup *g, struct cgroup_used *ret);
