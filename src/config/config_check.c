/* Checks across values, after all sources are in. */
#include "base/beneath.h"
#include "base/limits.h"
#include "config/config.h"
#include "config/config_option.h"
#include "config/internal.h"
#include "http/server.h"
#include "http/tls.h"
#include "msg/usage_tag.h"
#include "provider/provider.h"
#include "upstream/bucket.h"
#include "upstream/upstream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOCKET_PATH = 107 }; /* bytes of a path in a socket's address */

/* Only the form is checked here; binding the address shows the rest. */
static bool is_address(const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t      host = colon ? (size_t)(colon - text) : 0;
	size_t      digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (host == 0 || digits == 0 || digits > 5 || colon[1 + digits] || atol(colon + 1) > 65535)
		return false;
	if (text[0] == '[')
		return host > 2 && text[host - 1] == ']';
	return !memchr(text, ':', host) && strspn(text, "*") != host;
}

static bool config_is_path(const char *text)
{
	return text[0] == '/' && strlen(text) <= SOCKET_PATH;
}

static bool config_is_name(const char *text)
{
	size_t n = strcspn(text, ": \t");

	return n > 0 && n <= 64 && !text[n];
}

/* The address of an inherited socket is known only at the start. */
static bool config_is_inherited(const char *text)
{
	return strncmp(text, "fd:", 3) == 0 || strcmp(text, "systemd") == 0;
}

enum errc config_check_database(const char *name, struct err *e)
{
	const char *end = strstr(name, "://");
	struct str  scheme = { name, end ? (size_t)(end - name) : 0 };

	if (!end || str_is(scheme, "postgres") || str_is(scheme, "postgresql"))
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, "database",
		       "'%.*s://' is no kind of database that Parley has: write the path of an "
		       "SQLite file, or postgres://...",
		       scheme.n < 40 ? (int)scheme.n : 40, scheme.p);
}

static enum errc check_address(const struct config_place *at, const char *text, struct err *e)
{
	if (strncmp(text, "unix:", 5) == 0 && !config_is_path(text + 5))
		return config_place_fail(at, e,
					 "'%.160s' is no path of a socket: it begins with / and "
					 "has up to %d bytes",
					 text, SOCKET_PATH);
	if (strncmp(text, "fd:", 3) == 0 && !config_is_name(text + 3))
		return config_place_fail(at, e,
					 "'%.80s' names no inherited socket: write fd:NUMBER or "
					 "fd:NAME",
					 text);
	if (config_is_inherited(text) || strncmp(text, "unix:", 5) == 0)
		return ERR_OK;
	if (!is_address(text))
		return config_place_fail(at, e,
					 "'%.80s' is not ADDR:PORT or [V6]:PORT, as "
					 "127.0.0.1:8080 or [::1]:8080; 0.0.0.0:8080 is "
					 "every IPv4 address; unix:/path, fd:N, fd:NAME "
					 "and systemd are taken too",
					 text);
	return ERR_OK;
}

static enum errc check_database(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_database);
	struct err          why;

	return config_check_database(c->database, &why) == ERR_OK
		       ? ERR_OK
		       : config_place_fail(&at, e, "%s", why.text);
}

static enum errc config_check_check_listen(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_listen);
	struct config_place admin = config_memory_place(c, CONFIG_OPTION_admin_listen);

	for (size_t i = 0; i < c->listen.count; i++) {
		enum errc rc = config_memory_note(c, check_address(&at, c->listen.items[i], e), e);

		if (rc != ERR_OK)
			return rc;
	}
	return check_address(&admin, c->admin_listen, e);
}

static enum errc check_socket_mode(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_socket_mode);
	const char         *mode = c->socket_mode;

	if (mode[strspn(mode, "01234567")] || strtoul(mode, NULL, 8) > 0777)
		return config_place_fail(
			&at, e, "'%.8s' is no mode: three octal digits, as 660 or 0600", mode);
	return ERR_OK;
}

static enum errc check_tls(const struct config *c, struct err *e)
{
	struct config_place cert = config_memory_place(c, CONFIG_OPTION_tls_cert);
	struct config_place key = config_memory_place(c, CONFIG_OPTION_tls_key);
	struct err          why;

	if (!c->tls_cert[0] && !c->tls_key[0])
		return ERR_OK;
	if (!c->tls_key[0])
		return config_place_fail(&cert, e,
					 "needs tls_key, the file with the certificate's key");
	if (!c->tls_cert[0])
		return config_place_fail(&key, e, "needs tls_cert, the file with the certificate");
	if (tls_check(c->tls_cert, c->tls_key, &why) != ERR_OK)
		return config_place_fail(strcmp(why.path, "tls_key") == 0 ? &key : &cert, e, "%s",
					 why.text);
	return ERR_OK;
}

