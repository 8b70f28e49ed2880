/* Reads the models of LiteLLM's proxy: model_list. */
#include "config/import/internal.h"

#include <string.h>
#include <strings.h>

struct litellm_info {
	const struct config_node *mode;
	int64_t                   input, output, tokens;
	int64_t                   rates[PRICE__RATES];
	bool                      no_images, no_audio, no_pdf, no_tools, reasons;
};

/* An entry of model_list. */
struct litellm_entry {
	const struct config_node *name, *params, *info;
	int64_t                   calls, tokens; /* older versions have rpm and tpm here */
};

#define NOT_HERE "Parley asks hooks instead: docs/hooks.md"
#define NO_LIMITS \
	"limits nothing here, and only weighs targets of one model: Parley limits callers (docs/operations.md#limits-of-callers)"
#define BY_HAND  "is not sent by itself: clients send it"
#define AWS_KEYS "keys of AWS are not written down: docs/bedrock.md says where they are looked for"
#define RATE(r)  IMPORT_RATE, AT(rates) + (r) * sizeof(int64_t), NULL
#define PRICES                                                                               \
	{ "input_cost_per_token", RATE(PRICE_INPUT) },                                       \
		{ "output_cost_per_token", RATE(PRICE_OUTPUT) },                             \
		{ "cache_read_input_token_cost", RATE(PRICE_CACHED) },                       \
		{ "cache_creation_input_token_cost", RATE(PRICE_CACHE_WRITE) },              \
		{ "cache_creation_input_token_cost_above_1hr", RATE(PRICE_CACHE_WRITE_1H) }, \
		{ "output_cost_per_reasoning_token", RATE(PRICE_REASONING) },                \
		{ "input_cost_per_audio_token", RATE(PRICE_AUDIO_IN) },                      \
	{                                                                                    \
		"output_cost_per_audio_token", RATE(PRICE_AUDIO_OUT)                         \
	}

