/* The lock beside the database, and the creation of the empty database file. */
#include "store/sqlite/lock.h"

#include "base/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static enum errc lock_fail(const char *doing, const char *path, int os, struct err *e)
{
	char        room[80];
	const char *why = strerror_r(os, room, sizeof room);

	err_set(e, ERR_STORAGE, "", "can't %s %s: %s", doing, path, why);
	return err_blame(e,
			 os == ENOSPC || os == EDQUOT || os == EIO ? FAULT_DISK : FAULT_NO_PLACE);
}

/* An existing file is not even opened: closing it would drop the locks that SQLite holds on it
 * elsewhere in this process. */
static enum errc make_private(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0) {
		owner_give(fd, path);
		close(fd);
		return ERR_OK;
	}
	return errno == EEXIST ? ERR_OK : lock_fail("make the database", path, errno, e);
}

/* lock_open: the file, made if it is missing; -1: errno says why not. */
static int lock_open(const char *path)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(path, flags | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		owner_give(fd, path);
	else if (errno == EEXIST)
		fd = open(path, flags | O_CREAT, 0600);
	return fd;
}

static enum errc lock_file(const char *path, int *ret_fd, struct err *e)
{
	int fd = lock_open(path);

	if (fd < 0)
		return lock_fail("open the lock file", path, errno, e);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd;
		return ERR_OK;
	}

	int os = errno;
	close(fd);
	if (os == EWOULDBLOCK) {
		err_set(e, ERR_STORAGE, "", "the database is in use by another process (%s)", path);
		return err_blame(e, FAULT_BUSY);
	}
	return lock_fail("lock", path, os, e);
}

enum errc lock_given(const char *path, char **ret_path, struct err *e)
{
	if (!path || !path[0]) {
		err_set(e, ERR_STORAGE, "", "no database file is named");
		return err_blame(e, FAULT_NO_PLACE);
	}
	if (make_private(path, e) != ERR_OK)
		return e->code;
	*ret_path = realpath(path, NULL);
	return *ret_path ? ERR_OK : lock_fail("find the database", path, errno, e);
}

static enum errc lock_name_of(const char *path, const char *end, char ret[PATH_MAX], struct err *e)
{
	int n = snprintf(ret, PATH_MAX, "%s.%s", path, end);

	if (n < 0 || n >= PATH_MAX) {
		err_set(e, ERR_STORAGE, "", "the database's path is too long");
		return err_blame(e, FAULT_NO_PLACE);
	}
	return ERR_OK;
}

enum errc lock_take(const char *path, char **ret_path, int *ret_fd, struct err *e)
{
	char  name[PATH_MAX];
	char *there = path && path[0] ? realpath(path, NULL) : NULL;

	/* A new file is created under the lock, so that an empty file never replaces a removed
	 * one. */
	bool locked = !path || !path[0] ||
		      (lock_name_of(there ? there : path, "lock", name, e) == ERR_OK &&
		       lock_file(name, ret_fd, e) == ERR_OK);
	free(there);
	return locked ? lock_given(path, ret_path, e) : e->code;
}

enum errc lock_drain(const char *path, int lane, int *ret_fd, struct err *e)
{
	char name[PATH_MAX];
	char mark = (char)('0' + lane);

	if (lock_name_of(path, "drain", name, e) != ERR_OK)
		return e->code;
	if (lock_drains(path, &lane))
		return err_set(e, ERR_OVERLOADED, "", "the process before still ends its answers");
	int fd = -1;
	if (lock_file(name, &fd, e) != ERR_OK)
		return e->code;
	if (pwrite(fd, &mark, 1, 0) == 1) {
		*ret_fd = fd;
		return ERR_OK;
	}
	int os = errno;
	close(fd);
	return lock_fail("write to", name, os, e);
}

bool lock_drains(const char *path, int *ret_lane)
{
	char       name[PATH_MAX];
	char       mark = '0';
	struct err e;

	if (lock_name_of(path, "drain", name, &e) != ERR_OK)
		return false;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) /* if the file can't be opened for want of resources, the process may live */
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
	bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (held && pread(fd, &mark, 1, 0) == 1)
		*ret_lane = mark == '1';
	close(fd);
	return held;
}

bool lock_is_held(const char *path)
{
	char name[PATH_MAX];
	int  n = snprintf(name, sizeof name, "%s.lock", path);

	if (n < 0 || (size_t)n >= sizeof name)
		return false;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return held;
}
