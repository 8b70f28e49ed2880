/* base/owner: what root makes in the folder of another user belongs to that user.  Otherwise a
 * command that root runs before the service's first start would keep the service out. */
#pragma once

#include <stdbool.h>

/* owner_give: fd is open on what this process has just made at path (O_EXCL: nothing else may ever be
 * given away). */
void owner_give(int fd, const char *path);
/* owner_mkdir: makes a folder with mode 0700; false: errno says why not. */
bool owner_mkdir(const char *path);
