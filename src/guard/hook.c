/* Hooks as they are configured. */
#include "guard/hook.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "upstream/upstream.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct shared_hooks {
	atomic_int   refs;
	struct hooks hooks;
};

/* --- the check --- */

/* hook_is_near: whether the URL leads to this machine, where plain HTTP is no risk. */
static bool hook_is_near(const char *url)
{
	static const char *const hosts[] = { "127.0.0.1", "localhost", "[::1]" };
	const char              *host = url + strlen("http://");

	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		size_t n = strlen(hosts[i]);

		if (strncmp(host, hosts[i], n) == 0 && strchr(":/?", host[n]))
			return !memchr(host, '@', strcspn(host, "/?#"));
	}
	return false;
}

static const char *unix_path(const char *url)
{
	return strncmp(url, "unix:", 5) == 0 ? url + 5 : NULL;
}

static enum errc check_url(const char *url, struct err *e)
{
	const char *path = unix_path(url);

	if (path && path[0] == '/' && strlen(path) < UPSTREAM_SOCKET_PATH)
		return ERR_OK;
	if (!path && (strncmp(url, "https://", 8) == 0 ||
		      (strncmp(url, "http://", 7) == 0 && hook_is_near(url))))
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, "url",
		       "must be https://HOST/PATH, http:// for a service on this machine, or "
		       "unix:/PATH");
}

static enum errc check_params(const char *params, struct err *e)
{
	struct json_doc d = { 0 };
	struct err      why;
	bool ok = json_scan(&d, params, strlen(params), &json_limits_request, &why) == ERR_OK &&
		  json_kind(&d, 0) == JSON_OBJECT;

	json_doc_finish(&d);
	return ok ? ERR_OK : err_set(e, ERR_INVALID_VALUE, "params", "must be a JSON object");
}

enum errc hook_check(const struct hook_options *o, struct err *e)
{
	enum errc rc = check_url(o->url, e);

	if (rc == ERR_OK && o->params)
		rc = check_params(o->params, e);
	if (rc != ERR_OK)
		return rc;
	if (o->overlap >= o->window)
		return err_set(e, ERR_INVALID_VALUE, "overlap",
			       "must be less than window, which is %lld", (long long)o->window);
	return ERR_OK;
}

/* --- the objects --- */

static bool hook_copy(const char *from, char **to)
{
	if (from)
		*to = strdup(from);
	return !from || *to;
}

static bool list_copy(const char *const *from, size_t count, char ***to, size_t *ret_count)
{
	if (count == 0)
		return true;
	*to = calloc(count, sizeof **to);
	for (; *to && *ret_count < count; (*ret_count)++)
		if (!hook_copy(from[*ret_count], &(*to)[*ret_count]))
			return false;
	return *to;
}

static bool hook_is_said(const char *option, const char *word)
{
	return option && strcmp(option, word) == 0;
}

/* hook_target: where its questions go, with the key that it may want. */
static enum errc hook_target(const struct hook_options *o, struct hook *h, struct err *e)
{
	const char *path = unix_path(o->url);
	struct buf  key;

	buf_init(&key, HOOK_API_KEY);
	if (o->api_key &&
	    !(buf_text(&key, "x-api-key: ") && buf_text(&key, o->api_key) && buf_add(&key, "", 1)))
		return err_set(e, ERR_INVALID_VALUE, "api_key_env", "is too long");
	enum errc rc = upstream_target_create(
		&(struct upstream_target_options){ .name = h->name,
						   .url = path ? "http://localhost/" : o->url,
						   .headers = (const char *const[]){ key.data },
						   .header_count = o->api_key ? 1 : 0,
						   .socket = path,
						   .ca_file = o->ca_file,
						   .connect_us = o->timeout_us },
		&h->target, e);
	if (key.data)
		explicit_bzero(key.data, key.len);
	buf_finish(&key);
	return rc;
}

static enum errc hook_make(const struct hook_options *o, struct hook *h, struct err *e)
{
	enum errc rc = hook_check(o, e);

