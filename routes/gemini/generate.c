/* POST …/models/NAME:generateContent and :streamGenerateContent: Gemini's request as a prompt.  Gemini's providers are sent the
 * request itself; what OpenAI's can't say is left out for others with a warning. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "call/admission.h"
#include "call/door.h"
#include "http/reply.h"
#include "http/request.h"
#include "provider/provider.h"
#include "routes/call/call.h"
#include "routes/gemini/internal.h"
#include "routes/kit/check.h"
#include "routes/kit/gateway.h"
#include "routes/messages/token_count.h"
#include "schema/schema.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <stdio.h>
#include <string.h>

enum errc reading_add(struct gemini_reading *x, bool ok, struct err *e)
{
	struct str made = ok ? arena_str(x->arena, buf_view(&x->out)) : STR_NONE;

	buf_clear(&x->out);
	if (!made.p)
		return err_no_memory(e);
	CHECK(x->member_count < READING_MEMBERS);
	x->members[x->member_count++] = made;
	return ERR_OK;
}

void reading_warn(struct gemini_reading *x, const char *what, const char *why)
{
	warnings_add(&x->warnings, 0, "parameter_dropped", "%s was not sent: %s", what, why);
}

enum errc reading_bind(struct gemini_reading *x, struct err *e)
{
	if (!x->native)
		return e->code;
	if (!x->bound)
		x->why = *e;
	x->bound = true;
	e->code = ERR_OK;
	return ERR_OK;
}

/* Members that are read here, or that mean nothing. */
static const char *const quiet[] = {
	"contents",         "systemInstruction", "tools",         "toolConfig",
	"generationConfig", "safetySettings",    "cachedContent", "model",
};

/* pick_member: the member, whichever of its two spellings the request has. */
static json_at pick_member(json_at camel, json_at snake)
{
	return camel != JSON_ABSENT ? camel : snake;
}

/* add_own: a member that only Gemini's providers know.  *ret_sent: it is sent. */
static enum errc add_own(struct gemini_reading *x, const char *name, bool *ret_sent, struct err *e)
{
	json_at value = proto_get(x->doc, 0, name);

	*ret_sent = value != JSON_ABSENT && (x->takes & PROVIDER_GEMINI);
	if (!*ret_sent)
		return ERR_OK;
	return reading_add(
		x, buf_fmt(&x->out, "\"%s\":", name) && buf_str(&x->out, json_raw(x->doc, value)),
		e);
}

static enum errc add_owns(struct gemini_reading *x, struct err *e)
{
	bool      sent;
	enum errc rc = add_own(x, "safetySettings", &sent, e);

	if (rc == ERR_OK && !sent && proto_get(x->doc, 0, "safetySettings") != JSON_ABSENT)
		reading_warn(x, "safetySettings", "this provider has no such parameter");
	if (rc == ERR_OK)
		rc = add_own(x, "cachedContent", &sent, e);
	if (rc == ERR_OK && !sent && proto_get(x->doc, 0, "cachedContent") != JSON_ABSENT) {
		err_set(e, ERR_UNSUPPORTED_PARAMETER, "cachedContent",
			"this gateway keeps no cached contents: send all contents");
		rc = reading_bind(x, e);
	}
	return rc;
}

static void generate_warn_others(struct gemini_reading *x)
{
	JSON_EACH_MEMBER (k, x->doc, 0) {
		struct str key = json_inner(x->doc, k);
		bool       known = json_kind(x->doc, json_value(k)) == JSON_NULL;

		for (size_t i = 0; !known && i < ARRAY_LEN(quiet); i++)
			known = proto_is(x->doc, k, quiet[i]);
		if (!known)
			warnings_add(&x->warnings, 0, "parameter_dropped",
				     "the parameter \"%.*s\" was not sent",
				     (int)(key.n < 64 ? key.n : 64), key.p);
	}
}

/* clamp_max: some clients send the same high number to all models. */
static enum errc clamp_max(struct gemini_reading *x, int64_t max_output, struct prompt *ret,
			   struct err *e)
{
	int64_t max = x->max_tokens;
	char    text[24];

	if (max == 0)
		return ERR_OK;
	if (max_output > 0 && max > max_output) {
		warnings_add(&x->warnings, 0, "parameter_clamped",
			     "generationConfig.maxOutputTokens was sent as %lld, the most that the "
			     "model writes",
			     (long long)max_output);
		max = max_output;
	}
	snprintf(text, sizeof text, "%lld", (long long)max);
	ret->max_tokens = arena_str(x->arena, str_of(text));
	return ret->max_tokens.p ? ERR_OK : err_no_memory(e);
}

