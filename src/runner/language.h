/* runner/language: the languages that a sandbox can run, as a table. */
#pragma once

#include "base/buf.h"

#include "runner/runner_options.h"

enum { LANGUAGE__MAX = 16 };

enum language_way {
	LANGUAGE_DRIVER,  /* a process that stays and keeps variables */
	LANGUAGE_PROCESS, /* a process for each execution */
	LANGUAGE_SHOWN,   /* html: not run */
};

struct language {
	const char       *name;
	const char       *aliases; /* between commas */
	enum language_way way;
	const char       *ending;  /* of the file with the code */
	const char       *program; /* has to be in /usr/bin or /usr/local/bin; NULL: none */
	/* Separated by spaces; % is the file with the code, @ the program's path, $ the driver's folder.  Of
	 * a driver: the file's name comes over the control socket. */
	const char *command;
};

/* language_find: by name or alias, whatever the case; NULL: unknown, not installed, or not offered. */
const struct language *language_find(const struct runner_options *o, struct str name);
/* language_list: appends the names of those that are offered, separated by ", ". */
bool language_list(const struct runner_options *o, struct buf *out) MUST_USE;
/* language_command: the arguments with their NULs.  False: no room. */
bool language_command(const struct language *l, const char *folder, const char *file,
		      struct buf *out) MUST_USE;
/* language_aliases: "py=python, python3=python, …" of those that are offered. */
bool language_aliases(const struct runner_options *o, struct buf *out);
/* language_name: of the i-th of the table; NULL: there are fewer. */
const char *language_name(size_t i);
size_t      language_index(const struct language *l);
