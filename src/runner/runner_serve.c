/* The runner's start, its socket, its end; and `--try`, which does without a socket. */
#include "runner/runner.h"

#include "base/full_io.h"
#include "base/limits.h"
#include "base/log.h"
#include "runner/sandbox.h"
#include "computer/computer_console.h"
#include "runner/internal.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	RUNNER_BACKLOG = 128,
	RUNNER_POLL_US = 20000,
	RUNNER_STOP_US = 3000000,
	RUNNER_GIVEN_FD = 3,
	RUNNER_IN_FLIGHT =
		512 /* above a limit: the message that goes beyond it, and this process's own */
};

struct runner {
	const struct runner_options *options;
	struct loop                 *loop;
	struct sandbox_ground       *ground;
	struct cgroups              *cgroups;
	struct crowd                *crowd;
	struct host                 *host; /* NULL: --try */
	struct watch                 signals;
	struct timer                 stopping;
	int64_t                      stop_us; /* when it is over for all */
	/* --try */
	struct execution *execution;
	struct console    console;
	struct result     result;
};

static int runner_fail(const struct err *e)
{
	fprintf(stderr, "parley: runner: %s%s%s\n", e->path, e->path[0] ? ": " : "", e->text);
	return e->code == ERR_NOT_SUPPORTED_YET || e->code == ERR_INVALID_VALUE ? EX_CONFIG
										: EX_OSERR;
}

/* --- the end --- */

static void runner_empty(void *arg)
{
	struct runner *r = arg;

	loop_stop(r->loop);
}

static void runner_close(struct runner *r)
{
	crowd_tell_empty(r->crowd, runner_empty, r);
	if (crowd_count(r->crowd) == 0)
		loop_stop(r->loop);
	else
		crowd_close(r->crowd);
}

/* Executions get the time that an interrupt has. */
static void runner_on_stopping(struct timer *t)
{
	struct runner *r = container_of(t, struct runner, stopping);

	if (host_running(r->host) == 0 || loop_now_us(r->loop) > r->stop_us)
		runner_close(r);
	else
		timer_start(r->loop, t, RUNNER_POLL_US);
}

static void runner_on_signal(struct watch *w, uint32_t events)
{
	struct runner          *r = container_of(w, struct runner, signals);
	struct signalfd_siginfo info;

	(void)events;
	if (read(w->fd, &info, sizeof info) != (ssize_t)sizeof info)
		return;
	if (!r->host) {
		if (r->execution)
			execution_stop(r->execution);
		return;
	}
	if (r->stop_us)
		return;
	log_note(LOG_INFO, "stopping", "signal %u of process %u; %zu sessions end", info.ssi_signo,
		 info.ssi_pid, crowd_count(r->crowd));
	r->stop_us = loop_now_us(r->loop) + RUNNER_STOP_US;
	host_stop(r->host);
	timer_start(r->loop, &r->stopping, 0);
}

/* --- the beginning --- */

static enum errc runner_signals(struct runner *r, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r->signals =
		(struct watch){ runner_on_signal, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK) };
	if (r->signals.fd >= 0 && loop_watch(r->loop, &r->signals, EPOLLIN))
		return ERR_OK;
	return err_no_memory(e);
}

/* The kernel counts descriptors that are on their way between sockets for each user, and refuses a process that sends
 * one when there are more than the process's own limit.  This process sends each program two, so that its limit
 * has to be above what sessions, whose user is the same, can bring about with theirs. */
static enum errc runner_descriptors(const struct runner_options *o, struct err *e)
{
	size_t own = descriptors_raise();
	size_t most = own > RUNNER_IN_FLIGHT ? (own - RUNNER_IN_FLIGHT) / 2 : 0;

	if ((uint64_t)o->files <= most)
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, "open_files",
		       "may be %zu at most, as this process itself may have %zu descriptors "
		       "(systemd's LimitNOFILE=)",
		       most, own);
}

