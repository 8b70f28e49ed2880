/* The arguments of bubblewrap, its start, and messages to the seat. */
#include "runner/sandbox.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors that bubblewrap gets; SEAT_FD is below them. */
enum { FILTER_FD = 4, PASSWD_FD = 5, GROUP_FD = 6, ABOVE = 20 };
enum { SANDBOX_ARGUMENTS = 256, SANDBOX_TEXT = 64 * 1024, CODE_BYTES = 1024 * 1024 };

static const char passwd[] = "user:x:1000:1000::" SANDBOX_SPACE ":/bin/bash\n"
			     "nobody:x:65534:65534::/:/usr/sbin/nologin\n";
static const char group[] = "user:x:1000:\nnogroup:x:65534:\n";

struct sandbox_ground {
	const struct runner_options *options;
	const char                  *bwrap;
	char                         folder[512]; /* folder of seat and drivers */
	int                          filter;
	int                          passwd, group;
	struct buf                   text; /* all arguments; reserved, so that it does not move */
	char                        *argv[SANDBOX_ARGUMENTS];
	size_t                       argc;
};

/* --- what is needed --- */

/* Beside this program as it is built, or where it is installed: PREFIX/libexec for PREFIX/sbin. */
static bool sandbox_find_folder(char ret[512])
{
	static const char *const places[] = { "parley-runner", "../libexec/parley" };
	char                     exe[400];
	ssize_t                  n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return false;
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char seat[600];

		snprintf(ret, 512, "%s/%s", exe, places[i]);
		snprintf(seat, sizeof seat, "%s/parley-seat", ret);
		if (access(seat, X_OK) == 0)
			return true;
	}
	return false;
}

static int sandbox_memory_file(const char *name, const char *text)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void sandbox_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Has parley-filter write the filter to a file in memory. */
static enum errc sandbox_filter(struct sandbox_ground *g, struct err *e)
{
	char        path[600];
	char        guard[] = "cgroup";
	char       *argv[] = { path, guard, NULL };
	char       *none[] = { NULL };
	int         status = -1;
	struct stat st;

	snprintf(path, sizeof path, "%s/parley-filter", g->folder);
	if (g->options->guard == RUNNER_RLIMIT)
		str_copy(guard, sizeof guard, STR("rlimit"));
	g->filter = memfd_create("filter", MFD_CLOEXEC);
	pid_t pid = g->filter >= 0 ? fork() : -1;
	if (pid == 0) {
		dup2(g->filter, STDOUT_FILENO);
		execve(path, argv, none);
		_exit(EXIT_FAILURE);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (status == 0 && fstat(g->filter, &st) == 0 && st.st_size > 0)
		return ERR_OK;
	return err_set(
		e, ERR_NOT_SUPPORTED_YET, NULL,
		"the filter of system calls can't be made: %s is missing, or needs libseccomp2",
		path);
}

static enum errc sandbox_find(struct sandbox_ground *g, struct err *e)
{
	g->bwrap = access("/usr/bin/bwrap", X_OK) == 0 ? "/usr/bin/bwrap" : "/usr/local/bin/bwrap";
	if (access(g->bwrap, X_OK) != 0)
		return err_set(e, ERR_NOT_SUPPORTED_YET, NULL,
			       "bubblewrap is missing: there is no /usr/bin/bwrap");
	if (!sandbox_find_folder(g->folder))
		return err_set(
			e, ERR_NOT_SUPPORTED_YET, NULL,
			"parley-seat is missing: it stands neither in parley-runner/ beside this "
			"program nor in ../libexec/parley/");
	/* a process that breaks out of its namespaces would be root */
	if (geteuid() == 0)
		return err_set(e, ERR_NOT_SUPPORTED_YET, NULL,
			       "the runner does not run as root: give it a user of its own");
	return ERR_OK;
}

/* --- arguments --- */

/* An argument more; the room was reserved and is checked once, at the end. */
static void sandbox_add(struct sandbox_ground *g, const char *text)
{
	char *at = g->text.data + g->text.len;

	if (g->argc + 1 < SANDBOX_ARGUMENTS && g->text.cap - g->text.len > strlen(text) &&
	    buf_add(&g->text, text, strlen(text) + 1))
		g->argv[g->argc] = at;
	g->argc++;
}

/* Words between spaces. */
static void sandbox_words(struct sandbox_ground *g, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " ");
		char   word[64];

