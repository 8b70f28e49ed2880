/* Prints an assistant's segments as LMC messages and LMC chunks. */
#include "lmc/segment.h"

#include "base/limits.h"
#include "lmc/text.h"

#define ROLE "{\"role\":\"assistant\",\"type\":\""

/* The start of each type, after the role, which is always the same. */
static const char *const types[SEGMENT__COUNT] = {
	[SEGMENT_MESSAGE] = ROLE "message",
	[SEGMENT_CODE] = ROLE "code",
	[SEGMENT_TOOL_CALL] = ROLE "tool_call",
	[SEGMENT_REVIEW] = ROLE "review",
};

bool spool_head(struct buf *out, enum segment_kind kind, bool has_format, struct str format)
{
	size_t start = out->len;

	if (buf_text(out, types[kind]) &&
	    (has_format ? buf_text(out, "\",\"format\":") && text_quote(out, format)
			: buf_text(out, "\"")))
		return true;
	out->len = start;
	return false;
}

/* put_front: begins a new object with the members that all chunks of a segment share. */
static bool put_front(const struct spool *s)
{
	return (s->chunks->len == 0 || buf_add(s->chunks, ",", 1)) &&
	       buf_str(s->chunks, buf_view(&s->head));
}

static bool spool_put_flag(const struct spool *s, const char *rest)
{
	return !s->chunks || (put_front(s) && buf_text(s->chunks, rest));
}

/* keep_head: keeps the head for further chunks. */
static bool keep_head(struct spool *s, const char *head, size_t n)
{
	buf_clear(&s->head);
	return !s->chunks || buf_add(&s->head, head, n);
}

static bool spool_open(void *arg, enum segment_kind kind, struct str format)
{
	struct spool *s = arg;
	struct buf   *out = s->messages;

	if (out->len > 0 && !buf_add(out, ",", 1))
		return false;

	size_t from = out->len;
	if (!spool_head(out, kind, format.p != NULL, format) ||
	    !keep_head(s, out->data + from, out->len - from) || !buf_text(out, ",\"content\":\""))
		return false;
	s->count++;
	return spool_put_flag(s, ",\"start\":true}");
}

static bool spool_text(void *arg, struct str text)
{
	struct spool *s = arg;
	struct buf   *out = s->messages;
	size_t        start = out->len;

	if (!text_put(out, text))
		return false;
	if (!s->chunks)
		return true;

	/* The message and the chunk share the escaped text. */
	struct str escaped = { out->data + start, out->len - start };
	return put_front(s) && buf_text(s->chunks, ",\"content\":\"") &&
	       buf_str(s->chunks, escaped) && buf_add(s->chunks, "\"}", 2);
}

static bool spool_close(void *arg)
{
	struct spool *s = arg;

	return buf_text(s->messages, "\"}") && spool_put_flag(s, ",\"end\":true}");
}

const struct segment_sink spool_sink = { spool_open, spool_text, spool_close };

void spool_init(struct spool *s, struct buf *messages, struct buf *chunks)
{
	*s = (struct spool){ .messages = messages, .chunks = chunks };
	buf_init(&s->head, LIMIT_TRANSLATION);
}

void spool_finish(struct spool *s)
{
	buf_finish(&s->head);
}
