/* OpenAI's embeddings: the request as the client sent it, the answer in the form that was asked
 * for. */
#include "provider/openai/embed.h"

#include "provider/ask_param.h"
#include "provider/openai/openai.h"
#include "provider/vector.h"

#include <stdlib.h>

/* embed_full: the error to return right after a buffer was full. */
static enum errc embed_full(struct err *e)
{
	if (buf_starved())
		return err_no_memory(e);
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent embeddings that make an answer of more than %u bytes",
		       LIMIT_UPSTREAM_BODY);
}

static enum errc as_error(enum vector rc, struct err *e)
{
	switch (rc) {
	case VECTOR_OK: return ERR_OK;
	case VECTOR_BAD: return decode_bad(e, "an embedding with a number that is no float32");
	case VECTOR_FULL: break;
	}
	return embed_full(e);
}

static enum errc wrong_count(size_t got, size_t want, struct err *e)
{
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent %zu embeddings where %zu were asked for", got, want);
}

enum errc embed_texts_only(const struct prompt *p, const char *dialect, struct err *e)
{
	if (!p->embed->tokens)
		return ERR_OK;
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, "input",
		       "a provider of dialect %s takes texts, no tokens", dialect);
}

/* --- the request --- */

enum errc embed_put(const struct prompt *p, const struct ask_param *table, const char *dialect,
		    struct buf *out, struct err *e)
{
	bool first = false;
	/* An empty text alone would only load a model of Ollama's. */
	struct str input = str_is(p->embed->input, "\"\"") ? STR("[\"\"]") : p->embed->input;
	enum errc  rc = embed_texts_only(p, dialect, e);

	if (rc != ERR_OK)
		return rc;
	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model) ||
	    !buf_text(out, ",\"input\":") || !buf_str(out, input))
		return ask_too_large(e);
	rc = ask_param_put(p, table, 0, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, table, dialect, out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc embed_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
		       struct err *e)
{
	size_t n = 64 + 2 * p->model.n;
	bool   ok;

	(void)o;
	for (size_t i = 0; i < p->member_count; i++)
		n += p->members[i].n + 1;
	ok = buf_reserve(out, n) && buf_text(out, "{\"model\":") && buf_json_string(out, p->model);
	for (size_t i = 0; ok && i < p->member_count; i++)
		ok = buf_text(out, ",") && buf_str(out, p->members[i]);
	if (ok && buf_text(out, "}"))
		return ERR_OK;
	return ask_too_large(e);
}

/* --- the answer --- */

enum errc embed_scan(struct decode *d, struct str body, struct err *e)
{
	struct openai_top top;

	if (json_scan(d->doc, body.p ? body.p : "", body.n, &json_limits_vectors, e) != ERR_OK)
		return e->code == ERR_OVERLOADED ? e->code
						 : decode_bad(e, "an answer that is not JSON");
	return openai_answer(d, NULL, &top, e);
}

static void embed_give(struct decode *d, struct str raw, const struct usage *usage)
{
	d->started = true;
	d->on_event(d->arg, &(struct event){ .kind = EVENT_OTHER, .raw = raw });
	if (usage->known)
		d->on_event(d->arg,
			    &(struct event){ .kind = EVENT_USAGE, .usage = *usage, .cont = true });
	d->finished = true;
}

/* is_numbers: whether an array has only numbers: the scan with json_limits_vectors makes no tokens
 * for the elements of such an array. */
static bool is_numbers(const struct json_doc *doc, json_at i)
{
	return json_is_kind(doc, i, JSON_ARRAY) && doc->tok[i].count > 0 &&
	       json_first(doc, i) == json_end(doc, i);
}

/* The state of reading a provider's own list. */
struct reading {
	const struct json_doc   *doc;
	const struct embed_want *want;
	json_at                 *items; /* owned; by index */
	struct buf               text;  /* scratch: a string without its escapes */
	bool                     same;  /* the whole list has the wanted form */
};

static enum errc string_of(struct reading *r, json_at i, struct str *ret, struct err *e)
{
	*ret = json_inner(r->doc, i);
	if (!(r->doc->tok[i].flags & JSON_ESCAPED))
		return ERR_OK;
	buf_clear(&r->text);
	if (!json_unescape(*ret, &r->text))
		return embed_full(e);
	*ret = buf_view(&r->text);
	return ERR_OK;
}

static enum errc embed_read_item(struct reading *r, json_at item, size_t place, struct err *e)
{
	const struct json_doc *doc = r->doc;
	json_at                vector = json_get_some(doc, item, "embedding");
	json_at                index = json_get_some(doc, item, "index");
	int64_t                n = (int64_t)place;
	struct str             text;