	if (rc != ERR_OK)
		return rc;
	str_copy(h->name, sizeof h->name, str_of(o->name));
	h->protocol = hook_is_said(o->protocol, "litellm") ? HOOK_LITELLM : HOOK_PARLEY;
	h->stream = hook_is_said(o->stream, "hold")  ? HOOK_HOLD
		    : hook_is_said(o->stream, "end") ? HOOK_END
						     : HOOK_WINDOW;
	h->on = o->on;
	h->window = (size_t)o->window;
	h->overlap = (size_t)o->overlap;
	h->timeout_us = o->timeout_us;
	h->allows = hook_is_said(o->on_failure, "allow");
	h->all = !hook_is_said(o->history, "new");
	h->images = o->images;
	h->tools = o->tools;
	h->keep_blocked = o->keep_blocked;
	if (!list_copy(o->models, o->model_count, &h->models, &h->model_count) ||
	    !list_copy(o->keys, o->key_count, &h->keys, &h->key_count) ||
	    !hook_copy(o->secret, &h->secret) ||
	    !hook_copy(o->params ? o->params : "{}", &h->params))
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	return hook_target(o, h, e);
}

static void list_free(char **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

static void hook_finish(struct hook *h)
{
	list_free(h->models, h->model_count);
	list_free(h->keys, h->key_count);
	if (h->secret)
		explicit_bzero(h->secret, strlen(h->secret));
	free(h->secret);
	free(h->params);
	upstream_target_destroy(h->target);
}

enum errc hooks_create(const struct hook_options *list, size_t count, struct hooks **ret,
		       struct err *e)
{
	*ret = NULL;
	if (count == 0)
		return ERR_OK;

	struct shared_hooks *x = calloc(1, sizeof *x);
	if (!x)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	atomic_init(&x->refs, 1);
	enum errc rc = ERR_OK;
	for (size_t i = 0; rc == ERR_OK && i < count; i++) {
		x->hooks.count++;
		rc = hook_make(&list[i], &x->hooks.list[i], e);
	}
	if (rc == ERR_OK)
		*ret = &x->hooks;
	else
		hooks_release(&x->hooks);
	return rc;
}

struct hooks *hooks_hold(struct hooks *h)
{
	atomic_fetch_add(&container_of(h, struct shared_hooks, hooks)->refs, 1);
	return h;
}

void hooks_release(struct hooks *h)
{
	if (!h)
		return;

	struct shared_hooks *x = container_of(h, struct shared_hooks, hooks);
	if (atomic_fetch_sub(&x->refs, 1) > 1)
		return;
	for (size_t i = 0; i < h->count; i++)
		hook_finish(&h->list[i]);
	free(x);
}

/* --- which are asked --- */

static bool is_among(struct str name, char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct str s = str_of(list[i]);
		bool       prefix = s.n > 0 && s.p[s.n - 1] == '*';

		if (prefix ? str_starts(name, (struct str){ s.p, s.n - 1 }) : str_eq(name, s))
			return true;
	}
	return count == 0;
}

/* names_hook: the key's group asks for the hook. */
static bool names_hook(const struct identity_group *g, const char *name)
{
	for (size_t i = 0; i < g->hook_count; i++)
		if (str_is(g->hooks[i], name))
			return true;
	return false;
}

/* asks_for: the hook is one of the key, or of its group. */
static bool asks_for(const struct hook *k, const struct identity *who)
{
	const struct identity_group *g = who ? who->group : NULL;

	return is_among(str_of(who ? who->id : ""), k->keys, k->key_count) ||
	       (g && (is_among(str_of(g->id), k->keys, k->key_count) || names_hook(g, k->name)));
}

enum errc hooks_known(const struct hooks *h, const struct identity_group *g, struct err *e)
{
	for (size_t i = 0; i < g->hook_count; i++) {
		size_t k = 0;

		while (h && k < h->count && !str_is(g->hooks[i], h->list[k].name))
			k++;
		if (!h || k == h->count)
			return err_set(
				e, ERR_HOOK_UNAVAILABLE, "",
				"the group of this key asks for the hook '%.*s', which is not configured",
				STR_ARG(g->hooks[i]));
	}
	return ERR_OK;
}

uint32_t hooks_for(const struct hooks *h, unsigned phase, struct str model,
		   const struct identity *who)
{
	uint32_t ret = 0;

	for (size_t i = 0; h && i < h->count; i++) {
		const struct hook *k = &h->list[i];

		if ((k->on & phase) && is_among(model, k->models, k->model_count) &&
		    asks_for(k, who))
			ret |= (uint32_t)1 << i;
	}
	return ret;
}
