/* Loops around read and write, and the limit of descriptors. */
#include "base/full_io.h"

#include <errno.h>
#include <sys/resource.h>
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
