/* Contents of uploaded files: written to a temporary file, synced, renamed. */
#include "store/blob.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/full_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = HASH_HEX + 1, MARK = 16 };

struct blobs {
	char dir[PATH_MAX - NAME - 64]; /* absolute */
	/* Contents are elsewhere, and the directory is that of temporary files. */
	bool             elsewhere;
	struct blob_keep keep;
};

struct blob_write {
	struct blobs    *blobs;
	int              fd;
	bool             placed;
	struct hash_sum *sum;            /* owned */
	char             path[PATH_MAX]; /* "": it has none */
};

static enum errc blob_failed(const char *doing, struct err *e)
{
	int os = errno;

	err_set(e, ERR_STORAGE, "", "a file could not be %s: %s", doing,
		os == ENOSPC || os == EDQUOT ? "the disk is full" : "the disk refused it");
	return err_blame(e,
			 os == ENOENT || os == ENOTDIR || os == EACCES || os == EPERM || os == EROFS
				 ? FAULT_NO_PLACE
				 : FAULT_DISK);
}

enum errc blobs_open_kept(const struct blob_keep *keep, struct blobs **ret, struct err *e)
{
	struct blobs *b = calloc(1, sizeof *b);
	const char   *dir = getenv("TMPDIR");

	if (!b)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	b->elsewhere = true;
	b->keep = *keep;
	if (!dir || strlen(dir) >= sizeof b->dir)
		dir = "/tmp";
	str_copy(b->dir, sizeof b->dir, str_of(dir));
	*ret = b;
	return ERR_OK;
}

enum errc blobs_open(const char *database, struct blobs **ret, struct err *e)
{
	struct blobs *b;

	if (strstr(database, "://"))
		return blobs_open_kept(&(struct blob_keep){ .put = NULL }, ret, e);
	b = calloc(1, sizeof *b);
	if (!b)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	int n = snprintf(b->dir, sizeof b->dir, "%s.files", database);
	if (n < 0 || (size_t)n >= sizeof b->dir) {
		free(b);
		err_set(e, ERR_STORAGE, "", "the database's path is too long");
		return err_blame(e, FAULT_NO_PLACE);
	}
	*ret = b;
	return ERR_OK;
}

void blobs_destroy(struct blobs *b)
{
	free(b);
}

/* --- names --- */

/* level 0: the directory itself, 1: ab, 2: ab/cd, 3: the content */
static void blob_path_of(const struct blobs *b, const unsigned char *sha256, int level,
			 char ret[PATH_MAX])
{
	char hex[NAME];

	hash_hex(sha256, HASH_BYTES, hex);
	switch (level) {
	case 0: snprintf(ret, PATH_MAX, "%s", b->dir); break;
	case 1: snprintf(ret, PATH_MAX, "%s/%.2s", b->dir, hex); break;
	case 2: snprintf(ret, PATH_MAX, "%s/%.2s/%.2s", b->dir, hex, hex + 2); break;
	default: snprintf(ret, PATH_MAX, "%s/%.2s/%.2s/%s", b->dir, hex, hex + 2, hex); break;
	}
}

static void mark_path(const struct blobs *b, const struct blob_name *name, char ret[PATH_MAX])
{
	char hex[NAME];

	hash_hex(name->sha256, HASH_BYTES, hex);
	snprintf(ret, PATH_MAX, "%s/tmp/%s-%016llx", b->dir, hex, (unsigned long long)name->mark);
}

static bool sync_dir(const char *path)
{
	int  fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool make_dir(const char *path)
{
	return owner_mkdir(path) || errno == EEXIST;
}

static bool make_tmp(const struct blobs *b)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/tmp", b->dir);
	return make_dir(b->dir) && make_dir(path);
}

void blob_path(const struct blobs *b, const unsigned char sha256[HASH_BYTES], char ret[PATH_MAX])
{
	blob_path_of(b, sha256, 3, ret);
}

bool blob_make_place(struct blobs *b, const unsigned char sha256[HASH_BYTES])
{
	char path[PATH_MAX];

	for (int level = 0; level <= 2; level++) {
		blob_path_of(b, sha256, level, path);
		if (!make_dir(path))
			return false;
	}
	return true;
}

/* The directory of marks may be missing, because copies need not include it. */
bool blob_mark(struct blobs *b, struct blob_name *name)
{
	char path[PATH_MAX];

	name->mark = id_random();
	mark_path(b, name, path);
	if (!make_tmp(b))
		return false;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	owner_give(fd, path);
	close(fd);
	return true;
}

/* blob_nameless: a temporary file without a name; -1: errno says why not. */
static int blob_nameless(const struct blobs *b)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/parley-XXXXXX", b->dir);
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

/* --- writing --- */

enum errc blob_begin(struct blobs *b, struct blob_write **ret, struct err *e)
{
	struct blob_write *w = calloc(1, sizeof *w);

	if (!w)
		return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
	w->blobs = b;
	w->fd = -1;
	w->sum = hash_sum_begin();
	if (!w->sum) {
		blob_write_destroy(w);
		return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
	}
	if (!b->elsewhere)
		snprintf(w->path, sizeof w->path, "%s/tmp/up-%016llx", b->dir,
			 (unsigned long long)id_random());
	if (b->elsewhere)
		w->fd = blob_nameless(b);
	else if (make_tmp(b))
		w->fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0) {
		blob_failed("made", e);
		blob_write_destroy(w);
		return e->code;
	}
	if (w->path[0])
		owner_give(w->fd, w->path);
	*ret = w;
	return ERR_OK;
}

