/* Hard links, copies and removal of thousands of contents. */
#include "store/blob_tree.h"

#include "base/full_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, HEX_DIR = 2 };

static enum errc blob_tree_fail(const char *doing, struct err *e)
{
	char        room[80];
	const char *why = strerror_r(errno, room, sizeof room);

	return err_set(e, ERR_STORAGE, "", "an uploaded file can't be %s: %s", doing, why);
}

/* --- copying --- */

static enum errc copy_fd(int from, int to, bool (*stopped)(void), struct err *e)
{
	char     *room = malloc(CHUNK);
	enum errc rc = ERR_OK;

	if (!room)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	for (;;) {
		ssize_t n = read(from, room, CHUNK);

		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = blob_tree_fail("read", e);
		else if (!whole_write(to, (struct str){ room, (size_t)n }))
			rc = blob_tree_fail("copied", e);
		else if (stopped())
			rc = err_set(e, ERR_CANCELLED, "", "stopped");
		if (rc != ERR_OK)
			break;
	}
	free(room);
	if (rc == ERR_OK && fsync(to) != 0)
		rc = blob_tree_fail("copied", e);
	return rc;
}

static enum errc blob_tree_copy_file(int from, const char *path, bool (*stopped)(void),
				     struct err *e)
{
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (to < 0)
		return blob_tree_fail("copied", e);
	owner_give(to, path);
	enum errc rc = copy_fd(from, to, stopped, e);
	close(to);
	if (rc != ERR_OK)
		unlink(path);
	return rc;
}

enum errc blob_tree_copy(struct blobs *to, struct blobs *from,
			 const unsigned char sha256[HASH_BYTES], bool (*stopped)(void),
			 bool *ret_there, struct err *e)
{
	char source[PATH_MAX];
	char target[PATH_MAX];

	if (stopped())
		return err_set(e, ERR_CANCELLED, "", "stopped");
	if (!blob_make_place(to, sha256))
		return blob_tree_fail("copied", e);
	blob_path(from, sha256, source);
	blob_path(to, sha256, target);
	*ret_there = blob_exists(to, sha256);
	if (*ret_there)
		return ERR_OK;
	if (blob_exists(from, sha256) && link(source, target) == 0) {
		*ret_there = true;
		return ERR_OK;
	}

	/* A link may fail for many reasons (file system, owner, too many links); a copy is as
	 * good. */
	int fd = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? ERR_OK : blob_tree_fail("read", e);
	enum errc rc = blob_tree_copy_file(fd, target, stopped, e);
	close(fd);
	*ret_there = rc == ERR_OK;
	return rc;
}

/* --- removing --- */

struct prune {
	bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]);
	void  *arg;
	size_t removed;
};

static bool is_hex_dir(const char *name)
{
	unsigned char byte;

	return strlen(name) == HEX_DIR && hash_unhex(name, HEX_DIR, &byte, 1);
}

static void prune_contents(struct prune *p, const char *path)
{
	DIR *dir = opendir(path);

	if (!dir)
		return;
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		unsigned char sha256[HASH_BYTES];

		if (strlen(d->d_name) == HASH_HEX &&
		    hash_unhex(d->d_name, HASH_HEX, sha256, HASH_BYTES) &&
		    !p->keep(p->arg, sha256) && unlinkat(dirfd(dir), d->d_name, 0) == 0)
			p->removed++;
	}
	closedir(dir);
}

/* The contents are in two levels of directories with names of two digits. */
static void prune_level(struct prune *p, const char *path, int level)
{
	DIR *dir = opendir(path);

	if (!dir)
		return;
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		char below[PATH_MAX];
		int  n = snprintf(below, sizeof below, "%s/%s", path, d->d_name);

		if (!is_hex_dir(d->d_name) || n < 0 || (size_t)n >= sizeof below)
			continue;
		if (level == 0)
			prune_level(p, below, 1);
		else
			prune_contents(p, below);
		rmdir(below);
	}
	closedir(dir);
}

size_t blob_tree_prune(const char *dir,
		       bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]), void *arg)
{
	struct prune p = { keep, arg, 0 };

	prune_level(&p, dir, 0);
	return p.removed;
}

static bool keep_none(void *arg, const unsigned char sha256[HASH_BYTES])
{
	(void)arg;
	(void)sha256;
	return false;
}

void blob_tree_remove(const char *path)
{
	char tmp[PATH_MAX];

	(void)blob_tree_prune(path, keep_none, NULL);
	int n = snprintf(tmp, sizeof tmp, "%s/tmp", path);
	if (n > 0 && (size_t)n < sizeof tmp)
		rmdir(tmp);
	rmdir(path);
}
