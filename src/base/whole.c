/* Loops around read and write. */
#include "base/whole.h"

#include <errno.h>
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