		str_copy(word, sizeof word, (struct str){ words, n });
		sandbox_add(g, word);
		words += n + (words[n] ? 1 : 0);
	}
}

static void sandbox_number(struct sandbox_ground *g, int64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)n);
	sandbox_add(g, text);
}

static void sandbox_mount(struct sandbox_ground *g, const char *how, const char *from,
			  const char *to)
{
	sandbox_add(g, how);
	sandbox_add(g, from);
	sandbox_add(g, to);
}

/* A folder in memory with a size: without one it takes half of the machine's. */
static void sandbox_memory(struct sandbox_ground *g, int64_t size, const char *mode, const char *to)
{
	sandbox_words(g, "--perms");
	sandbox_add(g, mode);
	sandbox_add(g, "--size");
	sandbox_number(g, size);
	sandbox_add(g, "--tmpfs");
	sandbox_add(g, to);
}

static void sandbox_system(struct sandbox_ground *g)
{
	static const char *const tops[] = { "bin", "sbin", "lib", "lib64", "lib32" };
	static const char *const etc[] = {
		"/etc/alternatives", "/etc/ld.so.cache", "/etc/fonts",
		"/etc/localtime",    "/etc/R",           "/etc/matplotlibrc"
	};
	struct stat st;

	sandbox_mount(g, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
		char from[16];
		char to[16];

		snprintf(from, sizeof from, "usr/%s", tops[i]);
		snprintf(to, sizeof to, "/%s", tops[i]);
		if (lstat(to, &st) != 0)
			continue;
		if (S_ISLNK(st.st_mode))
			sandbox_mount(g, "--symlink", from, to);
		else
			sandbox_mount(g, "--ro-bind", to, to);
	}
	for (size_t i = 0; i < ARRAY_LEN(etc); i++)
		sandbox_mount(g, "--ro-bind-try", etc[i], etc[i]);
	sandbox_words(g, "--file 5 /etc/passwd --file 6 /etc/group");
	for (size_t i = 0; i < g->options->mount_count; i++)
		sandbox_mount(g, "--ro-bind", g->options->mounts[i], g->options->mounts[i]);
}

/* Covers files that tell of the machine, or of others on it. */
static void sandbox_proc(struct sandbox_ground *g)
{
	static const char *const covered[] = {
		"kallsyms",   "keys",        "key-users",   "cmdline",       "kcore",
		"timer_list", "sched_debug", "config.gz",   "modules",       "sysrq-trigger",
		"kpagecount", "kpageflags",  "kpagecgroup", "latency_stats", "mtrr",
		"iomem",      "ioports",     "diskstats",   "partitions",    "swaps",
	};
	char path[40];

	sandbox_words(g, "--proc /proc");
	for (size_t i = 0; i < ARRAY_LEN(covered); i++) {
		snprintf(path, sizeof path, "/proc/%s", covered[i]);
		if (access(path, F_OK) == 0)
			sandbox_mount(g, "--ro-bind", "/dev/null", path);
	}
}

static void sandbox_environment(struct sandbox_ground *g)
{
	static const char *const names[][2] = {
		{ "PATH", "/usr/local/bin:/usr/bin:/bin" },
		{ "HOME", SANDBOX_SPACE },
		{ "USER", "user" },
		{ "LANG", "C.UTF-8" },
		{ "TERM", "dumb" },
		{ "TMPDIR", "/tmp" },
		{ "PYTHONDONTWRITEBYTECODE", "1" },
		{ "MPLBACKEND", "agg" },
		{ "MPLCONFIGDIR", "/tmp/parley-matplotlib" },
		{ "OPENBLAS_NUM_THREADS", "1" },
	};

	sandbox_add(g, "--clearenv");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		sandbox_mount(g, "--setenv", names[i][0], names[i][1]);
}

