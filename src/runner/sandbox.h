/* runner/sandbox: a bubblewrap with the seat in it, and the runner's end of the seat's socket.
 *
 * Threads: sandboxes are started from the main thread, because a sandbox ends with the thread that
 * forked it. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "runner/runner_options.h"
#include "runner/seat/seat.h"

#include <sys/types.h>

#define SANDBOX_SPACE   "/space"      /* the user's folder */
#define SANDBOX_CODE    "/run/cell"   /* the files with the code */
#define SANDBOX_DRIVERS "/run/parley" /* seat and drivers, read only */

/* What all sandboxes share: programs, folders, the filter. */
struct sandbox_ground;
/* sandbox_ground_create: the options are borrowed for the ground's life.  Errors: NOT_SUPPORTED_YET says what this
 * machine lacks, INTERNAL. */
enum errc sandbox_ground_create(const struct runner_options *o, struct sandbox_ground **ret,
				struct err *e) MUST_USE;
void      sandbox_ground_destroy(struct sandbox_ground *g);
OWNABLE(sandbox_ground);

/* Laid open so that it can be embedded; use the functions. */
struct sandbox {
	pid_t pid;     /* of bubblewrap; 0: none */
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