static enum errc check_origins(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_cors_origins);

	for (size_t i = 0; i < c->cors_origins.count; i++) {
		const char *origin = c->cors_origins.items[i];
		const char *host = strstr(origin, "://");

		if (strcmp(origin, "*") != 0 && strcmp(origin, "null") != 0 &&
		    (!host || host == origin || !host[3] || strpbrk(host + 3, "/?# @")))
			return config_place_fail(&at, e,
						 "'%.80s' is not an origin: a scheme, a host "
						 "and a port, as https://chat.example.org; "
						 "or *",
						 origin);
	}
	return ERR_OK;
}

static enum errc check_proxies(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_trusted_proxies);
	struct peer_net     net;

	for (size_t i = 0; i < c->trusted_proxies.count; i++)
		if (!peer_net_parse(c->trusted_proxies.items[i], &net))
			return config_place_fail(&at, e,
						 "'%.80s' is no network: write an address and its "
						 "length, as 10.0.0.0/8 or 2001:db8::/32, an "
						 "address, or unix",
						 c->trusted_proxies.items[i]);
	return ERR_OK;
}

/* The folder is opened and closed again, so that a missing one is an error at the start and not in
 * a request. */
static enum errc check_image_root(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_image_root);
	struct beneath     *b = NULL;
	struct err          why;

	if (!c->image_root[0])
		return ERR_OK;
	if (beneath_open(c->image_root, &b, &why) != ERR_OK)
		return config_place_fail(&at, e, "%s", why.text);
	beneath_destroy(b);
	return ERR_OK;
}

static enum errc check_computer(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_computer);

	if (!c->computer[0] ||
	    (strncmp(c->computer, "unix:", 5) == 0 && config_is_path(c->computer + 5)))
		return ERR_OK;
	return config_place_fail(&at, e,
				 "'%.110s' is no socket of a runner: write unix:PATH, as "
				 "unix:/run/parley-runner/runner.sock",
				 c->computer);
}

static enum errc check_collector(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_otlp_endpoint);

	if (!c->otlp_endpoint[0] || strncmp(c->otlp_endpoint, "http://", 7) == 0 ||
	    strncmp(c->otlp_endpoint, "https://", 8) == 0)
		return ERR_OK;
	return config_place_fail(&at, e,
				 "'%.80s' is no address of a collector: write http://HOST:4318",
				 c->otlp_endpoint);
}

/* check_alert_url: what is told of keys and providers goes encrypted, unless it stays on this machine. */
static enum errc check_alert_url(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_alert_url);

	if (!c->alert_url[0] || upstream_url_is_safe(c->alert_url))
		return ERR_OK;
	return config_place_fail(
		&at, e,
		"must be an address of a webhook: https://HOST/PATH, or http:// for one "
		"on this machine");
}

/* check_ca_file: libcurl would report a missing file in every request, and without its name. */
static enum errc check_ca_file(const char *path, struct err *e)
{
	if (access(path, R_OK) == 0)
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, "ca_file", "'%.80s' can't be read: %s", path,
		       strerror(errno));
}

static enum errc check_bucket_ca(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_files_s3_ca);
	struct err          why;

	if (!c->files_s3_ca[0] || check_ca_file(c->files_s3_ca, &why) == ERR_OK)
		return ERR_OK;
	return config_place_fail(&at, e, "%s", why.text);
}

static enum errc check_bucket(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_files_s3);
	struct config_place region = config_memory_place(c, CONFIG_OPTION_files_s3_region);
	struct err          why;
	enum errc rc = c->files_s3[0] ? bucket_url_check(c->files_s3, c->files_s3_region, &why)
				      : bucket_url_check_region(c->files_s3_region, &why);

	if (rc == ERR_OK)
		return check_bucket_ca(c, e);
	return config_place_fail(strcmp(why.path, "region") == 0 ? &region : &at, e, "%s",
				 why.text);
}

enum errc config_check_bucket(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_files_s3);

	if (!c->files_s3[0] ||
	    (config_secret_env("AWS_ACCESS_KEY_ID") && config_secret_env("AWS_SECRET_ACCESS_KEY")))
		return ERR_OK;
	return config_place_fail(&at, e,
				 "needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
				 "environment");
}