static void sandbox_arguments(struct sandbox_ground *g)
{
	const struct runner_options *o = g->options;
	bool                         rlimit = o->guard == RUNNER_RLIMIT;

	/* The seat is pid 1: bubblewrap's own would be open to whatever runs here through /proc/1/mem. */
	sandbox_words(
		g,
		"bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc "
		"--unshare-uts --unshare-cgroup --disable-userns --die-with-parent "
		"--as-pid-1 --new-session --cap-drop ALL --uid 1000 --gid 1000 --hostname sandbox "
		"--seccomp 4");
	sandbox_environment(g);
	sandbox_system(g);
	sandbox_proc(g);
	sandbox_words(g, "--dev /dev --perms 0755 --dir /run");
	sandbox_memory(g, o->shm, "1777", "/dev/shm");
	sandbox_memory(g, o->space, "0755", SANDBOX_SPACE);
	sandbox_memory(g, o->tmp, "1777", "/tmp");
	sandbox_memory(g, CODE_BYTES, "0755", SANDBOX_CODE);
	sandbox_mount(g, "--ro-bind", g->folder, SANDBOX_DRIVERS);
	sandbox_words(g, "--remount-ro /dev --remount-ro / --chdir");
	sandbox_add(g, SANDBOX_SPACE);
	sandbox_words(g, "-- " SANDBOX_DRIVERS "/parley-seat " SANDBOX_SPACE " " SANDBOX_CODE);
	sandbox_number(g, rlimit ? o->memory : 0);
	sandbox_number(g, rlimit ? o->processes : 0);
	sandbox_number(g, o->files);
	sandbox_number(g, o->file);
}

enum errc sandbox_ground_create(const struct runner_options *o, struct sandbox_ground **ret,
				struct err *e)
{
	OWNED(sandbox_ground) g = calloc(1, sizeof *g);

	if (!g)
		return err_no_memory(e);
	g->options = o;
	g->filter = g->passwd = g->group = -1;
	buf_init(&g->text, SANDBOX_TEXT);

	enum errc rc = sandbox_find(g, e);
	if (rc == ERR_OK)
		rc = sandbox_filter(g, e);
	if (rc != ERR_OK)
		return rc;
	g->passwd = sandbox_memory_file("passwd", passwd);
	g->group = sandbox_memory_file("group", group);
	if (g->passwd < 0 || g->group < 0 || !buf_reserve(&g->text, SANDBOX_TEXT))
		return err_no_memory(e);
	sandbox_arguments(g);
	for (size_t i = 0; i < g->argc; i++)
		if (i + 1 >= SANDBOX_ARGUMENTS || !g->argv[i])
			return err_set(e, ERR_INVALID_VALUE, "mounts",
				       "has too much for one sandbox");
	*ret = TAKE(g);
	return ERR_OK;
}

void sandbox_ground_destroy(struct sandbox_ground *g)
{
	if (!g)
		return;
	sandbox_close(&g->filter);
	sandbox_close(&g->passwd);
	sandbox_close(&g->group);
	buf_finish(&g->text);
	free(g);
}

/* --- start --- */

