/* Mistral's chat completions: answers as OpenAI's, and requests with a strict schema of their own.
 *
 * The content of reasoning models is a list of parts, some of them thinking. OpenAI's dialect reads
 * such lists too, because other servers of Mistral's models send them. */
#include "provider/mistral/mistral.h"

#include "provider/ask_param.h"
#include "provider/openai/embed.h"
#include "provider/openai/openai.h"

static enum errc mistral_decode_whole(struct decode *d, struct str body, struct err *e)
{
	return dialect_openai.decode_whole(d, body, e);
}

static const char *const hosts[] = { "api.mistral.ai", NULL };

const struct dialect dialect_mistral = {
	.name = "mistral",
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_FILE_URL |
		 PROVIDER_CACHE_KEY,
	.names = NAMES_BRIEF,
	.path = "/chat/completions",
	.models = "/models",
	.hosts = hosts,
	.framing = &upstream_events,
	.encode = mistral_encode,
	.decode_event = openai_decode_event,
	.over = openai_chunk_over,
	.decode_whole = mistral_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
	.embed = &mistral_embed,
};

/* --- mistral_embed: Mistral's embeddings: answers as OpenAI's; a request with a member that Mistral does not know is
 * refused.
 *
 *   {"model","input":["…"],"encoding_format","output_dimension","output_dtype"}
 *
 * Source: Mistral's API reference, "Embeddings", and its Python client. */

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
