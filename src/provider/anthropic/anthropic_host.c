/* Anthropic's API where others serve it: at Google's Vertex AI, and what Amazon Bedrock (provider/bedrock) has
 * in common with that.  The messages are Anthropic's; the path names the model, and the body has the version.
 * Source: the clients AnthropicBedrock and AnthropicVertex of the package anthropic 2.14. */
#include "provider/anthropic/anthropic.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/decode.h"
#include "provider/openai/openai.h"

#include <string.h>

/* --- what differs --- */

static const struct anthropic_host hosts[] = {
	{ .model = true, .stream = true },
	{ .name = "bedrock", .version = "bedrock-2023-05-31", .flags = true },
	{ .name = "vertex", .version = "vertex-2023-10-16", .stream = true },
};

const struct anthropic_host *anthropic_host_of(const struct provider_options *o)
{
	for (size_t i = 1; o->hosting && i < ARRAY_LEN(hosts); i++)
		if (strcmp(o->hosting, hosts[i].name) == 0)
			return &hosts[i];
	return &hosts[0];
}

bool anthropic_host_is_count(const struct prompt *p)
{
	return prompt_is_native(p, PROVIDER_MESSAGES) && p->native->count;
}

/* --- marks of beta features --- */

/* Beginnings of marks that a place refuses with the whole request, and what it calls the same.  Those of
 * features that Anthropic alone has, and of programs.  Source: Anthropic's page on features by platform,
 * and LiteLLM's list of marks by provider. */
static const struct flag {
	const char *begins;
	const char *bedrock, *vertex; /* "": left out; NULL: as it is */
	bool        quiet;            /* nothing is lost with it */
} flags[] = {
	{ "claude-code-", "", "", true },
	{ "oauth-", "", "", true },
	{ "advanced-tool-use-", "tool-search-tool-2025-10-19", "tool-search-tool-2025-10-19",
	  true },
	{ "advisor-tool-", "", "", false },
	{ "code-execution-", "", "", false },
	{ "fast-mode-", "", "", false },
	{ "files-api-", "", "", false },
	{ "mcp-client-", "", "", false },
	{ "message-threads-", "", "", false },
	{ "prompt-caching-scope-", "", "", false },
	{ "skills-", "", "", false },
	{ "web-fetch-", "", "", false },
	{ "web-search-", "", NULL, false },
};

static const struct flag *flag_of(struct str mark)
{
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (str_starts(mark, str_of(flags[i].begins)))
			return &flags[i];
	return NULL;
}

/* flag_as: a mark as the place knows it; empty: it does not. */
static struct str flag_as(const struct anthropic_host *h, struct str mark)
{
	const struct flag *row = flag_of(mark);
	const char        *as = !row ? NULL : h->flags ? row->bedrock : row->vertex;

	return as ? str_of(as) : mark;
}

/* flag_next: takes the next mark out of a list with commas.  False: there is none. */
static bool flag_next(struct str *list, struct str *ret)
{
	if (list->n == 0)
		return false;

	const char *comma = memchr(list->p, ',', list->n);
	size_t      n = comma ? (size_t)(comma - list->p) : list->n;
	size_t      cut = comma ? n + 1 : n;
	*ret = str_trim((struct str){ list->p, n });
	*list = (struct str){ list->p + cut, list->n - cut };
	return true;
}

bool anthropic_host_flags(const struct provider_options *o, struct str given, struct buf *out)
{
	const struct anthropic_host *h = anthropic_host_of(o);
	struct str                   mark;

	while (flag_next(&given, &mark)) {
		struct str as = flag_as(h, mark);

		if (as.n > 0 && !((out->len == 0 || buf_text(out, ",")) && buf_str(out, as)))
			return false;
	}
	return true;
}

static void warn_of_flags(const struct anthropic_host *h, const struct prompt *p)
{
	struct str given = prompt_is_native(p, PROVIDER_MESSAGES) ? p->native->beta : STR_NONE;
	struct str mark;

	while (h->name && flag_next(&given, &mark))
		if (mark.n > 0 && flag_as(h, mark).n == 0 && !flag_of(mark)->quiet)
			warnings_add(p->warnings, 0, "parameter_dropped",
				     "%.*s of anthropic-beta was not sent: this provider's %s has "
				     "no such feature",
				     mark.n < 60 ? (int)mark.n : 60, mark.p, h->name);
}