	if (json_kind(doc, item) != JSON_OBJECT || vector == JSON_ABSENT)
		return decode_bad(e, "data without an embedding");
	if (index != JSON_ABSENT &&
	    (!json_int(doc, index, &n) || n < 0 || (size_t)n >= r->want->count))
		return decode_bad(e, "an embedding with a wrong index");
	if (r->items[n] != JSON_ABSENT)
		return decode_bad(e, "two embeddings with one index");
	r->items[n] = item;
	if (json_kind(doc, vector) == JSON_STRING) {
		enum errc rc = string_of(r, vector, &text, e);

		if (rc != ERR_OK)
			return rc;
		if (!vector_is_base64(text))
			return decode_bad(e, "an embedding that is no base64 of float32");
	} else if (!is_numbers(doc, vector)) {
		return decode_bad(e, "an embedding that is neither numbers nor base64");
	} else if (!vector_is_finite(json_raw(doc, vector))) {
		return as_error(VECTOR_BAD, e);
	}
	r->same = r->same && index != JSON_ABSENT && (size_t)n == place &&
		  (json_kind(doc, vector) == JSON_STRING) == r->want->base64;
	return ERR_OK;
}

static enum errc embed_read_items(struct reading *r, json_at data, struct err *e)
{
	const struct json_doc *doc = r->doc;
	size_t                 n = 0;

	if (!json_is_kind(doc, data, JSON_ARRAY))
		return decode_bad(e, "an answer without data");
	JSON_EACH (i, doc, data) {
		enum errc rc = n < r->want->count ? embed_read_item(r, i, n, e) : ERR_OK;

		if (rc != ERR_OK)
			return rc;
		n++;
	}
	/* An array of numbers has a count, but no tokens. */
	if (doc->tok[data].count != n)
		return decode_bad(e, "data without an embedding");
	return n == r->want->count ? ERR_OK : wrong_count(n, r->want->count, e);
}

static enum errc put_vector(struct reading *r, json_at vector, struct buf *out, struct err *e)
{
	const struct json_doc *doc = r->doc;
	bool                   base64 = json_kind(doc, vector) == JSON_STRING;
	struct str             text;
	enum errc              rc;

	if (base64 == r->want->base64)
		return buf_str(out, json_raw(doc, vector)) ? ERR_OK : embed_full(e);
	if (base64) {
		rc = string_of(r, vector, &text, e);
		return rc != ERR_OK ? rc : as_error(vector_decode(text, out), e);
	}
	if (!buf_text(out, "\""))
		return embed_full(e);
	rc = as_error(vector_encode(json_raw(doc, vector), out), e);
	return rc != ERR_OK || buf_text(out, "\"") ? rc : embed_full(e);
}

/* put_others: prints the members of an object except those in `but`, each after a comma. */
static bool put_others(const struct json_doc *doc, json_at object, const char *const but[],
		       struct buf *out)
{
	JSON_EACH_MEMBER (k, doc, object) {
		size_t i = 0;

		while (but[i] && !json_is(doc, k, but[i]))
			i++;
		if (!but[i] && (!buf_text(out, ",") || !buf_str(out, json_member(doc, k))))
			return false;
	}
	return true;
}

static enum errc embed_put_item(struct reading *r, size_t n, struct buf *out, struct err *e)
{
	static const char *const but[] = { "object", "index", "embedding", NULL };
	json_at                  item = r->items[n];
	enum errc                rc;

	if (!buf_text(out, n > 0 ? "," : "") ||
	    !buf_fmt(out, "{\"object\":\"embedding\",\"index\":%zu,\"embedding\":", n))
		return embed_full(e);
	rc = put_vector(r, json_get(r->doc, item, "embedding"), out, e);
	if (rc != ERR_OK)
		return rc;
	return put_others(r->doc, item, but, out) && buf_text(out, "}") ? ERR_OK : embed_full(e);
}

static enum errc put_list(struct reading *r, bool has_model, struct buf *out, struct err *e)
{
	static const char *const but[] = { "object", "data", NULL };
	static const char *const but_model[] = { "object", "data", "model", NULL };
	enum errc                rc = ERR_OK;
	bool                     ok = buf_text(out, "{\"object\":\"list\",\"data\":[");

	for (size_t i = 0; ok && rc == ERR_OK && i < r->want->count; i++)
		rc = embed_put_item(r, i, out, e);
	if (rc != ERR_OK)
		return rc;
	ok = ok && buf_text(out, "]");
	if (!has_model)
		ok = ok && buf_text(out, ",\"model\":") &&
		     buf_json_string(out, str_of(r->want->model));
	ok = ok && put_others(r->doc, 0, has_model ? but : but_model, out) && buf_text(out, "}");
	return ok ? ERR_OK : embed_full(e);
}

enum errc embed_decode(struct decode *d, const struct embed_want *want, struct str body,
		       struct err *e)
{
	struct openai_top top;
	struct reading    r = { .doc = d->doc, .want = want };
	struct usage      usage = { .known = false };
	struct buf        out;
	bool              plain;
	enum errc         rc = embed_scan(d, body, e);

