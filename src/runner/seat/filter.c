/* Writes the filter of a sandbox's system calls, for seccomp(2), to the standard output: systemd's
 * @system-service without what reaches other processes, namespaces, keys or more of the kernel than
 * programs need.  A program of its own, so that nothing else needs libseccomp.
 *
 *   parley-filter cgroup|rlimit     (the runner's guard) */
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Calls of 64-bit kernels; one that the machine's kernel or libseccomp lacks is skipped. */
/* clang-format off */
static const char *const filter_allowed[] = {
	"accept", "accept4", "access", "alarm", "arch_prctl", "bind", "brk", "capget", "capset",
	"chdir", "chmod", "chown", "clock_getres", "clock_gettime", "clock_gettime64",
	"clock_nanosleep", "close", "close_range", "connect", "copy_file_range", "creat", "dup",
	"dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait",
	"epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "execve", "execveat", "exit",
	"exit_group", "faccessat", "faccessat2", "fadvise64", "fadvise64_64", "fallocate",
	"fchdir", "fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "fcntl", "fcntl64",
	"fdatasync", "fgetxattr", "flistxattr", "flock", "fork", "fremovexattr", "fsetxattr",
	"fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64", "fsync", "ftruncate",
	"ftruncate64", "futex", "futex_waitv", "futimesat", "get_robust_list",
	"get_thread_area", "getcpu", "getcwd", "getdents", "getdents64", "getegid", "geteuid",
	"getgid", "getgroups", "getitimer", "getpeername", "getpgid", "getpgrp", "getpid",
	"getppid", "getpriority", "getrandom", "getresgid", "getresuid", "getrlimit",
	"getrusage", "getsid", "getsockname", "getsockopt", "gettid", "gettimeofday", "getuid",
	"getxattr", "inotify_add_watch", "inotify_init", "inotify_init1", "inotify_rm_watch",
	"ioctl", "ioprio_get", "kill", "lchown", "lgetxattr", "link", "linkat", "listen",
	"listxattr", "llistxattr", "lremovexattr", "lseek", "lsetxattr", "lstat", "lstat64",
	"madvise", "membarrier", "mkdir", "mkdirat", "mlock", "mlock2",
	"mlockall", "mmap", "mmap2", "mprotect", "mremap", "msync", "munlock", "munlockall",
	"munmap", "nanosleep", "newfstatat", "open", "openat", "openat2", "pause", "pidfd_open",
	"pidfd_send_signal", "pipe", "pipe2", "poll", "ppoll", "prctl", "pread64", "preadv",
	"preadv2", "prlimit64", "pselect6", "pwrite64", "pwritev", "pwritev2", "read",
	"readahead", "readlink", "readlinkat", "readv", "recvfrom", "recvmmsg", "recvmsg",
	"removexattr", "rename", "renameat", "renameat2", "restart_syscall", "rmdir", "rseq",
	"rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn",
	"rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sched_get_priority_max",
	"sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
	"sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity", "sched_yield",
	"select", "sendfile", "sendfile64", "sendmmsg", "sendmsg", "sendto", "set_robust_list",
	"set_thread_area", "set_tid_address", "setfsgid", "setfsuid", "setgid", "setgroups",
	"setitimer", "setpgid", "setpriority", "setregid", "setresgid", "setresuid", "setreuid",
	"setrlimit", "setsid", "setsockopt", "setuid", "setxattr", "shutdown", "sigaltstack",
	"signalfd", "signalfd4", "socketpair", "splice", "stat", "stat64", "statfs", "statfs64",
	"statx", "symlink", "symlinkat", "sync", "sync_file_range", "sync_file_range2",
	"syncfs", "sysinfo", "tee", "tgkill", "time", "timer_create", "timer_delete",
	"timer_getoverrun", "timer_gettime", "timer_gettime64", "timer_settime",
	"timer_settime64", "timerfd_create", "timerfd_gettime", "timerfd_gettime64",
	"timerfd_settime", "timerfd_settime64", "times", "tkill", "truncate", "truncate64",
	"umask", "uname", "unlink", "unlinkat", "utime", "utimensat", "utimes", "vfork",
	"vmsplice", "wait4", "waitid", "write", "writev",
};
/* Programs take ENOSYS for "try the old way", and say EPERM to their users. */
static const char *const filter_refused[] = {
	"mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "ptrace", "process_vm_readv",
	"process_vm_writev", "pidfd_getfd", "bpf", "perf_event_open", "add_key", "keyctl",
	"request_key", "sethostname", "setdomainname", "settimeofday",
	"clock_settime", "reboot", "swapon", "swapoff", "init_module", "finit_module", "delete_module",
	"quotactl", "acct", "syslog",
};
/* clang-format on */

