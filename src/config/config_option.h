/* config_option: the rows of config.def as data. */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

struct config;
struct config_node;
struct config_place;

/* --- config_value: turns strings into typed values, by the rules in tables. */

enum config_type {
	CONFIG_STRING,   /* const char *; min to max bytes, no control bytes */
	CONFIG_TEXT,     /* the same, newlines and tabs allowed */
	CONFIG_CHOICE,   /* const char *; one of names */
	CONFIG_LIST,     /* struct config_list; not for config_value_read */
	CONFIG_INT,      /* int64_t */
	CONFIG_BOOL,     /* bool */
	CONFIG_SIZE,     /* int64_t, bytes */
	CONFIG_DURATION, /* int64_t, microseconds */
	CONFIG_ENUM,     /* int, index in names */
};

struct config_rule {
	enum config_type type;
	int64_t          min;
	int64_t          max;
	const char      *names; /* comma-separated */
};

/* config_value_read: writes the value to ret, whose type the rule's says; strings are copied into
 * the arena.  Errors: INVALID_VALUE, with what is allowed. */
enum errc config_value_read(const struct config_rule *rule, struct str text, struct arena *a,
			    const struct config_place *at, void *ret, struct err *e) MUST_USE;

/* config_value_name: the i-th of comma-separated names; empty past the end. */
struct str config_value_name(const char *names, int i);

/* config_value_nearest: the name closest to a misspelt one; NULL when none is close. */
const char *config_value_nearest(struct str given, const char *const *names, size_t count);

/* The units that people write: into ret_text, exactly (1048576 is 1MiB, 1000 is 1000). */
void config_value_show_size(int64_t bytes, char ret_text[32]);
void config_value_show_duration(int64_t us, char ret_text[32]);

/* --- config_place: the source of a value, and the one function that reports a wrong value. */

enum config_source {
	CONFIG_FROM_DEFAULT,
	CONFIG_FROM_FILE,
	CONFIG_FROM_ENVIRONMENT,
	CONFIG_FROM_FLAG,
};

struct config_place {
	enum config_source        source;
	const char               *file; /* the file of CONFIG_FROM_FILE */
	const struct config_node *node; /* node of CONFIG_FROM_FILE: gives line and path */
	int                       line; /* where there is no node; 0: unknown */
	const char               *name; /* the option, where there is no node */
};

enum { CONFIG_PATH_MAX = 160 };

/* config_place_env: PARLEY_MAX_BODY of max_body; returns out. */
const char *config_place_env(const char *name, char out[64]);
/* config_place_flag: --max-body of max_body; returns out. */
const char *config_place_flag(const char *name, char out[64]);

/* config_place_path: providers[0].timeouts.idle, from the node's parents; returns out. */
const char *config_place_path(const struct config_node *node, char out[CONFIG_PATH_MAX]);

/* config_place_fail: ERR_INVALID_VALUE with "file:line: path: what", or the variable's or the
 * flag's name in their place.  Returns the code. */
enum errc config_place_fail(const struct config_place *at, struct err *e, const char *fmt, ...)
	PRINTF(3, 4);

/* --- config_option --- */

enum config_option_id {
#define X(name, ...) CONFIG_OPTION_##name,
#include "config/config.def"
#undef X
	CONFIG_OPTION__COUNT
};

struct config_option {
	const char        *name;
	const char        *preset; /* the default, as it would be written */
	const char        *help;
	struct config_rule rule;
	size_t             offset; /* in struct config */
	bool               reloadable;
};

extern const struct config_option config_options[CONFIG_OPTION__COUNT];

/* config_option_find: the id, or -1. */
int config_option_find(struct str name);
/* config_option_alias: the option that has another name in other programs, as port; NULL: none. */
const char *config_option_alias(struct str name);
/* config_option_value: what the help shows in the value's place. */
const char *config_option_value(const struct config_option *o);
