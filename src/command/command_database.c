/* Looks whether the database that a command works on is there. */
#include "command/internal.h"

#include "app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* Opening a database makes files beside it, which nobody wants beside another file.  What can't be read is for the
 * engine to refuse.  SQLite's file format, section 1.3.1; an empty file is an empty database. */
static enum errc command_database_check(const char *path, struct err *e)
{
	static const char magic[] = "SQLite format 3";
	char              head[sizeof magic];
	int               fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t           n = fd >= 0 ? read(fd, head, sizeof head) : 0;

	if (fd >= 0)
		close(fd);
	if (n <= 0 || (n == sizeof head && memcmp(head, magic, sizeof head) == 0))
		return ERR_OK;
	err_set(e, ERR_STORAGE, "", "%.200s is not a database of SQLite", path);
	return err_blame(e, FAULT_DATA);
}

enum errc command_database_find(const struct config *c, struct err *e)
{
	char        folder[PATH_MAX];
	char        full[2 * PATH_MAX];
	char        room[80];
	const char *path = c->database;

	if (strstr(path, "://"))
		return ERR_OK;
	if (access(path, F_OK) == 0)
		return command_database_check(path, e);
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
	return err_blame(e, os == ENOENT ? FAULT_MISSING : FAULT_NO_PLACE);
}

int command_database_look(const struct config *c)
{
	struct err e;

	if (command_database_find(c, &e) == ERR_OK)
		return EX_OK;
	fprintf(stderr, "parley: %s\n", e.text);
	return exit_status_of_store(&e);
}
