/* Reads a config of Portkey's gateway, which a request refers to, or conf.json with its integrations. */
#include "config/import/internal.h"

#include <string.h>

#define SECOND_US 1000000
#define DAY_US    (86400 * (int64_t)SECOND_US)

enum { PORTKEY_TIERS = 1 + LIMIT_FALLBACKS, WEIGHT_MOST = 1000000 };

/* A config, or one of its targets, which may have targets again. */
struct portkey_node {
	const struct config_node *strategy, *targets;
	const struct config_node *provider, *key, *virtual_key, *host, *resource, *deployment,
		*version;
	const struct config_node *organization, *project;
	const struct config_node *params, *retry, *cache, *name;
	int64_t                   weight;     /* billionths */
	int64_t                   timeout_us; /* 0: not said */
};

/* Members that a target has of those above it. */
struct portkey_given {
	const char *model; /* NULL: the client's */
	int64_t     retries, timeout_us, cache_us;
};

/* The place of the targets of a strategy: the first tier is asked first, the next one when it fails. */
struct portkey {
	struct import *im;
	size_t         tier, tiers; /* in use */
	const char    *names[PORTKEY_TIERS];
};

#define AS_HOOK   "Parley asks hooks instead: docs/hooks.md"
#define AS_AWS    "write the provider with auth: docs/bedrock.md"
#define AS_GOOGLE "write the provider with auth: docs/vertex.md"
#define AT(m)     offsetof(struct portkey_node, m)
/* clang-format off */
static const struct import_member portkey_rows[] = {
	{ "strategy",             IMPORT_NODE, AT(strategy), NULL },
	{ "targets",              IMPORT_NODE, AT(targets), NULL },
	{ "provider",             IMPORT_NODE, AT(provider), NULL },
	{ "api_key",              IMPORT_NODE, AT(key), NULL },
	{ "virtual_key",          IMPORT_NODE, AT(virtual_key), NULL },
	{ "custom_host",          IMPORT_NODE, AT(host), NULL },
	{ "resource_name",        IMPORT_NODE, AT(resource), NULL },
	{ "deployment_id",        IMPORT_NODE, AT(deployment), NULL },
	{ "api_version",          IMPORT_NODE, AT(version), NULL },
	{ "azure_resource_name",  IMPORT_NODE, AT(resource), NULL },
	{ "azure_deployment_id",  IMPORT_NODE, AT(deployment), NULL },
	{ "azure_api_version",    IMPORT_NODE, AT(version), NULL },
	{ "openai_organization",  IMPORT_NODE, AT(organization), NULL },
	{ "openai_project",       IMPORT_NODE, AT(project), NULL },
	{ "aws_region",            IMPORT_NOTE, 0, AS_AWS },
	{ "aws_access_key_id",     IMPORT_NOTE, 0, AS_AWS },
	{ "aws_secret_access_key",  IMPORT_NOTE, 0, AS_AWS },
	{ "aws_session_token",     IMPORT_NOTE, 0, AS_AWS },
	{ "aws_auth_type",         IMPORT_NOTE, 0, AS_AWS },
	{ "aws_role_arn",          IMPORT_NOTE, 0, AS_AWS },
	{ "aws_external_id",       IMPORT_NOTE, 0, AS_AWS },
	{ "aws_service",           IMPORT_NOTE, 0, AS_AWS },
	{ "aws_bedrock_model",     IMPORT_NOTE, 0, AS_AWS },
	{ "vertex_project_id",     IMPORT_NOTE, 0, AS_GOOGLE },
	{ "vertex_region",         IMPORT_NOTE, 0, AS_GOOGLE },
	{ "vertex_service_account_json",  IMPORT_NOTE, 0, AS_GOOGLE },
	{ "vertex_auth_type",      IMPORT_NOTE, 0, AS_GOOGLE },
	{ "override_params",      IMPORT_NODE, AT(params), NULL },
	{ "retry",                IMPORT_NODE, AT(retry), NULL },
	{ "cache",                IMPORT_NODE, AT(cache), NULL },
	{ "name",                 IMPORT_NODE, AT(name), NULL },
	{ "weight",               IMPORT_NUMBER, AT(weight), NULL },
	{ "request_timeout",      IMPORT_MILLIS, AT(timeout_us), NULL },
	{ "on_status_codes",      IMPORT_NOTE, 0, "which failures lead to a fallback is fixed: docs/providers.md" },
	{ "strict_open_ai_compliance", IMPORT_SILENT, 0, NULL },
	{ "forward_headers",      IMPORT_NOTE, 0, "headers of clients are not passed on: write headers at the provider" },
	{ "input_guardrails",     IMPORT_NOTE, 0, AS_HOOK },
	{ "output_guardrails",    IMPORT_NOTE, 0, AS_HOOK },
	{ "before_request_hooks", IMPORT_NOTE, 0, AS_HOOK },
	{ "after_request_hooks",  IMPORT_NOTE, 0, AS_HOOK },
	{ "metadata",             IMPORT_NOTE, 0, "keys have metadata: parley keys create --metadata" },
	{ "trace_id",             IMPORT_NOTE, 0, "clients send traceparent" },
};
#undef AT

