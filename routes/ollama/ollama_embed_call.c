/* POST /api/embed and the older /api/embeddings: Ollama's requests for embeddings, as OpenAI's. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "provider/provider.h"
#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "routes/kit/gateway.h"
#include "routes/ollama/internal.h"
#include "routes/service/model_tags.h"
#include "schema/schema.h"
#include "shape/family.h"

static enum errc ollama_embed_begin(struct ollama_reading *x, struct input *in,
				    const struct gateway *g, struct str model,
				    struct call_request *ret, struct err *e)
{
	struct str name = model_tags_name(g->now->registry, ret->caller.who, model, &in->arena);

	*x = (struct ollama_reading){ .doc = &in->doc, .arena = &in->arena };
	enum errc rc = intake_model(g, name, ret, e);
	if (rc == ERR_OK && !(ret->what.takes & PROVIDER_EMBED))
		rc = err_set(e, ERR_UNSUPPORTED_PARAMETER, "model",
			     "the provider '%s' of this model has no embeddings: its dialect is %s",
			     ret->what.provider->name, ret->what.provider->ops->dialect);
	if (rc != ERR_OK)
		return rc;
	x->takes = registry_bound(ret->what.route, ret->what.asked, 0, CLASS_STANDARD).takes;
	return ollama_members_begin(x, e);
}

/* pass_members: `dimensions`, which OpenAI's API has, too, and what goes to Ollama's own servers alone. */
static enum errc pass_members(struct ollama_reading *x, struct err *e)
{
	static const char *const keys[] = { "dimensions", "truncate", "options" };
	json_at                  options = json_get_some(x->doc, 0, "options");

	if (options != JSON_ABSENT && x->doc->tok[options].count > 0 &&
	    !(x->takes & PROVIDER_OLLAMA))
		warnings_add(&x->warnings, 0, "parameter_dropped",
			     "options was not sent: this provider has no such parameter");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_at value = json_get_some(x->doc, 0, keys[i]);

		if (value == JSON_ABSENT || (i > 0 && !(x->takes & PROVIDER_OLLAMA)) ||
		    (json_kind(x->doc, value) == JSON_OBJECT && x->doc->tok[value].count == 0))
			continue;
		enum errc rc = ollama_members_add(x,
						  buf_fmt(&x->out, "\"%s\":", keys[i]) &&
							  buf_str(&x->out, json_raw(x->doc, value)),
						  e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc ollama_embed_done(struct ollama_reading *x, json_at input, size_t count,
				   const char *shape, struct call_request *ret, struct err *e)
{
	struct embed *embed = arena_alloc(x->arena, sizeof *embed);

	if (!embed)
		return err_no_memory(e);
	enum errc rc = ollama_members_add(
		x, buf_text(&x->out, "\"input\":") && buf_str(&x->out, json_raw(x->doc, input)), e);

	if (rc != ERR_OK)
		return rc;
	*embed = (struct embed){ .input = json_raw(x->doc, input), .count = count };
	ret->what.prompt.embed = embed;
	ret->manner.shape = family_shape(&family_ollama, str_of(shape));
	rc = pass_members(x, e);
	return rc == ERR_OK ? ollama_members_done(x, ret, e) : rc;
}

static enum errc read_embed(struct input *in, const struct gateway *g, struct call_request *ret,
			    struct err *e)
{
	struct ollama_embed_request c = ollama_embed_request_init;
	struct ollama_reading       x;
	struct tokens_list          list;
	enum errc                   rc =
		fields_read(&ollama_embed_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = tokens_read(&in->doc, c.input, "input", &list, e);
	if (rc == ERR_OK && list.tokens)
		rc = err_set(e, ERR_INVALID_TYPE, "input", "must be a text, or a list of texts");
	if (rc == ERR_OK)
		rc = ollama_embed_begin(&x, in, g, c.model, ret, e);
	if (rc != ERR_OK)
		return rc;
	buf_init(&x.out, (size_t)LIMIT_BODY_MAX + MIB);
	warnings_init(&x.warnings);
	rc = ollama_embed_done(&x, c.input, list.count, SHAPE_EMBEDDINGS, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	return rc;
}

static enum errc read_embeddings(struct input *in, const struct gateway *g,
				 struct call_request *ret, struct err *e)
{
	struct ollama_embeddings_request c = ollama_embeddings_request_init;
	struct ollama_reading            x;
	enum errc                        rc =
		fields_read(&ollama_embeddings_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = ollama_embed_begin(&x, in, g, c.model, ret, e);
	if (rc != ERR_OK)
		return rc;
	buf_init(&x.out, (size_t)LIMIT_BODY_MAX + MIB);
	warnings_init(&x.warnings);
	rc = ollama_embed_done(&x, json_get(x.doc, 0, "prompt"), 1, SHAPE_EMBEDDING, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	return rc;
}

void ollama_embed_call_post(struct request *r, void *app)
{
	if (ollama_load_is(request_input(r), "input"))
		ollama_load_answer(r, app, OLLAMA_LOAD_VECTORS);
	else
		intake_serve(r, app, read_embed);
}

void ollama_embed_call_one(struct request *r, void *app)
{
	if (ollama_load_is(request_input(r), "prompt"))
		ollama_load_answer(r, app, OLLAMA_LOAD_VECTOR);
	else
		intake_serve(r, app, read_embeddings);
}
