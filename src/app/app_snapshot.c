/* Providers, models, keys and settings of one reading of the configuration. */
#include "app/internal.h"
#include "base/api_key.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/config.h"
#include "desk/ticket.h"
#include "guard/hook.h"
#include "provider/provider.h"
#include "store/key_ring.h"
#include "token/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hash_prefix[] = "sha256:";

struct app_snapshot {
	struct snapshot base;
	uint8_t (*keys)[HASH_BYTES]; /* owned; the hash of each key, never its text */
	struct identity **who;       /* owned; a reference for each key */
	size_t            key_count;
	char            **origins; /* owned */
	struct peer_net  *proxies; /* owned */
	struct arena      memory;  /* memory of base.about */
};

static void snapshot_destroy(struct snapshot *s)
{
	struct app_snapshot *a = container_of(s, struct app_snapshot, base);

	registry_destroy(s->registry);
	hooks_release(s->run.hooks);
	for (size_t i = 0; i < a->key_count; i++)
		identity_release(a->who[i]);
	free(a->who);
	tokens_release(a->base.tokens);
	free(a->keys);
	for (size_t i = 0; i < s->http.cors_count; i++)
		free(a->origins[i]);
	free(a->origins);
	free(a->proxies);
	arena_finish(&a->memory);
	free(a);
}

/* Keys of the configuration belong to programs, so none of them may create further keys. */
static struct identity *make_identity(const uint8_t hash[HASH_BYTES], size_t i)
{
	char     id[IDENTITY_ID_MAX];
	uint64_t owner = 0;

	for (size_t at = 0; at < sizeof owner; at++)
		owner = owner << 8 | hash[at];
	snprintf(id, sizeof id, "config:%zu", i + 1);
	return identity_create(&(struct identity_options){
		.id = str_of(id), .owner = (int64_t)(owner >> 1), .scopes = SCOPES_USUAL });
}

static enum errc make_keys(struct app_snapshot *a, const struct config *c, struct err *e)
{
	a->keys = calloc(c->api_keys.count ? c->api_keys.count : 1, HASH_BYTES);
	a->who = calloc(c->api_keys.count ? c->api_keys.count : 1, sizeof(struct identity *));
	if (!a->keys || !a->who)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	for (size_t i = 0; i < c->api_keys.count; i++) {
		const char *key = c->api_keys.items[i];
		size_t      n = sizeof hash_prefix - 1;

		if (strncmp(key, hash_prefix, n) != 0)
			hash_sha256(key, strlen(key), a->keys[i]);
		else if (!hash_unhex(key + n, strlen(key + n), a->keys[i], HASH_BYTES))
			return err_set(e, ERR_INVALID_VALUE, "api_keys",
				       "sha256: needs 64 lower-case hex digits behind it");
		a->who[i] = make_identity(a->keys[i], i);
		if (!a->who[i])
			return err_set(e, ERR_INTERNAL, "", "out of memory");
		a->key_count++;
	}
	return ERR_OK;
}

static enum errc make_origins(struct app_snapshot *a, const struct config *c, struct err *e)
{
	a->origins = calloc(c->cors_origins.count ? c->cors_origins.count : 1, sizeof *a->origins);
	if (!a->origins)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	for (size_t i = 0; i < c->cors_origins.count; i++) {
		a->origins[i] = strdup(c->cors_origins.items[i]);
		if (!a->origins[i])
			return err_set(e, ERR_INTERNAL, "", "out of memory");
		a->base.http.cors_count++;
	}
	a->base.http.cors_origins = (const char *const *)a->origins;
	return ERR_OK;
}

static enum errc make_proxies(struct app_snapshot *a, const struct config *c, struct err *e)
{
	size_t n = c->trusted_proxies.count;

