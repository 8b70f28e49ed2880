/* runner_options: what the table `runner` of the configuration says; borrowed from it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
