/* A dialect that signs its finished request, and whose streams are arrays of OpenAI's chunks.  The signature
 * is an HMAC under the key's digest of method, URL, head and body, with a line's end between two. */
#include "base/hash.h"
#include "base/limits.h"
#include "provider/openai/openai.h"

#include <stdlib.h>

/* --- the framing --- */

/* The element under way; the array is the outermost bracket. */
struct array {
	struct buf element;
	size_t     depth;
	bool       in_string;
	bool       escaped;
};

static bool array_fits(const char *content_type)
{
	return strncmp(content_type, "application/json", 16) == 0;
}

static void array_init(union framing_state *s)
{
	s->own = NULL;
}

static void array_finish(union framing_state *s)
{
	struct array *a = s->own;

	if (a)
		buf_finish(&a->element);
	free(a);
}

/* array_take_byte: takes the next byte; true: an element is whole. */
static bool array_take_byte(struct array *a, char c)
{
	if (a->in_string) {
		a->in_string = a->escaped || c != '"';
		a->escaped = !a->escaped && c == '\\';
		return false;
	}
	a->in_string = c == '"';
	if (c == '{' || c == '[')
		a->depth++;
	if (c == '}' || c == ']')
		a->depth--;
	return c == '}' && a->depth == 1;
}

static enum errc array_feed(union framing_state *s, const char *bytes, size_t len, sse_event_fn fn,
			    void *arg, struct err *e)
{
	struct array *a = s->own ? s->own : calloc(1, sizeof *a);

	s->own = a;
	if (!a)
		return err_no_memory(e);
	a->element.max = LIMIT_SSE_EVENT;
	for (size_t i = 0; i < len; i++) {
		bool whole = array_take_byte(a, bytes[i]);

		if (a->element.len == 0 && bytes[i] != '{')
			continue;
		if (!buf_add(&a->element, bytes + i, 1))
			return err_no_memory(e);
		enum errc rc = whole ? fn(arg, STR_NONE, buf_view(&a->element), e) : ERR_OK;
		if (whole)
			buf_clear(&a->element);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc array_end(union framing_state *s, sse_event_fn fn, void *arg, struct err *e)
{
	(void)s;
	(void)fn;
	(void)arg;
	(void)e;
	return ERR_OK;
}

static bool array_take(union framing_state *s, struct str data, struct buf *ret, size_t *ret_from)
{
	(void)s;
	(void)data;
	(void)ret;
	(void)ret_from;
	return false;
}

static const struct upstream_framing framing = {
	array_fits, array_init, array_finish, array_feed, array_end, array_take,
};

/* --- the signature --- */

static enum errc signed_sign(const struct provider_options *o, const struct dialect_ask *ask,
			     struct buf *out, struct err *e)
{
	unsigned char key[HASH_BYTES];
	unsigned char sum[HASH_BYTES];
	char          hex[HASH_HEX + 1];
	struct buf    all;

	hash_sha256(o->key ? o->key : "", o->key ? strlen(o->key) : 0, key);
	buf_init(&all, LIMIT_UPSTREAM_ASK + MIB);
	bool ok = buf_text(&all, ask->method) && buf_text(&all, "\n") && buf_text(&all, ask->url) &&
		  buf_text(&all, "\n") && buf_text(&all, ask->head) && buf_text(&all, "\n") &&
		  buf_str(&all, ask->body);
	if (ok) {
		hash_hmac(key, all.data, all.len, sum);
		hash_hex(sum, sizeof sum, hex);
		ok = buf_text(out, "\r\nX-Signature: ") && buf_text(out, hex);
	}
	buf_finish(&all);
	return ok ? ERR_OK : err_no_memory(e);
}

/* --- the rest is OpenAI's --- */

static enum errc signed_encode(const struct provider_options *o, const struct prompt *p,
			       struct buf *out, struct err *e)
{
	return dialect_openai.encode(o, p, out, e);
}

static enum errc signed_decode_whole(struct decode *d, struct str body, struct err *e)
{
	return dialect_openai.decode_whole(d, body, e);
}

const struct dialect scratch_signed = {
	.name = "scratch-signed",
	.path = "/generate",
	.framing = &framing,
	.encode = signed_encode,
	.sign = signed_sign,
	.decode_event = openai_decode_event,
	.over = openai_chunk_over,
	.decode_whole = signed_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
};
