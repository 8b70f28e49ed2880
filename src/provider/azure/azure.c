/* Azure OpenAI: OpenAI's chat completions at another address, with the key in a header of its own.
 *
 * The classic address is ENDPOINT/openai/deployments/MODEL/chat/completions?api-version=…; MODEL is
 * the name of a deployment. In the newer interface, the path names no deployment, and base_url ends
 * with /openai/v1. Source: Azure OpenAI's REST reference. */
#include "provider/dialect.h"
#include "provider/openai/embed.h"
#include "provider/openai/openai.h"
#include "provider/decode.h"

static bool put_place(const struct provider_options *o, const struct prompt *p, const char *path,
		      struct buf *out)
{
	size_t n = strlen(o->base_url);

	if (n >= 3 && strcmp(o->base_url + n - 3, "/v1") == 0)
		return buf_text(out, path);
	return buf_text(out, "/openai/deployments/") && place_segment(out, p->model) &&
	       buf_text(out, path);
}

static bool azure_place(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	return put_place(o, p, "/chat/completions", out);
}

static bool place_embed(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	return put_place(o, p, "/embeddings", out);
}

static bool azure_place_text(const struct provider_options *o, const struct prompt *p,
			     struct buf *out)
{
	return put_place(o, p, "/completions", out);
}

static enum errc azure_encode(const struct provider_options *o, const struct prompt *p,
			      struct buf *out, struct err *e)
{
	struct provider_options own = *o;

	own.vendor = true; /* whatever the host's name is */
	return dialect_openai.encode(&own, p, out, e);
}

/* The first chunk may contain only the filters' results for the prompt, and an empty id, which
 * clients would take for the id of the stream. Such a chunk is dropped. */
static bool is_of_filters(struct decode *d, struct str data)
{
	struct err e;

	if (d->started || json_scan(d->doc, data.p, data.n, &json_limits_upstream, &e) != ERR_OK)
		return false;
	json_at choices = json_get(d->doc, 0, "choices");
	return json_get_is(d->doc, 0, "id", "") && json_is_kind(d->doc, choices, JSON_ARRAY) &&
	       d->doc->tok[choices].count == 0;
}

static enum errc azure_decode_event(struct decode *d, struct str name, struct str data,
				    struct err *e)
{
	return is_of_filters(d, data) ? ERR_OK : openai_decode_event(d, name, data, e);
}

static enum errc azure_decode_whole(struct decode *d, struct str body, struct err *e)
{
	return dialect_openai.decode_whole(d, body, e);
}

static const struct dialect_embed embed = {
	.path = "/embeddings",
	.place = place_embed,
	.encode = embed_encode,
	.decode = embed_decode,
};

static const struct dialect text = {
	.name = "azure",
	.path = "/completions",
	.place = azure_place_text,
	.framing = &upstream_events,
	.encode = openai_text_encode,
	.decode_event = openai_text_decode_event,
	.decode_whole = openai_text_decode_whole,
	.decode_error = openai_decode_error,
};

const struct dialect dialect_azure = {
	.name = "azure",
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_CACHE_KEY |
		 PROVIDER_TIER,
	.names = NAMES_BRIEF_MADE,
	.path = "/chat/completions",
	.root = "/openai",
	.place = azure_place,
	.key_header = "api-key",
	.framing = &upstream_events,
	.encode = azure_encode,
	.decode_event = azure_decode_event,
	.over = openai_chunk_over,
	.decode_whole = azure_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
	.embed = &embed,
	.text = &text,
};
