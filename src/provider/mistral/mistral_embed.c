/* Mistral's embeddings: answers as OpenAI's; a request with a member that Mistral does not know is
 * refused.
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

static enum errc mistral_embed_encode(const struct provider_options *o, const struct prompt *p,
				      struct buf *out, struct err *e)
{
	(void)o;
	return embed_put(p, params, "mistral", out, e);
}

const struct dialect_embed mistral_embed = {
	.path = "/embeddings",
	.encode = mistral_embed_encode,
	.decode = embed_decode,
};
