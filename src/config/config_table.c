/* Reads the tables of the configuration: providers, models, keys, limits. */
#include "config/internal.h"

#include "base/limits.h"
#include "config/config.h"

#include <stdlib.h>

#define SECOND_US 1000000
#define MINUTE_US (60 * (int64_t)SECOND_US)
#define DAY_US    (24 * 60 * MINUTE_US)

const char *const config_table_names[] = { "providers", "models", "api_keys", "limits",
					   "runner",    "hooks",  "tokens",   NULL };

#define AT(m) offsetof(struct provider_options, m)
/* clang-format off */
static const struct config_field provider_fields[] = {
	{ "name",             { CONFIG_STRING, 1, 63, "" },                AT(name) },
	{ "dialect",          { CONFIG_STRING, 1, 63, "" },                AT(dialect) },
	{ "hosting",          { CONFIG_CHOICE, 1, 64, "bedrock,vertex" },  AT(hosting) },
	{ "base_url",         { CONFIG_STRING, 1, 2048, "" },              AT(base_url) },
	{ "key_header",       { CONFIG_STRING, 1, 128, "" },               AT(key_header) },
	{ "key_scheme",       { CONFIG_CHOICE, 1, 64, "bearer,plain" },    AT(key_scheme) },
	{ "query",            { CONFIG_STRING, 1, 2048, "" },              AT(query) },
	{ "ca_file",          { CONFIG_STRING, 1, 4096, "" },              AT(ca_file) },
	{ "proxy",            { CONFIG_STRING, 1, 2048, "" },              AT(proxy) },
	{ "http2",            { CONFIG_CHOICE, 1, 64, "auto,off" },        AT(http2) },
	{ "max_tokens_field", { CONFIG_CHOICE, 1, 64, "max_tokens,max_completion_tokens" },
	                                                                   AT(max_tokens_field) },
	{ "system_messages",  { CONFIG_CHOICE, 1, 64, "auto,keep,one" },   AT(system_messages) },
	{ "forward_store",    { CONFIG_BOOL, 0, 0, "" },                   AT(forward_store) },
	{ "propagate_trace",  { CONFIG_BOOL, 0, 0, "" },                   AT(propagate_trace) },
	{ "completions",      { CONFIG_BOOL, 0, 0, "" },                   AT(completions) },
	{ "stream_usage",     { CONFIG_BOOL, 0, 0, "" },                   AT(stream_usage) },
	{ "truncate",         { CONFIG_BOOL, 0, 0, "" },                   AT(truncate) },
	{ "retries",          { CONFIG_INT, 0, 10, "" },                   AT(retries) },
};
static const struct config_field echo_fields[] = {
	{ "reply",            { CONFIG_TEXT, 0, LIMIT_CONFIG_VALUE, "" },  AT(reply) },
	{ "piece",            { CONFIG_INT, 0, MIB, "" },                  AT(piece) },
	{ "delay",            { CONFIG_DURATION, 0, 60 * MINUTE_US, "" },  AT(delay_us) },
	{ "error_at",         { CONFIG_INT, 0, 1000000000, "" },           AT(error_at) },
};
static const struct config_field timeout_fields[] = {
	{ "connect",          { CONFIG_DURATION, 1000, DAY_US, "" },       AT(connect_us) },
	{ "first_byte",       { CONFIG_DURATION, 1000, DAY_US, "" },       AT(first_byte_us) },
	{ "idle",             { CONFIG_DURATION, 1000, DAY_US, "" },       AT(idle_us) },
	{ "total",            { CONFIG_DURATION, 1000, DAY_US, "" },       AT(total_us) },
};
static const struct config_field health_fields[] = {
	{ "failures",         { CONFIG_INT, 0, 1000, "" },                 AT(health.failures) },
	{ "window",           { CONFIG_DURATION, 1000, DAY_US, "" },       AT(health.window_us) },
	{ "pause",            { CONFIG_DURATION, 1000, DAY_US, "" },       AT(health.pause_us) },
	{ "cooling",          { CONFIG_DURATION, 0, DAY_US, "" },          AT(health.cooling_us) },
	{ "dead_key",         { CONFIG_DURATION, 0, DAY_US, "" },          AT(health.dead_us) },
};
/* clang-format on */
#undef AT
#define AT(m) offsetof(struct target_options, m)
/* clang-format off */
static const struct config_field target_fields[] = {
	{ "provider",         { CONFIG_STRING, 1, 63, "" },                AT(provider) },
	{ "upstream_model",   { CONFIG_STRING, 1, LIMIT_MODEL, "" },       AT(upstream_model) },
	{ "weight",           { CONFIG_INT, 1, 1000, "" },                 AT(weight) },
};
/* clang-format on */
#undef AT
#define AT(m) offsetof(struct model_options, m)
/* clang-format off */
static const struct config_field model_fields[] = {
	{ "name",             { CONFIG_STRING, 1, LIMIT_MODEL, "" },       AT(name) },
	{ "provider",         { CONFIG_STRING, 1, 63, "" },                AT(provider) },
	{ "upstream_model",   { CONFIG_STRING, 1, LIMIT_MODEL, "" },       AT(upstream_model) },
	{ "images",           { CONFIG_BOOL, 0, 0, "" },                   AT(images) },
	{ "audio",            { CONFIG_BOOL, 0, 0, "" },                   AT(audio) },
	{ "pdf",              { CONFIG_BOOL, 0, 0, "" },                   AT(pdf) },
	{ "reasons",          { CONFIG_BOOL, 0, 0, "" },                   AT(reasons) },
	{ "no_sampling",      { CONFIG_BOOL, 0, 0, "" },                   AT(no_sampling) },
	{ "max_output",       { CONFIG_INT, 1, PRICE_TOKENS / 10, "" },    AT(max_output) },
	{ "affinity",         { CONFIG_CHOICE, 1, 64, "session,off" },     AT(affinity) },
	{ "prompt_cache",     { CONFIG_CHOICE, 1, 64, "auto,off" },        AT(prompt_cache) },
	{ "prefill",          { CONFIG_BOOL, 0, 0, "" },                   AT(prefill) },
	{ "context_window",   { CONFIG_INT, 1, PRICE_TOKENS * 1000, "" },  AT(context_window) },
	{ "display_name",     { CONFIG_STRING, 1, LIMIT_MODEL, "" },       AT(display_name) },
	{ "tools",            { CONFIG_BOOL, 0, 0, "" },                   AT(tools) },
};
static const struct config_field cache_fields[] = {
	{ "ttl",              { CONFIG_DURATION, SECOND_US, 30 * DAY_US, "" }, AT(cache_ttl_us) },
};
/* clang-format on */
#undef AT

