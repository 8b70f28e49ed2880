/* parley runner: runs the assistant's code in sandboxes, beside the gateway. */
#include "command/command.h"

#include "base/limits.h"
#include "base/log.h"
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static int runner_unreadable(const char *file, const char *why)
{
	fprintf(stderr, "parley: %s: %s\n", file, why);
	return EX_NOINPUT;
}

/* "-" is the standard input. */
static int runner_read(const char *file, struct buf *code)
{
	char    part[16 * KIB];
	ssize_t n;
	int     fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return runner_unreadable(file, strerror(errno));
	while ((n = read(fd, part, sizeof part)) > 0 && buf_add(code, part, (size_t)n)) {
	}
	int os = errno;
	close(fd);
	if (n > 0)
		return runner_unreadable(file, "is larger than 256 KiB");
	return n == 0 ? EX_OK : runner_unreadable(file, strerror(os));
}

static int runner_try_file(const struct runner_options *o, const struct command_runner_options *r)
{
	struct buf code;

	buf_init(&code, LIMIT_RUNNER_CODE);
	int status = runner_read(r->file, &code);
	if (status == EX_OK)
		status = runner_try(o, r->language, buf_view(&code));
	buf_finish(&code);
	return status;
}

int command_runner(const struct command_call *call)
{
	const struct config                 *c = call->config;
	const struct command_runner_options *r = &call->runner;
	struct runner_options                o = c->runner;

	if (r->listen)
		o.listen = r->listen;
	if (r->peer)
		o.peer = r->peer;
	if (r->guard && strcmp(r->guard, "cgroup") != 0 && strcmp(r->guard, "rlimit") != 0) {
		fprintf(stderr,
			"parley: --guard: unknown value '%.40s'; allowed: cgroup or rlimit\n",
			r->guard);
		return EX_USAGE;
	}
	if (r->guard)
		o.guard = strcmp(r->guard, "rlimit") == 0 ? RUNNER_RLIMIT : RUNNER_CGROUP;
	if (!r->file != !r->language) {
		fputs("parley: --try FILE and --language NAME belong together\n", stderr);
		return EX_USAGE;
	}
	if (r->file)
		return runner_try_file(&o, r);
	log_start((enum log_level)c->log_level, (enum log_format)c->log_format);
	int status = runner_serve(&o);
	log_stop();
	return status;
}
