/* The goal of a deployment of LiteLLM: whose model it asks, at which address, by which name. */
#include "config/import/internal.h"

#include <string.h>

/* --- values that may be elsewhere --- */

const char *import_goal_value(const struct litellm *l, const struct config_node *n)
{
	const struct config_node *set = config_file_find(l->root, "environment_variables");
	const char               *name = import_reference(n);
	const struct config_node *own =
		name && set && set->kind == CONFIG_MAP ? config_file_find(set, name) : NULL;

	if (n->kind != CONFIG_SCALAR || import_is_null(n))
		return NULL;
	if (!name)
		return n->text.p;
	if (own && own->kind == CONFIG_SCALAR && own->text.n > 0 && !import_reference(own))
		return own->text.p;
	return l->im->variable(name);
}

/* goal_values: the members of the credential that a deployment names; NULL: there are none. */
static const struct config_node *goal_values(const struct litellm        *l,
					     const struct litellm_params *p)
{
	const struct config_node *list = config_file_find(l->root, "credential_list");

	if (!p->credential || p->credential->kind != CONFIG_SCALAR || !list)
		return NULL;
	for (const struct config_node *n = list->kind == CONFIG_SEQUENCE ? list->first : NULL; n;
	     n = n->next) {
		const struct config_node *name =
			n->kind == CONFIG_MAP ? config_file_find(n, "credential_name") : NULL;
		const struct config_node *values =
			name ? config_file_find(n, "credential_values") : NULL;

		if (values && values->kind == CONFIG_MAP && name->kind == CONFIG_SCALAR &&
		    str_eq(name->text, p->credential->text))
			return values;
	}
	return NULL;
}

const struct config_node *import_goal_credential(const struct litellm        *l,
						 const struct litellm_params *p, const char *key)
{
	const struct config_node *values = goal_values(l, p);
	const struct config_node *n = values ? config_file_find(values, key) : NULL;

	return n && !import_is_null(n) ? n : NULL;
}

void import_goal_note(struct litellm *l, const struct litellm_params *p,
		      const struct litellm_goal *g)
{
	enum { ADDRESS = 1, AMAZON = 2, GOOGLE = 4 };
	static const struct {
		const char *key;
		unsigned    of;
	} taken[] = {
		{ "api_key", ADDRESS | AMAZON },
		{ "api_base", ADDRESS | AMAZON },
		{ "api_version", ADDRESS },
		{ "aws_region_name", AMAZON },
		{ "aws_bedrock_runtime_endpoint", AMAZON },
		{ "aws_role_name", AMAZON },
		{ "aws_session_name", AMAZON },
		{ "aws_external_id", AMAZON },
		{ "aws_profile_name", AMAZON },
		{ "vertex_project", GOOGLE },
		{ "vertex_location", GOOGLE },
		{ "vertex_credentials", GOOGLE },
	};
	const struct config_node *values = goal_values(l, p);
	unsigned                  of = g->vendor->dialect                              ? ADDRESS
				       : strncmp(g->vendor->litellm, "vertex", 6) == 0 ? GOOGLE
										       : AMAZON;

	if (p->credential && !values)
		import_note(l->im, p->credential, "credential_list has no credential of this name");
	for (const struct config_node *n = values ? values->first : NULL; n; n = n->next) {
		bool read = import_is_null(n);

		for (size_t i = 0; i < ARRAY_LEN(taken); i++)
			read = read || ((taken[i].of & of) && strcmp(taken[i].key, n->key) == 0);
		if (!read)
			import_note(l->im, n, "Parley has no counterpart for this provider");
	}
}

const struct config_node *import_goal_key(const struct litellm *l, const struct litellm_params *p)
{
	const struct config_node *n = p->key ? p->key : import_goal_credential(l, p, "api_key");

	return n && n->kind == CONFIG_SCALAR && !import_is_null(n) && n->text.n > 0 ? n : NULL;
}

/* --- what a deployment asks --- */

static const struct import_vendor *goal_known(const char *model)
{
	static const char *const openai[] = { "gpt-",   "o1",       "o3",
					      "o4",     "chatgpt-", "text-embedding-",
					      "ft:gpt-" };

	for (size_t i = 0; i < ARRAY_LEN(openai); i++)
		if (strncmp(model, openai[i], strlen(openai[i])) == 0)
			return import_vendor_litellm(STR("openai"));
	return strncmp(model, "claude-", 7) == 0 ? import_vendor_litellm(STR("anthropic")) : NULL;
}