	a->proxies = calloc(n ? n : 1, sizeof *a->proxies);
	if (!a->proxies)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	for (size_t i = 0; i < n; i++)
		if (!peer_net_parse(c->trusted_proxies.items[i], &a->proxies[i]))
			return err_set(e, ERR_INVALID_VALUE, "trusted_proxies", "not a network");
	a->base.http.proxies = a->proxies;
	a->base.http.proxy_count = n;
	return ERR_OK;
}

/* make_key_providers: a provider for each key of an entry. */
static enum errc make_key_providers(struct provider_options o, struct provider **list, size_t *n,
				    struct err *e)
{
	size_t    keys = o.key_count > 1 ? o.key_count : 1;
	enum errc rc = ERR_OK;

	for (size_t k = 0; rc == ERR_OK && k < keys; k++) {
		if (keys > 1) {
			o.key = o.keys[k];
			o.place = (unsigned)k + 1;
		}
		rc = provider_create(&o, &list[*n], e);
		*n += rc == ERR_OK;
	}
	return rc;
}

static enum errc make_registry(struct app_snapshot *a, const struct config *c, struct err *e)
{
	size_t room = 1, n = 0;
	for (size_t i = 0; i < c->provider_count; i++)
		room += c->providers[i].key_count > 1 ? c->providers[i].key_count : 1;

	struct provider **providers = calloc(room, sizeof(struct provider *));
	OWNED(mask) mask = NULL;
	enum errc rc = ERR_OK;

	if (!providers || !secrets_mask(c->providers, c->provider_count, &mask)) {
		free(providers);
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	}
	for (size_t i = 0; rc == ERR_OK && i < c->provider_count; i++) {
		struct provider_options o = c->providers[i];

		o.mask = mask;
		rc = make_key_providers(o, providers, &n, e);
	}
	if (rc == ERR_OK) {
		rc = registry_create_take(providers, n, c->models, c->model_count, c->default_model,
					  &a->base.registry, e);
	} else {
		for (size_t i = 0; i < n; i++)
			provider_destroy(providers[i]);
	}
	free(providers);
	return rc;
}

/* warn_of_keys: a file may have lost its last key, on purpose or by mistake: no token is taken then. */
static void warn_of_keys(const struct tokens *t)
{
	struct token_source x;

	for (size_t i = 0; tokens_source(t, i, &x); i++) {
		struct jwks_set *set = jwks_now(x.keys, clock_mono_us());

		if (set && !jwks_set_mark(set, 0))
			log_note(LOG_WARN, "jwks",
				 "%s has no key for RS256 (2048 to 4096 bits), ES256 or EdDSA: its "
				 "tokens are refused",
				 x.issuer);
		jwks_set_release(set);
	}
}

enum errc app_snapshot_create(const struct config *c, const struct config *running,
			      struct snapshot **ret, struct err *e)
{
	struct app_snapshot *a = calloc(1, sizeof *a);
	enum errc            rc;

