/* Files below a session's folder, opened with openat2(2): no links, no way out, no other file systems. */
#include "runner/internal.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int workspace_at(int folder, const char *path, uint64_t flags, uint64_t mode)
{
	struct open_how how = { .flags = flags | O_CLOEXEC | O_NOFOLLOW,
				.mode = mode,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV };

	return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

static bool workspace_put(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t put = write(fd, p, n);

		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}

bool workspace_code(int folder, const char *name, struct str code)
{
	(void)unlinkat(folder, name, 0);

	int  fd = workspace_at(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	bool ok = fd >= 0 && workspace_put(fd, code.p, code.n);
	int  os = errno;

	if (fd >= 0)
		close(fd);
	errno = os;
	return ok;
}

/* One name, as a file system has it. */
static bool workspace_name(struct str name, char ret[LIMIT_FILE_NAME + 1])
{
	if (name.n == 0 || name.n > LIMIT_FILE_NAME || memchr(name.p, '/', name.n) ||
	    memchr(name.p, '\0', name.n) || str_is(name, ".") || str_is(name, ".."))
		return false;
	str_copy(ret, LIMIT_FILE_NAME + 1, name);
	return true;
}

static bool workspace_copy(int from, int to)
{
	char    part[64 * KIB];
	ssize_t n;

	while ((n = read(from, part, sizeof part)) > 0)
		if (!workspace_put(to, part, (size_t)n))
			return false;
	return n == 0;
}

enum errc workspace_give(int folder, struct str name, int from, struct timespec *ret_changed,
			 struct err *e)
{
	char        file[LIMIT_FILE_NAME + 1];
	char        room[80];
	struct stat st;

	if (!workspace_name(name, file))
		return err_set(e, ERR_INVALID_VALUE, "name", "is no name of a file");
	if (fstat(from, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LIMIT_RUNNER_FILE)
		return err_set(e, ERR_INVALID_VALUE, "name", "is no file of up to %u bytes",
			       LIMIT_RUNNER_FILE);
	(void)mkdirat(folder, "in", 0755);

	int in = workspace_at(folder, "in", O_DIRECTORY | O_PATH, 0);
	if (in >= 0)
		(void)unlinkat(in, file, 0);
	int  to = in >= 0 ? workspace_at(in, file, O_WRONLY | O_CREAT | O_EXCL, 0644) : -1;
	bool ok = to >= 0 && workspace_copy(from, to) && fstat(to, &st) == 0;
	int  os = errno;
	if (to >= 0)
		close(to);
	if (!ok && to >= 0)
		(void)unlinkat(in, file, 0);
	if (in >= 0)
		close(in);
	*ret_changed = st.st_ctim;
	return ok ? ERR_OK
		  : err_set(e, ERR_INTERNAL, NULL, "the file can't be put into the sandbox: %s",
			    strerror_r(os, room, sizeof room));
}

enum errc workspace_open(int folder, struct str path, int *ret_fd, int64_t *ret_bytes,
			 struct err *e)
{
	char        name[LIMIT_RUNNER_PATH + 1];
	struct stat st;

	if (path.n == 0 || path.n > LIMIT_RUNNER_PATH || memchr(path.p, '\0', path.n))
		return err_set(e, ERR_NOT_FOUND, "path", "there is no such file");
	str_copy(name, sizeof name, path);

	/* a pipe would keep the runner waiting */
	int fd = workspace_at(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*ret_fd = fd;
		*ret_bytes = st.st_size;
		return ERR_OK;
	}
	if (fd >= 0)
		close(fd);
	return err_set(e, ERR_NOT_FOUND, "path", "there is no such file");
}

/* --- the walk --- */

struct workspace_walk {
	struct timespec   since;
	struct timespec   brought;
	size_t            most;  /* files to tell */
	size_t            looks; /* entries still to look at */
	workspace_tell_fn tell;
	void             *arg;
	char              path[LIMIT_RUNNER_PATH + 1];
};

static bool workspace_utf8(const char *name)
{
	size_t n = strlen(name);

	for (size_t at = 0, len; at < n; at += len) {
		len = utf8_len((const unsigned char *)name + at, n - at);
		if (len == 0 || (unsigned char)name[at] < ' ')
			return false;
	}
	return true;
}

static bool workspace_before(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static bool workspace_changed(const struct workspace_walk *w, struct timespec at)
{
	return !workspace_before(at, w->since) &&
	       (strncmp(w->path, "in/", 3) != 0 || workspace_before(w->brought, at));
}

static bool workspace_folder(struct workspace_walk *w, int folder, size_t length, int depth);

/* An entry whose name is at w->path + length.  False: the walk ends. */
static bool workspace_entry(struct workspace_walk *w, int folder, size_t length, int depth)
{
	const char *name = w->path + length;
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return true;
	if (S_ISDIR(st.st_mode) && depth < LIMIT_RUNNER_DEPTH) {
		size_t n = strlen(w->path);
		int    inner = workspace_at(folder, name, O_RDONLY | O_DIRECTORY, 0);

		if (inner < 0 || n + 2 > sizeof w->path)
			return inner < 0 || close(inner) == 0;
		w->path[n] = '/';
		return workspace_folder(w, inner, n + 1, depth + 1);
	}
	if (!S_ISREG(st.st_mode) || !workspace_changed(w, st.st_ctim))
		return true;
	if (w->most == 0)
		return false;
	w->most--;
	return w->tell(w->arg, str_of(w->path), st.st_size);
}

/* folder is consumed.  Hidden files are the programs' own. */
static bool workspace_folder(struct workspace_walk *w, int folder, size_t length, int depth)
{
	DIR           *d = fdopendir(folder);
	struct dirent *entry;
	bool           more = true;

	if (!d)
		close(folder);
	while (d && more && (entry = readdir(d))) {
		size_t n = strlen(entry->d_name);

		more = w->looks-- > 0;
		if (!more || entry->d_name[0] == '.' || length + n >= sizeof w->path ||
		    !workspace_utf8(entry->d_name))
			continue;
		memcpy(w->path + length, entry->d_name, n + 1);
		more = workspace_entry(w, folder, length, depth);
	}
	if (d)
		closedir(d);
	return more;
}

bool workspace_walk(int folder, struct timespec since, struct timespec brought, size_t most,
		    workspace_tell_fn tell, void *arg)
{
	struct workspace_walk w = { since, brought, most, LIMIT_RUNNER_WALK, tell, arg, "" };
	int                   top = workspace_at(folder, ".", O_RDONLY | O_DIRECTORY, 0);

	return top >= 0 && workspace_folder(&w, top, 0, 0);
}
