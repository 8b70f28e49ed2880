/* Raises the soft limit of descriptors to the hard one. */
#include "base/whole.h"

#include <sys/resource.h>

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