#define AT(m) offsetof(struct allowance, m)
static const struct config_field limit_fields[] = {
	{ "concurrent", { CONFIG_INT, 1, LIMIT_CONCURRENT, "" }, AT(concurrent) },
	{ "max_body", { CONFIG_SIZE, 1, LIMIT_BODY_MAX, "" }, AT(max_body) },
};
#undef AT

/* All keys of a row, for hints about typing errors. */
static const char *const provider_keys[] = {
	"name",
	"dialect",
	"hosting",
	"base_url",
	"api_key_env",
	"api_key_file",
	"api_key_credential",
	"api_keys",
	"key_header",
	"key_scheme",
	"auth",
	"headers",
	"query",
	"ca_file",
	"http2",
	"proxy",
	"timeouts",
	"retries",
	"health",
	"max_tokens_field",
	"forward_store",
	"completions",
	"stream_usage",
	"propagate_trace",
	"system_messages",
	"truncate",
	"reply",
	"piece",
	"delay",
	"error_at",
};
static const char *const model_keys[] = {
	"name",           "provider",     "upstream_model", "targets",    "fallback", "images",
	"audio",          "pdf",          "price",          "max_output", "reasons",  "no_sampling",
	"affinity",       "prompt_cache", "resume",         "prefill",    "cache",    "defaults",
	"context_window", "display_name", "tools",
};
static const char *const limit_keys[] = { "requests", "tokens", "concurrent", "max_body" };
static const char *const rate_keys[] = { "count", "window" };
static const char *const secret_keys[] = { "env", "file", "credential" };

/* --- secrets --- */

enum errc config_table_secret(struct config *c, enum config_secret_kind kind,
			      const struct config_node *n, const char **ret, struct err *e)
{
	struct config_place at = config_memory_node(c, n);
	char               *secret;
	enum errc           rc = config_row_value(c, n, e);

	if (rc == ERR_OK && !c->memory->needs_secrets) {
		*ret = "not read";
		return ERR_OK;
	}
	if (rc == ERR_OK && kind == CONFIG_SECRET_FILE)
		rc = config_memory_secret_file(c, n->text.p, e);
	if (rc == ERR_OK)
		rc = config_secret_read(kind, n->text.p, &at, &secret, e);
	return rc == ERR_OK ? config_memory_secret_take(c, secret, ret, e) : rc;
}

