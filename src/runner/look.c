/* Sums of /proc/PID/status and /proc/PID/stat over a tree of processes. */
#include "runner/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MOST = 512 };

static bool look_read(pid_t pid, const char *file, char *ret, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	int     fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, ret, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Bytes: the number of kB behind a word of the text; 0: there is none. */
static int64_t look_kilobytes(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoll(at + strlen(word), NULL, 10) * 1024 : 0;
}

/* exact: the proportional share of what processes share. */
static void look_at_memory(pid_t pid, bool exact, struct look *ret)
{
	char text[2048];
	bool parts = exact && look_read(pid, "smaps_rollup", text, sizeof text);

	if (!parts && !look_read(pid, "status", text, sizeof text))
		return;
	ret->memory += look_kilobytes(text, parts ? "\nPss_Anon:" : "\nRssAnon:");
	ret->shared += look_kilobytes(text, parts ? "\nPss_Shmem:" : "\nRssShmem:");
}

static void look_at_one(pid_t pid, bool exact, struct look *ret)
{
	char text[512];

	look_at_memory(pid, exact, ret);
	if (look_read(pid, "stat", text, sizeof text)) {
		char *at = strrchr(text, ')'); /* a program's name may have anything in it */

		for (int i = 0; at && i < 12; i++)
			at = strchr(at + 1, ' ');
		long long user = at ? strtoll(at, &at, 10) : 0;
		long long system = at ? strtoll(at, NULL, 10) : 0;
		ret->cpu_us += (user + system) * 1000000 / sysconf(_SC_CLK_TCK);
	}
}

void look_at(pid_t top, bool exact, struct look *ret)
{
	pid_t  pids[LOOK_MOST] = { top };
	size_t count = 1;

	*ret = (struct look){ 0 };
	for (size_t i = 0; i < count; i++) {
		char  file[48];
		char  text[4096];
		char *at = text;

		look_at_one(pids[i], exact, ret);
		snprintf(file, sizeof file, "task/%d/children", (int)pids[i]);
		if (!look_read(pids[i], file, text, sizeof text))
			continue;
		while (count < LOOK_MOST) {
			char     *end;
			long long pid = strtoll(at, &end, 10);

			if (end == at)
				break;
			pids[count++] = (pid_t)pid;
			at = end;
		}
	}
}