static enum errc runner_begin(struct runner *r, const struct runner_options *o, struct err *e)
{
	r->options = o;
	r->signals.fd = -1;
	r->stopping.fn = runner_on_stopping;
	enum errc rc = runner_descriptors(o, e);
	if (rc == ERR_OK)
		rc = sandbox_ground_create(o, &r->ground, e);
	if (rc == ERR_OK && o->guard == RUNNER_CGROUP)
		rc = cgroup_open("/sys/fs/cgroup", "/proc/self/cgroup", &r->cgroups, e);
	if (rc == ERR_OK)
		rc = sandbox_try(r->ground, e);
	if (rc == ERR_OK)
		rc = loop_create(0, &r->loop, e);
	if (rc == ERR_OK)
		rc = runner_signals(r, e);
	if (rc == ERR_OK)
		rc = crowd_create(r->loop, o, r->ground, r->cgroups, &r->crowd, e);
	return rc;
}

static void runner_finish(struct runner *r)
{
	host_destroy(r->host);
	crowd_destroy(r->crowd);
	if (r->signals.fd >= 0)
		close(r->signals.fd);
	loop_destroy(r->loop);
	cgroup_close(r->cgroups);
	sandbox_ground_destroy(r->ground);
}

/* --- the socket --- */

static enum errc runner_no_socket(const char *listen, struct err *e)
{
	char room[80];

	return err_set(e, ERR_OVERLOADED, "listen", "can't listen on %s: %s", listen,
		       strerror_r(errno, room, sizeof room));
}

/* A socket that a killed runner has left; anything else stays. */
static void runner_unlink_stale(const struct sockaddr_un *a)
{
	struct stat st;
	int         fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && lstat(a->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    connect(fd, (const struct sockaddr *)a, sizeof *a) != 0 && errno == ECONNREFUSED)
		unlink(a->sun_path);
	if (fd >= 0)
		close(fd);
}

static enum errc runner_listen(const char *listen_on, int *ret_fd, struct err *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char        *path = listen_on + strlen("unix:");

	if (strcmp(listen_on, "systemd") == 0) {
		const char *count = getenv("LISTEN_FDS");

		if (!count || strcmp(count, "1") != 0)
			return err_set(e, ERR_INVALID_VALUE, "listen",
				       "systemd has not given one socket");
		*ret_fd = RUNNER_GIVEN_FD;
		return ERR_OK;
	}
	if (strncmp(listen_on, "unix:/", 6) != 0 || strlen(path) >= sizeof a.sun_path)
		return err_set(e, ERR_INVALID_VALUE, "listen",
			       "'%.80s' is no socket of a runner: unix:/PATH, shorter than %zu "
			       "bytes, or systemd",
			       listen_on, sizeof a.sun_path);
	str_copy(a.sun_path, sizeof a.sun_path, str_of(path));
	runner_unlink_stale(&a);

	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* who may use it is checked by the user of each peer, too */
	if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) != 0 ||
	    chmod(path, 0660) != 0 || listen(fd, RUNNER_BACKLOG) != 0) {
		enum errc rc = runner_no_socket(listen_on, e);

		if (fd >= 0)
			close(fd);
		return rc;
	}
	*ret_fd = fd;
	return ERR_OK;
}

static enum errc runner_peer(const char *name, uid_t *ret, struct err *e)
{
	const struct passwd *p = name[0] ? getpwnam(name) : NULL;

	if (name[0] && !p)
		return err_set(e, ERR_INVALID_VALUE, "peer", "there is no user '%.64s'", name);
	*ret = p ? p->pw_uid : geteuid();
	return ERR_OK;
}

static enum errc runner_open(struct runner *r, struct err *e)
{
	int       fd = -1;
	uid_t     peer = 0;
	enum errc rc = runner_peer(r->options->peer, &peer, e);

	if (rc == ERR_OK)
		rc = runner_listen(r->options->listen, &fd, e);
	if (rc == ERR_OK)
		rc = host_create(r->loop, r->options, r->crowd, fd, peer, &r->host, e);
	return rc;
}

int runner_serve(const struct runner_options *o)
{
	struct runner r = { 0 };
	struct err    e;
	int           code = EXIT_SUCCESS;

	if (!o->listen[0]) {
		fputs("parley: runner: listen is missing: --listen unix:PATH\n", stderr);
		return EX_USAGE;
	}
	if (runner_begin(&r, o, &e) == ERR_OK && runner_open(&r, &e) == ERR_OK) {
		log_note(LOG_INFO, "listening", "runner on %s", o->listen);
		loop_run(r.loop);
		if (strncmp(o->listen, "unix:", 5) == 0)
			unlink(o->listen + 5);
	} else {
		code = runner_fail(&e);
	}
	runner_finish(&r);
	return code;
}

