/* command: what one word of the command line does: a row in src/main.c, a function in a file. */
#pragma once

#include "config/config.h"

/* Options of `parley keys`; borrowed, NULL: not given. */
struct command_keys_options {
	const char        *name, *scopes, *models, *expires, *share, *grace;
	bool               json;
	const char *const *metadata; /* NAME=VALUE, each time it is given */
	size_t             metadata_count;
	const char        *budget, *budget_tokens;
	const char *const *limits; /* NAME=VALUE, each time it is given */
	size_t             limit_count;
};

/* Options of `parley runner`; borrowed, NULL: not given. */
struct command_runner_options {
	const char *listen, *guard, *peer, *file, *language;
};

/* The content of the command line; all of it borrowed for the call. */
struct command_call {
	const struct config       *config;
	const struct config_given *given; /* to read the configuration again */
	char *const       *arguments;     /* words after the command: as many as its row allows */
	size_t             argument_count;
	bool               takeover;      /* --takeover */
	const char        *output;        /* --output; NULL: none */
	const char *const *conversations; /* --conversation, each time it is given */
	size_t             conversation_count;
	struct command_keys_options   keys;
	struct command_runner_options runner;
};

/* Each returns the process's exit status (sysexits) and has said on stderr what went wrong. */
int command_serve(const struct command_call *call);
int command_migrate(const struct command_call *call);
int command_export(const struct command_call *call);
int command_import(const struct command_call *call);
int command_backup(const struct command_call *call);
int command_copy(const struct command_call *call);
int command_keys(const struct command_call *call);
int command_vacuum(const struct command_call *call);
int command_health(const struct command_call *call);
int command_runner(const struct command_call *call); /* not in every build: PARLEY_RUNNER */
