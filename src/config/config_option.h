/* config_option: the rows of config.def as data. */
#pragma once

#include "config/config_value.h"

#include <stddef.h>

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

struct config;
/* config_kept_same: an option has the same value in both. */
bool config_kept_same(const struct config_option *o, const struct config *a,
		      const struct config *b);
/* config_option_find: the id, or -1. */
int config_option_find(struct str name);
/* config_option_alias: the option that has another name in other programs, as port; NULL: none. */
const char *config_option_alias(struct str name);
/* config_option_value: what the help shows in the value's place. */
const char *config_option_value(const struct config_option *o);