/* --- a try --- */

static void try_print(struct buf *out, bool ok)
{
	if (ok)
		fwrite(out->data, 1, out->len, stdout);
	fflush(stdout);
	buf_finish(out);
}

static void try_started(void *arg, bool fresh, const char *gone)
{
	(void)arg;
	(void)fresh;
	(void)gone;
}

static void try_buf(struct buf *out)
{
	buf_init(out, 8 * (size_t)LIMIT_RUNNER_IMAGE);
}

static void try_line(void *arg, int64_t line)
{
	struct runner *r = arg;
	struct buf     out;

	try_buf(&out);
	try_print(&out, console_line(&r->console, line, &out));
}

static void try_output(void *arg, struct str text)
{
	struct runner *r = arg;
	struct buf     out;

	try_buf(&out);
	try_print(&out, console_output(&r->console, text, &out));
}

static void try_picture(void *arg, const struct picture *p)
{
	struct runner *r = arg;
	struct buf     out;

	try_buf(&out);
	try_print(&out, console_picture(&r->console, p, &out));
}

static void try_end(void *arg, const struct result *result)
{
	struct runner *r = arg;
	struct buf     out;

	r->result = *result;
	try_buf(&out);
	try_print(&out, console_end(&r->console, &out));
}

/* Files follow the output, as they are known at the execution's end. */
static void try_file(void *arg, struct str path, int64_t bytes)
{
	struct runner *r = arg;
	struct buf     out;

	(void)bytes;
	try_buf(&out);
	try_print(&out, console_file(&r->console, path, &out));
}

static bool try_full(void *arg)
{
	(void)arg;
	return false;
}

static void try_over(void *arg)
{
	struct runner *r = arg;

	execution_destroy(TAKE(r->execution));
	runner_close(r);
}

static enum errc try_begin(struct runner *r, const struct language *l, struct str code,
			   struct err *e)
{
	static const struct sink sink = { .started = try_started,
					  .line = try_line,
					  .output = try_output,
					  .picture = try_picture,
					  .file = try_file,
					  .end = try_end,
					  .full = try_full };
	struct execution_ask ask = { .language = l, .code = code, .time_us = r->options->time_us };
	struct session      *s;
	enum errc rc = crowd_take(r->crowd, STR("try"), STR("try"), &s, &ask.fresh, &ask.gone, e);

	return rc == ERR_OK ? execution_create(s, &ask, &sink, r, try_over, r, &r->execution, e)
			    : rc;
}

/* The refusal in the gateway's words. */
static int try_unavailable(struct runner *r, const char *language)
{
	struct buf list, text;

	buf_init(&list, KIB);
	buf_init(&text, 2 * KIB);
	if (language_list(r->options, &list) &&
	    buf_fmt(&text, "`%.31s` disabled or not supported; there are: %.*s\n", language,
		    STR_ARG(buf_view(&list))))
		try_output(r, buf_view(&text));
	try_end(r, &(struct result){ .outcome = OUTCOME_ERROR });
	buf_finish(&list);
	buf_finish(&text);
	return EXIT_FAILURE;
}

static int try_run(struct runner *r, const char *language, struct str code)
{
	const struct language *l = language_find(r->options, str_of(language));
	struct err             e;

	if (!l)
		return try_unavailable(r, language);
	if (l->way == LANGUAGE_SHOWN) {
		try_picture(r, &(struct picture){ .format = PICTURE_HTML, .bytes = code });
		return EXIT_SUCCESS;
	}
	int failed = try_begin(r, l, code, &e) == ERR_OK ? EXIT_SUCCESS : runner_fail(&e);
	if (failed)
		runner_close(r);
	loop_run(r->loop);
	return failed ? failed : r->result.outcome == OUTCOME_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int runner_try(const struct runner_options *o, const char *language, struct str code)
{
	struct runner r = { 0 };
	struct err    e;
	enum errc     rc = runner_begin(&r, o, &e);
	int           status = rc == ERR_OK ? try_run(&r, language, code) : runner_fail(&e);

	runner_finish(&r);
	return status;
}
