/* An assistant's segments printed as LMC messages and LMC chunks. */
#include "lmc/spool.h"

#include "base/limits.h"
#include "lmc/text.h"

const char *spool_type(enum segment_kind kind)
{
	switch (kind) {
	case SEGMENT_MESSAGE: return "message";
	case SEGMENT_CODE: return "code";
	case SEGMENT_TOOL_CALL: return "tool_call";
	case SEGMENT_REVIEW: return "review";
	case SEGMENT__COUNT: break;
	}
	return "";
}

bool spool_head(struct buf *out, enum segment_kind kind, bool has_format, struct str format)
{
	size_t start = out->len;

	if (buf_text(out, "{\"role\":\"assistant\",\"type\":\"") &&
	    buf_text(out, spool_type(kind)) && buf_text(out, "\"") &&
	    (!has_format || (buf_text(out, ",\"format\":") && text_quote(out, format))))
		return true;
	out->len = start;
	return false;
}

/* put_begin: a new object behind the others, as far as all of a segment's are the same. */
static bool put_begin(const struct spool *s, struct buf *out)
{
	return (out->len == 0 || buf_add(out, ",", 1)) && buf_str(out, buf_view(&s->head));
}

static bool put_flag(struct spool *s, const char *rest)
{
	return !s->chunks || (put_begin(s, s->chunks) && buf_text(s->chunks, rest));
}

static bool spool_open(void *arg, enum segment_kind kind, struct str format)
{
	struct spool *s = arg;

	buf_clear(&s->head);
	if (!spool_head(&s->head, kind, format.p != NULL, format) ||
	    !put_begin(s, s->messages) || !buf_text(s->messages, ",\"content\":\""))
		return false;
	s->count++;
	return put_flag(s, ",\"start\":true}");
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

	/* Escaped once is enough for both. */
	struct str escaped = { out->data + start, out->len - start };
	return put_begin(s, s->chunks) && buf_text(s->chunks, ",\"content\":\"") &&
	       buf_str(s->chunks, escaped) && buf_add(s->chunks, "\"}", 2);
}

static bool spool_close(void *arg)
{
	struct spool *s = arg;

	return buf_text(s->messages, "\"}") && put_flag(s, ",\"end\":true}");
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
