/* The table `hooks`: services that are asked about the texts of calls. */
#include "config/internal.h"

#include "base/limits.h"

#include <stdlib.h>
#include <unistd.h>

#define ID_SIGNS    "0123456789abcdefghjkmnpqrstvwxyz"
#define HOOK_SECOND ((int64_t)1000000)

#define AT(m)       offsetof(struct hook_options, m)
/* clang-format off */
static const struct config_field hook_fields[] = {
	{ "name",         { CONFIG_STRING, 1, HOOK_NAME - 1, "" },                 AT(name) },
	{ "url",          { CONFIG_STRING, 1, 2048, "" },                          AT(url) },
	{ "protocol",     { CONFIG_CHOICE, 1, 64, "parley,litellm" },              AT(protocol) },
	{ "stream",       { CONFIG_CHOICE, 1, 64, "window,hold,end" },             AT(stream) },
	{ "window",       { CONFIG_INT, 1, 1000000, "" },                          AT(window) },
	{ "overlap",      { CONFIG_INT, 0, 1000000, "" },                          AT(overlap) },
	{ "timeout",      { CONFIG_DURATION, 1000, 600 * HOOK_SECOND, "" },        AT(timeout_us) },
	{ "on_failure",   { CONFIG_CHOICE, 1, 64, "refuse,allow" },                AT(on_failure) },
	{ "history",      { CONFIG_CHOICE, 1, 64, "new,all" },                     AT(history) },
	{ "ca_file",      { CONFIG_STRING, 1, 4096, "" },                          AT(ca_file) },
	{ "images",       { CONFIG_BOOL, 0, 0, "" },                               AT(images) },
	{ "tools",        { CONFIG_BOOL, 0, 0, "" },                               AT(tools) },
	{ "keep_blocked", { CONFIG_BOOL, 0, 0, "" },                               AT(keep_blocked) },
	{ "params",       { CONFIG_STRING, 2, 16 * KIB, "" },                      AT(params) },
};
/* clang-format on */
#undef AT

static const char *const hook_keys[] = {
	"name",
	"url",
	"protocol",
	"on",
	"stream",
	"window",
	"overlap",
	"timeout",
	"on_failure",
	"history",
	"ca_file",
	"images",
	"tools",
	"keep_blocked",
	"params",
	"models",
	"keys",
	"secret_env",
	"secret_file",
	"secret_credential",
	"api_key_env",
	"api_key_file",
	"api_key_credential",
};

static enum errc hook_read_names(struct config *c, const struct config_node *list,
				 const char *const **ret, size_t *ret_count, struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	if (rc == ERR_OK && (list->count < 1 || list->count > LIMIT_API_KEY_MODELS))
		rc = config_row_fail(c, list, "has 1 to 256 names; leave it out for all", e);
	if (rc == ERR_OK)
		rc = config_row_names(c, list, ret, e);
	for (const struct config_node *n = list->first; rc == ERR_OK && n; n = n->next) {
		const char *star = strchr((*ret)[n->index], '*');

		if (star && star[1])
			rc = config_row_fail(c, n, "a * may only stand at the end", e);
	}
	*ret_count = rc == ERR_OK ? list->count : 0;
	return rc;
}

/* hook_ids: the forms of ids of callers and of groups. */
static const struct hook_id {
	const char *front;
	const char *signs; /* the characters after the front */
	size_t      least, most;
} hook_ids[] = {
	{ "key_", ID_SIGNS, 8, 8 },
	{ "grp_", ID_SIGNS, 8, 8 },
	{ "config:", "0123456789", 1, 9 },
	{ "jwt:", ID_SIGNS, 15, 15 },
};

/* hook_is_id: whether a text can be an id of this form; with a * at its end, the beginning of one. */
static bool hook_is_id(const struct hook_id *form, const char *text)
{
	size_t n = strcspn(text, "*");
	size_t front = strlen(form->front);
	bool   cut = text[n] != '\0';

	if (n < front)
		return cut && strncmp(text, form->front, n) == 0;
	return strncmp(text, form->front, front) == 0 && n <= front + form->most &&
	       front + strspn(text + front, form->signs) == n && (cut || n >= front + form->least);
}

