/* config/config_value: turns strings into typed values, by the rules in tables. */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct config_place;

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
