/* Ollama's native embeddings, POST /api/embed:
 *
 *   {"model","input":["…"],"dimensions","truncate","options","keep_alive"}
 *   {"model","embeddings":[[…]],"total_duration","load_duration","prompt_eval_count"}
 *
 * Vectors are numbers always.  Source: Ollama's api/types.go and docs/api.md. */
#include "provider/ask_param.h"
#include "provider/openai/embed.h"
#include "provider/ollama/ollama.h"
#include "provider/openai/openai.h"

static const struct ask_param params[] = {
	{ .key = "input", .rule = ASK_OWN },
	{ .key = "encoding_format", .rule = ASK_OWN },
	{ .key = "dimensions", .rule = ASK_SENT },
	{ .key = NULL },
};

static enum errc encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e)
{
	bool      first = false;
	enum errc rc = embed_texts_only(p, "ollama", e);

	(void)o;
	if (rc != ERR_OK)
		return rc;
	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model) ||
	    !buf_text(out, ",\"input\":") || !buf_str(out, p->embed->input))
		return ask_too_large(e);
	rc = ask_param_put(p, params, 0, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "ollama", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

static enum errc put_vectors(const struct json_doc *doc, struct embed_list *l, struct err *e)
{
	json_at   list = json_get_some(doc, 0, "embeddings");
	enum errc rc = ERR_OK;

	if (!json_is_kind(doc, list, JSON_ARRAY))
		return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			       "the provider sent an answer without embeddings");
	for (json_at i = json_first(doc, list); rc == ERR_OK && i != json_end(doc, list);
	     i = json_next(doc, i))
		rc = embed_list_add(l, doc, i, e);
	return rc;
}

static enum errc decode(struct decode *d, const struct embed_want *want, struct str body, struct err *e)
{
	struct embed_list l;
	struct usage      usage = { .known = false };
	enum errc         rc = embed_scan(d, body, e);

	if (rc != ERR_OK)
		return rc;

	json_at count = json_get(d->doc, 0, "prompt_eval_count");
	usage.known = count != JSON_ABSENT && json_int(d->doc, count, &usage.in) && usage.in >= 0 &&
		      usage.in <= LIMIT_TOKENS;
	embed_list_begin(&l, want);
	rc = put_vectors(d->doc, &l, e);
	return embed_list_give(&l, d, rc, json_get_inner(d->doc, 0, "model"), &usage,
			       e);
}

const struct dialect_embed ollama_embed = {
	.path = "/api/embed",
	.encode = encode,
	.decode = decode,
};
