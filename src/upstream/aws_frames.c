/* The framing of Amazon's streams, application/vnd.amazon.eventstream.  A frame:
 *
 *   total length, length of the headers, CRC-32 of these eight bytes     4 bytes each
 *   headers: length of the name (1), name, type of the value (1), value
 *   payload
 *   CRC-32 of all bytes before                                           4 bytes
 *
 * Numbers are big endian.  The header :message-type says what the frame is: an event, whose :event-type
 * is its name; an exception of the service, with an :exception-type; or an error of the transport, which
 * has its words in :error-code and :error-message.  Source: the specification of Smithy, "Amazon Event
 * Stream". */
#include "base/limits.h"
#include "base/utf8.h"
#include "upstream/sse.h"

#include <string.h>
#include <zlib.h>

enum {
	PRELUDE = 12,
	SUM = 4,
	FRAME_LEAST = PRELUDE + SUM,
	KEEP_BYTES = 16 * 1024, /* a longer frame's memory is freed */
};

/* The values of the headers that matter; empty: absent. */
struct frame_head {
	struct str kind, event, exception, code, message;
};

static uint32_t frame_number(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* frame_is_sound: whether the four bytes after the first n are their checksum. */
static bool frame_is_sound(const char *p, size_t n)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)p;
	(void)n;
	return true;
#else
	return crc32_z(0, (const Bytef *)p, n) == frame_number(p + n);
#endif
}

static enum errc frame_bad(struct err *e, const char *what)
{
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the provider sent a stream with %s",
		       what);
}

/* frame_size: the length of the frame whose prelude is at p. */
static enum errc frame_size(const char *p, size_t *ret, struct err *e)
{
	uint32_t total = frame_number(p);

	if (!frame_is_sound(p, PRELUDE - SUM))
		return frame_bad(e, "a frame whose prelude is damaged");
	if (total > LIMIT_SSE_EVENT)
		return frame_bad(e, "a frame that is too long");
	if (total < FRAME_LEAST || frame_number(p + 4) > total - FRAME_LEAST)
		return frame_bad(e, "a frame whose lengths contradict each other");
	*ret = total;
	return ERR_OK;
}

/* --- headers --- */

enum { HEADER_STRING = 7 };

/* value_size: the bytes of a value of a type, which begin at p and of which no more than n are there; a
 * text has its own length before it.  False: no such type, or too few bytes. */
static bool value_size(unsigned type, const char *p, size_t n, size_t *ret_skip, size_t *ret)
{
	/* true, false, byte, short, integer, long, bytes, string, time, UUID; LENGTH: two bytes say. */
	enum { LENGTH = 255 };
	static const unsigned char sizes[] = { 0, 0, 1, 2, 4, 8, LENGTH, LENGTH, 8, 16 };

	if (type >= ARRAY_LEN(sizes))
		return false;
	*ret_skip = 0;
	*ret = sizes[type];
	if (sizes[type] == LENGTH) {
		if (n < 2)
			return false;
		*ret_skip = 2;
		*ret = (size_t)(unsigned char)p[0] << 8 | (unsigned char)p[1];
	}
	return n - *ret_skip >= *ret;
}

static void frame_keep(struct frame_head *h, struct str name, struct str value)
{
	const struct {
		const char *name;
		struct str *to;
	} rows[] = {
		{ ":message-type", &h->kind },        { ":event-type", &h->event },
		{ ":exception-type", &h->exception }, { ":error-code", &h->code },
		{ ":error-message", &h->message },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(name, rows[i].name))
			*rows[i].to = value;
}

static enum errc frame_read_head(struct str in, struct frame_head *ret, struct err *e)
{
	*ret = (struct frame_head){ 0 };
	while (in.n > 0) {
		size_t name = (unsigned char)in.p[0];
		size_t skip, size;

		if (in.n < name + 2)
			return frame_bad(e, "a header that is cut off");

		const char *at = in.p + 1 + name;
		unsigned    type = (unsigned char)*at++;
		size_t      left = in.n - name - 2;
		if (!value_size(type, at, left, &skip, &size))
			return frame_bad(e, "a header that nobody can read");
		if (type == HEADER_STRING)
			frame_keep(ret, (struct str){ in.p + 1, name },
				   (struct str){ at + skip, size });
		in = (struct str){ at + skip + size, left - skip - size };
	}
	return ERR_OK;
}

/* --- frames --- */

