/* config: the options of a process: config.def's defaults, then the file, then the environment,
 * then flags.  Read once into an immutable struct; a reload reads a second one.
 *
 * Secrets come only from the environment, a file or a systemd credential (X_env, X_file,
 * X_credential), and are never printed. */
#pragma once

#include "base/allowance.h"
#include "base/buf.h"
#include "base/err.h"
#include "guard/hook.h"
#include "provider/provider.h"
#include "provider/registry.h"
#include "runner/runner.h"
#include "token/tokens.h"

#include <limits.h>

struct config_place;

struct config_list {
	const char **items; /* owned by the config */
	size_t       count;
};

/* Values of the ENUM options, in the order of the names in config.def (log_level and log_format
 * are enum log_level and enum log_format of base/log.h). */
enum config_durability { DURABILITY_RELAXED, DURABILITY_STRICT };
enum config_console { CONSOLE_ADMIN, CONSOLE_ALL, CONSOLE_OFF };

/* One member per row of config.def, named as the row; strings are owned by the config. */
struct config {
	/* X(name, type, …) of config.def makes these through CONFIG_MEMBER_type */
#define X(name, type, ...)     CONFIG_MEMBER_##type name;
#define CONFIG_MEMBER_STRING   const char *
#define CONFIG_MEMBER_LIST     struct config_list
#define CONFIG_MEMBER_INT      int64_t
#define CONFIG_MEMBER_BOOL     bool
#define CONFIG_MEMBER_SIZE     int64_t /* bytes */
#define CONFIG_MEMBER_DURATION int64_t /* microseconds */
#define CONFIG_MEMBER_ENUM     int     /* index in the row's names */
#include "config/config.def"
#undef X
	/* tables, each with its own rows in config_table.c */
	struct provider_options *providers;
	size_t                   provider_count;
	struct model_options    *models;
	size_t                   model_count;
	struct hook_options     *hooks; /* in their order */
	size_t                   hook_count;
	struct token_options    *tokens;
	size_t                   token_count;
	size_t echo_providers, echo_models; /* number of built-in ones among these: 0 or 1 */
	/* api_keys: each a plain key or "sha256:<64 lower-case hex>", resolved from the file's maps
	 * {env: NAME}, {file: PATH}, {credential: NAME} and from PARLEY_API_KEY */
	struct config_list    api_keys;
	struct allowance      limits;      /* limits of all calls together; no budget */
	struct runner_options runner;      /* options of `parley runner` */
	bool                  runner_said; /* the file has the table */

	struct config_memory *memory; /* owns everything above */
};

/* Flags as given: pairs of option name and value (from getopt), borrowed for the call. */
struct config_flag {
	const char *name;
	const char *value;
};

/* The sources of a configuration; borrowed. */
struct config_given {
	const char               *file; /* NULL: $PARLEY_CONFIG, or none */
	const struct config_flag *flags;
	size_t                    flag_count;
	/* For a process that serves, or to check that it can.  Else secrets are not read: other
	 * commands do not need them, and may not be able to read them. */
	bool serves;
	/* NULL, or a configuration whose file's text is taken, so that only what lies in other files, such as
	 * secrets, may differ. */
	const struct config *again;
};

/* config_load: unknown keys, bad values and duplicate keys are errors whose text has file, line,
 * what is allowed, and the nearest known name; e is the first one.  mistakes: NULL, or a buffer for
 * all of them, a line for each.
 * Environment variables that hold secrets are wiped; their values are kept for a later load.
 * Errors: INVALID_VALUE, NOT_SUPPORTED_YET, NOT_FOUND (the file), INTERNAL (memory).
 * Threads: one at a time. */
enum errc config_load(const struct config_given *given, struct config **ret, struct buf *mistakes,
		      struct err *e) MUST_USE;
void      config_destroy(struct config *c);
OWNABLE(config);

/* config_secrets_changed: whether a file with a secret is another one, or has changed, since c was read.  True only once
 * for each change; *seen remembers it, and is 0 at first. */
bool config_secrets_changed(const struct config *c, uint64_t *seen);
bool config_has_secret_files(const struct config *c);

