/* Mistral's embeddings: OpenAI's answers, and requests that are refused for a member it does not know.
 *
 *   {"model","input":["…"],"encoding_format","output_dimension","output_dtype"}
 *
 * Source: Mistral's API reference, "Embeddings", and its Python client. */
#include "provider/ask_param.h"
#include "provider/openai/embed.h"
#include "provider/mistral/mistral.h"

static const struct ask_param params[] = {
	{ .key = "input", .rule = ASK_OWN },
	{ .key = "encoding_format", .rule = ASK_SENT },
	{ .key = "dimensions", .rule = ASK_SENT, .as = "output_dimension" },
	{ 0 },
};

static enum errc encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e)
{
	bool      first = false;
	enum errc rc = embed_texts_only(p, "mistral", e);

	(void)o;
	if (rc != ERR_OK)
		return rc;
	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model) ||
	    !buf_text(out, ",\"input\":") || !buf_str(out, p->embed->input))
		return ask_too_large(e);
	rc = ask_param_put(p, params, 0, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "mistral", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

const struct dialect_embed mistral_embed = {
	.path = "/embeddings",
	.encode = encode,
	.decode = embed_decode,
};