/* All of clone's flags with NEW in their name. */
#define FILTER_NAMESPACES 0x7e020080u

static int filter_names(scmp_filter_ctx ctx, uint32_t action, const char *const *names,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int nr = seccomp_syscall_resolve_name(names[i]);
		int rc = nr < 0 ? 0 : seccomp_rule_add(ctx, action, nr, 0);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* The call, if its argument is so. */
static int filter_when(scmp_filter_ctx ctx, uint32_t action, const char *name,
		       struct scmp_arg_cmp argument)
{
	int nr = seccomp_syscall_resolve_name(name);

	return nr < 0 ? 0 : seccomp_rule_add_array(ctx, action, nr, 1, &argument);
}

static int filter_special(scmp_filter_ctx ctx)
{
	/* clang-format off */
	static const struct {
		const char         *name;
		struct scmp_arg_cmp argument;
		uint32_t            action;
	} rules[] = {
		{ "socket", { 0, SCMP_CMP_EQ, AF_UNIX, 0 }, SCMP_ACT_ALLOW },
		{ "socket", { 0, SCMP_CMP_EQ, AF_INET, 0 }, SCMP_ACT_ALLOW },
		{ "socket", { 0, SCMP_CMP_EQ, AF_INET6, 0 }, SCMP_ACT_ALLOW },
		{ "socket", { 0, SCMP_CMP_GT, AF_INET6, 0 }, SCMP_ACT_ERRNO(EAFNOSUPPORT) },
		{ "clone", { 0, SCMP_CMP_MASKED_EQ, FILTER_NAMESPACES, 0 }, SCMP_ACT_ALLOW },
		/* a pipe with a name is the only thing that mknod may make */
		{ "mknod", { 1, SCMP_CMP_MASKED_EQ, S_IFMT, S_IFIFO }, SCMP_ACT_ALLOW },
		{ "mknodat", { 2, SCMP_CMP_MASKED_EQ, S_IFMT, S_IFIFO }, SCMP_ACT_ALLOW },
	};
	/* clang-format on */
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < COUNT(rules); i++)
		rc = filter_when(ctx, rules[i].action, rules[i].name, rules[i].argument);
	return rc;
}

static int filter_fill(scmp_filter_ctx ctx, bool memory_files)
{
	static const char *const memory_file[] = { "memfd_create" };
	int rc = filter_names(ctx, SCMP_ACT_ALLOW, filter_allowed, COUNT(filter_allowed));

	if (rc == 0 && memory_files)
		rc = filter_names(ctx, SCMP_ACT_ALLOW, memory_file, COUNT(memory_file));
	if (rc == 0)
		rc = filter_names(ctx, SCMP_ACT_ERRNO(EPERM), filter_refused,
				  COUNT(filter_refused));
	if (rc == 0)
		rc = filter_special(ctx);
	/* the calls of a 32-bit program have other numbers, which this list does not know */
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	return rc;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	/* only a cgroup counts memory that is in a file without a folder, and mapped nowhere */
	bool memory_files = argc == 2 && strcmp(argv[1], "cgroup") == 0;
	int  rc = ctx ? filter_fill(ctx, memory_files) : -ENOMEM;

	if (rc == 0)
		rc = seccomp_export_bpf(ctx, STDOUT_FILENO);
	if (ctx)
		seccomp_release(ctx);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
