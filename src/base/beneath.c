/* Opening and reading of files below one directory. */
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TRIES = 8,   /* tries, while other programs rename directories on the way */
	TAIL = 4096, /* bytes that are read at once after the expected size */
};

struct beneath {
	int   fd;
	char *given; /* owned; without slashes at its end */
	char *real;  /* owned; the same path without symbolic links */
};

/* glibc has no wrapper. */
static int open_below(int root, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof how);
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return (int)fd;
}

static void beneath_trim(char *path)
{
	size_t n = strlen(path);

	while (n > 0 && path[n - 1] == '/')
		path[--n] = '\0';
}

static const char *why_not(int error)
{
	switch (error) {
	case ENOENT: return "there is none";
	case ENOTDIR: return "it is no directory";
	case EACCES: return "it must not be entered";
	case ENOSYS:
	case EPERM: return "the kernel does not let us use openat2 (Linux 5.6 or later has it)";
	default: return "it can't be opened";
	}
}

static enum errc open_root(const char *root, int *ret_fd, struct err *e)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* A first openat2 shows at the start, and not in a request, whether the call and the rights
	 * exist. */
	int probe = fd >= 0 ? open_below(fd, ".", O_PATH | O_DIRECTORY) : -1;
	int error = errno;

	if (probe < 0) {
		if (fd >= 0)
			close(fd);
		return err_set(e, ERR_INVALID_VALUE, "", "'%.80s' is no directory to read from: %s",
			       root, why_not(error));
	}
	close(probe);
	*ret_fd = fd;
	return ERR_OK;
}

enum errc beneath_open(const char *root, struct beneath **ret, struct err *e)
{
	int       fd = -1;
	enum errc rc = open_root(root, &fd, e);

	if (rc != ERR_OK)
		return rc;

	struct beneath *b = calloc(1, sizeof *b);
	if (!b) {
		close(fd);
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	}
	b->fd = fd;
	b->given = strdup(root);
	b->real = realpath(root, NULL);
	if (!b->given || !b->real) {
		beneath_destroy(b);
		return err_set(e, ERR_INTERNAL, "", "can't find out the path of '%.80s'", root);
	}
	beneath_trim(b->given);
	beneath_trim(b->real);
	*ret = b;
	return ERR_OK;
}

void beneath_destroy(struct beneath *b)
{
	if (!b)
		return;
	close(b->fd);
	free(b->given);
	free(b->real);
	free(b);
}

/* --- names --- */

/* A prefix ends at the end of a component: /srv/images is no prefix of /srv/images2/a. */
static bool strip_prefix(struct str *path, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!str_starts(*path, str_of(prefix)) || path->n == n || path->p[n] != '/')
		return false;
	while (n < path->n && path->p[n] == '/')
		n++;
	*path = (struct str){ path->p + n, path->n - n };
	return true;
}

/* The path relative to the root; false: no such file is possible. */
static bool beneath_relative(const struct beneath *b, struct str path, char ret_name[PATH_MAX])
{
	if (path.n == 0 || path.n >= PATH_MAX || memchr(path.p, '\0', path.n))
		return false;
	if (path.p[0] == '/' && !(b->given[0] == '/' && strip_prefix(&path, b->given)) &&
	    !strip_prefix(&path, b->real))
		return false;
	str_copy(ret_name, PATH_MAX, path);
	return ret_name[0] != '\0';
}

/* --- reading --- */

/* A missing, forbidden or outside file, and a directory, have the same text, so that the error
 * reveals nothing about paths outside the root. */
static enum errc fail_none(struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, "",
		       "no readable file of that name below the configured directory");
}

static enum errc fail_large(size_t max, struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, "",
		       "the file has more than %zu bytes; that is the limit", max);
}

static enum errc beneath_fail_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
}

static enum errc fail_open(int error, struct err *e)
{
	if (error == EMFILE || error == ENFILE || error == ENOMEM)
		return err_set(e, ERR_OVERLOADED, "", "can't open one more file now");
	return fail_none(e);
}

static ssize_t read_some(int fd, void *to, size_t n)
{
	ssize_t got;

	do {
		got = read(fd, to, n);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* The expected size may be wrong or change, so the file ends where a read returns nothing. */
static enum errc beneath_read_whole(int fd, size_t size, size_t max, struct buf *out, struct err *e)
{
	size_t  start = out->len;
	ssize_t got = 1;
	char    tail[TAIL];

	if (!buf_reserve(out, size))
		return beneath_fail_memory(e);
	while (got > 0 && out->len - start < size) {
		got = read_some(fd, out->data + out->len, size - (out->len - start));
		if (got > 0)
			out->len += (size_t)got;
	}
	while (got > 0) {
		got = read_some(fd, tail, sizeof tail);
		if (got > 0 && (size_t)got > max - (out->len - start))
			return fail_large(max, e);
		if (got > 0 && !buf_add(out, tail, (size_t)got))
			return beneath_fail_memory(e);
	}
	return got < 0 ? fail_none(e) : ERR_OK;
}

static enum errc beneath_read_open(int fd, size_t max, struct buf *out, struct err *e)
{
	struct stat about;

	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
		return fail_none(e);
	if ((uintmax_t)about.st_size > max)
		return fail_large(max, e);
	return beneath_read_whole(fd, (size_t)about.st_size, max, out, e);
}

enum errc beneath_read(const struct beneath *b, struct str path, size_t max, struct buf *out,
		       struct err *e)
{
	char   name[PATH_MAX];
	size_t start = out->len;

	if (!beneath_relative(b, path, name))
		return fail_none(e);

	/* The flags avoid waiting at a pipe and becoming the owner of a terminal. Both are refused
	 * after the open. */
	int fd = open_below(b->fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fail_open(errno, e);

	enum errc rc = beneath_read_open(fd, max, out, e);
	close(fd);
	if (rc != ERR_OK)
		out->len = start;
	return rc;
}
