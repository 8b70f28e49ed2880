/* command_archive: parley export and parley import, on a database that may be served meanwhile. */
#pragma once

#include "config.h"

struct command_archive {
	const char  *output; /* NULL: the standard output */
	const char  *input;  /* NULL, "-": the standard input */
	const char **ids;    /* owned by who reads the command line */
	size_t       id_count;
};

/* command_archive_fits: whether the command takes what is told; else it is said what it does not. */
bool command_archive_fits(const char *command, const struct command_archive *a);
/* The process's exit status. */
int command_archive_export(const struct config *c, const struct command_archive *a);
int command_archive_import(const struct config *c, const struct command_archive *a);