/* config_file: the file that was read; NULL: none. */
const char *config_file(const struct config *c);

/* config_print: every option with its value and where it came from; secrets masked. */
bool config_print(const struct config *c, struct buf *out) MUST_USE;
/* config_print_url: a URL in double quotes, whose user and password are masked. */
bool config_print_url(const char *url, struct buf *out) MUST_USE;
/* config_describe_…: the same as JSON, for the operator's route.  options: a list of all of them, as
 * they are in force: a reload (read; the same as running where there was none) changes only some.
 * provider: an object.  model_place: where the model's row is: a string, or null. */
bool config_describe_options(const struct config *running, const struct config *read,
			     struct buf *out) MUST_USE;
bool config_describe_provider(const struct config *c, size_t i, struct buf *out) MUST_USE;
/* config_describe_file: the path as a string, or null. */
bool config_describe_file(const struct config *c, struct buf *out) MUST_USE;
bool config_describe_model_place(const struct config *c, size_t i, struct buf *out) MUST_USE;
/* config_kept: appends the names of the options that differ and that only a new start changes, as
 * "listen, loops": no values. */
bool config_kept(const struct config *running, const struct config *read, struct buf *out) MUST_USE;
/* config_help: the options' part of --help. */
bool config_help(struct buf *out) MUST_USE;
/* config_markdown: the options' table of the README; a test compares the two. */
bool config_markdown(struct buf *out) MUST_USE;
/* config_says: the option was given a value, by the file, the environment or a flag. */
bool config_says(const struct config *c, const char *option);
/* config_has_secrets: is there any key in it that a core dump would give away? */
bool config_has_secrets(const struct config *c);

/* --- config_secret: keys from environment variables, files and systemd credentials.
 *
 * A variable is wiped and unset once read, and its value kept for the life of the process, so that
 * a later load finds it again.  Values never appear in messages.  Threads: one at a time. */

enum config_secret_kind { CONFIG_SECRET_ENV, CONFIG_SECRET_FILE, CONFIG_SECRET_CREDENTIAL };

/* config_secret_read: *ret is owned; free it by config_secret_free.  name: the variable, the file's
 * path, or the credential's name.  Errors: INVALID_VALUE. */
enum errc config_secret_read(enum config_secret_kind kind, const char *name,
			     const struct config_place *at, char **ret, struct err *e) MUST_USE;
/* config_secret_env: the value of a variable, wiped from the environment; NULL: not set, or empty.
 * Borrowed until config_secret_forget or the next change of the same variable. */
const char *config_secret_env(const char *name);
/* config_secret_free: wipes first.  NULL is fine. */
void config_secret_free(char *secret);
/* config_secret_forget: wipes all that was kept; at the end of a process. */
void config_secret_forget(void);

/* --- config_home: the configuration of an installed program: PREFIX/etc/parley/parley.yaml of
 * PREFIX/sbin/parley, /etc/parley/parley.yaml of /usr/sbin/parley.  A program in a build tree has
 * none. */

/* config_home: the path, in ret_path; NULL: there is none, or a file or a database was named, or
 * there is a database in the working directory. */
const char *config_home(const struct config_given *given, char ret_path[PATH_MAX]);

/* --- config_check: checks what no single value shows: addresses, keys for addresses beyond
 * loopback, a default model that exists, providers that can be made. */

/* config_check: serves: a process that serves needs more than every command does. */
enum errc config_check(const struct config *c, bool serves, struct err *e) MUST_USE;
/* config_check_database: the option names a path, or a kind of database that there is. */
enum errc config_check_database(const char *name, struct err *e) MUST_USE;
/* config_check_bucket: what a process needs that uses the bucket, if the options name one: its
 * keys. */
enum errc config_check_bucket(const struct config *c, struct err *e) MUST_USE;
/* config_usage_tags: the names of tags, of a checked configuration. */
struct usage_tag_names config_usage_tags(const struct config *c);

/* --- config_warn: what is allowed in a configuration, and is probably a mistake. */

/* config_warn: tells of variables PARLEY_… that nothing reads, and of keys that can be guessed; for a
 * configuration whose secrets were read. */
void config_warn(const struct config *c, void (*tell)(const char *text));
