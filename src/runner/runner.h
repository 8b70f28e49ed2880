/* runner: the process `parley runner`: it runs code in sandboxes, for the gateway, over a unix socket. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* --- runner_options: what the table `runner` of the configuration says; borrowed from it. */

enum runner_guard {
	RUNNER_CGROUP, /* one cgroup for each session; without a delegated one there is no start */
	RUNNER_RLIMIT  /* limits of each process, and a look at the sessions' memory now and then */
};

struct runner_options {
	const char        *listen;    /* unix:PATH, or systemd; "": nowhere */
	const char        *peer;      /* user whose processes may connect; "": the runner's own */
	int                guard;     /* enum runner_guard */
	const char *const *languages; /* names that are offered; none: all that are installed */
	size_t             language_count;
	const char *const *mounts; /* folders that sandboxes see, read only */
	size_t             mount_count;
	int64_t            time_us, max_time_us; /* an execution's limit: default, maximum */
	int64_t            memory; /* bytes of a session, with its folders in memory */
	int64_t            cpu;    /* hundredths of a core */
	int64_t            processes, files;
	int64_t            space, tmp, shm, file; /* bytes */
	int64_t            output, dropped; /* kept; of the rest, before the program is stopped */
	int64_t            sessions, owner_sessions;
	int64_t            segments; /* executions at once; 0: as many as there are cores */
	int64_t            idle_us, life_us;
};

/* Both return the process's exit status (sysexits) and have said on stderr what went wrong: EX_CONFIG
 * where this machine lacks something.  The log has been started.
 * Threads: the main thread, and no other has been started but the log's. */

/* runner_serve: until SIGTERM or SIGINT. */
int runner_serve(const struct runner_options *o);
/* runner_try: runs the code and prints what it tells as chunks of LMC, a line each.  EXIT_FAILURE: the code
 * failed, or was stopped. */
int runner_try(const struct runner_options *o, const char *language, struct str code);