static const struct import_member portkey_file_rows[] = {
	{ "integrations",         IMPORT_SILENT, 0, NULL },
	{ "admin_token",          IMPORT_NOTE, 0, "make keys by parley keys create: docs/operations.md#keys" },
	{ "plugins_enabled",      IMPORT_NOTE, 0, AS_HOOK },
	{ "credentials",          IMPORT_NOTE, 0, AS_HOOK },
	{ "cache",                IMPORT_ON, 0, "write cache: {ttl: …} at models: docs/cache.md" },
};
/* clang-format on */

/* --- one target --- */

static const char *portkey_text(const struct config_node *n)
{
	return n && n->kind == CONFIG_SCALAR && n->text.n > 0 && n->text.n <= 2000 ? n->text.p
										   : NULL;
}

/* portkey_slug: of "@slug" or "@slug/model", without its @. */
static struct str portkey_slug(const char *text)
{
	return text && text[0] == '@' ? (struct str){ text + 1, strcspn(text + 1, "/") } : STR_NONE;
}

/* portkey_model: of "@slug/model", or "model". */
static const char *portkey_model(const char *text)
{
	const char *slash = text && text[0] == '@' ? strchr(text, '/') : NULL;

	return slash && slash[1] ? slash + 1 : text;
}

/* portkey_azure: what a resource and its deployment make of the provider; why they do not. */
static const char *portkey_azure(struct import *im, const struct portkey_node *t,
				 struct import_provider *p, const char **model)
{
	const char *resource = portkey_text(t->resource), *version = portkey_text(t->version);
	const char *deployment = portkey_text(t->deployment);
	const char *name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

	if (!p->base_url && (!resource || strspn(resource, name) != strlen(resource)))
		return "needs resource_name";
	if (!p->base_url)
		p->base_url = import_text(im, "https://%s.openai.azure.com", resource);
	version = version ? version : "2024-10-21";
	if (strspn(version, name) != strlen(version))
		return "api_version is no version";
	if (strcmp(version, "v1") == 0)
		p->base_url = import_text(im, "%s/openai/v1", p->base_url);
	else
		p->query = import_text(im, "api-version=%s", version);
	*model = deployment ? deployment : *model;
	return NULL;
}