#define AT(m) offsetof(struct litellm_params, m)
/* clang-format off */
static const struct import_member litellm_param_rows[] = {
	{ "model",               IMPORT_NODE, AT(model), NULL },
	{ "api_base",            IMPORT_NODE, AT(base), NULL },
	{ "base_url",            IMPORT_NODE, AT(base_url), NULL },
	{ "api_key",             IMPORT_NODE, AT(key), NULL },
	{ "api_version",         IMPORT_NODE, AT(version), NULL },
	{ "organization",        IMPORT_NODE, AT(organization), NULL },
	{ "project",             IMPORT_NODE, AT(project), NULL },
	{ "extra_headers",       IMPORT_NODE, AT(headers), NULL },
	{ "headers",             IMPORT_NODE, AT(more_headers), NULL },
	{ "custom_llm_provider", IMPORT_NODE, AT(vendor), NULL },
	{ "litellm_credential_name", IMPORT_NODE, AT(credential), NULL },
	{ "aws_region_name",     IMPORT_NODE, AT(region), NULL },
	{ "aws_bedrock_runtime_endpoint", IMPORT_NODE, AT(endpoint), NULL },
	{ "aws_role_name",       IMPORT_NODE, AT(role), NULL },
	{ "aws_session_name",    IMPORT_NODE, AT(session), NULL },
	{ "aws_external_id",     IMPORT_NODE, AT(external), NULL },
	{ "aws_profile_name",    IMPORT_NODE, AT(profile), NULL },
	{ "aws_access_key_id",   IMPORT_NOTE, 0, AWS_KEYS },
	{ "aws_secret_access_key", IMPORT_NOTE, 0, AWS_KEYS },
	{ "aws_session_token",   IMPORT_NOTE, 0, AWS_KEYS },
	{ "aws_web_identity_token", IMPORT_NOTE, 0, AWS_KEYS },
	{ "vertex_project",      IMPORT_NODE, AT(cloud_project), NULL },
	{ "vertex_location",     IMPORT_NODE, AT(location), NULL },
	{ "vertex_credentials",  IMPORT_NODE, AT(file), NULL },
	{ "num_retries",         IMPORT_COUNT, AT(retries), NULL },
	{ "max_retries",         IMPORT_COUNT, AT(max_retries), NULL },
	{ "timeout",             IMPORT_SECONDS, AT(timeout_us), NULL },
	{ "stream_timeout",      IMPORT_SECONDS, AT(stream_us), NULL },
	{ "weight",              IMPORT_NUMBER, AT(weight), NULL },
	{ "rpm",                 IMPORT_COUNT, AT(calls), NULL },
	{ "tpm",                 IMPORT_COUNT, AT(tokens), NULL },
	PRICES,
	{ "temperature",         IMPORT_DEFAULT, 0, NULL },
	{ "max_tokens",          IMPORT_DEFAULT, 0, NULL },
	{ "top_p",               IMPORT_DEFAULT, 0, NULL },
	{ "stop",                IMPORT_DEFAULT, 0, NULL },
	{ "seed",                IMPORT_DEFAULT, 0, NULL },
	{ "presence_penalty",    IMPORT_DEFAULT, 0, NULL },
	{ "frequency_penalty",   IMPORT_DEFAULT, 0, NULL },
	{ "response_format",     IMPORT_DEFAULT, 0, NULL },
	{ "reasoning_effort",    IMPORT_DEFAULT, 0, NULL },
	{ "drop_params",         IMPORT_SILENT, 0, NULL }, /* Parley always drops, with a warning */
	{ "max_completion_tokens", IMPORT_NOTE, 0, "write defaults.config.max_tokens, and max_tokens_field of the provider" },
	{ "input_cost_per_second", IMPORT_NOTE, 0, "Parley has no price of a second" },
	{ "output_cost_per_second", IMPORT_NOTE, 0, "Parley has no price of a second" },
	{ "input_cost_per_character", IMPORT_NOTE, 0, "Parley has no price of a character" },
	{ "output_cost_per_character", IMPORT_NOTE, 0, "Parley has no price of a character" },
	{ "azure_ad_token",      IMPORT_NOTE, 0, "Parley sends no Entra tokens: give the resource a key" },
	{ "tenant_id",           IMPORT_NOTE, 0, "Parley sends no Entra tokens: give the resource a key" },
	{ "client_id",           IMPORT_NOTE, 0, "Parley sends no Entra tokens: give the resource a key" },
	{ "client_secret",       IMPORT_NOTE, 0, "Parley sends no Entra tokens: give the resource a key" },
	{ "tags",                IMPORT_NOTE, 0, "calls are not led by tags: make a model for each, and name them in keys and groups (docs/groups.md)" },
	{ "order",               IMPORT_NOTE, 0, "targets have weights and no order: write the later ones as a fallback" },
	{ "max_budget",          IMPORT_NOTE, 0, "budgets are of keys and groups: docs/operations.md#budgets" },
	{ "budget_duration",     IMPORT_NOTE, 0, "budgets are of keys and groups: docs/operations.md#budgets" },
	{ "max_parallel_requests", IMPORT_NOTE, 0, "Parley limits callers, not targets: docs/operations.md" },
	{ "extra_body",          IMPORT_NOTE, 0, BY_HAND },
	{ "thinking",            IMPORT_NOTE, 0, BY_HAND },
	{ "cache_control_injection_points", IMPORT_NOTE, 0, "write prompt_cache: auto at the model" },
	{ "guardrails",          IMPORT_NOTE, 0, NOT_HERE },
	{ "mock_response",       IMPORT_NOTE, 0, "a provider of dialect echo has reply" },
	{ "region_name",         IMPORT_SILENT, 0, NULL },
	{ "merge_reasoning_content_in_choices", IMPORT_NOTE, 0, "the option reasoning_name says where the reasoning goes" },
};
#undef AT
#define AT(m) offsetof(struct litellm_info, m)
static const struct import_member litellm_info_rows[] = {
	{ "id",                  IMPORT_SILENT, 0, NULL },
	{ "description",         IMPORT_SILENT, 0, NULL },
	{ "db_model",            IMPORT_SILENT, 0, NULL },
	{ "mode",                IMPORT_NODE, AT(mode), NULL },
	{ "max_input_tokens",    IMPORT_COUNT, AT(input), NULL },
	{ "max_output_tokens",   IMPORT_COUNT, AT(output), NULL },
	{ "max_tokens",          IMPORT_COUNT, AT(tokens), NULL },
	{ "supports_vision",     IMPORT_FALSE, AT(no_images), NULL },
	{ "supports_audio_input", IMPORT_FALSE, AT(no_audio), NULL },
	{ "supports_pdf_input",  IMPORT_FALSE, AT(no_pdf), NULL },
	{ "supports_function_calling", IMPORT_FALSE, AT(no_tools), NULL },
	{ "supports_reasoning",  IMPORT_TRUE, AT(reasons), NULL },
	PRICES,
	{ "base_model",          IMPORT_NOTE, 0, "the price of the model is not looked up by another name: write its price if calls are to be charged" },
	{ "access_groups",       IMPORT_NOTE, 0, "keys and groups say which models they may ask: docs/groups.md" },
	{ "team_id",             IMPORT_NOTE, 0, "keys and groups say which models they may ask: docs/groups.md" },
};
#undef AT
#define AT(m) offsetof(struct litellm_entry, m)
static const struct import_member litellm_entry_rows[] = {
	{ "model_name",          IMPORT_NODE, AT(name), NULL },
	{ "litellm_params",      IMPORT_NODE, AT(params), NULL },
	{ "model_info",          IMPORT_NODE, AT(info), NULL },
	{ "rpm",                 IMPORT_COUNT, AT(calls), NULL },
	{ "tpm",                 IMPORT_COUNT, AT(tokens), NULL },
};
/* clang-format on */
#undef AT