const char *import_goal_vendor(const struct litellm_params *p, struct litellm_goal *g)
{
	const char *model = p->model->text.p;
	const char *slash = strchr(model, '/');
	struct str  prefix = { model, slash ? (size_t)(slash - model) : 0 };

	if (p->vendor && p->vendor->kind == CONFIG_SCALAR) {
		if (!str_eq(prefix, p->vendor->text))
			slash = NULL;
		prefix = p->vendor->text;
	}
	g->vendor = prefix.n > 0 ? import_vendor_litellm(prefix) : goal_known(model);
	g->upstream = slash ? slash + 1 : model;
	if (!g->vendor && prefix.n == 0)
		return strcmp(model, "*") == 0
			       ? "asks any provider: write a provider and a model NAME/* for each"
			       : "the provider is not named: write it before the model, as openai/NAME";
	if (!g->vendor)
		return "Parley doesn't know this provider: if it speaks OpenAI's API, write its base_url "
		       "and dialect: openai";
	g->dialect = g->vendor->dialect;
	return NULL;
}

static bool goal_is(const struct import_vendor *v, const char *name)
{
	return v->litellm && strcmp(v->litellm, name) == 0;
}

/* Azure's models that are not OpenAI's: Claude has Anthropic's API there. */
static const char *goal_foundry(struct litellm *l, struct litellm_goal *g)
{
	size_t n = strlen(g->base_url);
	bool   ours = n > 10 && strcmp(g->base_url + n - 10, "/openai/v1") == 0;

	if (strncmp(g->upstream, "claude", 6) == 0) {
		if (!ours)
			return "the address of Claude at Azure is https://NAME.services.ai.azure.com";
		g->dialect = "anthropic";
		g->base_url = import_text(l->im, "%.*s/anthropic/v1", (int)n - 10, g->base_url);
	} else if (!ours) {
		g->dialect = "openai";
	}
	return NULL;
}

static const char *goal_version(struct litellm *l, const struct litellm_params *p,
				struct litellm_goal *g)
{
	const struct config_node *n =
		p->version ? p->version : import_goal_credential(l, p, "api_version");
	const char *version = n ? import_goal_value(l, n) : l->im->variable("AZURE_API_VERSION");
	size_t      end = strlen(g->base_url);

	if (end > 3 && strcmp(g->base_url + end - 3, "/v1") == 0)
		return NULL;
	if (n && !version)
		return "its api_version is in a variable that is not set: set it, and import again";
	version = version && *version ? version : "2025-02-01-preview";
	if (strcmp(version, "v1") == 0 || strcmp(version, "latest") == 0 ||
	    strcmp(version, "preview") == 0)
		g->base_url = import_text(l->im, "%s/openai/v1", g->base_url);
	else if (strspn(version, "0123456789-abcdefghijklmnopqrstuvwxyz") != strlen(version) ||
		 strlen(version) > 40)
		return "api_version is no version";
	else
		g->query = import_text(l->im, "api-version=%s", version);
	return NULL;
}

static const char *goal_address(struct litellm *l, const struct litellm_params *p,
				struct litellm_goal *g)
{
	const struct config_node *n = p->base ? p->base : p->base_url;
	const char               *given = NULL;
	const char               *wrong;

	n = n ? n : import_goal_credential(l, p, "api_base");
	if (n && !import_is_null(n)) {
		given = import_goal_value(l, n);
		if (!given || !*given)
			return "its address is in a variable that is not set: set it, and import again";
	} else if (g->vendor->base_url) {
		g->base_url = g->vendor->base_url;
		return NULL;
	} else if (g->vendor->base_env) {
		given = l->im->variable(g->vendor->base_env);
	}
	if (!given || !*given)
		return "needs an address: api_base";
	wrong = import_base(l->im, g->vendor, given, &g->base_url);
	if (!wrong && goal_is(g->vendor, "azure_ai"))
		wrong = goal_foundry(l, g);
	return wrong;
}

/* goal_star: a star in the provider's name has to be all of it: the rest of the client's name goes there. */
static const char *goal_star(const char *name, struct litellm_goal *g)
{
	size_t n = strlen(name);
	bool   star = n > 0 && name[n - 1] == '*';

	if (!strchr(g->upstream, '*')) {
		g->upstream = !star && strcmp(name, g->upstream) == 0 ? NULL : g->upstream;
		return NULL;
	}
	if (!star)
		return "asks any model by one name: write the model";
	if (strcmp(g->upstream, "*") != 0)
		return "only the rest that a * stands for goes to the provider: write the models out";
	g->upstream = NULL;
	return NULL;
}

const char *import_goal_find(struct litellm *l, const char *name, const struct litellm_params *p,
			     struct litellm_goal *g)
{
	const char *wrong;

	*g = (struct litellm_goal){ .vendor = NULL };
	if (!p->model || p->model->kind != CONFIG_SCALAR || p->model->text.n == 0)
		return "has no model";
	wrong = import_goal_vendor(p, g);
	if (!wrong)
		wrong = g->dialect ? goal_address(l, p, g) : import_cloud_find(l, p, g);
	if (!wrong && strcmp(g->dialect, "azure") == 0)
		wrong = goal_version(l, p, g);
	if (!wrong && goal_is(g->vendor, "openai") && strncmp(g->upstream, "responses/", 10) == 0) {
		g->dialect = "openai-responses";
		g->upstream += 10;
	}
	return wrong ? wrong : goal_star(name, g);
}
