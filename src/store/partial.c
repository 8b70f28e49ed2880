/* The temporary place of a copy, and its renaming when it is complete. */

#include "base/full_io.h"
#include "store/blob_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Endings that would make the file a part of another database. */
static const char *const beside[] = { "-wal", "-shm", "-journal", ".search" };

static enum upkeep_end partial_refuse(struct err *e, enum upkeep_end end, const char *doing,
				      const char *path)
{
	char        room[80];
	const char *why = strerror_r(errno, room, sizeof room);

	err_set(e, ERR_STORAGE, "", "can't %s %.200s: %s", doing, path, why);
	return end;
}

static enum upkeep_end partial_no_folder(struct err *e, const char *target)
{
	const char *slash = strrchr(target, '/');

	if (errno != ENOENT || !slash)
		return partial_refuse(e, UPKEEP_BAD_TARGET, "make", target);
	err_set(e, ERR_STORAGE, "", "can't make %.120s: there is no folder %.*s; make it first",
		target, slash - target < 120 ? (int)(slash - target) : 120, target);
	return UPKEEP_BAD_TARGET;
}

static enum upkeep_end in_the_way(struct err *e, const char *path)
{
	err_set(e, ERR_STORAGE, "", "%.250s is there already; nothing is overwritten", path);
	return UPKEEP_BAD_TARGET;
}

static bool partial_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool exists_beside(const char *path, const char *end)
{
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%s%s", path, end);
	return partial_exists(name);
}

/* --- names --- */

/* The target's absolute path, links in its directory followed, and that directory. */
static bool find_target(struct partial *p, const char *target)
{
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	char        parent[PATH_MAX];
	int n = snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - target) + 1 : 2,
			 slash ? target : "./");

	errno = ENAMETOOLONG;
	if (n < 0 || (size_t)n >= sizeof parent)
		return false;
	errno = EISDIR;
	if (!name[0])
		return false;
	if (!realpath(parent, p->parent))
		return false;
	n = snprintf(p->target, sizeof p->target, "%s/%s", p->parent[1] ? p->parent : "", name);
	errno = ENAMETOOLONG;
	if (n < 0 || (size_t)n >= sizeof p->target)
		return false;
	snprintf(p->dir, sizeof p->dir, "%s.partial", p->target);
	snprintf(p->db, sizeof p->db, "%s/db", p->dir);
	return true;
}

