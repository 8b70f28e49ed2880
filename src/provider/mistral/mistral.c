/* Mistral's chat completions: answers as OpenAI's, and requests with a strict schema of their own.
 *
 * The content of reasoning models is a list of parts, some of them thinking. OpenAI's dialect reads
 * such lists too, because other servers of Mistral's models send them. */
#include "provider/mistral/mistral.h"

#include "provider/openai/openai.h"

static enum errc mistral_decode_whole(struct decode *d, struct str body, struct err *e)
{
	return dialect_openai.decode_whole(d, body, e);
}

static const char *const hosts[] = { "api.mistral.ai", NULL };

const struct dialect dialect_mistral = {
	.name = "mistral",
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_FILE_URL,
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
