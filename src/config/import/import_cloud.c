/* The goal of a deployment of LiteLLM at Amazon Bedrock or Google's Vertex AI: a host of a region, and the API that it has
 * for the model. */
#include "config/import/internal.h"

#include <string.h>

static const char cloud_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:";

static const char region_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

#define UNSET "is in a variable that is not set: set it, and import again"

/* cloud_node: a member of the deployment, or of its credential; NULL: it is in neither. */
static const struct config_node *cloud_node(const struct litellm *l, const struct litellm_params *p,
					    const struct config_node *n, const char *key)
{
	return n && !import_is_null(n) ? n : import_goal_credential(l, p, key);
}

/* cloud_value: *ret stays as it is where nothing is given; why what is given can't be used, or NULL. */
static const char *cloud_value(const struct litellm *l, const struct litellm_params *p,
			       const struct config_node *n, const char *key, const char **ret)
{
	const char *value;

	n = cloud_node(l, p, n, key);
	value = n ? import_goal_value(l, n) : NULL;
	if (n && (!value || !*value))
		return import_text(l->im, "%s " UNSET, key);
	*ret = n ? value : *ret;
	return NULL;
}

/* cloud_word: the same of a value that becomes a part of a host name or a path. */
static const char *cloud_word(const struct litellm *l, const struct litellm_params *p,
			      const struct config_node *n, const char *key, const char **ret)
{
	const char *wrong = cloud_value(l, p, n, key, ret);

	if (!wrong && *ret && (strlen(*ret) > 100 || strspn(*ret, cloud_letters) != strlen(*ret)))
		wrong = import_text(l->im, "%s has characters that no name has", key);
	return wrong;
}

/* --- Amazon Bedrock --- */

/* cloud_region: the region that stands before a model's name, as us-east-1/NAME. */
static const char *cloud_region(struct litellm *l, const char **model)
{
	const char *slash = strchr(*model, '/');
	size_t      n = slash ? (size_t)(slash - *model) : 0;
	const char *region;

	if (n < 8 || n > 24 || strncmp(*model, "arn:", 4) == 0 ||
	    strspn(*model, "abcdefghijklmnopqrstuvwxyz-123456789") != n || !memchr(*model, '-', n))
		return NULL;
	region = import_text(l->im, "%.*s", (int)n, *model);
	*model = slash + 1;
	return region;
}

/* cloud_without: the model without what only chooses a way to it; whether Parley has that way. */
static bool cloud_without(const char **model)
{
	static const char *const ways[] = { "converse/", "invoke/", "converse_like/" };
	static const char *const others[] = { "agent/",           "agentcore/",
					      "async_invoke/",    "mantle/",
					      "claude_platform/", "openai/",
					      "chat_completions/" };

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (strncmp(*model, others[i], strlen(others[i])) == 0)
			return false;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		if (strncmp(*model, ways[i], strlen(ways[i])) == 0)
			*model += strlen(ways[i]);
	return true;
}

static const char *cloud_bedrock(struct litellm *l, const struct litellm_params *p,
				 struct litellm_goal *g)
{
	const char *region = NULL, *named, *given = NULL, *wrong, *arn;

	if (!cloud_without(&g->upstream))
		return "Parley has Converse, Claude's API and OpenAI's at Bedrock: docs/bedrock.md";
	named = cloud_region(l, &g->upstream);
	arn = strstr(g->upstream, "/arn:"); /* llama/arn:aws:…: the way to an imported model */
	g->upstream = arn ? arn + 1 : g->upstream;
	wrong = cloud_word(l, p, p->region, "aws_region_name", &region);
	if (!wrong)
		wrong = cloud_value(l, p, p->endpoint, "aws_bedrock_runtime_endpoint", &given);
	if (!wrong)
		wrong = cloud_value(l, p, p->base ? p->base : p->base_url, "api_base", &given);
	if (wrong)
		return wrong;
	region = region ? region : named;
	region = region ? region : l->im->variable("AWS_REGION_NAME");
	region = region ? region : l->im->variable("AWS_REGION");
	if (!region || !*region || strspn(region, region_letters) != strlen(region))
		return "needs a region: aws_region_name";
	if (strstr(g->upstream, "embed") || strstr(g->upstream, "rerank"))
		return "Parley has no embeddings at Bedrock";
	g->base_url = import_text(l->im, "https://bedrock-runtime.%s.amazonaws.com", region);
	if (given && !import_goal_key(l, p))
		g->auth[g->auth_count++] =
			(struct import_header){ .name = "region", .value = region };
	g->dialect = strstr(g->upstream, "anthropic.claude") ? "anthropic" : "bedrock";
	g->hosting = strcmp(g->dialect, "anthropic") == 0 ? "bedrock" : NULL;
	return given ? import_base(l->im, import_vendor_litellm(STR("openai")), given, &g->base_url)
		     : NULL;
}