/* {env: NAME}, {file: PATH} or {credential: NAME} */
static enum errc read_secret_map(struct config *c, const struct config_node *map, const char **ret,
				 struct err *e)
{
	if (map->count != 1)
		return config_row_fail(c, map, "needs exactly one of env, file, credential", e);
	for (size_t k = 0; k < ARRAY_LEN(secret_keys); k++)
		if (strcmp(map->first->key, secret_keys[k]) == 0)
			return config_table_secret(c, (enum config_secret_kind)k, map->first, ret,
						   e);
	return config_row_unknown(c, map->first, secret_keys, ARRAY_LEN(secret_keys), e);
}

/* --- providers --- */

static void provider_defaults(struct provider_options *p)
{
	*p = (struct provider_options){
		.stream_usage = true,
		.connect_us = 5 * SECOND_US,
		.first_byte_us = 5 * MINUTE_US,
		.idle_us = 5 * MINUTE_US,
		.total_us = 30 * MINUTE_US,
		.first_byte_plain_us = 30 * MINUTE_US,
		.retries = 2,
		.health = { .failures = 5,
			    .window_us = 30 * SECOND_US,
			    .pause_us = 10 * SECOND_US,
			    .cooling_us = 5 * SECOND_US,
			    .dead_us = MINUTE_US },
	};
}

/* A dialect refuses what it can't express, so every kind of content is allowed here. */
static void model_defaults(const struct config *c, struct model_options *m)
{
	*m = (struct model_options){ .images = true,
				     .audio = true,
				     .pdf = true,
				     .tools = true,
				     .prices = c->memory->prices,
				     .no_table = !c->price_table };
}

static enum errc read_timeouts(struct config *c, const struct config_node *map,
			       struct provider_options *p, struct err *e)
{
	static const struct config_row timeouts = { timeout_fields, ARRAY_LEN(timeout_fields),
						    NULL };
	enum errc                      rc = config_row_read(c, map, &timeouts, p, e);

	if (rc != ERR_OK)
		return rc;
	/* The first byte of a plain call comes with the whole answer, so its time limit is the
	 * total one by default. */
	p->first_byte_plain_us =
		config_file_find(map, "first_byte") ? p->first_byte_us : p->total_us;
	return ERR_OK;
}

static enum errc read_headers(struct config *c, const struct config_node *map,
			      struct provider_options *p, struct err *e)
{
	enum errc rc = config_row_kind(c, map, CONFIG_MAP, e);

	if (rc != ERR_OK)
		return rc;
	if (map->count > LIMIT_HEADERS)
		return config_row_fail(c, map, "too many headers; at most 100", e);

	struct provider_header *headers = config_memory_alloc(c, map->count * sizeof *headers, e);
	if (!headers)
		return ERR_INTERNAL;
	for (const struct config_node *n = map->first; n; n = n->next) {
		static const struct config_rule value = { CONFIG_STRING, 1, LIMIT_SECRET, "" };
		struct config_place             at = config_memory_node(c, n);
		struct provider_header         *h = &headers[n->index];

		h->name = n->key;
		h->secret = n->kind == CONFIG_MAP;
		if (h->secret)
			rc = read_secret_map(c, n, &h->value, e);
		else if ((rc = config_row_value(c, n, e)) == ERR_OK)
			rc = config_value_read(&value, n->text, &c->memory->arena, &at, &h->value,
					       e);
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
		h->value = h->value ? h->value : "wrong"; /* so that the rest is checked too */
	}
	p->headers = headers;
	p->header_count = map->count;
	return ERR_OK;
}

/* [{env: NAME}, {file: PATH}, …] */
static enum errc read_key_list(struct config *c, const struct config_node *list,
			       struct provider_options *p, struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	if (rc != ERR_OK)
		return rc;
	if (p->key)
		return config_row_fail(c, list, "a second key; all keys stand in api_keys", e);
	if (list->count < 1 || list->count > LIMIT_KEYS)
		return config_row_fail(c, list, "a provider has 1 to 16 keys", e);

	const char **keys = config_memory_alloc(c, list->count * sizeof *keys, e);
	if (!keys)
		return ERR_INTERNAL;
	for (const struct config_node *n = list->first; n; n = n->next) {
		rc = config_row_kind(c, n, CONFIG_MAP, e);
		if (rc == ERR_OK)
			rc = read_secret_map(c, n, &keys[n->index], e);
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
		keys[n->index] = keys[n->index] ? keys[n->index] : "wrong";
		for (size_t i = 0; c->memory->needs_secrets && i < n->index; i++)
			if (strcmp(keys[i], keys[n->index]) == 0)
				return config_row_fail(c, n, "the same key a second time", e);
	}
	p->key = keys[0];
	p->keys = keys;
	p->key_count = list->count;
	return ERR_OK;
}