static const struct import_members litellm_params = { litellm_param_rows,
						      ARRAY_LEN(litellm_param_rows), false };
static const struct import_members litellm_quiet = { litellm_param_rows,
						     ARRAY_LEN(litellm_param_rows), true };
static const struct import_members litellm_info = { litellm_info_rows, ARRAY_LEN(litellm_info_rows),
						    false };
static const struct import_members litellm_entry = { litellm_entry_rows,
						     ARRAY_LEN(litellm_entry_rows), false };

/* --- its provider --- */

static bool litellm_is_public(const char *header)
{
	static const char *const names[] = { "anthropic-beta", "anthropic-version", "http-referer",
					     "openai-beta",    "user-agent",        "x-title" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(header, names[i]) == 0)
			return true;
	return false;
}

/* litellm_header: what may be a secret goes into a variable. */
static void litellm_header(struct import *im, struct import_provider *p, const char *name,
			   const struct config_node *n, bool public)
{
	struct import_header *h = &p->headers[p->header_count];

	if (n->kind != CONFIG_SCALAR || n->text.n == 0 || n->text.n > LIMIT_SECRET) {
		import_note(im, n, "is no value of a header");
		return;
	}
	if (p->header_count == IMPORT_HEADERS) {
		import_note(im, n,
			    "more than 16 headers are not taken over: write headers yourself");
		return;
	}
	for (size_t i = 0; i < p->header_count; i++)
		if (strcasecmp(p->headers[i].name, name) == 0) {
			import_note(im, n, "another value of this header is there already");
			return;
		}
	p->header_count++;
	h->name = name;
	if (public && !import_reference(n))
		h->value = n->text.p;
	else
		h->env = import_key(im, n, import_key_name(im, str_of(name)));
}

static void litellm_headers(struct import *im, struct import_provider *p,
			    const struct config_node *map)
{
	if (map && map->kind != CONFIG_MAP)
		import_note(im, map, "has to be a map");
	for (const struct config_node *n = map && map->kind == CONFIG_MAP ? map->first : NULL; n;
	     n = n->next)
		litellm_header(im, p, n->key, n, litellm_is_public(n->key));
}