	if (!a)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	atomic_init(&a->base.refs, 1);
	a->base.destroy = snapshot_destroy;
	a->base.made_s = clock_wall_ms() / 1000;
	a->base.run.commit_after_us = c->commit_after;
	a->base.run.budget_reserve = c->budget_reserve;
	a->base.run.cache_keep_ms = c->cache_keep / 1000;
	a->base.run.cache_bytes = c->cache_size;
	a->base.run.log_content = c->log_content;
	a->base.run.strict = c->durability == 1; /* relaxed, strict */
	a->base.run.reasoning = (enum reasoning_name)c->reasoning_name;
	str_copy(a->base.title_model, sizeof a->base.title_model, str_of(c->title_model));
	a->base.usage_tags = config_usage_tags(c);
	a->base.responses_store = c->responses_store;
	str_copy(a->base.currency, sizeof a->base.currency, str_of(c->currency));
	a->base.abort_failed_streams = c->abort_failed_streams;
	a->base.drops_hosted = c->hosted_tools == 1; /* refuse, drop */
	a->base.http.keep_alive_us = c->keep_alive;
	a->base.http.max_body = (size_t)c->limits.max_body;
	a->base.admit = (struct admit_settings){
		.limits = c->limits,
		.max_calls = c->max_calls,
		.max_waiting = c->max_waiting,
		.wait_us = c->wait,
	};
	rc = make_keys(a, c, e);
	if (rc == ERR_OK && c->token_count > 0)
		rc = tokens_create(c->tokens, c->token_count, &a->base.tokens, e);
	if (rc == ERR_OK && a->base.tokens)
		warn_of_keys(a->base.tokens);
	if (rc == ERR_OK)
		rc = make_origins(a, c, e);
	if (rc == ERR_OK)
		rc = make_proxies(a, c, e);
	if (rc == ERR_OK)
		rc = make_registry(a, c, e);
	if (rc == ERR_OK)
		rc = hooks_create(c->hooks, c->hook_count, &a->base.run.hooks, e);
	if (rc == ERR_OK)
		rc = app_about(running, c, &a->memory, &a->base.about, e);
	if (rc != ERR_OK) {
		snapshot_destroy(&a->base);
		return rc;
	}
	a->base.http.open = a->key_count == 0 && !a->base.tokens;
	*ret = &a->base;
	return ERR_OK;
}

static const struct app_snapshot *snapshot_app(const struct snapshot *s)
{
	return container_of((struct snapshot *)(uintptr_t)s, struct app_snapshot, base);
}

/* is_caller: whether somebody has the id; of people with tokens, nobody knows who there is. */
static bool is_caller(const struct app_snapshot *a, struct key_ring *ring, struct str name)
{
	struct identity *found = NULL;
	struct str       id;

	if (api_key_id(name, &id))
		found = key_ring_named(ring, id, clock_wall_ms());
	else if (api_key_group(name, &id))
		found = key_ring_group(ring, id);
	else
		for (size_t i = 0; !found && i < a->key_count; i++)
			found = str_is(name, a->who[i]->id) ? identity_hold(a->who[i]) : NULL;
	identity_release(found);
	return found || str_starts(name, STR("jwt:")) || memchr(name.p, '*', name.n);
}

static void warn_of_hooks(const struct snapshot *s, struct key_ring *ring)
{
	const struct hooks *h = s->run.hooks;

	for (size_t i = 0; h && i < h->count; i++)
		for (size_t k = 0; k < h->list[i].key_count; k++)
			if (!is_caller(snapshot_app(s), ring, str_of(h->list[i].keys[k])))
				log_note(
					LOG_WARN, "hooks",
					"the hook %s: there is no valid %s among the keys and groups, so it "
					"is asked about no call of it",
					h->list[i].name, h->list[i].keys[k]);
}

static void warn_of_groups(const struct snapshot *s, struct key_ring *ring)
{
	const char *name;
	struct str  id;

	for (size_t i = 0; s->tokens && tokens_issuers(s->tokens, i); i++)
		for (size_t k = 0; (name = tokens_group(s->tokens, i, k)); k++) {
			struct identity *found =
				api_key_group(str_of(name), &id) ? key_ring_group(ring, id) : NULL;

			if (!found)
				log_note(LOG_WARN, "tokens",
					 "tokens[%zu].groups: there is no group %s: whoever is in "
					 "it is refused",
					 i, name);
			identity_release(found);
		}
}

void app_snapshot_warn(const struct snapshot *s, struct key_ring *ring)
{
	warn_of_groups(s, ring);
	warn_of_hooks(s, ring);
}

struct identity *app_snapshot_named(const struct snapshot *s, const char *name,
				    unsigned char ret_sha256[HASH_BYTES])
{
	const struct app_snapshot *a = snapshot_app(s);

	for (size_t i = 0; i < a->key_count; i++) {
		char mine[TICKET_WHO];

		ticket_who(a->who[i], mine);
		if (strcmp(mine, name) != 0)
			continue;
		memcpy(ret_sha256, a->keys[i], HASH_BYTES);
		return identity_hold(a->who[i]);
	}
	return NULL;
}

