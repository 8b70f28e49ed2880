/* runner/host: the runner's socket and its clients' connections; each executes once, or asks something. */
#pragma once

#include "runner/crowd.h"

#include <sys/types.h>

struct host;

/* host_create: fd is a listening socket, consumed.  peer: the user whose processes may connect, besides the
 * runner's own. */
enum errc host_create(struct loop *loop, const struct runner_options *o, struct crowd *crowd,
		      int fd, uid_t peer, struct host **ret, struct err *e) MUST_USE;
/* host_stop: accepts and begins nothing more, and stops what runs. */
void host_stop(struct host *s);
/* host_running: executions that go on. */
int64_t host_running(const struct host *s);
/* host_destroy: the loop does not run any more. */
void host_destroy(struct host *s);
OWNABLE(host);