enum errc blob_add(struct blob_write *w, struct str bytes, struct err *e)
{
	hash_sum_add(w->sum, bytes.p, bytes.n);
	return whole_write(w->fd, bytes) ? ERR_OK : blob_failed("written", e);
}

/* move_in: may replace the same content, which has the same bytes. */
static bool move_in(struct blob_write *w, const unsigned char *sha256)
{
	char path[PATH_MAX];

	for (int level = 1; level <= 2; level++) {
		blob_path_of(w->blobs, sha256, level, path);
		if (!make_dir(path))
			return false;
	}
	blob_path_of(w->blobs, sha256, 3, path);
	if (rename(w->path, path) != 0)
		return false;
	w->placed = true;
	for (int level = 2; level >= 0; level--) {
		blob_path_of(w->blobs, sha256, level, path);
		if (!sync_dir(path))
			return false;
	}
	return true;
}

enum errc blob_place(struct blob_write *w, struct blob_name *ret, struct err *e)
{
	struct blob_name name;

	hash_sum_end(w->sum, name.sha256);
	if (w->blobs->elsewhere) {
		name.mark = 0;
		*ret = name;
		return w->blobs->keep.put(w->blobs->keep.arg, w->fd, name.sha256, e);
	}
	if (fsync(w->fd) != 0 || !blob_mark(w->blobs, &name) || !move_in(w, name.sha256))
		return blob_failed("stored", e);
	*ret = name;
	return ERR_OK;
}

void blob_write_destroy(struct blob_write *w)
{
	if (!w)
		return;
	if (w->fd >= 0) {
		close(w->fd);
		if (!w->placed && w->path[0])
			unlink(w->path);
	}
	hash_sum_destroy(w->sum);
	free(w);
}

enum errc blob_scratch(struct blobs *b, int *ret_fd, struct err *e)
{
	char path[PATH_MAX];
	int  fd = -1;

	if (b->elsewhere) {
		*ret_fd = blob_nameless(b);
		return *ret_fd < 0 ? blob_failed("made", e) : ERR_OK;
	}
	/* If the process ends before the removal, the next start removes the file. */
	snprintf(path, sizeof path, "%s/tmp/up-%016llx", b->dir, (unsigned long long)id_random());
	if (make_tmp(b))
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return blob_failed("made", e);
	(void)unlink(path);
	*ret_fd = fd;
	return ERR_OK;
}

/* --- reading, removing --- */

/* blob_fetch: a copy of a content, in a file without a name. */
static enum errc blob_fetch(struct blobs *b, const unsigned char *sha256, int *ret_fd,
			    struct err *e)
{
	int fd = blob_nameless(b);

	if (fd < 0)
		return blob_failed("made", e);
	if (b->keep.get(b->keep.arg, fd, sha256, e) != ERR_OK || lseek(fd, 0, SEEK_SET) != 0) {
		close(fd);
		return e->code != ERR_OK ? e->code : blob_failed("read", e);
	}
	*ret_fd = fd;
	return ERR_OK;
}

enum errc blob_open(struct blobs *b, const unsigned char sha256[HASH_BYTES], int *ret_fd,
		    struct err *e)
{
	char path[PATH_MAX];

	if (b->elsewhere)
		return blob_fetch(b, sha256, ret_fd, e);
	blob_path_of(b, sha256, 3, path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		bool missing = errno == ENOENT;

		err_set(e, ERR_STORAGE, "", "the file's content can't be read");
		return missing ? err_blame(e, FAULT_MISSING) : e->code;
	}
	*ret_fd = fd;
	return ERR_OK;
}

bool blob_exists(struct blobs *b, const unsigned char sha256[HASH_BYTES])
{
	char        path[PATH_MAX];
	struct stat st;

	blob_path_of(b, sha256, 3, path);
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void blob_settle(struct blobs *b, const struct blob_name *name, bool keep)
{
	char path[PATH_MAX];

	if (!keep) {
		blob_path_of(b, name->sha256, 3, path);
		unlink(path);
	}
	mark_path(b, name, path);
	unlink(path);
}

/* Reads the name of a mark; false: another file. */
static bool parse_mark(const char *text, struct blob_name *ret)
{
	unsigned char mark[MARK / 2];

	if (strlen(text) != HASH_HEX + 1 + MARK || text[HASH_HEX] != '-' ||
	    !hash_unhex(text, HASH_HEX, ret->sha256, HASH_BYTES) ||
	    !hash_unhex(text + HASH_HEX + 1, MARK, mark, sizeof mark))
		return false;
	ret->mark = 0;
	for (size_t i = 0; i < sizeof mark; i++)
		ret->mark = ret->mark << 8 | mark[i];
	return true;
}

void blob_sweep(struct blobs *b, bool (*keep)(void *arg, const unsigned char sha256[HASH_BYTES]),
		void         *arg)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/tmp", b->dir);
	DIR *dir = opendir(path);
	if (!dir)
		return; /* no file was ever uploaded */
	for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		struct blob_name name;

		if (parse_mark(d->d_name, &name))
			blob_settle(b, &name, keep(arg, name.sha256));
		else if (strncmp(d->d_name, "up-", 3) == 0)
			(void)unlinkat(dirfd(dir), d->d_name, 0);
	}
	closedir(dir);
}
