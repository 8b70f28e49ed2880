/* Looks whether the database that a command works on is there. */
#include "command/command_database.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum errc command_database_find(const struct config *c, struct err *e)
{
	char        folder[PATH_MAX];
	char        full[2 * PATH_MAX];
	char        room[80];
	const char *path = c->database;

	if (strstr(path, "://") || access(path, F_OK) == 0)
		return ERR_OK;
	int os = errno;
	if (path[0] == '/' || !getcwd(folder, sizeof folder))
		folder[0] = '\0';
	snprintf(full, sizeof full, "%s%s%s", folder, folder[0] ? "/" : "", path);
	if (os == ENOENT)
		err_set(e, ERR_STORAGE, "",
			"there is no database %.170s: name yours with --config or --database; a new one is "
			"made by parley migrate, or by the gateway's first start",
			full);
	else
		err_set(e, ERR_STORAGE, "",
			"can't look at the database %.170s: %s; run the command as root, or as the "
			"gateway's user",
			full, strerror_r(os, room, sizeof room));
	return err_blame(e, FAULT_MISSING);
}
