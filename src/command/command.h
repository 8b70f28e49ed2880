/* command: what one word of the command line does: a row in src/main.c, a function in a file. */
#pragma once

#include "base/allowance.h"
#include "base/buf.h"
#include "config/config.h"
#include "store/job.h"
#include "store/upkeep.h"

/* Options of `parley keys` and `parley groups`; borrowed, NULL: not given. */
struct command_keys_options {
	const char *name, *scopes, *models, *expires, *share, *grace, *cache, *keep, *group, *hooks;
	bool        json;
	const char *const *metadata; /* NAME=VALUE, each time it is given */
	size_t             metadata_count;
	const char        *budget, *budget_tokens, *budget_each;
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
	bool               dry_run;       /* --dry-run */
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
int command_import_config(const struct command_call *call); /* call has no configuration */
int command_backup(const struct command_call *call);
int command_copy(const struct command_call *call);
int command_keys(const struct command_call *call);
int command_groups(const struct command_call *call);
int command_sweep(const struct command_call *call);
int command_vacuum(const struct command_call *call);
int command_health(const struct command_call *call);
int command_runner(const struct command_call *call); /* not in every build: PARLEY_RUNNER */

/* --- internal: what the commands share. */

/* --- command_database: what the commands that work on a database have in common: only serve and migrate
 * make one.  Another command that finds none looks in the wrong place. */

/* command_database_find: errors: STORAGE, whose text says which file was looked for: FAULT_MISSING, FAULT_NO_PLACE (the
 * user may not look at the file), FAULT_DATA (the file is not a database). */
enum errc command_database_find(const struct config *c, struct err *e) MUST_USE;

/* --- command_keys: what the commands for keys and for groups have in common. */

struct input;

/* command_keys_read: makes the request body that the options describe, and reads it into `in`. */
enum errc command_keys_read(struct input *in, const struct command_keys_options *k,
			    struct err *e) MUST_USE;
/* command_keys_do: does a job of the store; after a change, which has an entry of the audit, it waits until running
 * gateways know. */
enum errc command_keys_do(const struct command_call *call, enum job kind, struct store_job *job,
			  struct err *e) MUST_USE;
/* command_keys_fail: says e, and returns the status for it. */
int command_keys_fail(const struct err *e);

/* A list that a job of the store reads page by page; all are parts of the job. */
struct command_list {
	enum job          kind;
	struct store_job *job;
	struct arena     *arena;
	char             *after; /* the id after which the next page begins */
	const size_t     *count;
	const bool       *has_more;
	const char       *head; /* the line above the rows */
	/* The function prints the i-th row; the row's id, or NULL: out is full. */
	const char *(*put)(const struct store_job *job, size_t i, bool json, int64_t now_ms,
			   struct buf *out);
};
enum { COMMAND_KEYS_PAGE = 500 };
/* command_keys_list: prints all pages; returns the exit status. */
int command_keys_list(const struct command_call *call, const struct command_list *l);
/* command_keys_put_allowance: prints limits in the form of the options. */
bool command_keys_put_allowance(struct buf *out, const struct allowance *a) MUST_USE;
bool command_keys_put_keep(struct buf *out, int64_t ms) MUST_USE;

/* --- command_keys_limits: --limit, --budget, --budget-tokens and --budget-each of `parley keys create` and `update`. */

/* command_keys_member: the key of a further member of the object in out; its value comes next. */
bool command_keys_member(struct buf *out, const char *name) MUST_USE;
/* command_keys_limits_put: appends them to an object as members "limits" and "budget", for the reader of
 * the admin routes; "none" stands for an empty one, which takes a limit away.
 * Errors: INVALID_VALUE: what is no limit. */
enum errc command_keys_limits_put(struct buf *out, const struct command_keys_options *k,
				  struct err *e) MUST_USE;