static bool hook_is_key(const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(hook_ids); i++)
		if (hook_is_id(&hook_ids[i], text))
			return true;
	return false;
}

/* hook_read_keys: a text that is nobody's id would switch the hook off. */
static enum errc hook_read_keys(struct config *c, const struct config_node *list,
				struct hook_options *h, struct err *e)
{
	enum errc rc = hook_read_names(c, list, &h->keys, &h->key_count, e);

	for (const struct config_node *n = list->first; rc == ERR_OK && n; n = n->next)
		if (!hook_is_key(h->keys[n->index]))
			rc = config_row_fail(
				c, n,
				"must be the id of a key or of a group, as key_7h2kq9vx, "
				"grp_7h2kq9vx or config:1, or the beginning of one and a *",
				e);
	return rc;
}

static enum errc read_phases(struct config *c, const struct config_node *list, unsigned *ret,
			     struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	if (rc != ERR_OK)
		return rc;
	*ret = 0;
	for (const struct config_node *n = list->first; n; n = n->next) {
		if (n->kind == CONFIG_SCALAR && str_is(n->text, "request"))
			*ret |= HOOK_REQUEST;
		else if (n->kind == CONFIG_SCALAR && str_is(n->text, "response"))
			*ret |= HOOK_RESPONSE;
		else
			return config_row_fail(c, n, "must be request or response", e);
	}
	return *ret ? ERR_OK : config_row_fail(c, list, "needs request, response or both", e);
}

/* The keys of a hook whose value is a list or a secret. */
static enum errc read_hook_special(struct config *c, const struct config_node *n, void *row,
				   struct err *e)
{
	static const char *const forms[] = { "secret_env",  "secret_file",  "secret_credential",
					     "api_key_env", "api_key_file", "api_key_credential" };
	struct hook_options     *h = row;

	for (size_t k = 0; k < ARRAY_LEN(forms); k++) {
		const char **to = k < 3 ? &h->secret : &h->api_key;

		if (strcmp(n->key, forms[k]) != 0)
			continue;
		if (*to)
			return config_row_fail(c, n, "a second secret", e);
		return config_table_secret(c, (enum config_secret_kind)(k % 3), n, to, e);
	}
	if (strcmp(n->key, "models") == 0)
		return hook_read_names(c, n, &h->models, &h->model_count, e);
	if (strcmp(n->key, "keys") == 0)
		return hook_read_keys(c, n, h, e);
	if (strcmp(n->key, "on") == 0)
		return read_phases(c, n, &h->on, e);
	return config_row_unknown(c, n, hook_keys, ARRAY_LEN(hook_keys), e);
}

static const struct config_node *config_hook_culprit(const struct config_node *row, const char *key)
{
	const struct config_node *n = config_file_find(row, key);

	return n ? n : row;
}

static enum errc check_models(const struct config *c, const struct config_node *row,
			      const struct hook_options *h, struct err *e)
{
	for (size_t i = 0; i < h->model_count; i++) {
		bool known = c->memory->mistakes.rows_lost;

		for (size_t m = 0; !known && m < c->model_count; m++) {
			const char *name = c->models[m].name;
			size_t      n = strcspn(name, "*"), own = strcspn(h->models[i], "*");

			/* One of two prefixes begins with the other. */
			known = name[n] || h->models[i][own]
					? strncmp(name, h->models[i], n < own ? n : own) == 0 &&
						  (name[n] || n >= own) &&
						  (h->models[i][own] || own >= n)
					: strcmp(name, h->models[i]) == 0;
		}
		if (!known) {
			struct config_place at =
				config_memory_node(c, config_hook_culprit(row, "models"));

			return config_place_fail(&at, e, "there is no model '%.80s'", h->models[i]);
		}
	}
	return ERR_OK;
}

