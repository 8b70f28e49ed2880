/* Loading the configuration: defaults, then the file, then the environment, then flags. */
#include "config/config.h"

#include "base/limits.h"
#include "base/log.h"
#include "config/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *config_member(struct config *c, const struct config_option *o)
{
	return (char *)c + o->offset;
}

/* Adds an item to a list; `room` is for all items that may follow. */
static enum errc config_list_add(struct config *c, const struct config_option *o, struct str text,
				 const struct config_place *at, struct err *e)
{
	static const struct config_rule item = { .type = CONFIG_STRING, .min = 1, .max = 1024 };
	struct config_list             *list = config_member(c, o);

	if ((int64_t)list->count >= o->rule.max)
		return config_place_fail(at, e, "too many items; at most %lld",
					 (long long)o->rule.max);
	if (!list->items) {
		list->items = config_memory_alloc(c, (size_t)o->rule.max * sizeof *list->items, e);
		if (!list->items)
			return ERR_INTERNAL;
	}

	enum errc rc =
		config_value_read(&item, text, &c->memory->arena, at, &list->items[list->count], e);
	if (rc == ERR_OK)
		list->count++;
	return rc;
}

static struct str config_trim(struct str s)
{
	while (s.n > 0 && s.p[0] == ' ')
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && s.p[s.n - 1] == ' ')
		s.n--;
	return s;
}

/* Lists in defaults, variables and flags are separated by commas; spaces around a comma are
 * ignored. */
static enum errc list_split(struct config *c, const struct config_option *o, struct str text,
			    const struct config_place *at, struct err *e)
{
	if (config_trim(text).n == 0)
		return ERR_OK;
	for (;;) {
		const char *comma = memchr(text.p, ',', text.n);
		struct str  item = { text.p, comma ? (size_t)(comma - text.p) : text.n };
		enum errc   rc = config_list_add(c, o, config_trim(item), at, e);

		if (rc != ERR_OK || !comma)
			return rc;
		text = (struct str){ comma + 1, text.n - item.n - 1 };
	}
}

static enum errc list_check(struct config *c, const struct config_option *o,
			    const struct config_place *at, struct err *e)
{
	const struct config_list *list = config_member(c, o);

	if ((int64_t)list->count < o->rule.min)
		return config_place_fail(at, e, "is empty; at least %lld needed",
					 (long long)o->rule.min);
	return ERR_OK;
}

/* A stronger source replaces a list as a whole. */
static void set_source(struct config *c, enum config_option_id i, enum config_source source,
		       const struct config_node *node)
{
	if (config_options[i].rule.type == CONFIG_LIST)
		((struct config_list *)config_member(c, &config_options[i]))->count = 0;
	c->memory->source[i] = source;
	c->memory->node[i] = node;
}

static enum errc set_text(struct config *c, enum config_option_id i, struct str text, struct err *e)
{
	const struct config_option *o = &config_options[i];
	struct config_place         at = config_memory_place(c, i);

	if (o->rule.type != CONFIG_LIST)
		return config_value_read(&o->rule, text, &c->memory->arena, &at,
					 config_member(c, o), e);

	enum errc rc = list_split(c, o, text, &at, e);
	return rc == ERR_OK ? list_check(c, o, &at, e) : rc;
}