static enum errc generate_translate(struct gemini_reading *x, const struct generate_request *c,
				    int64_t max_output, struct call_request *ret, struct err *e)
{
	x->members = arena_alloc(x->arena, READING_MEMBERS * sizeof *x->members);
	if (!x->members)
		return err_no_memory(e);
	/* The provider might take the one that was not read here. */
	for (size_t i = 0; i < ARRAY_LEN(quiet); i++)
		if (proto_twice(x->doc, 0, quiet[i]))
			return err_set(e, ERR_INVALID_VALUE, quiet[i],
				       "must not be there in both spellings");
	if (proto_check_list(x->doc, c->contents, LIMIT_MESSAGES, "contents", e) != ERR_OK)
		return e->code;
	enum errc rc = contents_read(x, pick_member(c->systemInstruction, c->system_instruction),
				     c->contents, &ret->what.messages, &ret->what.message_count,
				     &ret->what.prompt.origins, e);
	if (rc == ERR_OK)
		rc = generation_read(x, pick_member(c->generationConfig, c->generation_config), e);
	if (rc == ERR_OK)
		rc = clamp_max(x, max_output, &ret->what.prompt, e);
	if (rc == ERR_OK)
		rc = functions_read(x, c->tools, pick_member(c->toolConfig, c->tool_config), e);
	if (rc == ERR_OK)
		rc = add_owns(x, e);
	if (rc != ERR_OK)
		return rc;
	generate_warn_others(x);
	ret->what.prompt.members = x->members;
	ret->what.prompt.member_count = x->member_count;
	ret->what.warning_count = x->warnings.count;
	ret->what.warnings = arena_str(x->arena, buf_view(&x->warnings.json));
	if (x->thoughts)
		ret->manner.settings = STR(GEMINI_THOUGHTS);
	return ret->what.warnings.p ? ERR_OK : err_no_memory(e);
}

/* generate_pass: keeps the request as it is for the targets that take it so. */
static enum errc generate_pass(struct input *in, const struct gemini_reading *x,
			       struct call_request *ret, struct err *e)
{
	struct prompt_native *native;

	if (x->bound && x->stored) {
		*e = x->why;
		return e->code;
	}
	native = arena_alloc(&in->arena, sizeof *native);
	if (!native)
		return err_no_memory(e);
	*native = (struct prompt_native){ .takes = PROVIDER_GEMINI, .doc = &in->doc };
	ret->what.prompt.native = native;
	ret->what.untranslated = x->bound;
	return ERR_OK;
}

/* generate_store: the API has no member for it. */
static enum errc generate_store(struct call_request *ret, struct err *e)
{
	struct str store = ret->manner.headers[GEMINI_STORE];

	ret->manner.store = str_is(store, "true");
	return ret->manner.store || store.n == 0 || str_is(store, "false")
		       ? ERR_OK
		       : err_set(e, ERR_INVALID_VALUE, "x-parley-store", "must be true or false");
}

static enum errc generate_read(struct input *in, const struct gateway *g, struct call_request *ret,
			       struct err *e)
{
	struct generate_request c = generate_request_init;
	struct gemini_reading   x = { .doc = &in->doc,
				      .arena = &in->arena,
				      .drops = g->now->drops_hosted };
	enum errc rc = fields_read(&generate_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = generate_store(ret, e);
	if (rc == ERR_OK)
		rc = intake_model(g, STR_NONE, ret, e);
	if (rc != ERR_OK)
		return rc;
	struct registry_bound b =
		registry_bound(ret->what.route, ret->what.asked, 0, CLASS_STANDARD);
	x.takes = b.takes;
	x.native = b.some & PROVIDER_GEMINI;
	x.stored = ret->manner.store;
	/* Escaping may double the arguments of calls. */
	buf_init(&x.out, 2 * (size_t)LIMIT_BODY_MAX + MIB);
	warnings_init(&x.warnings);
	rc = generate_translate(&x, &c, b.max_output, ret, e);
	if (rc == ERR_OK && x.native)
		rc = generate_pass(in, &x, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	ret->manner.guess_in = admission_prompt_tokens(in);
	return rc;
}

void generate_post(struct request *r, void *app)
{
	intake_serve_model(r, app, request_param(r, 0), generate_read);
}

static enum errc generate_read_stream(struct input *in, const struct gateway *g,
				      struct call_request *ret, struct err *e)
{
	ret->what.prompt.stream = true;
	ret->what.prompt.want_usage = true;
	return generate_read(in, g, ret, e);
}

void generate_stream(struct request *r, void *app)
{
	intake_serve_model(r, app, request_param(r, 0), generate_read_stream);
}

/* --- generate_count: how many tokens a request would have. --- */

/* has_text_data: whether there is a text in base64, which no hook is shown here. */
static bool has_text_data(const struct json_doc *d)
{
	for (json_at i = 0; i < d->count; i++) {
		json_at data =
			json_kind(d, i) == JSON_OBJECT ? json_get(d, i, "data") : JSON_ABSENT;
		struct str type = data != JSON_ABSENT
					  ? json_inner_of(d, proto_get(d, i, "mimeType"))
					  : STR_NONE;

		if (type.n > 0 && !str_starts(type, STR("image/")) &&
		    !str_starts(type, STR("audio/")) && !str_starts(type, STR("video/")) &&
		    !str_is(type, "application/pdf"))
			return true;
	}
	return false;
}

static enum errc generate_count_read(struct input *in, struct str *ret_model, bool *ret_local,
				     struct err *e)
{
	(void)ret_model; /* in the place */
	if (json_kind(&in->doc, 0) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "", "the body must be an object");
	*ret_local = has_text_data(&in->doc);
	return ERR_OK;
}

void generate_count(struct request *r, void *app)
{
	static const struct token_count_api api = { .family = &family_gemini,
						    .takes = PROVIDER_GEMINI,
						    .before = "\"totalTokens\":",
						    .read = generate_count_read };

	token_count_serve(r, app, &api, request_param(r, 0));
}
