/* The table of options, made from config.def. */
#include "config/config_option.h"

#include "base/limits.h"
#include "config/config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct config_option config_options[CONFIG_OPTION__COUNT] = {
/* clang-format off */
#define X(name, type, preset, reloadable, help, min, max, names)                                   \
	[CONFIG_OPTION_##name] = { #name, preset, help, { CONFIG_##type, min, max, names },        \
				   offsetof(struct config, name), reloadable },
/* clang-format on */
#include "config/config.def"
#undef X
};

int config_option_find(struct str name)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++)
		if (str_is(name, config_options[i].name))
			return i;
	return -1;
}

const char *config_option_alias(struct str name)
{
	static const char *const aliases[][2] = {
		{ "port", "listen" },         { "host", "listen" },    { "bind", "listen" },
		{ "addr", "listen" },         { "address", "listen" }, { "db", "database" },
		{ "model", "default_model" },
	};

	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (name.n == strlen(aliases[i][0]) &&
		    strncasecmp(name.p, aliases[i][0], name.n) == 0)
			return aliases[i][1];
	return NULL;
}

const char *config_option_value(const struct config_option *o)
{
	switch (o->rule.type) {
	case CONFIG_STRING:
	case CONFIG_TEXT:
	case CONFIG_CHOICE: return "TEXT";
	case CONFIG_LIST: return "LIST";
	case CONFIG_INT: return "N";
	case CONFIG_BOOL: return "BOOL";
	case CONFIG_SIZE: return "SIZE";
	case CONFIG_DURATION: return "TIME";
	case CONFIG_ENUM: return "NAME";
	}
	return "";
}
