/* Pid 1 of a sandbox: starts the languages' processes, sends them signals, tells how they ended, and reaps
 * orphans.  No data passes through it.  It is static, so that nothing in the sandbox decides what it loads.
 * The kernel lets no process of the sandbox kill or stop it, and all of them end with it.
 *
 *   parley-seat SPACE CODE DATA PROCESSES FILES FILE_SIZE     (bytes or numbers; 0: no limit) */
#include "runner/seat/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHANNEL = 9, PROGRAMS = 16, ARGUMENTS = 12, NOT_STARTED = 127, SIGNALS = 1024 };

static struct program {
	uint32_t id; /* 0: the row is free */
	pid_t    pid;
} programs[PROGRAMS];

static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool seat_set_limit(int what, const char *text)
{
	unsigned long long n = strtoull(text, NULL, 10);

	return n == 0 || setrlimit((__rlimit_resource_t)what, &(struct rlimit){ n, n }) == 0;
}

static bool seat_set_limits(char **argv)
{
	/* Pending signals are counted for the user of all sandboxes, too.  A limit that is lower
	 * already stays. */
	(void)setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ SIGNALS, SIGNALS });
	return setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) == 0 &&
	       seat_set_limit(RLIMIT_DATA, argv[3]) && seat_set_limit(RLIMIT_NPROC, argv[4]) &&
	       seat_set_limit(RLIMIT_NOFILE, argv[5]) && seat_set_limit(RLIMIT_FSIZE, argv[6]);
}

/* Two descriptors with a packet; a control message has room for exactly these. */
union two {
	char           bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

static bool say_ready(const char *space, const char *code)
{
	int             fds[2] = { open(space, O_PATH | O_DIRECTORY | O_CLOEXEC),
				   open(code, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	struct seat_say say = { .news = SEAT_READY };
	struct iovec    part = { &say, sizeof say };
	union two       room = { .bytes = { 0 } };
	struct msghdr   m = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = room.bytes,
			      .msg_controllen = sizeof room.bytes };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(c), fds, sizeof fds);
	bool ok = fds[0] >= 0 && fds[1] >= 0 && sendmsg(CHANNEL, &m, MSG_NOSIGNAL) >= 0;
	close(fds[0]);
	close(fds[1]);
	return ok;
}

static void say_ended(uint32_t id, int status)
{
	struct seat_say say = { .news = SEAT_ENDED, .id = id, .status = status };

	(void)send(CHANNEL, &say, sizeof say, MSG_NOSIGNAL);
}

/* In the child: never returns. */
static void exec_program(struct seat_ask *ask, const int fds[2])
{
	char *argv[ARGUMENTS + 1] = { NULL };
	int   null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ask->arguments[sizeof ask->arguments - 1] = '\0';
	ask->directory[sizeof ask->directory - 1] = '\0';
	for (size_t i = 0, at = 0; i < ARGUMENTS && at < ask->length && at < SEAT_ARGUMENTS; i++) {
		argv[i] = ask->arguments + at;
		at += strlen(argv[i]) + 1;
	}
	reset_signals();
	setpgid(0, 0);
	/* the directory may be gone; the start's own one is always there */
	if (chdir(ask->directory) != 0)
		(void)!chdir("/");
	if (argv[0] && null >= 0 && dup2(null, 0) == 0 && dup2(fds[0], 1) == 1 &&
	    dup2(fds[0], 2) == 2 && dup2(fds[1], SEAT_FD) == SEAT_FD)
		execv(argv[0], argv);
	_exit(NOT_STARTED);
}

static void start_program(struct seat_ask *ask, const int fds[2])
{
	struct program *p = programs;

	while (p < programs + PROGRAMS && p->id)
		p++;
	/* whatever runs here may lower this process's own limit of descriptors, so that none comes */
	pid_t pid = fds[1] >= 0 && p < programs + PROGRAMS ? fork() : -1;
	if (pid == 0)
		exec_program(ask, fds);
	if (pid > 0) {
		setpgid(pid, pid);
		*p = (struct program){ ask->id, pid };
	} else {
		say_ended(ask->id, NOT_STARTED << 8);
	}
}

/* Only this process waits for its children, so that no signal meets a process with a used pid. */
static void pass_signal(const struct seat_ask *ask)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (programs[i].id == ask->id && ask->id)
			kill(-programs[i].pid, ask->signal);
}

/* Returns false when the runner has closed its end. */
static bool handle_command(void)
{
	struct seat_ask ask;
	int             fds[2] = { -1, -1 };
	struct iovec    part = { &ask, sizeof ask };
	union two       room;
	struct msghdr   m = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = room.bytes,
			      .msg_controllen = sizeof room.bytes };
	ssize_t         n = recvmsg(CHANNEL, &m, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EINTR;
	if ((size_t)n != sizeof ask)
		return false;

	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fds))
		memcpy(fds, CMSG_DATA(c), sizeof fds);
	if (ask.order == SEAT_START)
		start_program(&ask, fds);
	else if (ask.order == SEAT_SIGNAL)
		pass_signal(&ask);
	close(fds[0]);
	close(fds[1]);
	return true;
}

static void seat_reap(void)
{
	int   status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < PROGRAMS; i++)
			if (programs[i].id && programs[i].pid == pid) {
				say_ended(programs[i].id, status);
				programs[i].id = 0;
			}
}

int main(int argc, char **argv)
{
	sigset_t child;

	/* Otherwise whatever runs here could write into this process through /proc/PID/mem. */
	if (argc != 7 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
	    fcntl(SEAT_FD, F_DUPFD_CLOEXEC, CHANNEL) != CHANNEL)
		return EXIT_FAILURE;
	close(SEAT_FD);
	umask(022);
	reset_signals();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);

	int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (children < 0 || !say_ready(argv[1], argv[2]) || !seat_set_limits(argv))
		return EXIT_FAILURE;
	for (;;) {
		struct pollfd           w[2] = { { .fd = CHANNEL, .events = POLLIN },
						 { .fd = children, .events = POLLIN } };
		struct signalfd_siginfo info;

		if (poll(w, 2, -1) < 0 && errno != EINTR)
			return EXIT_FAILURE;
		if (w[1].revents) {
			(void)!read(children, &info, sizeof info);
			seat_reap();
		}
		if (w[0].revents && !handle_command())
			return EXIT_SUCCESS;
	}
}