static enum errc check_hook(struct config *c, const struct config_node *row,
			    const struct hook_options *h, struct err *e)
{
	struct hooks *made = NULL;
	struct err    why;

	if (!h->name || !h->url)
		return config_file_find(row, h->name ? "url" : "name")
			       ? ERR_OK
			       : config_row_fail(c, row, "a hook needs a name and a url", e);
	for (size_t i = 0; i < c->hook_count; i++)
		if (strcmp(c->hooks[i].name, h->name) == 0)
			return config_row_fail(c, row, "a second hook of this name", e);
	enum errc rc = check_models(c, row, h, e);
	if (rc == ERR_OK && h->ca_file && access(h->ca_file, R_OK) != 0)
		rc = config_row_fail(c, config_hook_culprit(row, "ca_file"), "can't be read", e);
	if (rc != ERR_OK)
		return rc;
	rc = hooks_create(h, 1, &made, &why);
	hooks_release(made);
	if (rc == ERR_OK)
		return ERR_OK;
	struct config_place at = config_memory_node(
		c, config_hook_culprit(row, strcmp(why.path, "base_url") == 0 ? "url" : why.path));
	return config_place_fail(&at, e, "%s", why.text);
}

enum errc config_hooks_read(struct config *c, const struct config_node *table, struct err *e)
{
	static const struct config_row hook = { hook_fields, ARRAY_LEN(hook_fields),
						read_hook_special };

	if (!table)
		return ERR_OK;
	if (table->count > HOOK_MOST)
		return config_row_fail(c, table, "too many hooks; at most 16", e);
	c->hooks = config_memory_alloc(c, (table->count + 1) * sizeof *c->hooks, e);
	if (!c->hooks)
		return ERR_INTERNAL;
	for (const struct config_node *n = table->first; n; n = n->next) {
		struct hook_options *h = &c->hooks[c->hook_count];
		size_t               before = c->memory->mistakes.count;

		*h = (struct hook_options){ .on = HOOK_REQUEST | HOOK_RESPONSE,
					    .window = 800,
					    .overlap = 200,
					    .timeout_us = 2 * HOOK_SECOND };
		enum errc rc = config_row_read(c, n, &hook, h, e);
		if (rc == ERR_OK && c->memory->mistakes.count == before)
			rc = check_hook(c, n, h, e);
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
		if (c->memory->mistakes.count == before)
			c->hook_count++;
	}
	return ERR_OK;
}

/* --- print --- */

static bool hook_put_names(struct buf *out, const char *key, const char *const *names, size_t count)
{
	bool ok = count == 0 || buf_fmt(out, "    %s: [", key);

	for (size_t i = 0; ok && i < count; i++)
		ok = buf_text(out, i > 0 ? ", " : "") && config_put_quoted(out, names[i]);
	return ok && (count == 0 || buf_text(out, "]\n"));
}

static bool put_hook(const struct hook_options *h, struct buf *out)
{
	return buf_text(out, "  - name: ") && config_put_quoted(out, h->name) &&
	       buf_text(out, "\n    url: ") && config_print_url(h->url, out) &&
	       buf_fmt(out, "\n    # secret: %s\n    # api_key: %s\n", h->secret ? "***" : "none",
		       h->api_key ? "***" : "none") &&
	       buf_fmt(out, "    protocol: %s\n    on: [%s%s%s]\n    stream: %s\n",
		       h->protocol ? h->protocol : "parley", h->on & HOOK_REQUEST ? "request" : "",
		       h->on == (HOOK_REQUEST | HOOK_RESPONSE) ? ", " : "",
		       h->on & HOOK_RESPONSE ? "response" : "", h->stream ? h->stream : "window") &&
	       buf_fmt(out,
		       "    window: %lld\n    overlap: %lld\n    on_failure: %s\n    history: %s\n",
		       (long long)h->window, (long long)h->overlap,
		       h->on_failure ? h->on_failure : "refuse", h->history ? h->history : "all") &&
	       buf_text(out, "    timeout: ") &&
	       config_put_int(out, h->timeout_us, config_value_show_duration) &&
	       buf_fmt(out, "\n    images: %s\n    tools: %s\n    keep_blocked: %s\n",
		       h->images ? "true" : "false", h->tools ? "true" : "false",
		       h->keep_blocked ? "true" : "false") &&
	       hook_put_names(out, "models", h->models, h->model_count) &&
	       hook_put_names(out, "keys", h->keys, h->key_count);
}

bool config_hooks_print(const struct config *c, struct buf *out)
{
	bool ok = c->hook_count == 0 || buf_text(out, "hooks:\n");

	for (size_t i = 0; ok && i < c->hook_count; i++)
		ok = put_hook(&c->hooks[i], out);
	return ok;
}