	if (rc != ERR_OK)
		return rc;
	openai_top_read(d->doc, &top);
	openai_usage(d->doc, top.usage, &usage, &plain);
	r.items = calloc(want->count, sizeof *r.items);
	if (!r.items)
		return err_no_memory(e);
	bool has_model = json_inner_of(d->doc, top.model).n > 0;
	r.same = has_model && str_is(json_inner_of(d->doc, top.object), "list");
	buf_init(&r.text, LIMIT_UPSTREAM_BODY);
	buf_init(&out, LIMIT_UPSTREAM_BODY);
	rc = embed_read_items(&r, json_get_some(d->doc, 0, "data"), e);
	if (rc == ERR_OK && !r.same)
		rc = put_list(&r, has_model, &out, e);
	if (rc == ERR_OK)
		embed_give(d, r.same ? json_raw(d->doc, 0) : buf_view(&out), &usage);
	buf_finish(&out);
	buf_finish(&r.text);
	free(r.items);
	return rc;
}

const struct dialect_embed embed_openai = {
	.path = "/embeddings",
	.encode = embed_encode,
	.decode = embed_decode,
};

/* --- lists for other dialects --- */

void embed_list_begin(struct embed_list *l, const struct embed_want *want)
{
	*l = (struct embed_list){ .want = want };
	buf_init(&l->out, LIMIT_UPSTREAM_BODY);
}

static bool embed_put_head(struct embed_list *l)
{
	const char *front = l->count == 0 ? "{\"object\":\"list\",\"data\":[" : ",";

	return buf_text(&l->out, front) &&
	       buf_fmt(&l->out,
		       "{\"object\":\"embedding\",\"index\":%zu,\"embedding\":", l->count++);
}

static enum errc embed_list_add(struct embed_list *l, const struct json_doc *doc, json_at numbers,
				struct err *e)
{
	struct str raw;
	enum errc  rc = ERR_OK;

	if (!is_numbers(doc, numbers))
		return decode_bad(e, "an embedding that is no array of numbers");
	raw = json_raw(doc, numbers);
	if (!vector_is_finite(raw))
		return as_error(VECTOR_BAD, e);
	if (!embed_put_head(l))
		return embed_full(e);
	if (!l->want->base64)
		return buf_str(&l->out, raw) && buf_text(&l->out, "}") ? ERR_OK : embed_full(e);
	if (buf_text(&l->out, "\""))
		rc = as_error(vector_encode(raw, &l->out), e);
	if (rc != ERR_OK)
		return rc;
	return buf_text(&l->out, "\"}") ? ERR_OK : embed_full(e);
}

enum errc embed_list_vectors(struct embed_list *l, const struct json_doc *doc, const char *key,
			     struct err *e)
{
	json_at   list = json_get(doc, 0, "embeddings");
	enum errc rc = ERR_OK;

	if (!json_is_kind(doc, list, JSON_ARRAY))
		return decode_bad(e, "an answer without embeddings");
	for (json_at i = json_first(doc, list); rc == ERR_OK && i != json_end(doc, list);
	     i = json_next(doc, i))
		rc = embed_list_add(l, doc, key ? json_get(doc, i, key) : i, e);
	return rc;
}

struct usage embed_list_usage(const struct json_doc *doc, json_at obj, const char *key)
{
	struct usage usage = { .known = false };

	usage.known = json_get_some(doc, obj, key) != JSON_ABSENT &&
		      decode_count_some(doc, obj, key, &usage.in);
	return usage;
}

enum errc embed_list_floats(struct embed_list *l, const float *v, size_t n, struct err *e)
{
	enum errc rc = ERR_OK;

	if (!embed_put_head(l))
		return embed_full(e);
	rc = as_error(vector_put(v, n, l->want->base64, &l->out), e);
	return rc != ERR_OK || buf_text(&l->out, "}") ? rc : embed_full(e);
}

enum errc embed_list_end(struct embed_list *l, struct str model, const struct usage *usage,
			 struct err *e)
{
	struct buf *out = &l->out;
	bool        ok = buf_text(out, "],\"model\":");

	if (l->count != l->want->count)
		return wrong_count(l->count, l->want->count, e);
	if (model.n > 0)
		ok = ok && buf_text(out, "\"") && buf_str(out, model) && buf_text(out, "\"");
	else
		ok = ok && buf_json_string(out, str_of(l->want->model));
	long long in = usage->known ? usage->in : l->want->guess;
	ok = ok &&
	     buf_fmt(out, ",\"usage\":{\"prompt_tokens\":%lld,\"total_tokens\":%lld}", in, in);
	return ok && buf_text(out, "}") ? ERR_OK : embed_full(e);
}

enum errc embed_list_give(struct embed_list *l, struct decode *d, enum errc rc, struct str model,
			  const struct usage *usage, struct err *e)
{
	if (rc == ERR_OK)
		rc = embed_list_end(l, model, usage, e);
	if (rc == ERR_OK)
		embed_give(d, buf_view(&l->out), usage);
	buf_finish(&l->out);
	return rc;
}
