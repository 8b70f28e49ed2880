/* The lock beside the database, and the database's first, empty file. */
#include "store/sqlite/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static enum errc fail(const char *doing, const char *path, int os, struct err *e)
{
	char        room[80];
	const char *why = strerror_r(os, room, sizeof room);

	return err_set(e, ERR_STORAGE, "", "can't %s %s: %s", doing, path, why);
}

/* An existing file is not even opened: closing it would drop the locks that SQLite holds on it
 * elsewhere in this process. */
static enum errc make_private(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0) {
		close(fd);
		return ERR_OK;
	}
	return errno == EEXIST ? ERR_OK : fail("make the database", path, errno, e);
}

static enum errc lock_file(const char *path, int *ret_fd, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return fail("open the lock file", path, errno, e);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd;
		return ERR_OK;
	}

	int os = errno;
	close(fd);
	if (os == EWOULDBLOCK)
		return err_set(e, ERR_STORAGE, "", "the database is in use by another process (%s)",
		               path);
	return fail("lock", path, os, e);
}

enum errc lock_take(const char *path, char **ret_path, int *ret_fd, struct err *e)
{
	char name[PATH_MAX];

	if (!path || !path[0])
		return err_set(e, ERR_STORAGE, "", "no database file is named");
	if (make_private(path, e) != ERR_OK)
		return e->code;

	char *absolute = realpath(path, NULL);
	if (!absolute)
		return fail("find the database", path, errno, e);

	int n = snprintf(name, sizeof name, "%s.lock", absolute);
	if (n < 0 || (size_t)n >= sizeof name) {
		free(absolute);
		return err_set(e, ERR_STORAGE, "", "the database's path is too long");
	}
	if (lock_file(name, ret_fd, e) != ERR_OK) {
		free(absolute);
		return e->code;
	}
	*ret_path = absolute;
	return ERR_OK;
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
