/* Gemini's embeddings, POST /models/NAME:batchEmbedContents, for one text too:
 *
 *   {"requests":[{"model":"models/NAME","content":{"parts":[{"text":"…"}]},"outputDimensionality":N}]}
 *   {"embeddings":[{"values":[…]}],"usageMetadata":{"promptTokenCount":N}}
 *
 * Vectors are always numbers; older models count no tokens. Members that OpenAI does not know
 * (taskType, title) are sent in each of the requests. Source: ai.google.dev/api/embeddings. */
#include "provider/ask_param.h"
#include "provider/openai/embed.h"
#include "provider/gemini/gemini.h"
#include "provider/decode.h"

static const struct ask_param params[] = {
	{ .key = "input", .rule = ASK_OWN },
	{ .key = "encoding_format", .rule = ASK_OWN },
	{ .key = "dimensions", .rule = ASK_SENT, .as = "outputDimensionality" },
	{ .key = "content", .rule = ASK_REFUSED },
	{ .key = "requests", .rule = ASK_REFUSED },
	{ .key = NULL },
};

static bool gemini_embed_place(const struct provider_options *o, const struct prompt *p,
			       struct buf *out)
{
	(void)o;
	return buf_text(out, "/models/") && place_segment(out, gemini_bare(p->model)) &&
	       buf_text(out, ":batchEmbedContents");
}

static bool put_request(const struct prompt *p, struct str text, struct str more, bool first,
			struct buf *out)
{
	return buf_text(out, first ? "{\"model\":\"models/" : ",{\"model\":\"models/") &&
	       buf_json_escape(out, gemini_bare(p->model)) &&
	       buf_text(out, "\",\"content\":{\"parts\":[{\"text\":") && buf_str(out, text) &&
	       buf_text(out, "}]}") && buf_str(out, more) && buf_text(out, "}");
}

static enum errc put_requests(const struct prompt *p, struct str more, struct buf *out,
			      struct err *e)
{
	struct json_doc d = { 0 };
	struct str      input = p->embed->input;
	bool            ok = buf_text(out, "{\"requests\":[");
	enum errc       rc = json_scan(&d, input.p, input.n, &json_limits_upstream, e);

	if (rc == ERR_OK && json_kind(&d, 0) == JSON_STRING)
		ok = ok && put_request(p, json_raw(&d, 0), more, true, out);
	else if (rc == ERR_OK)
		for (json_at i = json_first(&d, 0); ok && i != json_end(&d, 0);
		     i = json_next(&d, i))
			ok = put_request(p, json_raw(&d, i), more, i == json_first(&d, 0), out);
	json_doc_finish(&d);
	if (rc != ERR_OK)
		return rc;
	return ok && buf_text(out, "]}") ? ERR_OK : ask_too_large(e);
}

static enum errc gemini_embed_encode(const struct provider_options *o, const struct prompt *p,
				     struct buf *out, struct err *e)
{
	struct buf more;
	bool       first = false;
	enum errc  rc = embed_texts_only(p, "gemini", e);

	(void)o;
	buf_init(&more, LIMIT_UPSTREAM_ASK);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, 0, &first, &more, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "gemini", &more, e);
	if (rc == ERR_OK)
		rc = put_requests(p, buf_view(&more), out, e);
	buf_finish(&more);
	return rc;
}

static enum errc gemini_embed_decode(struct decode *d, const struct embed_want *want,
				     struct str body, struct err *e)
{
	struct embed_list l;
	enum errc         rc = embed_scan(d, body, e);

	if (rc != ERR_OK)
		return rc;

	json_at      told = json_get_some(d->doc, 0, "usageMetadata");
	struct usage usage = { .known = false };
	if (told != JSON_ABSENT)
		usage = embed_list_usage(d->doc, told, "promptTokenCount");
	embed_list_begin(&l, want);
	rc = embed_list_vectors(&l, d->doc, "values", e);
	return embed_list_give(&l, d, rc, STR_NONE, &usage, e);
}

const struct dialect_embed gemini_embed = {
	.path = "/models",
	.place = gemini_embed_place,
	.encode = gemini_embed_encode,
	.decode = gemini_embed_decode,
};
