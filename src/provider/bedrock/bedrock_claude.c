/* Claude on Amazon Bedrock, by InvokeModel: Anthropic's own messages, whose streams come in Amazon's frames, each
 * event as base64 in {"bytes":…} of a chunk.  Sources: Amazon's API reference, InvokeModel,
 * InvokeModelWithResponseStream and CountTokens; the client AnthropicBedrock of the package anthropic 2.14. */
#include "provider/anthropic/anthropic.h"
#include "provider/bedrock/bedrock.h"

#include "lmc/media.h"
#include "provider/ask_param.h"
#include "provider/decode.h"
#include "provider/openai/openai.h"

#include <string.h>

/* claude_encode: the tokens of a request are counted of its bytes. */
static enum errc claude_encode(const struct provider_options *o, const struct prompt *p,
			       struct buf *out, struct err *e)
{
	struct buf own;

	if (!anthropic_host_is_count(p))
		return anthropic_encode(o, p, out, e);
	buf_init(&own, LIMIT_UPSTREAM_ASK);
	enum errc rc = anthropic_encode(o, p, &own, e);
	if (rc == ERR_OK && !(buf_text(out, "{\"input\":{\"invokeModel\":{\"body\":\"") &&
			      media_encode(buf_view(&own), out) && buf_text(out, "\"}}}")))
		rc = ask_too_large(e);
	buf_finish(&own);
	return rc;
}

/* bare_model: a model's name without the region of an inference profile, which counts no tokens. */
static struct str bare_model(struct str model)
{
	static const char mark[] = ".anthropic.";
	const char       *at = memmem(model.p, model.n, mark, sizeof mark - 1);

	if (!at)
		return model;
	return (struct str){ at + 1, model.n - (size_t)(at + 1 - model.p) };
}

static bool claude_place(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	bool count = anthropic_host_is_count(p);

	(void)o;
	return buf_text(out, "/model/") &&
	       place_segment(out, count ? bare_model(p->model) : p->model) &&
	       buf_text(out, count       ? "/count-tokens"
			     : p->stream ? "/invoke-with-response-stream"
					 : "/invoke");
}

/* chunk_bytes: the event that a frame wraps in base64. */
static enum errc chunk_bytes(struct decode *d, struct str data, struct buf *out, struct err *e)
{
	struct buf plain;
	enum errc  rc = openai_scan_event(d, STR_NONE, data, e);
	struct str bytes = STR_NONE;

	if (rc != ERR_OK)
		return rc;
	if (json_kind(d->doc, 0) == JSON_OBJECT)
		bytes = json_get_inner(d->doc, 0, "bytes");
	buf_init(&plain, bytes.n + 1);
	bool ok = true;
	if (bytes.n > 0 && memchr(bytes.p, '\\', bytes.n)) {
		ok = json_unescape(bytes, &plain);
		bytes = buf_view(&plain);
	}
	buf_clear(out);
	if (ok && !media_base64(bytes))
		rc = decode_bad(e, "a chunk whose bytes are not base64");
	else if (!ok || !media_decode(bytes, out))
		rc = err_no_memory(e);
	buf_finish(&plain);
	return rc;
}

static enum errc claude_event(struct decode *d, struct str name, struct str data, struct err *e)
{
	if (d->done_mark) /* the answer is whole, whatever follows */
		return ERR_OK;
	if (bedrock_is_fault(name))
		return bedrock_fault(d, name, data, e);
	if (name.n > 0 && !str_is(name, "chunk")) /* initial-response, and those of later days */
		return ERR_OK;
	if (name.n == 0) /* no stream has come, but one object */
		return anthropic_decode_event(d, name, data, e);

	struct buf *chunk = anthropic_chunk(d);
	if (!chunk)
		return err_no_memory(e);
	enum errc rc = chunk_bytes(d, data, chunk, e);
	return rc == ERR_OK ? anthropic_decode_event(d, STR_NONE, buf_view(chunk), e) : rc;
}

/* claude_count: the answer of CountTokens, in Anthropic's words. */
static enum errc claude_count(struct decode *d, struct str body, struct buf *out, struct err *e)
{
	int64_t   n = -1;
	enum errc rc = openai_scan_body(d, body, e);

	if (rc != ERR_OK)
		return rc;
	if (json_kind(d->doc, 0) != JSON_OBJECT ||
	    !decode_count_some(d->doc, 0, "inputTokens", &n) || n < 0)
		return decode_bad(e, "a count without inputTokens");
	buf_clear(out);
	return buf_fmt(out, "{\"input_tokens\":%lld}", (long long)n) ? ERR_OK : err_no_memory(e);
}

static enum errc claude_whole(struct decode *d, struct str body, struct err *e)
{
	if (!d->count)
		return anthropic_decode_whole(d, body, e);

	struct buf *made = anthropic_chunk(d);
	if (!made)
		return err_no_memory(e);
	enum errc rc = claude_count(d, body, made, e);
	return rc == ERR_OK ? anthropic_decode_whole(d, buf_view(made), e) : rc;
}

static const char *const call_headers[] = { "anthropic-version", "anthropic-beta", NULL };

const struct dialect dialect_anthropic_bedrock = {
	.name = "anthropic",
	.hosting = "bedrock",
	.takes = PROVIDER_IMAGES | PROVIDER_PDF | PROVIDER_TOP_K | PROVIDER_CACHE |
		 PROVIDER_CACHE_ALL | PROVIDER_MESSAGES,
	.path = "/model",
	.root = "/v1",
	.place = claude_place,
	.call_headers = call_headers,
	.brings_in_body = true,
	.count_path = "/count-tokens",
	.framing = &upstream_aws_frames,
	.encode = claude_encode,
	.decode_event = claude_event,
	.decode_whole = claude_whole,
	.decode_error = bedrock_decode_error,
	.finish = decode_state_finish,
};
