/* full_io: reads and writes of files that are not ended by a signal.  Any thread that may wait for the disk. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* whole_write: writes all bytes; false: errno says why not, and some of them may be written. */
bool whole_write(int fd, struct str bytes) MUST_USE;
/* whole_read: reads n bytes, or fewer if the file ends; -1: errno says why not. */
ssize_t whole_read(int fd, char *to, size_t n) MUST_USE;

/* --- descriptors: the limit of this process's open descriptors. */

/* descriptors_raise: to the most that this process may have, which is returned. */
size_t descriptors_raise(void);

/* --- owner: what root makes in the folder of another user belongs to that user.  Otherwise a
 * command that root runs before the service's first start would keep the service out. */

/* owner_give: fd is open on what this process has just made at path (O_EXCL: nothing else may ever be
 * given away). */
void owner_give(int fd, const char *path);
/* owner_mkdir: makes a folder with mode 0700; false: errno says why not. */
bool owner_mkdir(const char *path);
