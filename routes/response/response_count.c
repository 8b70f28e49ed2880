/* POST /v1/responses/input_tokens: a request of OpenAI's Responses API.  Source: openai-python 3,
 * types/responses/input_token_count_params.py. */
#include "routes/kit/handlers.h"

#include "base/id.h"
#include "routes/messages/token_count.h"
#include "schema/schema.h"
#include "shape/family.h"

/* has_own_file: whether a part names a file that only this gateway has. */
static bool has_own_file(const struct json_doc *d)
{
	struct id id;

	for (json_at i = 0; i < d->count; i++)
		if (json_kind(d, i) == JSON_OBJECT &&
		    file_id_parse(json_get_inner(d, i, "file_id"), false, &id))
			return true;
	return false;
}

static enum errc response_count_read(struct input *in, struct str *ret_model, bool *ret_local,
				     struct err *e)
{
	static const char *const stored[] = { "previous_response_id", "conversation" };
	struct response_request  c = response_request_init;
	enum errc rc = fields_read(&response_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(stored); i++)
		if (json_get_some(&in->doc, 0, stored[i]) != JSON_ABSENT)
			rc = err_set(e, ERR_UNSUPPORTED_PARAMETER, stored[i],
				     "is not counted here: send its items in input");
	*ret_model = c.model;
	*ret_local = rc == ERR_OK && has_own_file(&in->doc);
	return rc;
}

void response_count_post(struct request *r, void *app)
{
	static const struct token_count_api api = {
		.family = &family_responses,
		.takes = PROVIDER_RESPONSES,
		.before = "\"object\":\"response.input_tokens\",\"input_tokens\":",
		.read = response_count_read,
	};

	token_count_serve(r, app, &api, STR_NONE);
}
