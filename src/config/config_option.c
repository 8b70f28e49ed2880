/* The table of options, made from config.def. */
#include "config/config_option.h"

#include "base/limits.h"
#include "config/config.h"
#include "config/internal.h"

#include <ctype.h>
#include <stdarg.h>
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

/* --- config_place: Names of places in messages about the configuration. */

const char *config_place_env(const char *name, char out[64])
{
	snprintf(out, 64, "PARLEY_%s", name);
	for (char *p = out; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return out;
}

const char *config_place_flag(const char *name, char out[64])
{
	snprintf(out, 64, "--%s", name);
	for (char *p = out; *p; p++)
		if (*p == '_')
			*p = '-';
	return out;
}

const char *config_place_path(const struct config_node *node, char out[CONFIG_PATH_MAX])
{
	const struct config_node *chain[LIMIT_IMPORT_DEPTH + 1];
	size_t                    depth = 0;
	size_t                    n = 0;

	out[0] = '\0';
	for (; node && node->up && depth < ARRAY_LEN(chain); node = node->up)
		chain[depth++] = node;
	while (depth-- > 0 && n < CONFIG_PATH_MAX - 1) {
		const struct config_node *at = chain[depth];
		int                       more;

		if (at->key)
			more = snprintf(out + n, CONFIG_PATH_MAX - n, "%s%.64s", n > 0 ? "." : "",
					at->key);
		else
			more = snprintf(out + n, CONFIG_PATH_MAX - n, "[%zu]", at->index);
		n += (size_t)more;
	}
	return out;
}

/* Only the last part of a long path is shown, so that the message keeps its room. */
static const char *short_file(const char *file)
{
	size_t      n = strlen(file);
	const char *slash = strrchr(file, '/');

	if (n <= 100)
		return file;
	return slash && strlen(slash + 1) <= 100 ? slash + 1 : file + n - 100;
}

enum errc config_place_fail(const struct config_place *at, struct err *e, const char *fmt, ...)
{
	char    path[CONFIG_PATH_MAX] = "";
	char    name[64] = "";
	char    where[sizeof e->text] = "";
	char    what[sizeof e->text];
	int     line = at->node ? at->node->line : at->line;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);

	if (at->node)
		config_place_path(at->node, path);
	switch (at->source) {
	case CONFIG_FROM_FILE:
		if (line > 0)
			snprintf(where, sizeof where, "%s:%d: %s%s", short_file(at->file), line,
				 path, path[0] ? ": " : "");
		else
			snprintf(where, sizeof where, "%s: ", short_file(at->file));
		break;
	case CONFIG_FROM_ENVIRONMENT:
		snprintf(where, sizeof where, "%s: ", config_place_env(at->name, name));
		break;
	case CONFIG_FROM_FLAG:
		snprintf(where, sizeof where, "%s: ", config_place_flag(at->name, name));
		break;
	case CONFIG_FROM_DEFAULT: snprintf(where, sizeof where, "%s: ", at->name); break;
	}
	return err_set(e, ERR_INVALID_VALUE, path[0] ? path : at->name, "%s%s", where, what);
}
