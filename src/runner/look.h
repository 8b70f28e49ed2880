/* runner/look: what a sandbox's processes use, where no cgroup counts it: a walk over /proc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct look {
	int64_t memory; /* bytes that no file backs */
	int64_t shared; /* bytes of shared memory and of files in memory, where they are mapped */
	int64_t cpu_us; /* of the processes that live */
};

/* look_at: the process and all below it, of which at most a few hundred are looked at.  exact: a page that
 * processes share counts once, which takes the kernel a walk over all pages. */
void look_at(pid_t top, bool exact, struct look *ret);
