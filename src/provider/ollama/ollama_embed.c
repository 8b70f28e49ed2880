/* Ollama's native embeddings, POST /api/embed:
 *
 *   {"model","input":["…"],"dimensions","truncate","options","keep_alive"}
 *   {"model","embeddings":[[…]],"total_duration","load_duration","prompt_eval_count"}
 *
 * Vectors are always numbers. Source: Ollama's api/types.go and docs/api.md. */
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

static enum errc ollama_embed_encode(const struct provider_options *o, const struct prompt *p,
				     struct buf *out, struct err *e)
{
	(void)o;
	return embed_put(p, params, "ollama", out, e);
}

static enum errc ollama_embed_decode(struct decode *d, const struct embed_want *want,
				     struct str body, struct err *e)
{
	struct embed_list l;
	enum errc         rc = embed_scan(d, body, e);

	if (rc != ERR_OK)
		return rc;

	struct usage usage = embed_list_usage(d->doc, 0, "prompt_eval_count");
	embed_list_begin(&l, want);
	rc = embed_list_vectors(&l, d->doc, NULL, e);
	return embed_list_give(&l, d, rc, json_get_inner(d->doc, 0, "model"), &usage, e);
}

const struct dialect_embed ollama_embed = {
	.path = "/api/embed",
	.encode = ollama_embed_encode,
	.decode = ollama_embed_decode,
};