static int64_t litellm_first(int64_t unset, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] != unset)
			return values[i];
	return unset;
}

/* The nearest value holds.  LiteLLM's limits are for the wait for any byte. */
static void litellm_limits(const struct litellm *l, const struct litellm_params *p,
			   struct import_provider *ret)
{
	const struct import_litellm_rules *r = &l->rules;
	const int64_t retries[] = { p->retries, p->max_retries, r->router_retries, r->retries };
	const int64_t timeout[] = { p->timeout_us, r->router_timeout_us, r->timeout_us };
	const int64_t stream[] = { p->stream_us, r->router_stream_us, r->stream_us };
	const int64_t failures[] = { r->router_failures, r->failures };
	const int64_t pause[] = { r->router_pause_us, r->pause_us };

	ret->retries = litellm_first(-1, retries, ARRAY_LEN(retries));
	ret->wait_us = litellm_first(0, timeout, ARRAY_LEN(timeout));
	ret->idle_us = litellm_first(0, stream, ARRAY_LEN(stream));
	ret->idle_us = ret->idle_us > 0 ? ret->idle_us : ret->wait_us;
	ret->failures = litellm_first(-1, failures, ARRAY_LEN(failures));
	ret->failures += ret->failures >= 0; /* so many are allowed */
	ret->pause_us = litellm_first(0, pause, ARRAY_LEN(pause));
}

static struct import_provider *litellm_provider(struct litellm *l, const struct litellm_params *p,
						const struct litellm_goal *g)
{
	const struct config_node *key = import_goal_key(l, p);
	struct import_provider    made = { .stem = g->vendor->litellm,
					   .dialect = g->dialect,
					   .base_url = g->base_url,
					   .query = g->query };

	made.hosting = g->hosting;
	memcpy(made.auth, g->auth, sizeof made.auth);
	made.auth_count = g->auth_count;
	if (key && made.auth_count == 0)
		made.key_env = import_key(l->im, key, g->vendor->key_env);
	else if (made.auth_count == 0 && !(g->vendor->flags & IMPORT_KEYLESS))
		made.key_env = g->vendor->key_env;
	if (p->organization && p->organization->kind == CONFIG_SEQUENCE)
		import_note(l->im, p->organization, "write an entry for each organization");
	else if (p->organization)
		litellm_header(l->im, &made, "OpenAI-Organization", p->organization, true);
	if (p->project)
		litellm_header(l->im, &made, "OpenAI-Project", p->project, true);
	if (p->version && strcmp(g->dialect, "azure") != 0)
		import_note(l->im, p->version, "only the dialect azure has a version");
	litellm_headers(l->im, &made, p->headers);
	litellm_headers(l->im, &made, p->more_headers);
	litellm_limits(l, p, &made);
	return import_provider_add(l->im, &made, p->model);
}

/* --- its model --- */

static void litellm_keep(struct import *im, int64_t *to, int64_t value, int64_t most,
			 const struct config_node *n)
{
	if (value <= 0)
		return;
	if (value > most)
		import_note(im, n, "a number of tokens is above what Parley takes");
	else if (*to > 0 && *to != value)
		import_note(
			im, n,
			"another deployment of the model says another number of tokens: that one holds");
	else
		*to = value;
}

static void litellm_prices(struct import *im, struct import_model *m, const int64_t *rates,
			   const struct config_node *n)
{
	bool any = false, same = true;

	for (size_t i = 0; i < PRICE__RATES; i++) {
		any = any || rates[i] >= 0;
		same = same && rates[i] == m->rates[i];
	}
	if (!any || same)
		return;
	if (rates[PRICE_INPUT] < 0 || rates[PRICE_OUTPUT] < 0)
		import_note(
			im, n,
			"a price needs input_cost_per_token and output_cost_per_token: it was left out");
	else if (m->rates[PRICE_INPUT] >= 0)
		import_note(im, n,
			    "another deployment of the model has another price: that one holds");
	else
		memcpy(m->rates, rates, sizeof m->rates);
}