/* portkey_provider: NULL: it can't be asked, which is noted. */
static struct import_provider *portkey_provider(struct import *im, const struct portkey_node *t,
						const struct portkey_given *given,
						const struct config_node *n, const char **model)
{
	const char *name = portkey_text(t->provider), *host = portkey_text(t->host);
	const char *virtual = portkey_text(t->virtual_key), *wrong = NULL;
	struct str             slug = portkey_slug(name ? name : *model);
	struct import_provider p = { .retries = given->retries,
				     .wait_us = given->timeout_us,
				     .failures = -1 };

	*model = portkey_model(*model);
	slug = slug.n == 0 && virtual ? str_of(virtual[0] == '@' ? virtual + 1 : virtual) : slug;
	const struct import_vendor *v = name && name[0] != '@' ? import_vendor_portkey(str_of(name))
					: slug.n > 0           ? import_vendor_guess(slug)
							       : NULL;
	if (!v)
		wrong = name && name[0] != '@'
				? "Parley doesn't know this provider: if it speaks OpenAI's API, write its "
				  "base_url and dialect: openai"
				: "the key is stored at Portkey, and its name doesn't say whose it is: write a "
				  "provider with it";
	else if (!v->dialect)
		wrong = "write the provider with auth: docs/bedrock.md, docs/vertex.md";
	if (wrong) {
		import_note(im,
			    t->provider      ? t->provider
			    : t->virtual_key ? t->virtual_key
					     : n,
			    wrong);
		return NULL;
	}
	p.stem = v->portkey;
	p.dialect = v->dialect;
	p.base_url = v->base_url;
	if (host)
		wrong = import_base(im, v, host, &p.base_url);
	if (!wrong && strcmp(v->dialect, "azure") == 0)
		wrong = portkey_azure(im, t, &p, model);
	if (wrong || !p.base_url) {
		import_note(im, host ? t->host : n,
			    wrong ? wrong : "needs an address: custom_host");
		return NULL;
	}
	if (portkey_text(t->key))
		p.key_env = import_key(im, t->key, v->key_env);
	else if (slug.n > 0)
		p.key_env = import_key_name(im, slug);
	else if (!(v->flags & IMPORT_KEYLESS))
		p.key_env = v->key_env;
	if (slug.n > 0 && !portkey_text(t->key))
		import_note(
			im,
			t->virtual_key ? t->virtual_key
			: t->provider  ? t->provider
				       : n,
			import_text(im, "the key is stored at Portkey: put it into %s", p.key_env));
	if (portkey_text(t->organization))
		p.headers[p.header_count++] =
			(struct import_header){ .name = "OpenAI-Organization",
						.value = portkey_text(t->organization) };
	if (portkey_text(t->project))
		p.headers[p.header_count++] =
			(struct import_header){ .name = "OpenAI-Project",
						.value = portkey_text(t->project) };
	return import_provider_add(im, &p, n);
}

/* portkey_params: the model, which all targets below have; other members become defaults where there is one target. */
static void portkey_params(struct import *im, const struct portkey_node *t,
			   struct portkey_given *given)
{
	if (t->params && t->params->kind != CONFIG_MAP) {
		import_note(im, t->params, "has to be a map");
		return;
	}
	for (const struct config_node *n = t->params ? t->params->first : NULL; n; n = n->next)
		if (strcmp(n->key, "model") != 0)
			import_note(
				im, n,
				"is not sent in place of the client's value: defaults of a model hold "
				"where a client says nothing (docs/providers.md)");
		else if (portkey_text(n))
			given->model = n->text.p;
		else
			import_note(im, n, "has to be the name of a model");
}

/* portkey_retry, portkey_cache: {attempts: 3}, {mode: simple, max_age: 60}. */
static void portkey_retry(struct import *im, const struct config_node *map,
			  struct portkey_given *given)
{
	static const struct import_member rows[] = {
		{ "attempts", IMPORT_COUNT, offsetof(struct portkey_given, retries), NULL },
		{ "on_status_codes", IMPORT_NOTE, 0,
		  "which failures are tried again is fixed: docs/providers.md" },
		{ "use_retry_after_header", IMPORT_SILENT, 0, NULL }, /* it always counts */
	};
	static const struct import_members t = { rows, ARRAY_LEN(rows), false };

	if (!map)
		return;
	if (map->kind == CONFIG_MAP)
		import_read(im, map, &t, given);
	else
		import_note(im, map, "has to be a map, as {attempts: 3}");
}

struct portkey_cache {
	const struct config_node *mode;
	int64_t                   age_us;
};

static void portkey_cache(struct import *im, const struct config_node *map,
			  struct portkey_given *given)
{
	static const struct import_member rows[] = {
		{ "mode", IMPORT_NODE, offsetof(struct portkey_cache, mode), NULL },
		{ "max_age", IMPORT_SECONDS, offsetof(struct portkey_cache, age_us), NULL },
	};
	static const struct import_members t = { rows, ARRAY_LEN(rows), false };
	struct portkey_cache               c = { .age_us = 0 };

