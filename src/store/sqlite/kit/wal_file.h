/* wal_file: gathers SQLite's writes to its write-ahead log.
 *
 * SQLite writes each page of a transaction with two calls: 24 bytes, and the page.  A VFS of ours
 * before the system's makes one write of 32 KiB of them.  They are in the file before anybody may look
 * for them there: SQLite syncs the log, or shows frames to other connections, only after a
 * transaction's last frame, which ends the gathering.  What is gathered never outlives the lock
 * under which it was written. */
#pragma once

/* wal_file_register: registers the VFS, once for the process, and returns its name for
 * sqlite3_open_v2; NULL, which stands for the system's own, if that fails. */
const char *wal_file_register(void);
