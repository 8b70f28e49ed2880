/* POST …/models/NAME:embedContent and :batchEmbedContents: Gemini's requests for embeddings, as OpenAI's. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/request.h"
#include "provider/provider.h"
#include "routes/call/call.h"
#include "routes/gemini/internal.h"
#include "routes/kit/check.h"
#include "routes/kit/gateway.h"
#include "schema/schema.h"
#include "shape/family.h"

#include <stdio.h>
#include <string.h>

/* put_content: the texts of a content as one string, in the order of its parts. */
static enum errc put_content(struct gemini_reading *x, json_at content, const char *path,
			     struct err *e)
{
	struct part_sink s = { .gap = "\\n" };
	json_at          parts = json_is_kind(x->doc, content, JSON_OBJECT)
					 ? json_get_some(x->doc, content, "parts")
					 : JSON_ABSENT;
	char             at[160];
	size_t           n = 0;

	check_path(at, "%s.parts", path);
	if (!proto_list(x->doc, parts) || proto_count(x->doc, parts) == 0)
		return err_set(e, parts == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_VALUE,
			       at, "must be an array of parts with text");
	if (!buf_text(&x->out, "\""))
		return err_no_memory(e);
	for (json_at i = proto_first(x->doc, parts); i != json_end(x->doc, parts);
	     i = json_next(x->doc, i)) {
		struct part p;

		enum errc rc = part_read(x->doc, i, false, &p, e);
		if (rc == ERR_OK && !part_is_text(x, &p))
			rc = err_set(
				e, ERR_UNSUPPORTED_PARAMETER, "",
				"must be a text: embeddings of other parts can't be asked for");
		if (rc == ERR_OK)
			rc = part_put(x, &s, &p, e);
		if (rc != ERR_OK) {
			check_path(at, "%s.parts[%zu]", path, n);
			err_at(e, at);
			return rc;
		}
		n++;
	}
	return buf_text(&x->out, "\"") ? ERR_OK : err_no_memory(e);
}

/* Members of a request that are the same for all of its texts. */
static const struct {
	const char *key;
	const char *as;
} shared[] = {
	{ "outputDimensionality", "dimensions" },
	{ "taskType", "taskType" },
	{ "title", "title" },
	{ "autoTruncate", "autoTruncate" },
};

/* embed_member: `config` has the newer names of these members. */
static json_at embed_member(const struct json_doc *d, json_at request, const char *key)
{
	json_at config = proto_get(d, request, "embedContentConfig");
	json_at at = proto_get(d, request, key);

	return at == JSON_ABSENT && json_is_kind(d, config, JSON_OBJECT) ? proto_get(d, config, key)
									 : at;
}

