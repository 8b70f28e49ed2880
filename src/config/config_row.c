/* Reads a map of the configuration whose keys are a list of fields. */
#include "config/internal.h"

#include "base/limits.h"

#include <string.h>

enum errc config_row_fail(const struct config *c, const struct config_node *n, const char *what,
			  struct err *e)
{
	struct config_place at = config_memory_node(c, n);

	return config_place_fail(&at, e, "%s", what);
}

enum errc config_row_unknown(const struct config *c, const struct config_node *n,
			     const char *const *keys, size_t count, struct err *e)
{
	struct config_place at = config_memory_node(c, n);
	const char         *near = config_value_nearest(str_of(n->key), keys, count);
	char                all[240] = "";
	size_t              used = 0;

	if (near)
		return config_place_fail(&at, e, "unknown key; did you mean %s?", near);
	for (size_t i = 0; i < count && used + strlen(keys[i]) + 3 < sizeof all; i++) {
		const char *sep = i > 0 ? ", " : "";

		memcpy(all + used, sep, strlen(sep));
		used += strlen(sep);
		memcpy(all + used, keys[i], strlen(keys[i]));
		used += strlen(keys[i]);
	}
	return config_place_fail(&at, e, "unknown key; allowed: %.*s", (int)used, all);
}

enum errc config_row_kind(const struct config *c, const struct config_node *n,
			  enum config_kind kind, struct err *e)
{
	if (n->kind == kind)
		return ERR_OK;
	if (n->kind == CONFIG_SCALAR && n->text.n == 0 && !n->quoted)
		return config_row_fail(c, n, "has no value; leave the key out for the default", e);
	switch (kind) {
	case CONFIG_SCALAR: return config_row_fail(c, n, "has to be one value", e);
	case CONFIG_SEQUENCE: return config_row_fail(c, n, "has to be a list", e);
	case CONFIG_MAP: return config_row_fail(c, n, "has to be a map: \"key: value\" lines", e);
	}
	return ERR_OK;
}

enum errc config_row_value(const struct config *c, const struct config_node *n, struct err *e)
{
	enum errc rc = config_row_kind(c, n, CONFIG_SCALAR, e);

	if (rc == ERR_OK && n->text.n == 0 && !n->quoted)
		return config_row_fail(c, n, "has no value; leave the key out for the default", e);
	return rc;
}

enum errc config_row_names(struct config *c, const struct config_node *list,
			   const char *const **ret, struct err *e)
{
	static const struct config_rule rule = { CONFIG_STRING, 1, LIMIT_MODEL, "" };
	const char **names = config_memory_alloc(c, (list->count + 1) * sizeof *names, e);

	if (!names)
		return ERR_INTERNAL;
	for (const struct config_node *n = list->first; n; n = n->next) {
		struct config_place at = config_memory_node(c, n);
		enum errc           rc = config_row_value(c, n, e);

		if (rc == ERR_OK)
			rc = config_value_read(&rule, n->text, &c->memory->arena, &at,
					       &names[n->index], e);
		if (rc != ERR_OK)
			return rc; /* the list has holes from here on */
	}
	*ret = names;
	return ERR_OK;
}

enum errc config_row_field(struct config *c, const struct config_node *n,
			   const struct config_field *fields, size_t count, void *row,
			   bool *ret_known, struct err *e)
{
	struct config_place at = config_memory_node(c, n);

	*ret_known = false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(fields[i].name, n->key) != 0)
			continue;
		*ret_known = true;
		enum errc rc = config_row_value(c, n, e);
		if (rc != ERR_OK)
			return rc;
		return config_value_read(&fields[i].rule, n->text, &c->memory->arena, &at,
					 (char *)row + fields[i].offset, e);
	}
	return ERR_OK;
}

static enum errc config_row_other(struct config *c, const struct config_node *n,
				  const struct config_row *t, void *row, struct err *e)
{
	const char *keys[CONFIG_ROW_FIELDS];

	if (t->special)
		return t->special(c, n, row, e);
	for (size_t i = 0; i < t->count; i++)
		keys[i] = t->fields[i].name;
	return config_row_unknown(c, n, keys, t->count, e);
}

enum errc config_row_read(struct config *c, const struct config_node *map,
			  const struct config_row *t, void *row, struct err *e)
{
	enum errc rc = config_row_kind(c, map, CONFIG_MAP, e);

	for (const struct config_node *n = rc == ERR_OK ? map->first : NULL; n && rc == ERR_OK;
	     n = n->next) {
		bool known;

		rc = config_row_field(c, n, t->fields, t->count, row, &known, e);
		if (rc == ERR_OK && !known)
			rc = config_row_other(c, n, t, row, e);
		rc = config_memory_note(c, rc, e);
	}
	return rc;
}