	if (!map)
		return;
	if (map->kind == CONFIG_MAP)
		import_read(im, map, &t, &c);
	else
		import_note(im, map, "has to be a map, as {mode: simple}");
	if (!c.mode)
		return;
	if (c.mode->kind != CONFIG_SCALAR || !str_is(c.mode->text, "simple")) {
		import_note(im, c.mode, "Parley keeps exact answers only: docs/cache.md");
		return;
	}
	given->cache_us = c.age_us == 0 ? DAY_US : c.age_us < SECOND_US ? SECOND_US : c.age_us;
	if (given->cache_us > 30 * DAY_US) {
		given->cache_us = 30 * DAY_US;
		import_note(im, map, "answers are kept for up to 30 days");
	}
	import_note(
		im, map,
		"the model has a cache, and requests or keys have to ask for it: docs/cache.md");
}

/* --- strategies --- */

static enum errc portkey_walk(struct portkey *k, const struct config_node *n,
			      struct portkey_given given, int64_t weight, struct err *e);

static void portkey_leaf(struct portkey *k, const struct config_node *n,
			 const struct portkey_node *t, const struct portkey_given *given,
			 int64_t weight)
{
	struct import          *im = k->im;
	const char             *model = given->model;
	struct import_provider *p = portkey_provider(im, t, given, n, &model);
	struct import_model    *m = NULL;
	const char             *name = k->names[k->tier];

	if (!p)
		return;
	if (!model && k->tier > 0) {
		import_note(
			im, n,
			"a fallback asks for a model of its own, and this one has none: it is a target that "
			"gets one call in a thousand, and those that failed elsewhere");
		name = k->names[0];
		weight = MONEY_ONE / 1000;
	}
	struct import_target *made = import_target_add(im, name, p, model, n, &m);
	if (!made)
		return;
	made->weight += weight;
	if (given->cache_us > m->cache_us)
		m->cache_us = given->cache_us;
	if (m->cache_us > DAY_US && m->cache_us > im->cache_keep_us)
		im->cache_keep_us = m->cache_us;
}

/* portkey_weight: of a target of loadbalance, in thousandths; 1 where it says nothing. */
static int64_t portkey_weight(struct import *im, const struct config_node *n)
{
	static const struct import_member  rows[] = { { "weight", IMPORT_NUMBER, 0, NULL } };
	static const struct import_members t = { rows, ARRAY_LEN(rows), true };
	int64_t                            weight = MONEY_ONE;

	if (n->kind == CONFIG_MAP)
		import_read(im, n, &t, &weight);
	weight = weight > 0 && weight < MONEY_ONE / 1000 ? 1 : weight / (MONEY_ONE / 1000);
	return weight < WEIGHT_MOST ? weight : WEIGHT_MOST;
}

static enum errc portkey_balance(struct portkey *k, const struct config_node *targets,
				 const struct portkey_given *given, int64_t weight, struct err *e)
{
	int64_t   sum = 0;
	enum errc rc = ERR_OK;

	for (const struct config_node *n = targets->first; n; n = n->next)
		sum += portkey_weight(k->im, n);
	for (const struct config_node *n = targets->first; n && rc == ERR_OK; n = n->next)
		rc = portkey_walk(k, n, *given,
				  sum > 0 ? weight * portkey_weight(k->im, n) / sum : weight, e);
	return rc;
}

/* portkey_fall: the first target stays in this tier, each of the others begins one of its own. */
static enum errc portkey_fall(struct portkey *k, const struct config_node *targets,
			      const struct portkey_given *given, int64_t weight, struct err *e)
{
	size_t    tier = k->tier;
	enum errc rc = ERR_OK;

	for (const struct config_node *n = targets->first; n && rc == ERR_OK; n = n->next) {
		if (n != targets->first) {
			if (k->tiers == PORTKEY_TIERS) {
				import_note(k->im, n, "a model has up to 8 fallbacks");
				continue;
			}
			k->tier = k->tiers++;
			k->names[k->tier] = import_text(k->im, "fallback-%zu", k->tier);
		}
		rc = portkey_walk(k, n, *given, n == targets->first ? weight : MONEY_ONE, e);
		k->tier = tier;
	}
	return rc;
}

