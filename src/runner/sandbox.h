/* runner/sandbox: a bubblewrap with the seat in it, and the runner's end of the seat's socket.
 *
 * Threads: sandboxes are started from the main thread, because a sandbox ends with the thread that
 * forked it. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "runner/runner.h"
#include "runner/seat/seat.h"

#include <sys/types.h>

struct cgroups;
struct sandbox_ground;

#define SANDBOX_SPACE   "/space"      /* the user's folder */
#define SANDBOX_CODE    "/run/cell"   /* the files with the code */
#define SANDBOX_DRIVERS "/run/parley" /* seat and drivers, read only */

/* The part that all sandboxes share: programs, folders, the filter. */
/* sandbox_ground_create: the options are borrowed for the ground's life.  Errors: NOT_SUPPORTED_YET says what this
 * machine lacks, INTERNAL. */
enum errc sandbox_ground_create(const struct runner_options *o, struct sandbox_ground **ret,
				struct err *e) MUST_USE;
void      sandbox_ground_destroy(struct sandbox_ground *g);
OWNABLE(sandbox_ground);

/* Laid open so that it can be embedded; use the functions. */
struct sandbox {
	pid_t pid;     /* bubblewrap's; 0: none */
	int   process; /* its pidfd, readable when it has ended */
	int   channel; /* to the seat; readable when there is news */
	int   space;   /* O_PATH, of SANDBOX_SPACE; -1: not ready yet */
	int   code;    /* O_PATH, of SANDBOX_CODE */
};

/* sandbox_start: begins a sandbox, which is ready when its seat says so.  procs: descriptor of the
 * cgroup.procs that it is to stand in, or -1; errors: its stderr, or -1.  Errors: INTERNAL. */
enum errc sandbox_start(const struct sandbox_ground *g, int procs, int errors, struct sandbox *ret,
			struct err *e) MUST_USE;
/* sandbox_kill: ends all of it; its process is then readable. */
void sandbox_kill(struct sandbox *s);
/* sandbox_finish: kills, waits and closes. */
void sandbox_finish(struct sandbox *s);

enum sandbox_heard { SANDBOX_NOTHING, SANDBOX_NEWS, SANDBOX_CLOSED };
/* sandbox_hear: one message, without waiting.  The descriptors of the first one go to s. */
enum sandbox_heard sandbox_hear(struct sandbox *s, struct seat_say *ret);
/* sandbox_run: has the seat start a program; the descriptors stay the caller's.  False: it can't. */
bool sandbox_run(struct sandbox *s, uint32_t id, const char *directory, struct str arguments,
		 int output, int control) MUST_USE;
/* sandbox_signal: to the program's process group. */
void sandbox_signal(struct sandbox *s, uint32_t id, int signal);

/* sandbox_try: starts one and waits until it is ready.  Errors: NOT_SUPPORTED_YET with what bubblewrap said. */
enum errc sandbox_try(const struct sandbox_ground *g, struct err *e) MUST_USE;

/* --- cgroup: a cgroup (v2) for each session, below the one that systemd has delegated to the
 * runner: bounds for memory, processor and processes, a pause, and one signal for all.
 *
 *   UNIT/runner      the runner itself: a cgroup with controllers has no processes of its own
 *   UNIT/session-N   one for each session */

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