/* A descriptor of its own for the same file: bubblewrap reads from where the last one stopped. */
static int sandbox_reopen(int fd)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* In the child, where only calls that are safe after a fork may stand. */
static void sandbox_become(const struct sandbox_ground *g, const int fds[5], int procs)
{
	static char *const none[] = { NULL };
	int                above[5];
	sigset_t           all;

	for (int i = 0; i < 5; i++)
		above[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ABOVE);
	if (procs >= 0 && write(procs, "0", 1) != 1)
		_exit(EXIT_FAILURE);
	for (int i = 0; i < 4; i++)
		if (dup2(above[i], SEAT_FD + i) < 0)
			_exit(EXIT_FAILURE);
	/* nothing in a sandbox keeps a descriptor of the runner's log */
	if (dup2(above[4], STDERR_FILENO) < 0 || dup2(above[4], STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_DFL);
	execve(g->bwrap, g->argv, none);
	_exit(EXIT_FAILURE);
}

static enum errc sandbox_failed(struct err *e)
{
	char room[80];

	return err_set(e, ERR_INTERNAL, NULL, "a sandbox can't be started: %s",
		       strerror_r(errno, room, sizeof room));
}

enum errc sandbox_start(const struct sandbox_ground *g, int procs, int errors, struct sandbox *ret,
			struct err *e)
{
	int ends[2];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	*ret = (struct sandbox){ .process = -1, .channel = -1, .space = -1, .code = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		sandbox_close(&null);
		return sandbox_failed(e);
	}

	int   fds[5] = { ends[1], sandbox_reopen(g->filter), sandbox_reopen(g->passwd),
			 sandbox_reopen(g->group), errors >= 0 ? errors : null };
	pid_t pid = fork();
	if (pid == 0)
		sandbox_become(g, fds, procs);
	int os = errno;
	for (int i = 0; i < 4; i++)
		sandbox_close(&fds[i]);
	sandbox_close(&null);
	ret->channel = ends[0];
	ret->pid = pid > 0 ? pid : 0;
	ret->process = pid > 0 ? pidfd_open(pid, 0) : -1;
	if (ret->process >= 0)
		return ERR_OK;
	errno = pid > 0 ? errno : os;
	enum errc rc = sandbox_failed(e);
	sandbox_finish(ret);
	return rc;
}

void sandbox_kill(struct sandbox *s)
{
	if (s->pid > 0)
		kill(s->pid, SIGKILL);
}

void sandbox_finish(struct sandbox *s)
{
	sandbox_kill(s);
	while (s->pid > 0 && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	s->pid = 0;
	sandbox_close(&s->process);
	sandbox_close(&s->channel);
	sandbox_close(&s->space);
	sandbox_close(&s->code);
}

/* --- messages --- */

union sandbox_two {
	char           bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

/* The first message is the seat's own: nothing else has run by then.  Later ones bring no descriptors. */
static void sandbox_take(struct sandbox *s, const struct msghdr *m)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int                   fds[2] = { -1, -1 };

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(fds, CMSG_DATA(c), c->cmsg_len == CMSG_LEN(sizeof fds) ? sizeof fds : sizeof fds[0]);
	if (s->space < 0 && fds[0] >= 0 && fds[1] >= 0) {
		s->space = fds[0];
		s->code = fds[1];
		return;
	}
	sandbox_close(&fds[0]);
	sandbox_close(&fds[1]);
}

enum sandbox_heard sandbox_hear(struct sandbox *s, struct seat_say *ret)
{
	union sandbox_two room;
	struct iovec      part = { ret, sizeof *ret };
	struct msghdr     m = { .msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = room.bytes,
				.msg_controllen = sizeof room.bytes };
	ssize_t           n = recvmsg(s->channel, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? SANDBOX_NOTHING : SANDBOX_CLOSED;
	sandbox_take(s, &m);
	return (size_t)n == sizeof *ret ? SANDBOX_NEWS : SANDBOX_CLOSED;
}

bool sandbox_run(struct sandbox *s, uint32_t id, const char *directory, struct str arguments,
		 int output, int control)
{
	struct seat_ask   ask = { .order = SEAT_START, .id = id };
	int               fds[2] = { output, control };
	union sandbox_two room = { .bytes = { 0 } };
	struct iovec      part = { &ask, sizeof ask };
	struct msghdr     m = { .msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = room.bytes,
				.msg_controllen = sizeof room.bytes };
	struct cmsghdr   *c = CMSG_FIRSTHDR(&m);

	if (arguments.n > sizeof ask.arguments)
		return false;
	ask.length = (uint16_t)arguments.n;
	memcpy(ask.arguments, arguments.p, arguments.n);
	str_copy(ask.directory, sizeof ask.directory, str_of(directory));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(c), fds, sizeof fds);
	return sendmsg(s->channel, &m, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof ask;
}

void sandbox_signal(struct sandbox *s, uint32_t id, int signal)
{
	struct seat_ask ask = { .order = SEAT_SIGNAL, .signal = (uint8_t)signal, .id = id };

	(void)send(s->channel, &ask, sizeof ask, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* --- a try --- */

/* Bubblewrap's message, in one line. */
static void sandbox_said(int fd, char *ret, size_t size)
{
	ssize_t n = read(fd, ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
	for (char *p = ret; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = p[1] ? ' ' : '\0';
}

enum errc sandbox_try(const struct sandbox_ground *g, struct err *e)
{
	struct sandbox  s;
	struct seat_say say = { .news = 0 };
	int             said[2];
	char            text[200];

	if (pipe2(said, O_CLOEXEC | O_NONBLOCK) != 0)
		return sandbox_failed(e);
	enum errc rc = sandbox_start(g, -1, said[1], &s, e);
	sandbox_close(&said[1]);
	if (rc == ERR_OK) {
		struct pollfd w = { .fd = s.channel, .events = POLLIN };

		(void)poll(&w, 1, LIMIT_RUNNER_START_MS);
		bool ready = sandbox_hear(&s, &say) == SANDBOX_NEWS && say.news == SEAT_READY;
		sandbox_kill(&s);
		sandbox_finish(&s);
		sandbox_said(said[0], text, sizeof text);
		if (!ready)
			rc = err_set(e, ERR_NOT_SUPPORTED_YET, NULL,
				     "no sandbox can be made here: %s",
				     text[0] ? text : "bubblewrap ended without a word");
	}
	sandbox_close(&said[0]);
	return rc;
}