/* portkey_conditional: only the default is asked. */
static enum errc portkey_conditional(struct portkey *k, const struct config_node *strategy,
				     const struct config_node   *targets,
				     const struct portkey_given *given, int64_t weight,
				     struct err *e)
{
	const struct config_node *by_default = config_file_find(strategy, "default");
	enum errc                 rc = ERR_OK;

	for (const struct config_node *n = targets->first; n && rc == ERR_OK; n = n->next) {
		const struct config_node *name =
			n->kind == CONFIG_MAP ? config_file_find(n, "name") : NULL;

		if (by_default && name && str_eq(name->text, by_default->text))
			rc = portkey_walk(k, n, *given, weight, e);
		else
			import_note(
				k->im, n,
				"only the default is asked: write a model for this one, and let clients name it");
	}
	return rc;
}

static const char *portkey_mode(const struct config_node *strategy)
{
	const struct config_node *mode = strategy && strategy->kind == CONFIG_MAP
						 ? config_file_find(strategy, "mode")
						 : NULL;

	return portkey_text(mode) ? mode->text.p : "";
}

/* portkey_strategy: notes what the strategy has besides its mode. */
static void portkey_strategy(struct import *im, const struct config_node *strategy)
{
	static const struct import_member rows[] = {
		{ "mode", IMPORT_SILENT, 0, NULL },
		{ "default", IMPORT_SILENT, 0, NULL },
		{ "conditions", IMPORT_NOTE, 0,
		  "Parley knows no conditions: clients name a model, and keys and groups allow it" },
		{ "on_status_codes", IMPORT_NOTE, 0,
		  "which failures lead to a fallback is fixed: docs/providers.md" },
	};
	static const struct import_members t = { rows, ARRAY_LEN(rows), false };

	if (strategy)
		import_read(im, strategy, &t, NULL);
}

static enum errc portkey_targets(struct portkey *k, const struct config_node *n,
				 const struct portkey_node *t, const struct portkey_given *given,
				 int64_t weight, struct err *e)
{
	const char *mode = portkey_mode(t->strategy);
	enum errc   rc = import_list(k->im, t->targets, e);

	if (rc == ERR_OK && t->strategy)
		rc = import_map(k->im, t->strategy, e);
	if (rc != ERR_OK)
		return rc;
	portkey_strategy(k->im, t->strategy);
	if (t->targets->count == 0) {
		import_note(k->im, t->targets, "has no target");
		return ERR_OK;
	}
	if (strcmp(mode, "loadbalance") == 0)
		return portkey_balance(k, t->targets, given, weight, e);
	if (strcmp(mode, "fallback") == 0)
		return portkey_fall(k, t->targets, given, weight, e);
	if (strcmp(mode, "conditional") == 0)
		return portkey_conditional(k, t->strategy, t->targets, given, weight, e);
	if (strcmp(mode, "single") != 0 && mode[0])
		return import_fail(k->im, t->strategy,
				   "its mode is one of single, loadbalance, fallback, conditional",
				   e);
	for (const struct config_node *other = t->targets->first->next; other; other = other->next)
		import_note(k->im, other, "only the first target is asked");
	(void)n;
	return portkey_walk(k, t->targets->first, *given, weight, e);
}

static enum errc portkey_walk(struct portkey *k, const struct config_node *n,
			      struct portkey_given given, int64_t weight, struct err *e)
{
	static const struct import_members rows = { portkey_rows, ARRAY_LEN(portkey_rows), false };
	struct portkey_node                t = { .weight = 0 };
	enum errc                          rc = import_map(k->im, n, e);

	if (rc != ERR_OK)
		return rc;
	import_read(k->im, n, &rows, &t);
	portkey_params(k->im, &t, &given);
	portkey_retry(k->im, t.retry, &given);
	portkey_cache(k->im, t.cache, &given);
	given.timeout_us = t.timeout_us > 0 ? t.timeout_us : given.timeout_us;
	if (t.targets)
		return portkey_targets(k, n, &t, &given, weight, e);
	portkey_leaf(k, n, &t, &given, weight);
	return ERR_OK;
}

/* --- integrations --- */

struct portkey_integration {
	const struct config_node *provider, *slug, *credentials, *models;
};

