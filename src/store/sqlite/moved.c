/* Checks that the database's files still have their names. */
#include "store/sqlite/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const ends[MOVED__COUNT] = {
	[MOVED_DATABASE] = "",
	[MOVED_LOG] = "-wal",
	[MOVED_LOG_INDEX] = "-shm",
};

/* 0, or the system's error.  The look asks for no times: since Linux 6.13, whoever has asked for them
 * makes the next write set new ones, and the next sync of the log then writes its inode, too. */
static int moved_look_at(const struct moved *m, size_t which, struct statx *ret)
{
	char name[PATH_MAX];

	if (strlen(m->path) + strlen(ends[which]) >= sizeof name)
		return ENAMETOOLONG;
	stpcpy(stpcpy(name, m->path), ends[which]);
	return statx(AT_FDCWD, name, 0, STATX_INO | STATX_SIZE, ret) == 0 ? 0 : errno;
}

enum errc moved_begin(struct moved *m, const char *path, struct err *e)
{
	m->path = path;
	atomic_init(&m->first, MOVED__COUNT);
	for (size_t i = 0; i < MOVED__COUNT; i++) {
		struct statx st;
		char         room[80];
		int          os = moved_look_at(m, i, &st);

		if (os != 0) {
			err_set(e, ERR_STORAGE, "", "can't find %s%s: %s", path, ends[i],
				strerror_r(os, room, sizeof room));
			return err_blame(e, FAULT_NO_PLACE);
		}
		if (i == MOVED_DATABASE)
			atomic_store_explicit(&m->bytes, (int64_t)st.stx_size,
					      memory_order_relaxed);
		m->opened[i].major = st.stx_dev_major;
		m->opened[i].minor = st.stx_dev_minor;
		m->opened[i].ino = st.stx_ino;
	}
	return ERR_OK;
}

/* An open file keeps its inode, so no other file can have the same number meanwhile. */
static bool is_gone(struct moved *m, size_t which)
{
	struct statx st;
	int          os = moved_look_at(m, which, &st);

	if (os == 0 && which == MOVED_DATABASE)
		atomic_store_explicit(&m->bytes, (int64_t)st.stx_size, memory_order_relaxed);

	if (os != 0)
		return os == ENOENT || os == ENOTDIR || os == ELOOP || os == ESTALE;
	return st.stx_dev_major != m->opened[which].major ||
	       st.stx_dev_minor != m->opened[which].minor || st.stx_ino != m->opened[which].ino;
}

bool moved_look(struct moved *m)
{
	size_t i = 0;

	while (i < MOVED__COUNT && !is_gone(m, i))
		i++;
	atomic_store_explicit(&m->first, (enum moved_file)i, memory_order_relaxed);
	return i < MOVED__COUNT;
}

bool moved_is(const struct moved *m)
{
	return atomic_load_explicit(&m->first, memory_order_relaxed) < MOVED__COUNT;
}

void moved_problem(const struct moved *m, char *ret, size_t n)
{
	enum moved_file first = atomic_load_explicit(&m->first, memory_order_relaxed);

	/* Back again since then: what was refused was refused for the database. */
	if (first == MOVED__COUNT)
		first = MOVED_DATABASE;
	snprintf(ret, n, "%s%s was removed, moved or replaced", m->path, ends[first]);
}
