/* Halves of characters, and calls whose arguments are not complete, or that wait for one before them. */
#include "shape/piece.h"

#include "base/limits.h"
#include "shape/encoder.h"
#include "shape/encoders.h"

#include <stdlib.h>
#include <string.h>

/* --- halves of characters --- */

/* is_half: whether an escape stands there that is the first half of a character, or the second one. */
static bool is_half(const char *at, const char *digits)
{
	return at[0] == '\\' && at[1] == 'u' && (at[2] | 0x20) == 'd' && strchr(digits, at[3]);
}

/* half_at: the bytes at the end of an escaped text that are the first half of a character. */
static size_t half_at(struct str s)
{
	size_t slashes = 0;

	if (s.n < HALF || !is_half(s.p + s.n - HALF, "89abAB"))
		return 0;
	while (slashes < s.n - HALF && s.p[s.n - HALF - 1 - slashes] == '\\')
		slashes++;
	return slashes % 2 == 0 ? HALF : 0;
}

static void half_keep(struct half *h, struct str text, size_t n)
{
	memcpy(h->text, text.p + text.n - n, n);
	h->n = n;
}

bool half_keeps(struct half *h, struct str text)
{
	if (h->n > 0 || text.n != HALF || half_at(text) == 0)
		return false;
	half_keep(h, text, HALF);
	return true;
}

bool half_join(struct half *h, struct str text, struct buf *out)
{
	size_t rest = half_at(text);
	bool   joins = h->n > 0 && text.n >= HALF && is_half(text.p, "cdefCDEF");
	bool   ok = h->n == 0 || (joins ? buf_add(out, h->text, h->n) : buf_text(out, HALF_ALONE));

	ok = ok && buf_add(out, text.p, text.n - rest);
	half_keep(h, text, rest);
	return ok;
}

/* --- calls --- */

static struct held_call *held_call_of(const struct held_calls *h, uint32_t block)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->calls[i].block == block && !h->calls[i].ended)
			return &h->calls[i];
	return NULL;
}

static struct held_call *held_call_add(struct held_calls *h, uint32_t block)
{
	struct held_call *calls, *c;

	if (h->count == LIMIT_TOOLS)
		return NULL;
	calls = realloc(h->calls, (h->count + 1) * sizeof *calls);
	if (!calls)
		return NULL;
	h->calls = calls;
	c = &calls[h->count++];
	*c = (struct held_call){ .block = block };
	buf_init(&c->id, LIMIT_ANSWER);
	buf_init(&c->name, LIMIT_ANSWER);
	buf_init(&c->extra, LIMIT_ANSWER);
	buf_init(&c->args, LIMIT_ANSWER);
	return c;
}

static void held_call_finish(struct held_call *c)
{
	buf_finish(&c->id);
	buf_finish(&c->name);
	buf_finish(&c->extra);
	buf_finish(&c->args);
}

void held_calls_finish(struct held_calls *h)
{
	while (h->count > 0)
		held_call_finish(&h->calls[--h->count]);
	free(h->calls);
}

bool held_calls_take(struct held_calls *h, const struct event *ev)
{
	struct held_call *c = held_call_of(h, ev->block);

	if (ev->kind == EVENT_TOOL_ARGS)
		return !c || buf_str(&c->args, ev->text);
	if (!c)
		c = held_call_add(h, ev->block);
	return c && buf_str(&c->id, ev->id) && buf_str(&c->name, ev->name) &&
	       (c->extra.len > 0 || buf_str(&c->extra, ev->text));
}

/* held_ready: how many calls are complete, as far as none before them is not. */
static size_t held_ready(const struct held_calls *h, size_t *ret_bytes)
{
	size_t n = 0;

	*ret_bytes = h->beside;
	for (; n < h->count && h->calls[n].ended; n++) {
		const struct held_call *c = &h->calls[n];

		*ret_bytes += c->id.len + c->name.len + c->extra.len + c->args.len;
	}
	return n;
}

static bool held_is_long(const struct held_calls *h)
{
	size_t bytes;

	return held_ready(h, &bytes) > 0 && bytes > LIMIT_LOOP_JSON;
}

static bool held_calls_give(struct held_calls *h, struct encoder *n, struct buf *out)
{
	size_t bytes;
	size_t ready = held_ready(h, &bytes);
	bool   ok = true;

	if (ready == 0)
		return true;
	for (size_t i = 0; i < ready; i++) {
		ok = ok && h->put(n, &h->calls[i], out);
		held_call_finish(&h->calls[i]);
	}
	h->beside = 0;
	h->count -= ready;
	memmove(h->calls, h->calls + ready, h->count * sizeof *h->calls);
	return ok;
}

static void held_end_all(struct held_calls *h)
{
	for (size_t i = 0; i < h->count; i++)
		h->calls[i].ended = true;
}

bool held_calls_end(struct held_calls *h, struct encoder *n, uint32_t block, struct buf *out)
{
	struct held_call *c = held_call_of(h, block);

	if (c)
		c->ended = true;
	/* A worker's blocks come after the last event: what they come after never depends on its speed. */
	return held_is_long(h) || held_calls_give(h, n, out);
}

bool held_calls_finished(struct held_calls *h, struct encoder *n, struct buf *out)
{
	held_calls_over(h, n, false);
	return n->rests || held_calls_give(h, n, out);
}

void held_calls_over(struct held_calls *h, struct encoder *n, bool failed)
{
	if (!failed)
		held_end_all(h);
	n->rests = held_is_long(h);
}

bool held_calls_rest(struct held_calls *h, struct encoder *n, struct buf *out)
{
	size_t start = out->len;

	if (!n->rests)
		return true;
	n->rests = false;
	if (held_calls_give(h, n, out))
		return true;
	out->len = start;
	return false;
}

bool held_calls_last(struct held_calls *h, struct encoder *n, bool failed, struct buf *out)
{
	held_calls_over(h, n, failed);
	n->rests = false;
	return held_calls_give(h, n, out);
}

bool held_args_put(struct str escaped, struct json_doc *d, struct buf *text, struct buf *out)
{
	struct err e;

	buf_clear(text);
	if (escaped.n == 0)
		return buf_text(out, "{}");
	if (!json_unescape(escaped, text))
		return false;
	if (json_scan(d, text->data, text->len, &json_limits_upstream, &e) == ERR_OK &&
	    json_kind(d, 0) == JSON_OBJECT)
		return block_raw(json_raw(d, 0), out);
	return buf_text(out, "{\"INVALID_JSON\":\"") && buf_str(out, escaped) &&
	       buf_text(out, "\"}");
}