static void portkey_integration(struct import *im, const struct config_node *n)
{
#define AT(m) offsetof(struct portkey_integration, m)
	static const struct import_member rows[] = {
		{ "provider", IMPORT_NODE, AT(provider), NULL },
		{ "slug", IMPORT_NODE, AT(slug), NULL },
		{ "credentials", IMPORT_NODE, AT(credentials), NULL },
		{ "models", IMPORT_NODE, AT(models), NULL },
		{ "rate_limits", IMPORT_NOTE, 0,
		  "Parley limits callers, not providers: docs/operations.md#limits-of-callers" },
		{ "name", IMPORT_SILENT, 0, NULL },
	};
#undef AT
	static const struct import_members t = { rows, ARRAY_LEN(rows), false };
	const struct portkey_given         given = { .retries = -1 };
	struct portkey_integration         i = { .provider = NULL };
	struct portkey_node                target = { .weight = 0 };
	struct import_model               *m = NULL;
	const char                        *model = NULL;

	import_read(im, n, &t, &i);
	if (!portkey_text(i.slug) || !portkey_text(i.provider)) {
		import_note(im, n, "needs provider and slug");
		return;
	}
	target.provider = i.provider;
	target.key = i.credentials && i.credentials->kind == CONFIG_MAP
			     ? config_file_find(i.credentials, "apiKey")
			     : NULL;
	target.host = i.credentials && i.credentials->kind == CONFIG_MAP
			      ? config_file_find(i.credentials, "customHost")
			      : NULL;
	struct import_provider *p = portkey_provider(im, &target, &given, n, &model);
	if (!p)
		return;
	if (!i.models || i.models->kind != CONFIG_SEQUENCE || i.models->count == 0) {
		import_target_add(im, import_text(im, "@%s/*", i.slug->text.p), p, NULL, i.slug,
				  &m);
		return;
	}
	for (const struct config_node *k = i.models->first; k; k = k->next) {
		const struct config_node *slug =
			k->kind == CONFIG_MAP ? config_file_find(k, "slug") : k;
		const struct config_node *status =
			k->kind == CONFIG_MAP ? config_file_find(k, "status") : NULL;
		const struct config_node *price =
			k->kind == CONFIG_MAP ? config_file_find(k, "pricing_config") : NULL;

		if (!portkey_text(slug))
			import_note(im, k, "needs a slug");
		else if (status && !str_is(status->text, "active"))
			import_note(im, k, "is not active");
		else
			import_target_add(im,
					  import_text(im, "@%s/%s", i.slug->text.p, slug->text.p),
					  p, slug->text.p, slug, &m);
		if (price && !import_is_null(price))
			import_note(im, price,
				    "write the model's price: docs/operations.md#prices");
	}
}

/* --- the file --- */

static enum errc portkey_file(struct import *im, const struct config_node *root, struct err *e)
{
	static const struct import_members t = { portkey_file_rows, ARRAY_LEN(portkey_file_rows),
						 false };
	const struct config_node          *list = config_file_find(root, "integrations");
	enum errc                          rc = list ? import_list(im, list, e) : ERR_OK;

	import_read(im, root, &t, NULL);
	for (const struct config_node *n = list && rc == ERR_OK ? list->first : NULL;
	     n && rc == ERR_OK; n = n->next) {
		rc = import_map(im, n, e);
		if (rc == ERR_OK)
			portkey_integration(im, n);
	}
	return rc;
}

enum errc import_portkey(struct import *im, const struct config_node *root, struct err *e)
{
	const struct config_node *inner = config_file_find(root, "config");
	struct portkey            k = { .im = im, .tiers = 1, .names = { "*" } };
	struct portkey_given      given = { .retries = -1 };
	struct import_model      *first;

	if (config_file_find(root, "integrations") || config_file_find(root, "plugins_enabled"))
		return portkey_file(im, root, e);
	enum errc rc = portkey_walk(&k, inner && inner->kind == CONFIG_MAP ? inner : root, given,
				    MONEY_ONE, e);
	import_targets_drop(im);
	first = import_model_find(im, "*");
	for (size_t i = 1; i < k.tiers && rc == ERR_OK && first; i++)
		if (import_model_find(im, k.names[i]))
			import_fallback_add(im, first, k.names[i], first->node);
	return rc;
}
