/* Frames and numbers the blocks of a stream, and leaves out those that the reader has received. */
#include "shape/encoders.h"

#include "json/scan.h"

#include <string.h>

#define EVENT_STREAM                                                                \
	.content_type = "text/event-stream; charset=utf-8", .close = { "\n\n", 2 }, \
	.keep_alive = { ": keep-alive\n\n", 14 }

static bool block_events_open(const struct blocks *b, struct str name, struct buf *out)
{
	const struct cursor *c = &b->next;

	return buf_text(out, "id: ") && buf_int(out, (int64_t)c->seq) &&
	       (c->nth == 0 || (buf_text(out, ".") && buf_int(out, (int64_t)c->nth))) &&
	       (name.n == 0 || (buf_text(out, "\nevent: ") && buf_str(out, name))) &&
	       buf_text(out, "\ndata: ");
}

const struct framing framing_events = {
	EVENT_STREAM,
	.open = block_events_open,
	.done = { "[DONE]", 6 },
};

static bool block_plain_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)b;
	(void)name;
	return buf_text(out, "data: ");
}

const struct framing framing_plain = {
	EVENT_STREAM,
	.open = block_plain_open,
	.done = { "[DONE]", 6 },
};

static bool block_named_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)b;
	return (name.n == 0 ||
		(buf_text(out, "event: ") && buf_str(out, name) && buf_text(out, "\n"))) &&
	       buf_text(out, "data: ");
}

const struct framing framing_named = {
	EVENT_STREAM,
	.open = block_named_open,
};

bool block_open(struct blocks *b, struct str name, struct buf *out)
{
	b->start = out->len;
	return b->framing->open(b, name, out);
}

bool block_close(struct blocks *b, struct buf *out)
{
	if (!buf_str(out, b->framing->close))
		return false;
	if (cursor_has(&b->seen, &b->next))
		out->len = b->start;
	else
		b->begun = true;
	b->next.nth++;
	return true;
}

bool block_end(struct blocks *b, bool failed, struct buf *out)
{
	return !b->framing->end || b->framing->end(b, failed, out);
}

bool block_done(struct blocks *b, uint64_t seq, struct buf *out)
{
	size_t start = out->len;

	block_event(b, seq);
	if ((b->framing->done.n == 0 || (block_open(b, STR("done"), out) &&
					 buf_str(out, b->framing->done) && block_close(b, out))) &&
	    block_end(b, false, out))
		return true;
	out->len = start;
	return false;
}

bool block_error(struct blocks *b, const struct err *e, struct str request_id, uint64_t seq,
		 struct buf *out)
{
	size_t start = out->len;

	block_event(b, seq);
	if (block_open(b, STR("error"), out) && buf_text(out, "{\"error\":") &&
	    err_object(e, request_id, out) && buf_text(out, "}") && block_close(b, out) &&
	    block_end(b, true, out))
		return true;
	out->len = start;
	return false;
}

void block_one_line(struct buf *out, size_t start)
{
	size_t n = out->len - start;

	if (n == 0 || (!memchr(out->data + start, '\n', n) && !memchr(out->data + start, '\r', n)))
		return;
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == '\n' || out->data[i] == '\r')
			out->data[i] = ' ';
}

bool block_raw(struct str json, struct buf *out)
{
	size_t start = out->len;

	if (!buf_str(out, json))
		return false;
	block_one_line(out, start);
	return true;
}

struct str block_type_of(struct json_doc *doc, struct str raw, const struct json_limits *limits)
{
	static const struct str front = { "{\"type\":\"", 9 };
	struct err              e;

	/* Providers begin with it, so that few events are scanned. */
	if (str_starts(raw, front)) {
		struct str  rest = { raw.p + front.n, raw.n - front.n };
		const char *end = memchr(rest.p, '"', rest.n);

		rest.n = end ? (size_t)(end - rest.p) : 0;
		if (!memchr(rest.p, '\\', rest.n))
			return rest;
	}
	if (json_scan(doc, raw.p, raw.n, limits, &e) != ERR_OK)
		return STR_NONE;
	return json_get_inner(doc, 0, "type");
}