/* --- Vertex AI --- */

static const char *cloud_vertex(struct litellm *l, const struct litellm_params *p,
				struct litellm_goal *g)
{
	const char *project = NULL, *location = NULL, *base;
	const char *wrong = cloud_word(l, p, p->cloud_project, "vertex_project", &project);

	if (!wrong)
		wrong = cloud_word(l, p, p->location, "vertex_location", &location);
	if (wrong)
		return wrong;
	project = project ? project : l->im->variable("VERTEXAI_PROJECT");
	location = location ? location : l->im->variable("VERTEXAI_LOCATION");
	location = location && *location ? location : "us-central1";
	if (!project || !*project || strspn(project, cloud_letters) != strlen(project) ||
	    strspn(location, cloud_letters) != strlen(location))
		return "needs vertex_project; set its variable, and import again";
	base = strcmp(location, "global") == 0
		       ? import_text(
				 l->im,
				 "https://aiplatform.googleapis.com/v1/projects/%s/locations/global",
				 project)
		       : import_text(
				 l->im,
				 "https://%s-aiplatform.googleapis.com/v1/projects/%s/locations/%s",
				 location, project, location);
	if (strncmp(g->upstream, "claude", 6) == 0) {
		g->dialect = "anthropic";
		g->hosting = "vertex";
		g->base_url = base;
	} else if (strncmp(g->upstream, "gemini", 6) == 0) {
		g->dialect = "gemini";
		g->base_url = import_text(l->im, "%s/publishers/google", base);
	} else if (strchr(g->upstream, '*')) {
		return "Vertex AI has another API for each vendor: write the models out";
	} else {
		g->dialect = "openai";
		g->base_url = import_text(l->im, "%s/endpoints/openapi", base);
	}
	return NULL;
}

/* --- signing in --- */

static const char *cloud_auth(struct litellm *l, const struct litellm_params *p,
			      const struct config_node *n, const char *key, const char *name,
			      struct litellm_goal *g)
{
	const char *value = NULL;
	const char *wrong = cloud_value(l, p, n, key, &value);

	if (!wrong && value)
		g->auth[g->auth_count++] = (struct import_header){ .name = name, .value = value };
	return wrong;
}

/* cloud_file: only a path may be printed: the content of the file is a key. */
static void cloud_file(struct litellm *l, struct litellm_goal *g, const struct config_node *n)
{
	const char *value = n ? import_goal_value(l, n) : NULL;
	size_t      length = value ? strlen(value) : 0;

	if (length > 5 && length < 1000 && strcmp(value + length - 5, ".json") == 0 &&
	    !strpbrk(value, "{}\n"))
		g->auth[g->auth_count++] = (struct import_header){ .name = "file", .value = value };
	else if (n)
		import_note(l->im, n,
			    "put the credentials into a file, and write auth.file: docs/vertex.md");
}

/* cloud_unread: Google's addresses are made of project and location. */
static void cloud_unread(struct litellm *l, const struct litellm_params *p)
{
	const struct config_node *const unread[] = { p->base, p->base_url };

	for (size_t i = 0; i < ARRAY_LEN(unread); i++)
		if (unread[i])
			import_note(l->im, unread[i],
				    "the address is Google's own: write base_url yourself");
	if (p->key)
		import_note(l->im, p->key, "Vertex AI has no keys here: docs/vertex.md");
}

static const char *cloud_sign_in(struct litellm *l, const struct litellm_params *p, bool google,
				 struct litellm_goal *g)
{
	const char *wrong;

	g->auth[g->auth_count++] =
		(struct import_header){ .name = "kind", .value = google ? "google" : "aws" };
	if (google) {
		cloud_unread(l, p);
		cloud_file(l, g, cloud_node(l, p, p->file, "vertex_credentials"));
		return NULL;
	}
	wrong = cloud_auth(l, p, p->profile, "aws_profile_name", "profile", g);
	if (!wrong)
		wrong = cloud_auth(l, p, p->role, "aws_role_name", "role_arn", g);
	if (wrong || !cloud_node(l, p, p->role, "aws_role_name"))
		return wrong;
	wrong = cloud_auth(l, p, p->session, "aws_session_name", "session_name", g);
	if (!wrong)
		wrong = cloud_auth(l, p, p->external, "aws_external_id", "external_id", g);
	return wrong;
}

const char *import_cloud_find(struct litellm *l, const struct litellm_params *p,
			      struct litellm_goal *g)
{
	bool        google = strncmp(g->vendor->litellm, "vertex", 6) == 0;
	bool        keyed = !google && g->vendor->key_env && import_goal_key(l, p);
	const char *wrong;

	wrong = google ? cloud_vertex(l, p, g) : cloud_bedrock(l, p, g);
	return wrong || keyed ? wrong : cloud_sign_in(l, p, google, g);
}