/* True for a name that belongs to the database itself. */
static bool belongs_to(const char *target, const char *database)
{
	static const char *const ends[] = { "-wal",   "-shm",      "-journal", ".lock",
					    ".drain", ".takeover", ".files",   ".search" };
	size_t                   n = strlen(database);

	if (strncmp(target, database, n) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (strcmp(target + n, ends[i]) == 0)
			return true;
	return strncmp(target + n, ".files/", 7) == 0;
}

static enum upkeep_end partial_check_target(const struct partial *p, const char *database,
					    struct err *e)
{
	char files[PATH_MAX];

	if (belongs_to(p->target, database)) {
		err_set(e, ERR_STORAGE, "", "%.250s belongs to the database", p->target);
		return UPKEEP_BAD_TARGET;
	}
	if (partial_exists(p->target))
		return in_the_way(e, p->target);
	for (size_t i = 0; i < ARRAY_LEN(beside); i++)
		if (exists_beside(p->target, beside[i])) {
			err_set(e, ERR_STORAGE, "",
				"%.240s%s is there: it would be taken for a part of the copy",
				p->target, beside[i]);
			return UPKEEP_BAD_TARGET;
		}
	snprintf(files, sizeof files, "%s.files", p->target);
	if (partial_exists(files) && !partial_exists(p->dir))
		return in_the_way(e, files);
	return UPKEEP_DONE;
}

/* --- the directory --- */

static bool is_still(const char *path, int fd)
{
	struct stat named;
	struct stat held;

	return lstat(path, &named) == 0 && fstat(fd, &held) == 0 && named.st_ino == held.st_ino &&
	       named.st_dev == held.st_dev;
}

static enum upkeep_end partial_busy(const struct partial *p, struct err *e)
{
	err_set(e, ERR_STORAGE, "", "another backup is being made in %.250s", p->dir);
	return UPKEEP_BUSY;
}

/* Some network file systems can't lock directories; there a remnant can't be distinguished from a
 * running copy. */
static enum upkeep_end lock_dir(struct partial *p, bool made, struct err *e)
{
	p->fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (p->fd < 0)
		return partial_refuse(e, UPKEEP_BAD_TARGET, "open", p->dir);

	bool locked = flock(p->fd, LOCK_EX | LOCK_NB) == 0;
	if ((!locked && (errno == EWOULDBLOCK || !made)) || !is_still(p->dir, p->fd)) {
		close(p->fd);
		p->fd = -1;
		return partial_busy(p, e);
	}
	return UPKEEP_DONE;
}

static void remove_named(const char *path, const char *end)
{
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%s%s", path, end);
	unlink(name);
}

static void remove_database(struct partial *p)
{
	unlink(p->db);
	for (size_t i = 0; i < ARRAY_LEN(beside); i++)
		remove_named(p->db, beside[i]);
}

static void remove_files(const char *database)
{
	char dir[PATH_MAX];

	int n = snprintf(dir, sizeof dir, "%s.files", database);
	if (n > 0 && (size_t)n < sizeof dir)
		blob_tree_remove(dir);
}

static void remove_all(struct partial *p, bool placed_files)
{
	remove_database(p);
	remove_files(p->db);
	if (placed_files)
		remove_files(p->target);
}

enum upkeep_end partial_open(struct partial *p, const char *target, const char *database,
			     struct err *e)
{
	*p = (struct partial){ .fd = -1 };
	if (!find_target(p, target))
		return partial_no_folder(e, target);
	if (partial_check_target(p, database, e) != UPKEEP_DONE)
		return UPKEEP_BAD_TARGET;

	bool made = owner_mkdir(p->dir);
	if (!made && errno != EEXIST)
		return partial_refuse(e, UPKEEP_BAD_TARGET, "write into the folder", p->parent);
	enum upkeep_end end = lock_dir(p, made, e);
	if (end != UPKEEP_DONE || made)
		return end;
	remove_all(p, !partial_exists(p->target));
	return UPKEEP_DONE;
}

enum upkeep_end partial_begin(struct partial *p, int *ret_fd, struct err *e)
{
	remove_database(p);
	int fd = open(p->db, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return partial_refuse(e, UPKEEP_BAD_TARGET, "make", p->db);
	owner_give(fd, p->db);
	*ret_fd = fd;
	return UPKEEP_DONE;
}

/* --- to its names --- */

/* The target's file system may not be able to refuse an existing name; then a look before the
 * rename must be enough. */
static bool place_file(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (partial_exists(to)) {
		errno = EEXIST;
		return false;
	}
	return rename(from, to) == 0;
}

static bool sync_path(const char *path, int flags)
{
	int  fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

enum upkeep_end partial_place(struct partial *p, struct err *e)
{
	char from[PATH_MAX];
	char to[PATH_MAX];

	int n = snprintf(from, sizeof from, "%s/db.files", p->dir);
	CHECK(n > 0 && (size_t)n < sizeof from);
	snprintf(to, sizeof to, "%s.files", p->target);
	/* Each content was synced by itself; the many names are synced all at once. */
	if (!sync_path(p->db, O_RDONLY) || syncfs(p->fd) != 0)
		return partial_refuse(e, UPKEEP_FAILED, "sync", p->target);
	if (partial_exists(from)) {
		if (!place_file(from, to))
			return partial_refuse(e, UPKEEP_BAD_TARGET, "make", to);
		p->files_placed = true;
	}
	if (!sync_path(p->parent, O_RDONLY | O_DIRECTORY))
		return partial_refuse(e, UPKEEP_FAILED, "sync", p->parent);
	if (!place_file(p->db, p->target))
		return partial_refuse(e, UPKEEP_BAD_TARGET, "make", p->target);
	p->files_placed = false; /* must not be removed any more */
	rmdir(p->dir);
	if (!sync_path(p->parent, O_RDONLY | O_DIRECTORY))
		return partial_refuse(e, UPKEEP_FAILED, "sync", p->parent);
	return UPKEEP_DONE;
}

void partial_close(struct partial *p)
{
	if (p->fd < 0)
		return;
	if (is_still(p->dir, p->fd)) {
		remove_all(p, p->files_placed);
		rmdir(p->dir);
	}
	close(p->fd);
	p->fd = -1;
}
