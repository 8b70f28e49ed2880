/* Loops around read and write, and the limit of descriptors. */
#include "base/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool whole_write(int fd, struct str bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes.p += n;
		bytes.n -= (size_t)n;
	}
	return true;
}

ssize_t whole_read(int fd, char *to, size_t n)
{
	size_t had = 0;

	while (had < n) {
		ssize_t got = read(fd, to + had, n - had);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		had += (size_t)got;
	}
	return (ssize_t)had;
}

/* --- descriptors: Raises the soft limit of descriptors to the hard one. */

size_t descriptors_raise(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 0;
	if (files.rlim_cur != files.rlim_max) {
		struct rlimit most = { files.rlim_max, files.rlim_max };

		if (setrlimit(RLIMIT_NOFILE, &most) == 0)
			files = most;
	}
	return files.rlim_cur;
}

/* --- owner: Root's files in the folder of another user. */

void owner_give(int fd, const char *path)
{
	char        folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t      n = slash ? (size_t)(slash - path) : 0;
	struct stat st;

	if (geteuid() != 0 || n >= sizeof folder)
		return;
	memcpy(folder, slash ? path : ".", slash ? n : 2);
	folder[slash ? n : 1] = '\0';
	/* A process without the right to do it leaves the file root's. */
	if (stat(slash && n == 0 ? "/" : folder, &st) == 0 && st.st_uid != 0 &&
	    fchown(fd, st.st_uid, st.st_gid) != 0)
		return;
}

bool owner_mkdir(const char *path)
{
	if (mkdir(path, 0700) != 0)
		return false;
	int fd = geteuid() == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd >= 0) {
		owner_give(fd, path);
		close(fd);
	}
	return true;
}