static void litellm_defaults(struct import *im, struct import_model *m,
			     const struct config_node *model, const struct config_node *params)
{
	for (const struct config_node *n = params->first; n; n = n->next) {
		bool ours = false;

		for (size_t i = 0; i < ARRAY_LEN(litellm_param_rows); i++)
			ours = ours || (litellm_param_rows[i].kind == IMPORT_DEFAULT &&
					strcmp(litellm_param_rows[i].name, n->key) == 0);
		if (!ours || import_is_null(n))
			continue;
		if (m->node != model)
			import_note(
				im, n,
				"defaults are the model's, not a target's: its first deployment has them");
		else if (import_default(im, n) && m->default_count < IMPORT_DEFAULTS)
			m->defaults[m->default_count++] = n;
	}
}

static void litellm_model(struct import *im, struct import_model *m, const struct litellm_params *p,
			  const struct litellm_info *info, const struct litellm_entry *entry)
{
	int64_t rates[PRICE__RATES];

	for (size_t i = 0; i < PRICE__RATES; i++)
		rates[i] = p->rates[i] >= 0 ? p->rates[i] : info->rates[i];
	litellm_prices(im, m, rates, entry->params);
	litellm_defaults(im, m, p->model, entry->params);
	if (!entry->info)
		return;
	litellm_keep(im, &m->context_window, info->input, 1000000000, entry->info);
	litellm_keep(im, &m->max_output, info->output > 0 ? info->output : info->tokens, 1000000,
		     entry->info);
	m->no_images |= info->no_images;
	m->no_audio |= info->no_audio;
	m->no_pdf |= info->no_pdf;
	m->no_tools |= info->no_tools;
	m->reasons |= info->reasons;
}

/* --- entries --- */

static bool litellm_mode(struct import *im, const struct config_node *mode)
{
	static const char *const taken[] = { "chat", "completion", "embedding", "responses" };

	for (size_t i = 0; mode && mode->kind == CONFIG_SCALAR && i < ARRAY_LEN(taken); i++)
		if (str_is(mode->text, taken[i]))
			return true;
	if (mode)
		import_note(im, mode, "Parley has chat and embeddings, and no route for this");
	return !mode;
}

static enum errc litellm_open(struct litellm *l, const struct config_node *n,
			      struct litellm_entry *entry, struct litellm_params *p, struct err *e)
{
	static const struct import_members quiet = { litellm_entry_rows,
						     ARRAY_LEN(litellm_entry_rows), true };
	struct import                     *im = l->im;
	enum errc                          rc = import_map(im, n, e);

	*entry = (struct litellm_entry){ .name = NULL };
	*p = (struct litellm_params){ .retries = -1, .max_retries = -1 };
	price_unset(p->rates);
	if (rc != ERR_OK)
		return rc;
	import_read(im, n, &quiet, entry);
	if (!entry->name || entry->name->kind != CONFIG_SCALAR || entry->name->text.n == 0)
		return import_fail(im, entry->name ? entry->name : n, "needs a model_name", e);
	if (!entry->params)
		return import_fail(im, n, "needs litellm_params", e);
	rc = import_map(im, entry->params, e);
	if (rc == ERR_OK && entry->info)
		rc = import_map(im, entry->info, e);
	if (rc == ERR_OK)
		import_read(im, entry->params, &litellm_quiet, p);
	return rc;
}

/* litellm_rates: a rate is a limit, too. */
static void litellm_rates(struct import *im, const struct config_node *entry,
			  const struct config_node *params)
{
	static const char *const  names[] = { "rpm", "tpm" };
	const struct config_node *maps[] = { entry, params };

	for (size_t i = 0; i < 2 * ARRAY_LEN(names); i++) {
		const struct config_node *n = config_file_find(maps[i / 2], names[i % 2]);

		if (n && !import_is_null(n))
			import_note(im, n, NO_LIMITS);
	}
}