/* The keys of a provider whose value is a list or a map. */
static enum errc read_provider_special(struct config *c, const struct config_node *n, void *row,
				       struct err *e)
{
	static const char *const forms[] = { "api_key_env", "api_key_file", "api_key_credential" };
	static const struct config_row health = { health_fields, ARRAY_LEN(health_fields), NULL };
	struct provider_options       *p = row;
	bool                           known;
	enum errc rc = config_row_field(c, n, echo_fields, ARRAY_LEN(echo_fields), p, &known, e);

	if (rc != ERR_OK || known)
		return rc;
	for (size_t k = 0; k < ARRAY_LEN(forms); k++) {
		if (strcmp(n->key, forms[k]) != 0)
			continue;
		if (p->key)
			return config_row_fail(
				c, n,
				"a second key; give one of api_key_env, api_key_file, "
				"api_key_credential",
				e);
		return config_table_secret(c, (enum config_secret_kind)k, n, &p->key, e);
	}
	if (strcmp(n->key, "api_key") == 0 || strcmp(n->key, "key") == 0)
		return config_row_fail(
			c, n,
			"keys do not belong into this file; use api_key_env, api_key_file, "
			"api_key_credential or api_keys",
			e);
	if (strcmp(n->key, "api_keys") == 0)
		return read_key_list(c, n, p, e);
	if (strcmp(n->key, "auth") == 0)
		return config_auth_read(c, n, &p->auth, e);
	if (strcmp(n->key, "headers") == 0)
		return read_headers(c, n, p, e);
	if (strcmp(n->key, "timeouts") == 0)
		return read_timeouts(c, n, p, e);
	if (strcmp(n->key, "health") == 0)
		return config_row_read(c, n, &health, p, e);
	return config_row_unknown(c, n, provider_keys, ARRAY_LEN(provider_keys), e);
}

/* table_need: the key has no good value; where it has a wrong one, that was said already. */
static enum errc table_need(const struct config *c, const struct config_node *map, const char *key,
			    const char *what, struct err *e)
{
	return config_file_find(map, key) ? ERR_OK : config_row_fail(c, map, what, e);
}

static enum errc check_provider(struct config *c, const struct config_node *map,
				const struct provider_options *p, struct err *e)
{
	if (!p->name)
		return table_need(c, map, "name", "a provider needs a name", e);
	if (!p->dialect)
		return table_need(c, map, "dialect", "a provider needs a dialect, as openai", e);

	bool echo = strcmp(p->dialect, "echo") == 0;

	if (!echo && !p->base_url)
		return table_need(c, map, "base_url",
				  "a provider needs a base_url, as http://127.0.0.1:9000/v1", e);
	for (const struct config_node *n = map->first; n; n = n->next) {
		bool echo_key = false;

		for (size_t i = 0; i < ARRAY_LEN(echo_fields); i++)
			echo_key = echo_key || strcmp(n->key, echo_fields[i].name) == 0;
		if (echo_key && !echo)
			return config_row_fail(c, n, "only the echo dialect has this", e);
		if (!echo_key && echo && strcmp(n->key, "name") != 0 &&
		    strcmp(n->key, "dialect") != 0)
			return config_row_fail(
				c, n,
				"the echo dialect has no network; it takes reply, piece, "
				"delay and error_at",
				e);
	}
	for (size_t i = 0; i < c->provider_count; i++) {
		if (strcmp(c->providers[i].name, p->name) == 0)
			return config_row_fail(c, map, "a second provider of this name", e);
	}
	return ERR_OK;
}

static enum errc read_provider(struct config *c, const struct config_node *map,
			       struct provider_options *p, struct err *e)
{
	static const struct config_row provider = { provider_fields, ARRAY_LEN(provider_fields),
						    read_provider_special };

	provider_defaults(p);
	enum errc rc = config_row_read(c, map, &provider, p, e);
	return rc == ERR_OK ? check_provider(c, map, p, e) : rc;
}

static const struct provider_options *find_provider(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->provider_count; i++)
		if (strcmp(c->providers[i].name, name) == 0)
			return &c->providers[i];
	return NULL;
}

