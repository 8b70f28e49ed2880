/* The routes of table.def as a table, and what a path that is none of them looks like. */
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/kit/handlers.h"

#define ROUTE(...) { __VA_ARGS__ },
#define SCRATCH_ROUTE(name, method, path, auth, body, traits, family, handler) \
	{ name, method, path, auth, body, traits, &(family), handler },
const struct route routes[] = {
#include "routes/table.def"
#include "base/scratch.def"
	{ 0 },
};
#undef ROUTE
#undef SCRATCH_ROUTE

/* is_gemini: whether Google's clients send such a request: they name their kind of key, or themselves, in a header, and
 * use a path of their own unless it is configured otherwise.  Below one of these paths Google speaks OpenAI's API. */
static bool is_gemini(const struct request *r)
{
	if (str_starts(request_view(r)->path, STR("/v1beta/openai/")))
		return false;
	return str_starts(request_view(r)->path, STR("/v1beta/")) ||
	       request_header(r, family_gemini.key_header).n > 0 ||
	       request_header(r, "x-goog-api-client").n > 0 ||
	       request_query_is(r, family_gemini.key_query, NULL);
}

/* An unknown path, or the list of models, which several APIs have at one path, is answered in the shape of the API that the
 * request looks like.  Anthropic's clients say the version of its API, and know no other shape. */
static const struct family *family_by_looks(const struct request *r, const struct family *usual)
{
	bool unknown = !usual;

	if (unknown && str_starts(request_view(r)->path, STR("/api/sdk/")))
		return &family_rebyte;
	if (unknown && str_starts(request_view(r)->path, STR("/api/")))
		return &family_ollama;
	if (request_header(r, family_messages.headers[MESSAGES_VERSION]).n > 0 ||
	    (unknown && str_starts(request_view(r)->path, STR("/v1/messages/"))))
		return &family_messages;
	if (is_gemini(r))
		return &family_gemini;
	return unknown ? &family_chat : usual;
}

const struct family *routes_family(const struct request *r, const struct route *row)
{
	if (!row || row->handle == models_list || row->handle == models_get)
		return family_by_looks(r, row ? row->family : NULL);
	if (row->handle == generate_stream && !request_query_is(r, "alt", "sse"))
		return &family_gemini_array;
	return row->family;
}
