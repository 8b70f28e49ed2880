/* Errors within an answer, which have no HTTP status.  Sources: ai.google.dev/gemini-api/docs/api-errors;
 * google/rpc/code.proto. */
#include "provider/interactions/interactions.h"

#include "json/scan.h"
#include "provider/openai/openai.h"
#include "shape/api_words.h"

/* interactions_status_of: the HTTP status of an error, which stands in an answer: of its code, or of the number that a
 * step has, one of google.rpc.Code.  0: none is known. */
static int interactions_status_of(const struct json_doc *doc, json_at code)
{
	/* google/rpc/code.proto, from CANCELLED to UNAUTHENTICATED */
	static const int        numbers[] = { 0,   499, 500, 400, 504, 404, 409, 403, 429,
					      400, 409, 400, 501, 500, 503, 500, 401 };
	const struct api_error *row = NULL;
	int64_t                 n;

	if (json_is_kind(doc, code, JSON_STRING))
		row = api_words_error(&words_interactions, json_inner(doc, code));
	else if (code != JSON_ABSENT && json_int(doc, code, &n) && n > 0 &&
		 n < (int64_t)ARRAY_LEN(numbers))
		return numbers[n];
	return row ? row->http : 0;
}

enum errc interactions_take_error(struct decode *d, json_at error, struct err *e)
{
	int status = interactions_status_of(d->doc, json_get_some(d->doc, error, "code"));

	if (status == 0)
		return openai_error(d, error, e);
	openai_decode_error(d, status, json_raw(d->doc, error), e);
	return e->code;
}

enum errc interactions_fail_all(struct decode *d, struct err *e)
{
	json_at error = json_get_some(d->doc, 0, "error");

	return json_is_kind(d->doc, error, JSON_OBJECT) ? interactions_take_error(d, error, e)
							: openai_error(d, error, e);
}

bool interactions_is_error(const struct json_doc *doc, json_at error)
{
	json_at code = error != JSON_ABSENT ? json_get_some(doc, error, "code") : JSON_ABSENT;
	int64_t n = 0;

	return error != JSON_ABSENT && doc->tok[error].count > 0 &&
	       !(code != JSON_ABSENT && json_int(doc, code, &n) && n == 0);
}