static bool config_table_has_model(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->model_count; i++)
		if (strcmp(c->models[i].name, name) == 0)
			return true;
	return false;
}

/* PARLEY_UPSTREAM_URL and PARLEY_UPSTREAM_KEY: a provider for every model name. */
static enum errc add_environment_provider(struct config *c, struct err *e)
{
	static const struct config_rule rule = { CONFIG_STRING, 1, 2048, "" };
	const char                     *key =
                c->memory->needs_secrets ? config_secret_env("PARLEY_UPSTREAM_KEY") : NULL;
	const char              *url = getenv("PARLEY_UPSTREAM_URL");
	struct config_place      at = { CONFIG_FROM_ENVIRONMENT, .name = "upstream_url" };
	struct provider_options *p = &c->providers[c->provider_count];

	if (!url || !*url)
		return ERR_OK;
	if (find_provider(c, "upstream") || config_table_has_model(c, "*"))
		return config_place_fail(&at, e,
					 "makes a provider named upstream and a model named "
					 "*, and the file has one of them too");

	provider_defaults(p);
	p->name = "upstream";
	p->dialect = "openai";
	enum errc rc =
		config_value_read(&rule, str_of(url), &c->memory->arena, &at, &p->base_url, e);
	if (rc == ERR_OK && key) {
		char *secret;

		at.name = "upstream_key";
		rc = config_secret_read(CONFIG_SECRET_ENV, "PARLEY_UPSTREAM_KEY", &at, &secret, e);
		if (rc == ERR_OK)
			rc = config_memory_secret_take(c, secret, &p->key, e);
	}
	if (rc != ERR_OK)
		return rc;
	c->provider_count++;
	model_defaults(c, &c->models[c->model_count]);
	c->models[c->model_count].name = "*";
	c->models[c->model_count++].provider = "upstream";
	return ERR_OK;
}

/* table_row_lost: a row without a name can't be looked for by it. */
static bool table_row_lost(const struct config *c, const char *name)
{
	if (!name)
		c->memory->mistakes.rows_lost = true;
	return !name;
}

static enum errc load_providers(struct config *c, const struct config_node *table, struct err *e)
{
	/* two more: echo, and the provider of the environment */
	size_t room = (table ? table->count : 0) + 2;

	c->providers = config_memory_alloc(c, room * sizeof *c->providers, e);
	if (!c->providers)
		return ERR_INTERNAL;
	c->memory->provider_node = config_memory_alloc(c, room * sizeof(struct config_node *), e);
	if (!c->memory->provider_node)
		return ERR_INTERNAL;
	c->memory->provider_wrong = config_memory_alloc(c, room * sizeof(bool), e);
	if (!c->memory->provider_wrong)
		return ERR_INTERNAL;
	for (const struct config_node *n = table ? table->first : NULL; n; n = n->next) {
		struct provider_options *p = &c->providers[c->provider_count];
		size_t                   before = c->memory->mistakes.count;
		enum errc                rc = config_memory_note(c, read_provider(c, n, p, e), e);

		if (rc != ERR_OK)
			return rc;
		if (table_row_lost(c, p->name))
			continue;
		c->memory->provider_wrong[c->provider_count] = c->memory->mistakes.count > before;
		c->memory->provider_node[c->provider_count++] = n;
	}
	if (!find_provider(c, "echo")) {
		struct provider_options *p = &c->providers[c->provider_count++];

		c->echo_providers = 1;
		provider_defaults(p);
		p->name = "echo";
		p->dialect = "echo";
	}
	return ERR_OK;
}

/* --- models --- */

static enum errc read_fallback(struct config *c, const struct config_node *list,
			       struct model_options *m, struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	if (rc == ERR_OK && list->count > LIMIT_FALLBACKS)
		rc = config_row_fail(c, list, "too many fallbacks; at most 8", e);
	if (rc == ERR_OK)
		rc = config_row_names(c, list, &m->fallback, e);
	m->fallback_count = rc == ERR_OK ? list->count : 0;
	return rc;
}

static enum errc read_resume_word(struct config *c, const struct config_node *n, const char *words,
				  unsigned *bits, struct err *e)
{
	const struct config_rule rule = { CONFIG_CHOICE, 1, 64, words };
	struct config_place      at = config_memory_node(c, n);
	const char              *word = NULL;
	enum errc                rc = config_row_value(c, n, e);

	if (rc == ERR_OK)
		rc = config_value_read(&rule, n->text, &c->memory->arena, &at, &word, e);
	if (rc == ERR_OK && strcmp(word, "off") != 0)
		*bits |=
			strcmp(word, "restart") == 0 ? MODEL_RESUME_RESTART : MODEL_RESUME_FALLBACK;
	return rc;
}

