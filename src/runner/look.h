/* runner/look: what a sandbox's processes use, where no cgroup counts it: a walk over /proc. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct look {
	int64_t memory; /* bytes that no file backs */
	int64_t cpu_us; /* of the processes that live */
};

/* look_at: the process and all below it, of which at most a few hundred are looked at. */
void look_at(pid_t top, struct look *ret);
