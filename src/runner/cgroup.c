/* Reads and writes the files of cgroups. */
#include "runner/sandbox.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CGROUP_SWEEP_MS = 10, CGROUP_SWEEP_TRIES = 300 };

struct cgroups {
	int      unit; /* the delegated folder */
	unsigned made;
};

static bool cgroup_write(int folder, const char *file, const char *text)
{
	int  fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	int  os = errno;

	if (fd >= 0)
		close(fd);
	errno = os;
	return ok;
}

static bool cgroup_write_number(int folder, const char *file, int64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)n);
	return cgroup_write(folder, file, text);
}

static bool cgroup_read(int folder, const char *file, char *ret, size_t size)
{
	int     fd = openat(folder, file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, ret, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The number after a word at the start of a line, or of the file if there is no word. */
static int64_t cgroup_number(int folder, const char *file, const char *word)
{
	char        text[2048];
	const char *at = text;
	size_t      n = strlen(word);

	if (!cgroup_read(folder, file, text, sizeof text))
		return 0;
	while (at && strncmp(at, word, n) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoll(at + n, NULL, 10) : 0;
}

/* --- the unit's --- */

/* The line of cgroup v2 in /proc/self/cgroup: "0::/path". */
static bool cgroup_path(const char *mount, const char *self, char *ret, size_t size)
{
	FILE *f = fopen(self, "re");
	char  line[1024];
	bool  found = false;

	while (f && !found && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, "0::/", 4) == 0 &&
			snprintf(ret, size, "%s%s", mount, line + 3) < (int)size;
	}
	if (f)
		fclose(f);
	return found;
}

static enum errc cgroup_lacks(struct err *e, const char *what)
{
	return err_set(
		e, ERR_NOT_SUPPORTED_YET, "guard",
		"cgroup needs a cgroup (v2) that is delegated to the runner, with cpu, memory "
		"and pids, as systemd's Delegate= gives it: %s; rlimit is the weaker way",
		what);
}

/* Kills what is in a session's cgroup.  The folder goes with the last process; false: not yet. */
static bool cgroup_end(int unit, const char *name)
{
	char path[sizeof((struct dirent *)NULL)->d_name + 16];

	snprintf(path, sizeof path, "%s/cgroup.kill", name);
	(void)cgroup_write(unit, path, "1");
	return unlinkat(unit, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

/* Sessions of a runner that was killed; their processes went with it, or go now. */
static void cgroup_sweep(int unit)
{
	int            copy = openat(unit, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR           *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int            tries = 0;

	while (d && (entry = readdir(d)))
		if (strncmp(entry->d_name, "session-", 8) == 0)
			while (!cgroup_end(unit, entry->d_name) && tries++ < CGROUP_SWEEP_TRIES)
				(void)poll(NULL, 0, CGROUP_SWEEP_MS);
	if (d)
		closedir(d);
}

static enum errc cgroup_enter(int unit, struct err *e)
{
	static const char *const needed[] = { "cpu", "memory", "pids" };
	char                     text[256];
	char                     words[260];

	if (!cgroup_read(unit, "cgroup.controllers", text, sizeof text))
		return cgroup_lacks(e, "there are no controllers");
	text[strcspn(text, "\n")] = '\0';
	snprintf(words, sizeof words, " %s ", text);
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		char word[16];

		snprintf(word, sizeof word, " %s ", needed[i]);
		if (!strstr(words, word))
			return cgroup_lacks(e, "one of these controllers is missing");
	}
	if ((mkdirat(unit, "runner", 0755) != 0 && errno != EEXIST) ||
	    !cgroup_write(unit, "runner/cgroup.procs", "0") ||
	    !cgroup_write(unit, "cgroup.subtree_control", "+cpu +memory +pids"))
		return cgroup_lacks(e, strerror_r(errno, text, sizeof text));
	return ERR_OK;
}

enum errc cgroup_open(const char *mount, const char *self, struct cgroups **ret, struct err *e)
{
	char path[1200];

	if (!cgroup_path(mount, self, path, sizeof path))
		return cgroup_lacks(e, "this process is in none");

	int unit = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (unit < 0)
		return cgroup_lacks(e, "its folder is not there");
	enum errc       rc = cgroup_enter(unit, e);
	struct cgroups *c = rc == ERR_OK ? calloc(1, sizeof *c) : NULL;
	if (!c) {
		close(unit);
		return rc == ERR_OK ? err_no_memory(e) : rc;
	}
	c->unit = unit;
	cgroup_sweep(unit);
	*ret = c;
	return ERR_OK;
}

void cgroup_close(struct cgroups *c)
{
	if (!c)
		return;
	close(c->unit);
	free(c);
}

/* --- a session's --- */

static bool cgroup_limit(int folder, const struct runner_options *o)
{
	char cpu[48];

	snprintf(cpu, sizeof cpu, "%lld 100000", (long long)o->cpu * 1000);
	return cgroup_write_number(folder, "memory.max", o->memory) &&
	       /* a kernel without swap has no such file */
	       (cgroup_write(folder, "memory.swap.max", "0") || errno == ENOENT) &&
	       cgroup_write(folder, "memory.oom.group", "1") &&
	       cgroup_write_number(folder, "pids.max", o->processes) &&
	       cgroup_write(folder, "cpu.max", cpu);
}

enum errc cgroup_make(struct cgroups *c, const struct runner_options *o, struct cgroup *ret,
		      struct err *e)
{
	struct cgroup g = { .folder = -1, .number = ++c->made };
	char          name[32];
	char          room[80];

	snprintf(name, sizeof name, "session-%u", g.number);
	if (mkdirat(c->unit, name, 0755) == 0)
		g.folder = openat(c->unit, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g.folder >= 0 && cgroup_limit(g.folder, o)) {
		*ret = g;
		return ERR_OK;
	}
	int os = errno;
	cgroup_remove(c, &g);
	return err_set(e, ERR_INTERNAL, NULL, "no cgroup can be made for a session: %s",
		       strerror_r(os, room, sizeof room));
}

int cgroup_procs(const struct cgroup *g)
{
	return g->folder < 0 ? -1 : openat(g->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
}

void cgroup_pause(const struct cgroup *g, bool paused)
{
	if (g->folder >= 0)
		(void)cgroup_write(g->folder, "cgroup.freeze", paused ? "1" : "0");
}

bool cgroup_remove(struct cgroups *c, struct cgroup *g)
{
	char name[32];

	if (g->number == 0)
		return true;
	snprintf(name, sizeof name, "session-%u", g->number);
	if (!cgroup_end(c->unit, name))
		return false;
	if (g->folder >= 0)
		close(g->folder);
	*g = (struct cgroup){ .folder = -1 };
	return true;
}

void cgroup_used(const struct cgroup *g, struct cgroup_used *ret)
{
	*ret = (struct cgroup_used){
		.cpu_us = cgroup_number(g->folder, "cpu.stat", "usage_usec "),
		.peak = cgroup_number(g->folder, "memory.peak", ""),
		.memory = cgroup_number(g->folder, "memory.current", ""),
		.killed = cgroup_number(g->folder, "memory.events", "oom_kill "),
	};
	if (ret->peak < ret->memory) /* kernels before 5.19 have no peak */
		ret->peak = ret->memory;
}