/* add_shared: the dialect of Gemini sends what OpenAI does not know; others are not sent it. */
static enum errc add_shared(struct gemini_reading *x, json_at request, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		json_at at = embed_member(x->doc, request, shared[i].key);

		if (at == JSON_ABSENT)
			continue;
		if (i > 0 && !(x->takes & PROVIDER_GEMINI)) {
			reading_warn(x, shared[i].key, "this provider has no such parameter");
			continue;
		}
		enum errc rc = reading_add(x,
					   buf_fmt(&x->out, "\"%s\":", shared[i].as) &&
						   buf_str(&x->out, json_raw(x->doc, at)),
					   e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* same_shared: a provider is asked once for all texts, with one value of what it is sent. */
static enum errc same_shared(struct gemini_reading *x, json_at first[ARRAY_LEN(shared)],
			     json_at request, size_t n, struct err *e)
{
	const struct json_doc *d = x->doc;
	size_t                 sent = x->takes & PROVIDER_GEMINI ? ARRAY_LEN(shared) : 1;
	char                   path[160];

	for (size_t i = sent; i < ARRAY_LEN(shared); i++) {
		json_at at = embed_member(d, request, shared[i].key);

		/* A member of the first request is warned of where it is left out. */
		if (first[i] == JSON_ABSENT && at != JSON_ABSENT) {
			reading_warn(x, shared[i].key, "this provider has no such parameter");
			first[i] = at;
		}
	}
	for (size_t i = 0; i < sent; i++) {
		json_at a = first[i];
		json_at b = embed_member(d, request, shared[i].key);

		if ((a == JSON_ABSENT) == (b == JSON_ABSENT) &&
		    (a == JSON_ABSENT || str_eq(json_raw(d, a), json_raw(d, b))))
			continue;
		check_path(path, "requests[%zu].%s", n, shared[i].key);
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
			       "must be the same in all requests");
	}
	return ERR_OK;
}

/* embed_content_check_model: a request in a batch repeats the model of the path. */
static enum errc embed_content_check_model(const struct gemini_reading *x, json_at request,
					   struct str asked, size_t n, struct err *e)
{
	json_at    at = json_get_some(x->doc, request, "model");
	struct str model = STR_NONE;
	char       path[160];

	if (json_is_kind(x->doc, at, JSON_STRING) && !json_text(x->doc, at, x->arena, &model))
		return err_no_memory(e);
	if (str_starts(model, STR("models/")))
		model = (struct str){ model.p + 7, model.n - 7 };
	if (model.n == 0 || str_eq(model, asked))
		return ERR_OK;
	check_path(path, "requests[%zu].model", n);
	return err_set(e, ERR_INVALID_VALUE, path, "must be the model that the path names");
}

static enum errc embed_content_put_batch(struct gemini_reading *x, json_at requests,
					 struct str asked, size_t *ret_count, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                first[ARRAY_LEN(shared)] = { JSON_ABSENT };
	size_t                 n = 0;
	bool                   ok = buf_text(&x->out, "\"input\":[");

	JSON_EACH (i, d, requests) {
		char path[160];

		check_path(path, "requests[%zu]", n);
		if (json_kind(d, i) != JSON_OBJECT)
			return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
		for (size_t k = 0; n == 0 && k < ARRAY_LEN(shared); k++)
			first[k] = embed_member(d, i, shared[k].key);
		enum errc rc = embed_content_check_model(x, i, asked, n, e);
		if (rc == ERR_OK)
			rc = same_shared(x, first, i, n, e);
		check_path(path, "requests[%zu].content", n);
		if (rc == ERR_OK && (n++ > 0 && !buf_text(&x->out, ",")))
			ok = false;
		if (rc == ERR_OK)
			rc = put_content(x, json_get_some(d, i, "content"), path, e);
		if (rc != ERR_OK)
			return rc;
	}
	*ret_count = n;
	return ok && buf_text(&x->out, "]") ? ERR_OK : err_no_memory(e);
}

/* embed_done: the prompt of the input, which x->out has as a member. */
static enum errc embed_done(struct gemini_reading *x, json_at request, size_t count,
			    struct call_request *ret, struct err *e)
{
	struct embed *embed = arena_alloc(x->arena, sizeof *embed);
	enum errc     rc = reading_add(x, embed, e);

	if (rc != ERR_OK)
		return rc;
	struct str input = x->members[0];
	*embed = (struct embed){ .input = { input.p + 8, input.n - 8 }, .count = count };
	rc = add_shared(x, request, e);
	ret->what.prompt.embed = embed;
	ret->what.prompt.members = x->members;
	ret->what.prompt.member_count = x->member_count;
	ret->what.warning_count = x->warnings.count;
	ret->what.warnings = arena_str(x->arena, buf_view(&x->warnings.json));
	return rc == ERR_OK && !ret->what.warnings.p ? err_no_memory(e) : rc;
}

static enum errc embed_begin(struct gemini_reading *x, struct input *in, const struct gateway *g,
			     struct call_request *ret, struct err *e)
{
	*x = (struct gemini_reading){ .doc = &in->doc, .arena = &in->arena };
	enum errc rc = intake_model(g, STR_NONE, ret, e);
	if (rc == ERR_OK && !(ret->what.takes & PROVIDER_EMBED))
		rc = err_set(e, ERR_UNSUPPORTED_PARAMETER, "model",
			     "the provider '%s' of this model has no embeddings: its dialect is %s",
			     ret->what.provider->name, ret->what.provider->ops->dialect);
	if (rc != ERR_OK)
		return rc;
	x->takes = registry_bound(ret->what.route, ret->what.asked, 0, CLASS_STANDARD).takes;
	x->members = arena_alloc(&in->arena, READING_MEMBERS * sizeof *x->members);
	return x->members ? ERR_OK : err_no_memory(e);
}

static enum errc embed_read_one(struct input *in, const struct gateway *g, struct call_request *ret,
				struct err *e)
{
	struct embed_request  c = embed_request_init;
	struct gemini_reading x;
	enum errc rc = fields_read(&embed_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = embed_begin(&x, in, g, ret, e);
	if (rc != ERR_OK)
		return rc;
	buf_init(&x.out, 2 * (size_t)LIMIT_BODY_MAX);
	warnings_init(&x.warnings);
	ret->manner.shape = family_shape(&family_gemini, STR(SHAPE_VECTOR));
	if (!buf_text(&x.out, "\"input\":"))
		rc = err_no_memory(e);
	if (rc == ERR_OK)
		rc = put_content(&x, c.content, "content", e);
	if (rc == ERR_OK)
		rc = embed_done(&x, 0, 1, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	return rc;
}

static enum errc embed_read_batch(struct input *in, const struct gateway *g,
				  struct call_request *ret, struct err *e)
{
	struct embed_batch_request c = embed_batch_request_init;
	struct gemini_reading      x;
	size_t                     count = 0;
	enum errc rc = fields_read(&embed_batch_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = embed_begin(&x, in, g, ret, e);
	if (rc != ERR_OK)
		return rc;
	buf_init(&x.out, 2 * (size_t)LIMIT_BODY_MAX);
	warnings_init(&x.warnings);
	ret->manner.shape = family_shape(&family_gemini, STR(SHAPE_VECTORS));
	rc = embed_content_put_batch(&x, c.requests, ret->what.asked, &count, e);
	if (rc == ERR_OK)
		rc = embed_done(&x, json_first(&in->doc, c.requests), count, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	return rc;
}

void embed_content_post(struct request *r, void *app)
{
	intake_serve_model(r, app, request_param(r, 0), embed_read_one);
}

void embed_content_batch(struct request *r, void *app)
{
	intake_serve_model(r, app, request_param(r, 0), embed_read_batch);
}
