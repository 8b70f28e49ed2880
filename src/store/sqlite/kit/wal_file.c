/* A VFS whose write-ahead logs gather what is written to them.
 *
 * A file is the system's own, with some of its methods replaced; struct wal_file follows it in memory. */
#include "store/sqlite/kit/db.h"

#include <sqlite3.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
	HELD_BYTES = 32 * 1024, /* 7 frames; a turn alone writes six */
	FRAME_HEADER = 24,
	WRITE_LOCK = 0, /* among the locks of the log's index */
};

struct wal_file {
	const sqlite3_io_methods *below;   /* the system's */
	sqlite3_io_methods        methods; /* with ours */
	sqlite3_file *other; /* a database's: its log, if that is open; a log's: its database */
	/* The rest is a log's. */
	char         *held; /* owned; NULL before the first write, and without memory */
	int           held_n;
	sqlite3_int64 held_at;
	bool          ending; /* the frame that is being written is its transaction's last one */
	bool          failed; /* so do all further writes under the lock */
};

static sqlite3_vfs *under; /* the system's */
static sqlite3_vfs  vfs;

static struct wal_file *wal_file_of(sqlite3_file *file)
{
	return (struct wal_file *)(void *)((char *)file + vfs.szOsFile - sizeof(struct wal_file));
}

/* --- a log --- */

static int log_put(sqlite3_file *log, const void *p, int n, sqlite3_int64 at)
{
	struct wal_file *f = wal_file_of(log);
	int              rc = f->below->xWrite(log, p, n, at);

	f->failed |= rc != SQLITE_OK;
	return rc;
}

static int wal_file_flush(sqlite3_file *log)
{
	struct wal_file *f = wal_file_of(log);
	int              n = f->held_n;

	f->held_n = 0;
	return n > 0 ? log_put(log, f->held, n, f->held_at) : SQLITE_OK;
}

/* Frames of a transaction that was rolled back are gone: from now on, their place in the file is
 * that of other frames, maybe of another process. */
static void log_forget(sqlite3_file *log)
{
	struct wal_file *f = wal_file_of(log);

	f->held_n = 0;
	f->ending = false;
	f->failed = false;
}

static int log_write(sqlite3_file *log, const void *p, int n, sqlite3_int64 at)
{
	struct wal_file     *f = wal_file_of(log);
	const unsigned char *head = p;
	int                  rc = SQLITE_OK;

	if (f->failed)
		return SQLITE_IOERR_WRITE;
	/* The size of the database after the transaction: it is 0 in all frames but the last. */
	if (n == FRAME_HEADER)
		f->ending = (head[4] | head[5] | head[6] | head[7]) != 0;
	if (!f->held)
		f->held = sqlite3_malloc(HELD_BYTES);
	if (at != f->held_at + f->held_n || n > HELD_BYTES - f->held_n)
		rc = wal_file_flush(log);
	if (rc != SQLITE_OK)
		return rc;
	if (!f->held || n > HELD_BYTES)
		return log_put(log, p, n, at);
	if (f->held_n == 0)
		f->held_at = at;
	memcpy(f->held + f->held_n, p, (size_t)n);
	f->held_n += n;
	return f->ending && n != FRAME_HEADER ? wal_file_flush(log) : SQLITE_OK;
}

static int log_read(sqlite3_file *log, void *ret, int n, sqlite3_int64 at)
{
	int rc = wal_file_flush(log);

	return rc == SQLITE_OK ? wal_file_of(log)->below->xRead(log, ret, n, at) : rc;
}

static int log_truncate(sqlite3_file *log, sqlite3_int64 size)
{
	int rc = wal_file_flush(log);

	return rc == SQLITE_OK ? wal_file_of(log)->below->xTruncate(log, size) : rc;
}

static int log_sync(sqlite3_file *log, int flags)
{
	int rc = wal_file_flush(log);

	return rc == SQLITE_OK ? wal_file_of(log)->below->xSync(log, flags) : rc;
}

static int log_size(sqlite3_file *log, sqlite3_int64 *ret)
{
	int rc = wal_file_flush(log);

	return rc == SQLITE_OK ? wal_file_of(log)->below->xFileSize(log, ret) : rc;
}

static int log_close(sqlite3_file *log)
{
	struct wal_file *f = wal_file_of(log);

	wal_file_of(f->other)->other = NULL;
	sqlite3_free(f->held);
	f->held = NULL;
	return f->below->xClose(log);
}

/* --- a database --- */

static int database_lock(sqlite3_file *database, int first, int n, int flags)
{
	struct wal_file *f = wal_file_of(database);

	if (f->other && first == WRITE_LOCK && (flags & SQLITE_SHM_UNLOCK))
		log_forget(f->other);
	return f->below->xShmLock(database, first, n, flags);
}

/* --- the VFS --- */

static int wal_file_open(sqlite3_vfs *v, const char *name, sqlite3_file *file, int flags,
			 int *ret_flags)
{
	struct wal_file *f = wal_file_of(file);
	int              rc = under->xOpen(under, name, file, flags, ret_flags);

	(void)v;
	if (rc != SQLITE_OK || !(flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)))
		return rc;
	*f = (struct wal_file){ .below = file->pMethods, .methods = *file->pMethods };
	if (flags & SQLITE_OPEN_MAIN_DB) {
		f->methods.xShmLock = database_lock;
	} else {
		f->methods.xWrite = log_write;
		f->methods.xRead = log_read;
		f->methods.xTruncate = log_truncate;
		f->methods.xSync = log_sync;
		f->methods.xFileSize = log_size;
		f->methods.xClose = log_close;
		f->other = sqlite3_database_file_object(name);
		wal_file_of(f->other)->other = file;
	}
	file->pMethods = &f->methods;
	return rc;
}

const char *wal_file_register(void)
{
	enum { ALIGN = _Alignof(max_align_t) };

	under = sqlite3_vfs_find(NULL);
	if (!under)
		return NULL;
	vfs = *under; /* opening a file is all that differs */
	vfs.pNext = NULL;
	vfs.zName = "parley";
	vfs.szOsFile = (under->szOsFile + ALIGN - 1) / ALIGN * ALIGN + (int)sizeof(struct wal_file);
	vfs.xOpen = wal_file_open;
	return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : NULL;
}
