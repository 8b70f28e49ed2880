/* runner: the process `parley runner`: it runs code in sandboxes, for the gateway, over a unix socket. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "runner/runner_options.h"

/* Both return the process's exit status (sysexits) and have said on stderr what went wrong: EX_CONFIG
 * where this machine lacks something.  The log has been started.
 * Threads: the main thread, and no other has been started but the log's. */

/* runner_serve: until SIGTERM or SIGINT. */
int runner_serve(const struct runner_options *o);
/* runner_try: runs the code and prints what it tells as chunks of LMC, a line each.  EXIT_FAILURE: the code
 * failed, or was stopped. */
int runner_try(const struct runner_options *o, const char *language, struct str code);