/* read_resume: one word, or a list of those that are not `off`. */
static enum errc read_resume(struct config *c, const struct config_node *n, unsigned *ret,
			     struct err *e)
{
	enum errc rc = ERR_OK;

	*ret = 0;
	if (n->kind != CONFIG_SEQUENCE)
		return read_resume_word(c, n, "fallback,restart,off", ret, e);
	for (const struct config_node *i = n->first; i && rc == ERR_OK; i = i->next)
		rc = read_resume_word(c, i, "fallback,restart", ret, e);
	return rc;
}

static enum errc need_provider(const struct config *c, const struct config_node *map,
			       const char *name, struct err *e)
{
	struct config_place at = config_memory_node(c, config_file_find(map, "provider"));

	if (find_provider(c, name) || c->memory->mistakes.rows_lost)
		return ERR_OK;
	return config_place_fail(&at, e,
				 "there is no provider '%s'; it has to stand under "
				 "providers (echo is built in)",
				 name);
}

static enum errc read_target(struct config *c, const struct config_node *map,
			     struct target_options *t, struct err *e)
{
	static const struct config_row target = { target_fields, ARRAY_LEN(target_fields), NULL };

	t->weight = 1;
	enum errc rc = config_row_read(c, map, &target, t, e);
	if (rc == ERR_OK && !t->provider)
		return table_need(c, map, "provider", "a target needs a provider", e);
	return rc == ERR_OK ? need_provider(c, map, t->provider, e) : rc;
}

static enum errc read_targets(struct config *c, const struct config_node *list,
			      struct model_options *m, struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	if (rc != ERR_OK)
		return rc;
	if (list->count < 1 || list->count > LIMIT_TARGETS)
		return config_row_fail(c, list, "a model has 1 to 16 targets", e);

	struct target_options *targets = config_memory_alloc(c, list->count * sizeof *targets, e);
	if (!targets)
		return ERR_INTERNAL;
	for (const struct config_node *n = list->first; n && rc == ERR_OK; n = n->next)
		rc = config_memory_note(c, read_target(c, n, &targets[n->index], e), e);
	m->targets = targets;
	m->target_count = list->count;
	return rc;
}

/* {ttl: 10m} */
static enum errc read_cache(struct config *c, const struct config_node *map,
			    struct model_options *m, struct err *e)
{
	static const struct config_row cache = { cache_fields, ARRAY_LEN(cache_fields), NULL };
	enum errc                      rc = config_row_read(c, map, &cache, m, e);

	if (rc == ERR_OK && m->cache_ttl_us == 0)
		return table_need(c, map, "ttl", "a cache needs a ttl, as {ttl: 10m}", e);
	return rc;
}

/* The keys of a model whose value is a list or a map. */
static enum errc read_model_special(struct config *c, const struct config_node *n, void *row,
				    struct err *e)
{
	struct model_options *m = row;

	if (strcmp(n->key, "fallback") == 0)
		return read_fallback(c, n, m, e);
	if (strcmp(n->key, "resume") == 0)
		return read_resume(c, n, &m->resume, e);
	if (strcmp(n->key, "targets") == 0)
		return read_targets(c, n, m, e);
	if (strcmp(n->key, "price") == 0)
		return config_price_read(c, n, &m->price, e);
	if (strcmp(n->key, "cache") == 0)
		return read_cache(c, n, m, e);
	if (strcmp(n->key, "defaults") == 0)
		return config_defaults_read(c, n, &m->defaults, e);
	return config_row_unknown(c, n, model_keys, ARRAY_LEN(model_keys), e);
}

static enum errc config_table_check_model(struct config *c, const struct config_node *map,
					  const struct model_options *m, struct err *e)
{
	if (!m->name)
		return table_need(c, map, "name", "a model needs a name", e);
	if (m->target_count > 0 && (m->provider || m->upstream_model))
		return config_row_fail(
			c, map, "a model has targets, or a provider and upstream_model, not both",
			e);
	if (!m->provider && m->target_count == 0)
		return config_file_find(map, "targets")
			       ? ERR_OK
			       : table_need(c, map, "provider",
					    "a model needs a provider, or targets", e);

	const char *star = strchr(m->name, '*');
	if (star && star[1])
		return config_row_fail(c, config_file_find(map, "name"),
				       "a * may only stand at the end", e);
	if (config_table_has_model(c, m->name))
		return config_row_fail(c, config_file_find(map, "name"),
				       "a second model of this name", e);
	return m->provider ? need_provider(c, map, m->provider, e) : ERR_OK;
}

