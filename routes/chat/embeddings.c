/* POST /v1/embeddings: OpenAI's request. It makes a run that is not stored. */
#include "routes/chat/embeddings.h"

#include "base/limits.h"
#include "routes/kit/check.h"
#include "routes/call/intake.h"
#include "schema/embedding_request.h"

static bool is_token(const struct json_doc *d, json_at i)
{
	return json_kind(d, i) == JSON_NUMBER && (d->tok[i].flags & JSON_INTEGER) &&
	       json_raw(d, i).p[0] != '-';
}

/* check_tokens: checks all elements of a list within the input; `path` is that of the list. */
static enum errc check_tokens(const struct json_doc *d, json_at list, const char *path,
			      struct err *e)
{
	size_t n = 0;

	if (d->tok[list].count == 0)
		return err_set(e, ERR_INVALID_VALUE, path, "must not be empty");
	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		char at[160];

		if (is_token(d, i))
			continue;
		check_path(at, "%s[%zu]", path, n);
		return err_set(e, ERR_INVALID_TYPE, at,
			       "must be a token, an integer of at least 0");
	}
	return ERR_OK;
}

/* check_each: checks that all elements of a list have the kind of the first one: texts, or lists of
 * tokens. */
static enum errc check_each(const struct json_doc *d, json_at list, struct err *e)
{
	enum json_kind kind = json_kind(d, json_first(d, list));
	size_t         n = 0;

	if (d->tok[list].count > LIMIT_EMBED)
		return err_set(e, ERR_INVALID_VALUE, "input", "may have at most %d elements",
			       LIMIT_EMBED);
	JSON_EACH (i, d, list) {
		char path[160];

		check_path(path, "input[%zu]", n++);
		if (json_kind(d, i) != kind)
			return err_set(e, ERR_INVALID_TYPE, path,
				       "must be of the same kind as input[0]");
		if (kind == JSON_ARRAY && check_tokens(d, i, path, e) != ERR_OK)
			return e->code;
	}
	return ERR_OK;
}

static enum errc embeddings_read_input(const struct json_doc *d, json_at input, struct embed *ret,
				       struct err *e)
{
	json_at        first = json_first(d, input);
	enum json_kind kind = json_kind(d, input);

	*ret = (struct embed){ .input = json_raw(d, input), .count = 1 };
	if (kind == JSON_STRING)
		return ERR_OK;
	if (kind == JSON_ARRAY && d->tok[input].count == 0)
		return err_set(e, ERR_INVALID_VALUE, "input", "must not be empty");
	if (kind == JSON_ARRAY)
		kind = json_kind(d, first);
	else
		kind = JSON_NULL;
	switch (kind) {
	case JSON_NUMBER: ret->tokens = true; return check_tokens(d, input, "input", e);
	case JSON_STRING:
	case JSON_ARRAY:
		ret->tokens = kind == JSON_ARRAY;
		ret->count = d->tok[input].count;
		return check_each(d, input, e);
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_OBJECT: break;
	}
	return err_set(
		e, ERR_INVALID_TYPE, "input",
		"must be a string, an array of strings, an array of tokens (integers), or an "
		"array of such arrays");
}

static enum errc embeddings_build_prompt(struct input *in, const struct embedding_request *c,
					 struct prompt *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct embed          *embed = arena_alloc(&in->arena, sizeof *embed);
	struct str            *list = arena_alloc(&in->arena, (d->tok[0].count + 1) * sizeof *list);
	size_t                 n = 0;

	if (!embed || !list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the request");
	JSON_EACH_MEMBER (k, d, 0)
		if (!json_is(d, k, "model"))
			list[n++] = json_member(d, k);
	ret->members = list;
	ret->member_count = n;
	ret->embed = embed;
	enum errc rc = embeddings_read_input(d, c->input, embed, e);
	embed->base64 = c->encoding_format == EMBEDDING_FORMAT_BASE64;
	return rc;
}

static enum errc embeddings_read_request(struct input *in, const struct gateway *g,
					 struct run_request *ret, struct err *e)
{
	struct embedding_request c = EMBEDDING_REQUEST_INIT;
	enum errc                rc;

	rc = fields_read(&embedding_request_fields, &in->doc, 0, "", &in->arena, &c, e);
	if (rc == ERR_OK)
		rc = embeddings_build_prompt(in, &c, &ret->prompt, e);
	if (rc == ERR_OK)
		rc = intake_target(g, c.model, "model", ret, e);
	if (rc == ERR_OK && !(ret->takes & PROVIDER_EMBED))
		rc = err_set(
			e, ERR_UNSUPPORTED_PARAMETER, "model",
			"the provider '%s' of this model can't be asked by POST /v1/embeddings: its "
			"dialect, %s, has no embeddings",
			ret->provider->name, ret->provider->ops->dialect);
	return rc;
}

void embeddings_post(struct request *r, void *app)
{
	intake_serve(r, app, embeddings_read_request);
}
