/* Reads the configuration of another gateway: which one it is, and what its readers share. */
#include "config/import/internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { IMPORT_TEXT_MAX = 4096, VARIABLE_MAX = 128 };

/* --- memory and messages --- */

void *import_alloc(struct import *im, size_t n)
{
	void *p = arena_alloc(im->arena, n);

	im->starved = im->starved || !p;
	return p;
}

const char *import_text(struct import *im, const char *fmt, ...)
{
	char    text[IMPORT_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);

	struct str kept = arena_str(im->arena, str_of(text));
	im->starved = im->starved || !kept.p;
	return kept.p ? kept.p : "";
}

void import_note(struct import *im, const struct config_node *n, const char *text)
{
	struct import_note *note = import_alloc(im, sizeof *note);

	if (!note)
		return;
	*note = (struct import_note){ .node = n, .text = text };
	*im->last_note = note;
	im->last_note = &note->next;
	im->counts.notes++;
}

enum errc import_fail(const struct import *im, const struct config_node *n, const char *what,
		      struct err *e)
{
	struct config_place at = { CONFIG_FROM_FILE, .file = im->file, .node = n };

	return config_place_fail(&at, e, "%s", what);
}

enum errc import_map(const struct import *im, const struct config_node *n, struct err *e)
{
	return n->kind == CONFIG_MAP ? ERR_OK : import_fail(im, n, "has to be a map", e);
}

enum errc import_list(const struct import *im, const struct config_node *n, struct err *e)
{
	return n->kind == CONFIG_SEQUENCE ? ERR_OK : import_fail(im, n, "has to be a list", e);
}

bool import_is_null(const struct config_node *n)
{
	return n->kind == CONFIG_SCALAR && !n->quoted &&
	       (n->text.n == 0 || str_is(n->text, "null") || str_is(n->text, "Null") ||
		str_is(n->text, "NULL") || str_is(n->text, "~"));
}

/* --- keys --- */

static bool import_is_variable(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > VARIABLE_MAX || isdigit((unsigned char)name[0]))
		return false;
	return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

const char *import_reference(const struct config_node *n)
{
	static const char before[] = "os.environ/";
	size_t            length = sizeof before - 1;

	if (n->kind != CONFIG_SCALAR || !str_starts(n->text, str_of(before)))
		return NULL;
	return import_is_variable(n->text.p + length) ? n->text.p + length : NULL;
}

static struct import_variable *import_variable_find(const struct import *im, const char *name)
{
	for (struct import_variable *v = im->variables; v; v = v->next)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

static void import_variable_add(struct import *im, const char *name,
				const struct config_node *literal)
{
	struct import_variable *v = import_alloc(im, sizeof *v);

	if (!v)
		return;
	*v = (struct import_variable){ .next = im->variables, .name = name, .literal = literal };
	im->variables = v;
	im->counts.literals += literal != NULL;
}

void import_reserve(struct import *im, const char *name)
{
	if (!import_variable_find(im, name))
		import_variable_add(im, name, NULL);
}

void import_reserve_tree(struct import *im, const struct config_node *n)
{
	const char *name = import_reference(n);

	if (name)
		import_reserve(im, name);
	for (const struct config_node *k = n->first; k; k = k->next)
		import_reserve_tree(im, k);
}

const char *import_key(struct import *im, const struct config_node *n, const char *name)
{
	const char *named = import_reference(n);
	const char *free_name = name;

	if (named)
		return named;
	for (struct import_variable *v = im->variables; v; v = v->next)
		if (v->literal && str_eq(v->literal->text, n->text))
			return v->name;
	/* So many are taken that a search from 2 on would take long. */
	for (size_t i = im->counts.literals > 0 ? im->counts.literals + 1 : 2;
	     import_variable_find(im, free_name) && !im->starved; i++)
		free_name = import_text(im, "%s_%zu", name, i);
	import_variable_add(im, free_name, n);
	return free_name;
}

const char *import_key_name(struct import *im, struct str text)
{
	char   name[64];
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < sizeof name - 12; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c < 0x80 && isalnum(c))
			name[n++] = (char)toupper(c);
		else if (n > 0 && name[n - 1] != '_')
			name[n++] = '_';
	}
	while (n > 0 && name[n - 1] == '_')
		n--;
	if (n == 0 || isdigit((unsigned char)name[0]))
		return "PROVIDER_API_KEY";
	return import_text(im, "%.*s_API_KEY", (int)n, name);
}

/* --- which gateway --- */

static const struct import_gateway {
	const char *name;
	enum errc (*read)(struct import *im, const struct config_node *root, struct err *e);
	const char *const keys[12]; /* a file with one of them is of this gateway */
} import_gateways[] = {
	{ "LiteLLM",
	  import_litellm,
	  { "model_list", "litellm_settings", "router_settings", "general_settings",
	    "environment_variables" } },
	{ "Portkey",
	  import_portkey,
	  { "strategy", "targets", "virtual_key", "integrations", "plugins_enabled", "provider",
	    "override_params", "retry", "cache", "custom_host", "config" } },
};

static const struct import_gateway *import_gateway_of(const struct config_node *root)
{
	for (size_t i = 0; i < ARRAY_LEN(import_gateways); i++)
		for (size_t k = 0; import_gateways[i].keys[k]; k++)
			if (config_file_find(root, import_gateways[i].keys[k]))
				return &import_gateways[i];
	return NULL;
}

enum errc import_config(const char *file, const struct config_node              *root,
			const char *(*variable)(const char *name), struct arena *a, struct buf *out,
			struct import_counts *ret, struct err *e)
{
	const struct import_gateway *gateway = import_gateway_of(root);
	struct import                im = { .file = file, .variable = variable, .arena = a };

	im.last_provider = &im.providers;
	im.last_model = &im.models;
	im.last_note = &im.notes;
	if (!gateway)
		return import_fail(
			&im, root,
			"neither a configuration of LiteLLM's proxy (model_list) nor one of "
			"Portkey's gateway (targets, provider, integrations)",
			e);
	im.counts.gateway = gateway->name;
	import_reserve_tree(&im, root);
	enum errc rc = gateway->read(&im, root, e);
	if (rc != ERR_OK)
		return rc;
	if (im.starved || !import_print(&im, out)) {
		buf_clear(out);
		return err_set(e, ERR_INTERNAL, "", "%s: there is too much of it", file);
	}
	for (const struct import_provider *p = im.providers; p; p = p->next)
		im.counts.providers += p->used;
	for (const struct import_model *m = im.models; m; m = m->next)
		im.counts.models++;
	*ret = im.counts;
	return ERR_OK;
}

enum errc import_file(const char *file, const char *(*variable)(const char *name), struct buf *out,
		      struct import_counts *ret, struct err *e)
{
	struct config_node *root = NULL;
	struct arena        a;
	struct buf          bytes;

	arena_init(&a, 4 * (size_t)LIMIT_CONFIG_MEMORY);
	buf_init(&bytes, LIMIT_CONFIG_FILE);
	enum errc rc = config_file_bytes(file, &bytes, e);
	if (rc == ERR_OK)
		rc = config_file_parse(file, buf_view(&bytes), LIMIT_IMPORT_DEPTH, &a, &root, e);
	if (rc == ERR_OK)
		rc = import_config(file, root, variable, &a, out, ret, e);
	buf_finish(&bytes);
	arena_finish(&a);
	return rc;
}
