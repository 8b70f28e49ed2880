/* POST /api/chat and /api/generate: Ollama's requests as prompts. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "call/admission.h"
#include "http/reply.h"
#include "http/request.h"
#include "provider/provider.h"
#include "routes/call/call.h"
#include "routes/kit/gateway.h"
#include "routes/ollama/internal.h"
#include "routes/service/model_tags.h"
#include "schema/schema.h"
#include "shape/encoders.h"
#include "shape/family.h"

/* --- calls --- */

/* call_store: the API has no member for it. */
static enum errc call_store(struct call_request *ret, struct err *e)
{
	struct str store = ret->manner.headers[OLLAMA_STORE];

	ret->manner.store = str_is(store, "true");
	return ret->manner.store || store.n == 0 || str_is(store, "false")
		       ? ERR_OK
		       : err_set(e, ERR_INVALID_VALUE, "x-parley-store", "must be true or false");
}

static enum errc ollama_call_begin(struct ollama_reading *x, struct input *in,
				   const struct gateway *g, struct str model,
				   struct call_request *ret, struct err *e)
{
	struct str name = model_tags_name(g->now->registry, ret->caller.who, model, &in->arena);
	enum errc  rc = call_store(ret, e);

	*x = (struct ollama_reading){ .doc = &in->doc, .arena = &in->arena };
	if (rc == ERR_OK)
		rc = intake_model(g, name, ret, e);
	return rc == ERR_OK ? ollama_members_begin(x, e) : rc;
}

/* call_members: all but the messages. */
static enum errc call_members(struct ollama_reading *x, struct input *in, bool stream,
			      struct call_request *ret, struct err *e)
{
	struct registry_bound b =
		registry_bound(ret->what.route, ret->what.asked, 0, CLASS_STANDARD);

	x->takes = b.takes;
	enum errc rc = ollama_members_read(x, b.max_output, &ret->what.prompt, e);
	if (rc == ERR_OK)
		rc = ollama_members_done(x, ret, e);
	if (x->unthinking)
		ret->manner.settings = STR(OLLAMA_UNTHINKING);
	ret->what.prompt.stream = stream;
	ret->what.prompt.want_usage = stream;
	ret->manner.guess_in = admission_prompt_tokens(in);
	return rc;
}

static enum errc read_chat(struct input *in, const struct gateway *g, struct call_request *ret,
			   struct err *e)
{
	struct ollama_chat_request c = ollama_chat_request_init;
	struct ollama_reading      x;
	enum errc rc = fields_read(&ollama_chat_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = ollama_call_begin(&x, in, g, c.model, ret, e);
	if (rc != ERR_OK)
		return rc;
	/* Escaping may double the arguments of calls. */
	buf_init(&x.out, 2 * (size_t)LIMIT_BODY_MAX + MIB);
	warnings_init(&x.warnings);
	rc = ollama_turns_read(&x, c.messages, &ret->what.messages, &ret->what.message_count, e);
	if (rc == ERR_OK)
		rc = call_members(&x, in, c.stream, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	return rc;
}

/* refuse_templates: what changes how a prompt is made, which only its provider knows. */
static enum errc refuse_templates(struct ollama_reading *x, const struct ollama_generate_request *c,
				  struct err *e)
{
	json_at context = json_get_some(x->doc, 0, "context");

	if (c->raw)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "raw",
			       "must be false: the provider makes the prompt's template");
	if (c->suffix.n > 0)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "suffix",
			       "must be empty: this gateway fills no gaps in a text");
	if (json_is_kind(x->doc, context, JSON_ARRAY) && x->doc->tok[context].count > 0)
		return err_set(
			e, ERR_UNSUPPORTED_PARAMETER, "context",
			"must be empty: this gateway gives none; send all messages to /api/chat");
	if (c->template.n > 0)
		warnings_add(&x->warnings, 0, "parameter_dropped",
			     "template was not sent: the provider makes the prompt's template");
	return ERR_OK;
}

static enum errc read_generate(struct input *in, const struct gateway *g, struct call_request *ret,
			       struct err *e)
{
	struct ollama_generate_request c = ollama_generate_request_init;
	struct ollama_reading          x;
	enum errc                      rc =
		fields_read(&ollama_generate_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = ollama_call_begin(&x, in, g, c.model, ret, e);
	if (rc != ERR_OK)
		return rc;
	buf_init(&x.out, 2 * (size_t)LIMIT_BODY_MAX + MIB);
	warnings_init(&x.warnings);
	rc = refuse_templates(&x, &c, e);
	if (rc == ERR_OK)
		rc = ollama_turns_prompt(&x, json_get_some(x.doc, 0, "system"),
					 json_get(x.doc, 0, "prompt"), c.images, &ret->what, e);
	if (rc == ERR_OK)
		rc = call_members(&x, in, c.stream, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	return rc;
}

void ollama_call_chat(struct request *r, void *app)
{
	if (ollama_load_is(request_input(r), "messages"))
		ollama_load_answer(r, app, OLLAMA_LOAD_CHAT);
	else
		intake_serve(r, app, read_chat);
}

void ollama_call_generate(struct request *r, void *app)
{
	if (ollama_load_is(request_input(r), "prompt"))
		ollama_load_answer(r, app, OLLAMA_LOAD_TEXT);
	else
		intake_serve(r, app, read_generate);
}