static enum errc litellm_deployment(struct litellm *l, const struct config_node *n, struct err *e)
{
	struct import        *im = l->im;
	struct litellm_info   info = { .mode = NULL };
	struct litellm_entry  entry;
	struct litellm_params p;
	struct litellm_goal   goal;
	struct import_model  *m = NULL;
	enum errc             rc = litellm_open(l, n, &entry, &p, e);

	if (rc != ERR_OK)
		return rc;
	price_unset(info.rates);
	const char *wrong = import_goal_find(l, entry.name->text.p, &p, &goal);
	if (wrong) {
		import_note(im, p.model ? p.model : n, wrong);
		return ERR_OK;
	}
	import_read(im, n, &litellm_entry, &entry);
	import_read(im, entry.params, &litellm_params, &p);
	if (entry.info)
		import_read(im, entry.info, &litellm_info, &info);
	import_goal_note(l, &p, &goal);
	litellm_rates(im, n, entry.params);
	if (!litellm_mode(im, info.mode))
		return ERR_OK;
	struct import_provider *provider = litellm_provider(l, &p, &goal);
	struct import_target   *t = provider ? import_target_add(im, entry.name->text.p, provider,
								 goal.upstream, p.model, &m)
					     : NULL;
	if (!t)
		return ERR_OK;
	t->weight += p.weight;
	t->rates[0] += p.calls > 0 ? p.calls : entry.calls;
	t->rates[1] += p.tokens > 0 ? p.tokens : entry.tokens;
	litellm_model(im, m, &p, &info, &entry);
	return ERR_OK;
}

/* litellm_weigh: LiteLLM weighs by the first of weight, rpm and tpm that a deployment has. */
static void litellm_weigh(struct import *im)
{
	for (struct import_model *m = im->models; m; m = m->next) {
		bool said[3] = { false, false, false };

		for (struct import_target *t = m->targets; t; t = t->next) {
			said[0] |= t->weight > 0;
			said[1] |= t->rates[0] > 0;
			said[2] |= t->rates[1] > 0;
		}
		for (struct import_target *t = m->targets; t && !said[0]; t = t->next)
			t->weight = said[1] ? t->rates[0] : said[2] ? t->rates[1] : 0;
	}
}

/* litellm_reserve: the variables of deployments that have no key of their own. */
static void litellm_reserve(struct litellm *l, const struct config_node *list)
{
	for (const struct config_node *n = list->first; n; n = n->next) {
		const struct config_node *params =
			n->kind == CONFIG_MAP ? config_file_find(n, "litellm_params") : NULL;
		struct litellm_params p = { .retries = -1 };
		struct litellm_goal   g;

		if (!params || params->kind != CONFIG_MAP)
			continue;
		import_read(l->im, params, &litellm_quiet, &p);
		if (p.model && p.model->kind == CONFIG_SCALAR && !import_goal_vendor(&p, &g) &&
		    g.vendor->dialect && !import_goal_key(l, &p))
			import_reserve(l->im, g.vendor->key_env);
	}
}

enum errc import_litellm(struct import *im, const struct config_node *root, struct err *e)
{
	const struct config_node *list = config_file_find(root, "model_list");
	struct litellm            l = { .im = im, .root = root };
	enum errc                 rc = import_litellm_rules(im, root, &l.rules, e);

	if (rc != ERR_OK || !list || import_is_null(list))
		return rc == ERR_OK ? import_litellm_settings(im, root, e) : rc;
	rc = import_list(im, list, e);
	if (rc == ERR_OK)
		litellm_reserve(&l, list);
	for (const struct config_node *n = list->first; n && rc == ERR_OK; n = n->next)
		rc = litellm_deployment(&l, n, e);
	if (rc != ERR_OK)
		return rc;
	litellm_weigh(im);
	import_targets_drop(im);
	return import_litellm_settings(im, root, e);
}