static enum errc set_defaults(struct config *c, struct err *e)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++) {
		set_source(c, (enum config_option_id)i, CONFIG_FROM_DEFAULT, NULL);
		enum errc rc =
			set_text(c, (enum config_option_id)i, str_of(config_options[i].preset), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* --- the file --- */

static enum errc set_node(struct config *c, enum config_option_id i, const struct config_node *node,
			  struct err *e)
{
	const struct config_option *o = &config_options[i];

	set_source(c, i, CONFIG_FROM_FILE, node);
	struct config_place at = config_memory_place(c, i);

	if (node->kind == CONFIG_SCALAR && node->text.n == 0 && !node->quoted)
		return config_place_fail(&at, e, "has no value; leave the key out for the default");
	if (o->rule.type != CONFIG_LIST) {
		if (node->kind != CONFIG_SCALAR)
			return config_place_fail(&at, e, "has to be one value");
		return config_value_read(&o->rule, node->text, &c->memory->arena, &at,
					 config_member(c, o), e);
	}
	if (node->kind == CONFIG_MAP)
		return config_place_fail(&at, e, "has to be one value, or a list: [a, b]");
	if (node->kind == CONFIG_SCALAR)
		return config_list_add(c, o, node->text, &at, e);
	for (const struct config_node *n = node->first; n; n = n->next) {
		struct config_place item = config_memory_node(c, n);

		enum errc rc = n->kind == CONFIG_SCALAR
				       ? config_list_add(c, o, n->text, &item, e)
				       : config_place_fail(&item, e, "has to be one value");

		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	return node->first ? ERR_OK : list_check(c, o, &at, e);
}

static bool is_table(const char *key)
{
	for (const char *const *t = config_table_names; *t; t++)
		if (strcmp(*t, key) == 0)
			return true;
	return false;
}

static enum errc unknown_key(const struct config_place *at, struct err *e)
{
	const char *names[CONFIG_OPTION__COUNT + 8];
	size_t      n = 0;

	for (int i = 0; i < CONFIG_OPTION__COUNT; i++)
		names[n++] = config_options[i].name;
	for (const char *const *t = config_table_names; *t && n < ARRAY_LEN(names); t++)
		names[n++] = *t;

	const char *near = config_value_nearest(str_of(at->node->key), names, n);
	if (near)
		return config_place_fail(at, e, "unknown key; did you mean %s?", near);
	return config_place_fail(at, e, "unknown key; parley --help lists the options");
}

static enum errc set_file(struct config *c, const struct config_node *root, struct err *e)
{
	for (const struct config_node *n = root->first; n; n = n->next) {
		struct config_place at = config_memory_node(c, n);
		int                 i = config_option_find(str_of(n->key));

		if (i < 0 && is_table(n->key))
			continue;
		enum errc rc =
			i < 0 ? unknown_key(&at, e) : set_node(c, (enum config_option_id)i, n, e);
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* --- environment and flags --- */

static enum errc set_environment(struct config *c, struct err *e)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++) {
		char        name[64];
		const char *value = getenv(config_place_env(config_options[i].name, name));

		/* an empty variable counts as unset, as ${X:-} of a compose file makes one */
		if (!value || !*value)
			continue;
		set_source(c, (enum config_option_id)i, CONFIG_FROM_ENVIRONMENT, NULL);
		enum errc rc = config_memory_note(
			c, set_text(c, (enum config_option_id)i, str_of(value), e), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc set_flags(struct config *c, const struct config_flag *flags, size_t count,
			   struct err *e)
{
	for (size_t n = 0; n < count; n++) {
		int i = config_option_find(str_of(flags[n].name));

		if (i < 0)
			return err_set(e, ERR_INVALID_VALUE, NULL, "--%.64s: unknown option",
				       flags[n].name);
		/* a list is filled by repeated flags */
		if (c->memory->source[i] != CONFIG_FROM_FLAG)
			set_source(c, (enum config_option_id)i, CONFIG_FROM_FLAG, NULL);
		enum errc rc = config_memory_note(
			c, set_text(c, (enum config_option_id)i, str_of(flags[n].value), e), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc config_load_layers(struct config *c, const char *file,
				    const struct config_given *given, struct err *e)
{
	struct config_node *root = NULL;
	enum errc           rc = set_defaults(c, e);

	if (rc == ERR_OK && file) {
		c->memory->file = arena_str(&c->memory->arena, str_of(file)).p;
		if (!c->memory->file)
			return err_set(e, ERR_INTERNAL, NULL, "out of memory");
		rc = config_file_read(c->memory->file, &c->memory->arena, &root, e);
		if (rc == ERR_OK)
			rc = set_file(c, root, e);
	}
	if (rc == ERR_OK)
		rc = set_environment(c, e);
	if (rc == ERR_OK)
		rc = set_flags(c, given->flags, given->flag_count, e);
	if (c->memory->source[CONFIG_OPTION_log_format] == CONFIG_FROM_DEFAULT &&
	    isatty(STDERR_FILENO))
		c->log_format = LOG_TEXT;
	if (rc == ERR_OK)
		rc = config_table_load(c, root, e);
	if (rc == ERR_OK)
		rc = config_check(c, given->serves, e);
	return rc;
}

enum errc config_load(const struct config_given *given, struct config **ret, struct buf *mistakes,
		      struct err *e)
{
	OWNED(config) c = config_memory_create();
	const char *file = given->file;

	if (!c)
		return err_set(e, ERR_INTERNAL, NULL, "out of memory");
	c->memory->needs_secrets = given->serves;
	c->memory->mistakes.all = mistakes;
	if (!file) {
		file = getenv("PARLEY_CONFIG");
		if (file && !*file)
			file = NULL;
	}

	enum errc rc = config_load_layers(c, file, given, e);
	if (rc != ERR_OK)
		rc = config_memory_note(c, rc, e);
	if (rc == ERR_OK && c->memory->mistakes.count > 0) {
		*e = c->memory->mistakes.first;
		rc = e->code;
	}
	if (rc != ERR_OK)
		return rc;
	*ret = TAKE(c);
	return ERR_OK;
}

bool config_says(const struct config *c, const char *option)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++)
		if (strcmp(config_options[i].name, option) == 0)
			return c->memory->source[i] != CONFIG_FROM_DEFAULT;
	return false;
}

const char *config_file(const struct config *c)
{
	return c->memory->file;
}

bool config_has_secrets(const struct config *c)
{
	if (config_secret_env("PARLEY_OTLP_HEADERS") || c->files_s3[0])
		return true;
	return c->memory->secrets != NULL;
}