static enum errc config_check_serve(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_files_s3);

	if (c->files_s3[0] && !strstr(c->database, "://"))
		return config_place_fail(&at, e,
					 "needs a PostgreSQL database; beside an SQLite file, "
					 "contents are in its folder");
	if (c->files_s3[0] && c->files_s3_write && c->max_file > LIMIT_BUCKET_OBJECT)
		return config_place_fail(&at, e,
					 "a bucket takes files of up to 5GiB: lower max_file");
	return config_check_bucket(c, e);
}

/* The node of the key that an error's path names, or else the node of what it is in. */
static const struct config_node *config_culprit(const struct config_node *row, const char *path)
{
	size_t                    n = strcspn(path, ".[");
	const struct config_node *k = row->kind == CONFIG_MAP && n > 0 ? row->first : NULL;

	while (k && (strlen(k->key) != n || strncmp(k->key, path, n) != 0))
		k = k->next;
	if (!k)
		return row;
	return path[n] == '.' ? config_culprit(k, path + n + 1) : k;
}

/* good_part: a provider without what is known to be wrong, so that the rest is checked too. */
static struct provider_options good_part(const struct config *c, size_t i)
{
	struct provider_options o = c->providers[i];

	if (!c->memory->provider_wrong[i])
		return o;
	o.key = o.key || o.auth ? o.key : "wrong";
	o.base_url = o.base_url ? o.base_url : "http://127.0.0.1/";
	return o;
}

/* Providers are created and destroyed again, so that an option that a dialect refuses is reported
 * with its line. */