struct identity *app_snapshot_find(const struct snapshot *s, const unsigned char sha256[HASH_BYTES])
{
	const struct app_snapshot *a = snapshot_app(s);
	struct identity           *found = NULL;

	/* All keys are compared, each in constant time, so that the time reveals nothing. */
	for (size_t i = 0; i < a->key_count; i++)
		if (hash_equal(sha256, a->keys[i], HASH_BYTES))
			found = a->who[i];
	return found ? identity_hold(found) : NULL;
}

/* --- app_about: Prints what is known of a configuration when it was read. */

const char app_about_otlp[] = "PARLEY_OTLP_HEADERS";
const char app_about_alert[] = "PARLEY_ALERT_TOKEN";

/* about_keep: moves what was printed into the arena; false: it was not, or there is no memory. */
static bool about_keep(struct arena *a, struct buf *text, bool printed, struct str *ret)
{
	if (printed)
		*ret = arena_str(a, buf_view(text));
	buf_clear(text);
	return printed && ret->p;
}

static const char *about_state(bool set)
{
	return set ? "set" : "not set";
}

static bool about_fill(const struct config *running, const struct config *read, struct arena *a,
		       struct buf *text, struct snapshot_about *ret)
{
	struct str *providers = arena_alloc(a, (read->provider_count + 1) * sizeof *providers);
	struct str *places = arena_alloc(a, (read->model_count + 1) * sizeof *places);
	bool        ok =
		providers && places &&
		about_keep(a, text, config_describe_options(running, read, text), &ret->options) &&
		about_keep(a, text,
			   buf_fmt(text, "{\"api_keys\":\"%s\",\"%s\":\"%s\",\"%s\":\"%s\"}",
				   about_state(read->api_keys.count > 0), app_about_otlp,
				   about_state(config_secret_env(app_about_otlp) != NULL),
				   app_about_alert,
				   about_state(config_secret_env(app_about_alert) != NULL)),
			   &ret->secrets) &&
		about_keep(a, text, config_describe_file(read, text), &ret->file);

	for (size_t i = 0; ok && i < read->provider_count; i++)
		ok = about_keep(a, text, config_describe_provider(read, i, text), &providers[i]);
	for (size_t i = 0; ok && i < read->model_count; i++)
		ok = about_keep(a, text, config_describe_model_place(read, i, text), &places[i]);
	ret->providers = providers;
	ret->places = places;
	ret->read_s = clock_wall_ms() / 1000;
	return ok;
}

enum errc app_about(const struct config *running, const struct config *read, struct arena *a,
		    struct snapshot_about *ret, struct err *e)
{
	struct buf text;

	arena_init(a, LIMIT_OVERVIEW);
	buf_init(&text, LIMIT_OVERVIEW);
	bool ok = about_fill(running, read, a, &text, ret);

	buf_finish(&text);
	return ok ? ERR_OK : err_set(e, ERR_INTERNAL, "", "out of memory");
}

bool app_about_listeners(const struct listen_set *set, bool tls, struct buf *out)
{
	bool ok = buf_text(out, "[");

	for (size_t i = 0; ok && i < set->count; i++) {
		const struct listen_place *p = &set->places[i];
		bool secure = tls && !p->admin && strncmp(p->bound, "unix:", 5) != 0;

		ok = buf_text(out, i > 0 ? ",{\"address\":" : "{\"address\":") &&
		     buf_json_string(out, str_of(p->address)) && buf_text(out, ",\"bound\":") &&
		     buf_json_string(out, str_of(p->bound)) &&
		     buf_fmt(out, ",\"admin\":%s,\"tls\":%s}", p->admin ? "true" : "false",
			     secure ? "true" : "false");
	}
	return ok && buf_text(out, "]");
}