/* anthropic_host_put_list: a list with commas as strings of an array. */
static bool anthropic_host_put_list(struct str list, bool *first, struct buf *out)
{
	struct str mark;

	while (flag_next(&list, &mark))
		if (mark.n > 0 && !(buf_text(out, *first ? ",\"anthropic_beta\":[" : ",") &&
				    buf_json_string(out, mark)))
			return false;
		else
			*first = *first && mark.n == 0;
	return true;
}

/* put_version: the place's own name of the version 2023-06-01; a client that asks for a later one gets that. */
static bool put_version(const struct anthropic_host *h, const struct prompt *p, struct buf *out)
{
	struct str asked = prompt_is_native(p, PROVIDER_MESSAGES) ? p->native->version : STR_NONE;
	struct str version =
		asked.n > 0 && !str_is(asked, "2023-06-01") ? asked : str_of(h->version);

	return buf_text(out, ",\"anthropic_version\":") && buf_json_string(out, version);
}

bool anthropic_host_put(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	const struct anthropic_host *h = anthropic_host_of(o);
	struct str given = prompt_is_native(p, PROVIDER_MESSAGES) ? p->native->beta : STR_NONE;
	struct buf known;
	bool       first = true;

	if (!h->name)
		return true;
	warn_of_flags(h, p);
	if (!put_version(h, p, out))
		return false;
	if (!h->flags)
		return true;
	buf_init(&known, LIMIT_CALL_HEADERS);
	bool ok = anthropic_host_flags(o, given, &known) &&
		  anthropic_host_put_list(str_of(o->flags), &first, out) &&
		  anthropic_host_put_list(buf_view(&known), &first, out) &&
		  (first || buf_text(out, "]"));
	buf_finish(&known);
	return ok;
}

/* --- Vertex AI --- */

#define PUBLISHER "/publishers/anthropic"

/* vertex_check: a base_url without a project would be refused for each request, without saying why. */
static enum errc vertex_check(const struct provider_options *o, struct err *e)
{
	if (strstr(o->base_url, "/locations/") || strstr(o->base_url, PUBLISHER))
		return ERR_OK;
	return err_set(
		e, ERR_INVALID_VALUE, "base_url",
		"with hosting vertex, a base_url ends at the location: "
		"https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION");
}

/* vertex_version: puts the API's version after the host of a base_url that has none. */
static bool vertex_version(const char *base_url, struct buf *out)
{
	const char *host = strstr(base_url, "://");
	const char *path = host ? strchr(host + 3, '/') : NULL;

	if (!path || !(str_starts(str_of(path), STR("/projects/")) ||
		       str_starts(str_of(path), STR(PUBLISHER))))
		return true;
	out->len -= strlen(path);
	return buf_text(out, "/v1") && buf_text(out, path);
}

static bool vertex_place(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	if (!vertex_version(o->base_url, out) || !buf_text(out, PUBLISHER "/models/"))
		return false;
	if (anthropic_host_is_count(p))
		return buf_text(out, "count-tokens:rawPredict");
	return place_segment(out, p->model) &&
	       buf_text(out, p->stream ? ":streamRawPredict" : ":rawPredict");
}

/* The version is the first one. */
static const char *const call_headers[] = { "anthropic-version", "anthropic-beta", NULL };

static const struct provider_header vertex_headers[] = {
	{ "anthropic-version", "2023-06-01", false },
	{ 0 },
};

const struct dialect dialect_anthropic_vertex = {
	.name = "anthropic",
	.hosting = "vertex",
	.check = vertex_check,
	.takes = PROVIDER_IMAGES | PROVIDER_PDF | PROVIDER_TOP_K | PROVIDER_CACHE |
		 PROVIDER_CACHE_ALL | PROVIDER_MESSAGES,
	.path = PUBLISHER "/models",
	.root = PUBLISHER,
	.place = vertex_place,
	.headers = vertex_headers,
	.call_headers = call_headers,
	.put_flags = anthropic_host_flags,
	.count_path = PUBLISHER "/models/count-tokens:rawPredict",
	.framing = &upstream_events,
	.encode = anthropic_encode,
	.decode_event = anthropic_decode_event,
	.decode_whole = anthropic_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
};