static enum errc config_check_check_providers(const struct config *c, struct err *e)
{
	for (size_t i = 0; i < c->provider_count; i++) {
		const struct config_node *node = c->memory->provider_node[i];
		struct config_place       at = { CONFIG_FROM_ENVIRONMENT, .name = "upstream_url" };
		struct provider          *p = NULL;
		struct err                why;

		struct provider_options o = good_part(c, i);
		if (!o.dialect)
			continue; /* already reported */
		if (provider_create(&o, &p, &why) == ERR_OK) {
			const char *ca_file = o.ca_file;

			provider_destroy(p);
			if (!ca_file || check_ca_file(ca_file, &why) == ERR_OK)
				continue;
		}
		if (node)
			at = config_memory_node(c, config_culprit(node, why.path));
		enum errc rc = config_memory_note(c, config_place_fail(&at, e, "%s", why.text), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static bool config_list_matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return strncmp(pattern, name, n - 1) == 0;
	return strcmp(pattern, name) == 0;
}

/* check_named: the model that an option names. */
static enum errc check_named(const struct config *c, enum config_option_id option,
			     const char *model, struct err *e)
{
	struct config_place at = config_memory_place(c, option);
	const char         *names[8];
	size_t              n = 0;

	if (!model[0] || c->memory->mistakes.rows_lost)
		return ERR_OK;
	for (size_t i = 0; i < c->model_count; i++) {
		if (config_list_matches(c->models[i].name, model) && !strchr(model, '*'))
			return ERR_OK;
		if (n < ARRAY_LEN(names))
			names[n++] = c->models[i].name;
	}

	const char *near = config_value_nearest(str_of(model), names, n);
	return config_place_fail(&at, e, "there is no model '%.80s'%s%s%s", model,
				 near ? "; did you mean " : "; it has to stand under models",
				 near ? near : "", near ? "?" : "");
}

static enum errc check_default_model(const struct config *c, struct err *e)
{
	return check_named(c, CONFIG_OPTION_default_model, c->default_model, e);
}

static enum errc check_title_model(const struct config *c, struct err *e)
{
	return check_named(c, CONFIG_OPTION_title_model, c->title_model, e);
}

static enum errc check_keeps(const struct config *c, struct err *e)
{
	static const int64_t second = 1000 * 1000;
	struct config_place  size = config_memory_place(c, CONFIG_OPTION_store_keep_size);
	const struct {
		enum config_option_id option;
		int64_t               us;
	} keeps[] = { { CONFIG_OPTION_conversations_keep, c->conversations_keep },
		      { CONFIG_OPTION_content_keep, c->content_keep } };

	for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
		struct config_place at = config_memory_place(c, keeps[i].option);

		if (keeps[i].us == 0 || keeps[i].us >= second)
			continue;
		enum errc rc = config_place_fail(&at, e, "must be 0, or 1s or more");
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	if (c->store_keep_size == 0 || !strstr(c->database, "://"))
		return ERR_OK;
	return config_place_fail(
		&size, e,
		"is for SQLite: a PostgreSQL server does not tell how many bytes are in use");
}

static bool config_model_matches(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->model_count; i++)
		if (config_list_matches(c->models[i].name, name))
			return true;
	return false;
}

static enum errc check_fallback(const struct config *c, const struct config_place *at,
				const struct model_options *m, const char *name, struct err *e)
{
	bool known = config_model_matches(c, name) || c->memory->mistakes.rows_lost;

	if (!known || strchr(name, '*'))
		return config_place_fail(at, e,
					 "there is no model '%.80s'; a fallback has to stand under "
					 "models",
					 name);
	if (strcmp(name, m->name) == 0)
		return config_place_fail(at, e, "the model falls back on itself");
	return ERR_OK;
}

static enum errc config_check_check_fallbacks(const struct config *c, struct err *e)
{
	for (size_t i = 0; i < c->model_count; i++) {
		const struct model_options *m = &c->models[i];

		for (size_t k = 0; k < m->fallback_count; k++) {
			struct config_place at = config_memory_node(
				c, config_culprit(c->memory->model_node[i], "fallback"));

			enum errc rc = check_fallback(c, &at, m, m->fallback[k], e);

			rc = config_memory_note(c, rc, e);
			if (rc != ERR_OK)
				return rc;
		}
	}
	return ERR_OK;
}

/* check_caches: a model's cache that could keep nothing, or not for so long. */
static enum errc check_caches(const struct config *c, struct err *e)
{
	for (size_t i = 0; i < c->model_count; i++) {
		const struct model_options *m = &c->models[i];
		struct config_place         at;
		enum errc                   rc = ERR_OK;

		if (m->cache_ttl_us == 0)
			continue;
		at = config_memory_node(c, config_culprit(c->memory->model_node[i], "cache"));
		if (c->cache_size == 0)
			rc = config_place_fail(&at, e, "nothing can be kept: cache_size is 0");
		else if (m->cache_ttl_us > c->cache_keep)
			rc = config_place_fail(
				&at, e, "no answer is kept so long: the ttl exceeds cache_keep");
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* entry_keys: how many targets a provider's entry is; 2: it is not known, which is told elsewhere. */
static size_t entry_keys(const struct config *c, const char *name)
{
	for (size_t i = 0; name && i < c->provider_count; i++)
		if (c->providers[i].name && strcmp(c->providers[i].name, name) == 0)
			return c->providers[i].key_count > 1 ? c->providers[i].key_count : 1;
	return 2;
}

/* goes_on: whether an answer of the model that breaks off has another target. */
static bool goes_on(const struct config *c, const struct model_options *m,
		    const struct config_node *row)
{
	size_t n = m->target_count == 0 ? entry_keys(c, m->provider) : 0;

	for (size_t i = 0; i < m->target_count; i++)
		n += entry_keys(c, m->targets[i].provider);
	return n > 1 || config_file_find(row, "fallback");
}

static enum errc check_resumes(const struct config *c, struct err *e)
{
	for (size_t i = 0; i < c->model_count; i++) {
		const struct model_options *m = &c->models[i];
		const struct config_node   *row = c->memory->model_node[i];
		struct config_place         at;

		if (!(m->resume & MODEL_RESUME_FALLBACK) || goes_on(c, m, row))
			continue;
		at = config_memory_node(c, config_culprit(row, "resume"));
		enum errc rc = config_place_fail(
			&at, e,
			"there is nothing to fall back on: the model has one target with one key, and "
			"no fallback");
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc check_currency(const struct config *c, struct err *e)
{
	if (strspn(c->currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
		return ERR_OK;

	struct config_place at = config_memory_place(c, CONFIG_OPTION_currency);
	return config_place_fail(
		&at, e, "'%s' is no code of a currency: it has three capital letters, such as USD",
		c->currency);
}

static enum errc check_usage_tags(const struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_usage_tags);
	struct config_place litellm = config_memory_place(c, CONFIG_OPTION_usage_tags_litellm);
	bool                listed = false;

	for (size_t i = 0; i < c->usage_tags.count; i++) {
		const char *name = c->usage_tags.items[i];

		if (!usage_tag_name(str_of(name)))
			return config_place_fail(
				&at, e,
				"'%.40s' is no name of a tag: it has up to %d lower-case letters, digits, - and _, "
				"and begins with a letter or a digit",
				name, LIMIT_TAG_NAME);
		for (size_t k = 0; k < i; k++)
			if (strcmp(name, c->usage_tags.items[k]) == 0)
				return config_place_fail(&at, e, "'%s' is there twice", name);
		listed |= strcmp(name, USAGE_TAGS_LISTED) == 0;
	}
	if (c->usage_tags_litellm && !listed)
		return config_place_fail(&litellm, e,
					 "LiteLLM's tags are values of the tag '" USAGE_TAGS_LISTED
					 "', which usage_tags does not name");
	return ERR_OK;
}

struct usage_tag_names config_usage_tags(const struct config *c)
{
	struct usage_tag_names n = { .litellm = c->usage_tags_litellm };

	for (; n.count < c->usage_tags.count && n.count < ARRAY_LEN(n.names); n.count++)
		str_copy(n.names[n.count], sizeof n.names[n.count],
			 str_of(c->usage_tags.items[n.count]));
	return n;
}

enum errc config_check(const struct config *c, bool serves, struct err *e)
{
	static enum errc (*const checks[])(const struct config *c, struct err *e) = {
		check_database,      config_check_check_listen,
		check_socket_mode,   check_tls,
		check_origins,       check_proxies,
		check_image_root,    check_computer,
		check_collector,     check_alert_url,
		check_bucket,        config_check_check_providers,
		check_default_model, check_title_model,
		check_currency,      config_check_check_fallbacks,
		check_caches,        check_keeps,
		check_usage_tags,    check_resumes,
		config_check_serve,
	};
	enum errc rc = ERR_OK;

	/* the last one is for a process that serves */
	for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(checks) - !serves; i++)
		rc = config_memory_note(c, checks[i](c, e), e);
	return rc;
}

/* --- config_warn: What is allowed, and is probably a mistake. */

enum { KEY_LEAST = 16, PREFIX = 7 /* PARLEY_ */ };

/* Variables that are no options, without their PARLEY_. */
static const char *const more[] = {
	"CONFIG", "API_KEY", "UPSTREAM_URL", "UPSTREAM_KEY", "DATABASE_PASSWORD", "OTLP_HEADERS",
};

/* Kubernetes makes such variables for a service that is named parley. */
static bool warn_is_service(const char *variable)
{
	return strncmp(variable, "PARLEY_SERVICE_", 15) == 0 ||
	       strncmp(variable, "PARLEY_PORT_", 12) == 0 ||
	       strncmp(variable, "PARLEY_PORT=tcp:", 16) == 0;
}

static void warn_variable(const char *variable, void (*tell)(const char *text))
{
	char        room[CONFIG_OPTION__COUNT][64];
	const char *names[CONFIG_OPTION__COUNT + ARRAY_LEN(more)];
	struct str  name = { variable, strcspn(variable, "=") };
	char        text[200];
	char        other[64] = "";
	size_t      n = 0;

	if (!str_starts(name, STR("PARLEY_")) || warn_is_service(variable))
		return;
	/* Their common beginning would make all of them alike. */
	name = (struct str){ name.p + PREFIX, name.n - PREFIX };
	for (; n < CONFIG_OPTION__COUNT; n++)
		names[n] = config_place_env(config_options[n].name, room[n]) + PREFIX;
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		names[n++] = more[i];
	for (size_t i = 0; i < n; i++)
		if (str_is(name, names[i]))
			return;
	const char *alias = config_option_alias(name);
	const char *near = alias ? config_place_env(alias, other) + PREFIX
				 : config_value_nearest(name, names, n);
	snprintf(text, sizeof text, "the environment variable PARLEY_%.*s is unknown%s%s%s",
		 name.n < 64 ? (int)name.n : 64, name.p, near ? "; did you mean PARLEY_" : "",
		 near ? near : "", near ? "?" : "");
	tell(text);
}

static void warn_key(const char *key, size_t i, void (*tell)(const char *text))
{
	char text[200];

	if (strncmp(key, "sha256:", 7) == 0 || strlen(key) >= KEY_LEAST)
		return;
	snprintf(text, sizeof text,
		 "the API key config:%zu %s: use random text, as openssl rand -hex 24 prints",
		 i + 1,
		 strcmp(key, "change-me") == 0 ? "is the one of the examples"
					       : "has fewer than 16 characters");
	tell(text);
}

void config_warn(const struct config *c, void (*tell)(const char *text))
{
	for (size_t i = 0; environ[i]; i++)
		warn_variable(environ[i], tell);
	for (size_t i = 0; i < c->api_keys.count; i++)
		warn_key(c->api_keys.items[i], i, tell);
}