static enum errc read_model(struct config *c, const struct config_node *map,
			    struct model_options *m, struct err *e)
{
	static const struct config_row model = { model_fields, ARRAY_LEN(model_fields),
						 read_model_special };

	model_defaults(c, m);
	enum errc rc = config_row_read(c, map, &model, m, e);
	return rc == ERR_OK ? config_table_check_model(c, map, m, e) : rc;
}

static enum errc load_models(struct config *c, const struct config_node *table, struct err *e)
{
	size_t room = (table ? table->count : 0) + 2;

	c->models = config_memory_alloc(c, room * sizeof *c->models, e);
	if (!c->models)
		return ERR_INTERNAL;
	c->memory->model_node = config_memory_alloc(c, room * sizeof(struct config_node *), e);
	if (!c->memory->model_node)
		return ERR_INTERNAL;
	for (const struct config_node *n = table ? table->first : NULL; n; n = n->next) {
		struct model_options *m = &c->models[c->model_count];
		enum errc             rc = config_memory_note(c, read_model(c, n, m, e), e);

		if (rc != ERR_OK)
			return rc;
		if (!table_row_lost(c, m->name))
			c->memory->model_node[c->model_count++] = n;
	}
	if (!config_table_has_model(c, "echo")) {
		struct model_options *m = &c->models[c->model_count++];

		c->echo_models = 1;
		model_defaults(c, m);
		m->name = "echo";
		m->provider = "echo";
	}
	return ERR_OK;
}

/* --- limits --- */

static enum errc config_table_read_rate(struct config *c, const struct config_node *map,
					int64_t *ret_count, int64_t *ret_us, struct err *e)
{
	static const struct config_rule count = { CONFIG_INT, 1, LIMIT_RATE_COUNT, "" };
	enum errc                       rc = config_row_kind(c, map, CONFIG_MAP, e);

	for (const struct config_node *n = rc == ERR_OK ? map->first : NULL; n && rc == ERR_OK;
	     n = n->next) {
		struct config_place at = config_memory_node(c, n);

		rc = config_row_value(c, n, e);
		if (rc == ERR_OK && strcmp(n->key, "count") == 0)
			rc = config_value_read(&count, n->text, NULL, &at, ret_count, e);
		else if (rc == ERR_OK && strcmp(n->key, "window") != 0)
			rc = config_row_unknown(c, n, rate_keys, ARRAY_LEN(rate_keys), e);
		else if (rc == ERR_OK && !allowance_read_time(n->text, ret_us))
			rc = config_row_fail(
				c, n, "must be a whole number with s, m, h or d, from 1s to 366d",
				e);
		rc = config_memory_note(c, rc, e);
	}
	if (rc == ERR_OK && (*ret_count == 0 || *ret_us == 0))
		return table_need(c, map, *ret_count == 0 ? "count" : "window",
				  "needs count and window, as {count: 60, window: 1m}", e);
	return rc;
}

static enum errc read_limit_special(struct config *c, const struct config_node *n, void *row,
				    struct err *e)
{
	struct allowance *a = row;

	if (strcmp(n->key, "requests") == 0)
		return config_table_read_rate(c, n, &a->requests, &a->requests_window_us, e);
	if (strcmp(n->key, "tokens") == 0)
		return config_table_read_rate(c, n, &a->tokens, &a->tokens_window_us, e);
	return config_row_unknown(c, n, limit_keys, ARRAY_LEN(limit_keys), e);
}

static enum errc load_limits(struct config *c, const struct config_node *map, struct err *e)
{
	static const struct config_row limits = { limit_fields, ARRAY_LEN(limit_fields),
						  read_limit_special };

	return map ? config_row_read(c, map, &limits, &c->limits, e) : ERR_OK;
}

/* --- api_keys --- */

static bool is_hash(struct str s)
{
	if (!str_starts(s, STR("sha256:")) || s.n != 7 + 64)
		return false;
	for (size_t i = 7; i < s.n; i++)
		if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
			return false;
	return true;
}

static enum errc config_table_add_key(struct config *c, const char *key,
				      const struct config_place *at, struct err *e)
{
	/* a mistyped hash must not become a password that is printed in a file */
	if (str_starts(str_of(key), STR("sha256:")) && !is_hash(str_of(key)))
		return config_place_fail(at, e, "a hash is sha256: and 64 lower-case hex digits");
	c->api_keys.items[c->api_keys.count++] = key;
	return ERR_OK;
}

