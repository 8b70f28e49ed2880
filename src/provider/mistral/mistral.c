/* Mistral's chat completions: OpenAI's answers, and requests that are held to a schema of its own.
 *
 * Content of its reasoning models is a list of parts, some of them thinking; OpenAI's dialect reads
 * those wherever they come from, as servers of Mistral's models send them, too. */
#include "provider/mistral/mistral.h"

#include "provider/openai/openai.h"

static enum errc mistral_decode_whole(struct decode *d, struct str body, struct err *e)
{
	return dialect_openai.decode_whole(d, body, e);
}

const struct dialect dialect_mistral = {
	.name = "mistral",
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF,
	.path = "/chat/completions",
	.models = "/models",
	.encode = mistral_encode,
	.decode_event = openai_decode_event,
	.decode_whole = mistral_decode_whole,
	.decode_error = openai_decode_error,
	.embed = &mistral_embed,
};