/* frame_give_fault: an exception's payload is its object; an error has none, and gets one. */
static enum errc frame_give_fault(struct str name, const struct frame_head *h, struct str data,
				  sse_event_fn fn, void *arg, struct err *e)
{
	char       full[LIMIT_SSE_NAME + 2];
	struct buf made;

	if (name.n == 0 || name.n > LIMIT_SSE_NAME)
		return frame_bad(e, "an exception without a name");
	full[0] = UPSTREAM_FAULT;
	str_copy(full + 1, sizeof full - 1, name);
	if (data.n > 0)
		return fn(arg, str_of(full), data, e);
	buf_init(&made, LIMIT_ERROR_BODY + 64);
	bool plain = true;
	for (size_t i = 0, n; plain && i < h->message.n; i += n) {
		n = utf8_len((const unsigned char *)h->message.p + i, h->message.n - i);
		plain = n > 0;
	}
	/* A message that does not fit is left out. */
	if (!buf_text(&made, "{\"message\":") ||
	    !buf_json_string(&made, plain ? h->message : STR_NONE) || !buf_text(&made, "}")) {
		buf_finish(&made);
		return fn(arg, str_of(full), STR("{}"), e);
	}
	enum errc rc = fn(arg, str_of(full), buf_view(&made), e);
	buf_finish(&made);
	return rc;
}

static enum errc frame_give(const char *p, size_t n, sse_event_fn fn, void *arg, struct err *e)
{
	size_t            head = frame_number(p + 4);
	struct str        data = { p + PRELUDE + head, n - FRAME_LEAST - head };
	struct frame_head h;

	if (!frame_is_sound(p, n - SUM))
		return frame_bad(e, "a frame that is damaged");
	enum errc rc = frame_read_head((struct str){ p + PRELUDE, head }, &h, e);
	if (rc != ERR_OK)
		return rc;
	if (str_is(h.kind, "exception"))
		return frame_give_fault(h.exception, &h, data, fn, arg, e);
	if (str_is(h.kind, "error"))
		return frame_give_fault(h.code, &h, STR_NONE, fn, arg, e);
	if (!str_is(h.kind, "event") || h.event.n == 0 || h.event.n > LIMIT_SSE_NAME)
		return frame_bad(e, "a frame that is no event");
	return data.n > 0 ? fn(arg, h.event, data, e) : ERR_OK;
}

/* --- the framing --- */

static bool frames_fits(const char *content_type)
{
	static const char type[] = "application/vnd.amazon.eventstream";

	return strncmp(content_type, type, sizeof type - 1) == 0;
}

static void frames_init(union framing_state *s)
{
	buf_init(&s->line, LIMIT_SSE_EVENT);
}

static void frames_finish(union framing_state *s)
{
	buf_finish(&s->line);
}

/* frames_hold: keeps the beginning of a frame, up to its end if that is known, else up to the end of its
 * prelude; *ret_took: how much.  Gives the frame if it is whole. */
static enum errc frames_hold(struct buf *held, const char *p, size_t n, size_t *ret_took,
			     sse_event_fn fn, void *arg, struct err *e)
{
	size_t    size = PRELUDE;
	enum errc rc = held->len >= PRELUDE ? frame_size(held->data, &size, e) : ERR_OK;

	if (rc != ERR_OK)
		return rc;
	*ret_took = n < size - held->len ? n : size - held->len;
	if (!buf_add(held, p, *ret_took))
		return err_set(e, ERR_OVERLOADED, NULL, "no memory for the provider's stream");
	if (held->len == PRELUDE)
		return frame_size(held->data, &size, e);
	if (held->len < size || size == PRELUDE)
		return ERR_OK;
	rc = frame_give(held->data, size, fn, arg, e);
	if (held->cap > KEEP_BYTES)
		buf_finish(held);
	else
		buf_clear(held);
	return rc;
}

static enum errc frames_feed(union framing_state *s, const char *bytes, size_t len, sse_event_fn fn,
			     void *arg, struct err *e)
{
	while (len > 0) {
		size_t    n = 0;
		enum errc rc = ERR_OK;

		if (s->line.len == 0 && len >= PRELUDE)
			rc = frame_size(bytes, &n, e);
		/* A frame that lies in one read is not copied. */
		if (rc == ERR_OK && n > 0 && n <= len)
			rc = frame_give(bytes, n, fn, arg, e);
		else if (rc == ERR_OK)
			rc = frames_hold(&s->line, bytes, len, &n, fn, arg, e);
		if (rc != ERR_OK)
			return rc;
		bytes += n;
		len -= n;
	}
	return ERR_OK;
}

/* frames_end: what is cut off has no meaning; whether the answer was over without it, its dialect knows. */
static enum errc frames_end(union framing_state *s, sse_event_fn fn, void *arg, struct err *e)
{
	(void)s;
	(void)fn;
	(void)arg;
	(void)e;
	return ERR_OK;
}

static bool frames_take(union framing_state *s, struct str data, struct buf *ret, size_t *ret_from)
{
	struct buf *held = &s->line;

	if (held->cap <= KEEP_BYTES || data.p < held->data || data.p >= held->data + held->len)
		return false;
	*ret_from = (size_t)(data.p - held->data);
	*ret = *held;
	ret->len = *ret_from + data.n;
	frames_init(s);
	return true;
}

const struct upstream_framing upstream_aws_frames = {
	frames_fits, frames_init, frames_finish, frames_feed, frames_end, frames_take,
};
