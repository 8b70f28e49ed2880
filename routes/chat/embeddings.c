/* POST /v1/embeddings: OpenAI's request. It makes a run that is not stored. */
#include "routes/kit/handlers.h"

#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "schema/schema.h"

static enum errc embeddings_read_input(const struct json_doc *d, json_at input, struct embed *ret,
				       struct err *e)
{
	struct tokens_list list;
	enum errc          rc = tokens_read(d, input, "input", &list, e);

	if (rc == ERR_OK)
		*ret = (struct embed){ .input = json_raw(d, input),
				       .count = list.count,
				       .tokens = list.tokens };
	return rc;
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
					 struct call_request *ret, struct err *e)
{
	struct embedding_request c = embedding_request_init;
	enum errc                rc;

	rc = fields_read(&embedding_request_fields, &in->doc, 0, "", &in->arena, &c, e);
	if (rc == ERR_OK)
		rc = embeddings_build_prompt(in, &c, &ret->what.prompt, e);
	if (rc == ERR_OK)
		rc = intake_model(g, c.model, ret, e);
	if (rc == ERR_OK && !(ret->what.takes & PROVIDER_EMBED))
		rc = err_set(
			e, ERR_UNSUPPORTED_PARAMETER, "model",
			"the provider '%s' of this model can't be asked by POST /v1/embeddings: its "
			"dialect, %s, has no embeddings",
			ret->what.provider->name, ret->what.provider->ops->dialect);
	return rc;
}

void embeddings_post(struct request *r, void *app)
{
	intake_serve(r, app, embeddings_read_request);
}