static enum errc config_table_read_key(struct config *c, const struct config_node *n, struct err *e)
{
	struct config_place at = config_memory_node(c, n);
	const char         *key = NULL;

	if (n->kind == CONFIG_SCALAR && !is_hash(n->text))
		return config_row_fail(
			c, n,
			"a key's text does not belong into this file; allowed: "
			"sha256:<64 lower-case hex digits>, {env: NAME}, {file: PATH}, "
			"{credential: NAME}",
			e);
	if (n->kind == CONFIG_SCALAR)
		return config_table_add_key(c, n->text.p, &at, e);

	enum errc rc = config_row_kind(c, n, CONFIG_MAP, e);
	if (rc == ERR_OK)
		rc = read_secret_map(c, n, &key, e);
	return rc == ERR_OK ? config_table_add_key(c, key, &at, e) : rc;
}

static enum errc load_keys(struct config *c, const struct config_node *table, struct err *e)
{
	size_t              room = (table ? table->count : 0) + 1;
	struct config_place at = { CONFIG_FROM_ENVIRONMENT, .name = "api_key" };

	c->api_keys.items = config_memory_alloc(c, room * sizeof *c->api_keys.items, e);
	if (!c->api_keys.items)
		return ERR_INTERNAL;
	for (const struct config_node *n = table ? table->first : NULL; n; n = n->next) {
		enum errc rc = config_memory_note(c, config_table_read_key(c, n, e), e);

		if (rc != ERR_OK)
			return rc;
	}
	if (!c->memory->needs_secrets || !config_secret_env("PARLEY_API_KEY"))
		return ERR_OK;

	char       *secret;
	const char *key = NULL;
	enum errc   rc = config_secret_read(CONFIG_SECRET_ENV, "PARLEY_API_KEY", &at, &secret, e);
	if (rc == ERR_OK)
		rc = config_memory_secret_take(c, secret, &key, e);
	return rc == ERR_OK ? config_table_add_key(c, key, &at, e) : rc;
}

/* With a real provider, echo's answer would look like one of that provider. */
static void take_default_model(struct config *c)
{
	if (c->memory->source[CONFIG_OPTION_default_model] != CONFIG_FROM_DEFAULT)
		return;
	for (size_t i = 0; i < c->provider_count; i++)
		if (!c->providers[i].dialect || strcmp(c->providers[i].dialect, "echo") != 0)
			c->default_model = "";
}

enum errc config_table_load(struct config *c, const struct config_node *root, struct err *e)
{
	const struct config_node *limits = root ? config_file_find(root, "limits") : NULL;
	const struct config_node *runner = root ? config_file_find(root, "runner") : NULL;
	static const char *const lists[] = { "providers", "models", "api_keys", "hooks", "tokens" };
	const struct config_node *tables[ARRAY_LEN(lists)] = { NULL };
	enum errc                 rc;

	for (size_t i = 0; root && i < ARRAY_LEN(tables); i++) {
		const struct config_node *table = config_file_find(root, lists[i]);
		bool list = !table || config_row_kind(c, table, CONFIG_SEQUENCE, e) == ERR_OK;

		rc = list ? ERR_OK : config_memory_note(c, e->code, e);
		if (rc != ERR_OK)
			return rc;
		tables[i] = list ? table : NULL;
		c->memory->mistakes.rows_lost |= !list;
	}
	rc = config_memory_note(c, config_price_load(c, e), e);
	if (rc == ERR_OK)
		rc = load_providers(c, tables[0], e);
	if (rc == ERR_OK)
		rc = load_models(c, tables[1], e);
	if (rc == ERR_OK)
		rc = config_memory_note(c, add_environment_provider(c, e), e);
	take_default_model(c);
	if (rc == ERR_OK)
		rc = config_memory_note(c, load_keys(c, tables[2], e), e);
	if (rc == ERR_OK)
		rc = config_memory_note(c, load_limits(c, limits, e), e);
	if (rc == ERR_OK)
		rc = config_memory_note(c, config_runner_read(c, runner, e), e);
	if (rc == ERR_OK)
		rc = config_memory_note(c, config_hooks_read(c, tables[3], e), e);
	if (rc == ERR_OK)
		rc = config_memory_note(c, config_tokens_read(c, tables[4], e), e);
	return rc;
}
