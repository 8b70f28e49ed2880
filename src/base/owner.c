/* Root's files in the folder of another user. */
#include "base/owner.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
