/* The parser of server-sent events: a state machine for lines and fields (WHATWG HTML, section
 * 9.2). */
#include "upstream/sse.h"

#include "base/limits.h"

#include <errno.h>

/* The memory of a huge event is freed, so that it does not last as long as the stream. */
enum { KEEP_BYTES = 16 * 1024 };

void sse_init(struct sse *s)
{
	*s = (struct sse){ 0 };
	buf_init(&s->line, LIMIT_SSE_LINE);
	buf_init(&s->data, LIMIT_SSE_EVENT);
	buf_init(&s->name, LIMIT_SSE_NAME);
}

void sse_finish(struct sse *s)
{
	buf_finish(&s->line);
	buf_finish(&s->data);
	buf_finish(&s->name);
}

static void sse_forget(struct buf *b)
{
	if (b->cap > KEEP_BYTES)
		buf_finish(b);
	else
		buf_clear(b);
}

/* sse_too_long: the error after an addition to a full buffer. */
static enum errc sse_too_long(struct err *e, const char *what, unsigned max)
{
	if (buf_starved())
		return err_set(e, ERR_OVERLOADED, NULL, "no memory for the provider's stream");
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent a stream with %s of more than %u bytes", what, max);
}

static struct str sse_data(const struct sse *s)
{
	if (s->span.n > 0 || s->data.len == 0)
		return s->span;
	return (struct str){ s->data.data + s->from, s->data.len - s->from };
}

bool sse_take(struct sse *s, struct buf *ret, size_t *ret_from)
{
	if (s->span.n > 0 || s->data.cap <= KEEP_BYTES)
		return false;
	*ret = s->data;
	*ret_from = s->from;
	buf_init(&s->data, LIMIT_SSE_EVENT);
	return true;
}

static enum errc dispatch_event(struct sse *s, sse_event_fn fn, void *arg, struct err *e)
{
	struct str data = sse_data(s);
	enum errc  rc = ERR_OK;

	if (data.n > 0)
		rc = fn(arg, buf_view(&s->name), data, e);
	s->span = STR_NONE;
	s->has_data = false;
	s->bare = false;
	sse_forget(&s->data);
	s->data.max = LIMIT_SSE_EVENT;
	s->from = 0;
	buf_clear(&s->name);
	return rc;
}

/* The first line of data is not copied, unless a second line or the end of the read follows. */
static bool settle_span(struct sse *s)
{
	struct str span = s->span;

	s->span = STR_NONE;
	return buf_str(&s->data, span);
}

/* keep_line: where the span lies in the line buffer, which the next line will use, the two buffers
 * change places.  Copying such a line of megabytes would hold the loop. */
static void keep_line(struct sse *s)
{
	struct buf line = s->line;

	CHECK(s->data.len == 0);
	s->line = s->data;
	s->line.max = LIMIT_SSE_LINE;
	s->from = (size_t)(s->span.p - line.data);
	s->data = line;
	s->data.len = s->from + s->span.n;
	s->data.max = LIMIT_SSE_EVENT + s->from;
	s->span = STR_NONE;
}

static enum errc add_data(struct sse *s, struct str value, struct err *e)
{
	if (!s->has_data) {
		s->has_data = true;
		s->span = value;
		return ERR_OK;
	}
	if (!settle_span(s) || !buf_text(&s->data, "\n") || !buf_str(&s->data, value))
		return sse_too_long(e, "an event", LIMIT_SSE_EVENT);
	return ERR_OK;
}

static enum errc sse_set_name(struct sse *s, struct str name, struct err *e)
{
	buf_clear(&s->name);
	if (!buf_str(&s->name, name))
		return sse_too_long(e, "an event name", LIMIT_SSE_NAME);
	return ERR_OK;
}

static bool known_field(struct str name)
{
	return name.n == 0 || str_is(name, "data") || str_is(name, "event") ||
	       str_is(name, "error") || str_is(name, "id") || str_is(name, "retry");
}

static enum errc bare_line(struct sse *s, struct str line, sse_event_fn fn, void *arg,
			   struct err *e)
{
	if (!s->bare) {
		enum errc rc = dispatch_event(s, fn, arg, e);

		if (rc != ERR_OK)
			return rc;
		s->bare = true;
		rc = sse_set_name(s, STR("error"), e);
		if (rc != ERR_OK)
			return rc;
	}
	return add_data(s, line, e);
}

static enum errc sse_take_line(struct sse *s, struct str line, sse_event_fn fn, void *arg,
			       struct err *e)
{
	if (!s->begun) {
		s->begun = true;
		if (str_starts(line, STR("\xEF\xBB\xBF")))
			line = (struct str){ line.p + 3, line.n - 3 };
	}
	if (line.n == 0)
		return dispatch_event(s, fn, arg, e);
	if (line.n > LIMIT_SSE_LINE) {
		errno = EMSGSIZE;
		return sse_too_long(e, "a line", LIMIT_SSE_LINE);
	}

	const char *colon = memchr(line.p, ':', line.n);
	struct str  name = { line.p, colon ? (size_t)(colon - line.p) : line.n };
	struct str  value = { line.p + line.n, 0 };

	if (colon) {
		value = (struct str){ colon + 1, line.n - name.n - 1 };
		if (value.n > 0 && value.p[0] == ' ')
			value = (struct str){ value.p + 1, value.n - 1 };
	}
	if (!s->bare && name.n == 4 && memcmp(name.p, "data", 4) == 0)
		return add_data(s, value, e); /* nearly every line */
	if (!known_field(name) && (s->bare || line.p[0] == '{' || line.p[0] == '['))
		return bare_line(s, line, fn, arg, e);
	if (s->bare) {
		enum errc rc = dispatch_event(s, fn, arg, e);

		if (rc != ERR_OK)
			return rc;
	}
	if (str_is(name, "data"))
		return add_data(s, value, e);
	if (str_is(name, "event"))
		return sse_set_name(s, value, e);
	if (str_is(name, "error")) {
		enum errc rc = sse_set_name(s, STR("error"), e);

		return rc == ERR_OK ? add_data(s, value, e) : rc;
	}
	return ERR_OK; /* comments, ids, retry times and unknown fields */
}

/* A line that ends at `end`; its part from an earlier read is in s->line. */
static enum errc end_line(struct sse *s, const char *p, const char *end, sse_event_fn fn, void *arg,
			  struct err *e)
{
	if (s->line.len == 0)
		return sse_take_line(s, (struct str){ p, (size_t)(end - p) }, fn, arg, e);
	if (!buf_add(&s->line, p, (size_t)(end - p)))
		return sse_too_long(e, "a line", LIMIT_SSE_LINE);

	enum errc rc = sse_take_line(s, buf_view(&s->line), fn, arg, e);
	if (rc == ERR_OK && s->span.n > 0)
		keep_line(s);
	sse_forget(&s->line);
	return rc;
}

enum errc sse_feed(struct sse *s, const char *bytes, size_t len, sse_event_fn fn, void *arg,
		   struct err *e)
{
	const char *p = bytes;
	const char *end = bytes + len;
	const char *lf =
		p; /* the next LF from p on, kept so that each byte is searched only once */
	bool lf_known = false;

	if (len > 0 && s->after_cr) {
		s->after_cr = false;
		if (*p == '\n')
			p++;
	}
	while (p < end) {
		if (!lf_known || lf < p) {
			lf = memchr(p, '\n', (size_t)(end - p));
			lf = lf ? lf : end;
			lf_known = true;
		}
		const char *cr = memchr(p, '\r', (size_t)(lf - p));
		const char *stop = cr ? cr : lf;
		if (stop == end)
			break;

		enum errc rc = end_line(s, p, stop, fn, arg, e);
		if (rc != ERR_OK)
			return rc;
		p = stop + 1;
		if (cr && p == end)
			s->after_cr = true;
		else if (cr && *p == '\n')
			p++;
	}
	if (s->span.n > 0 && !settle_span(s))
		return sse_too_long(e, "an event", LIMIT_SSE_EVENT);
	if (p < end && !buf_add(&s->line, p, (size_t)(end - p)))
		return sse_too_long(e, "a line", LIMIT_SSE_LINE);
	return ERR_OK;
}

enum errc sse_end(struct sse *s, sse_event_fn fn, void *arg, struct err *e)
{
	if (s->line.len > 0) {
		enum errc rc = end_line(s, "", "", fn, arg, e);

		if (rc != ERR_OK)
			return rc;
	}
	return dispatch_event(s, fn, arg, e);
}

/* --- framing: The framings of streams: server-sent events, and lines of JSON. */

/* --- server-sent events --- */

static bool events_fits(const char *content_type)
{
	return strncmp(content_type, "text/event-stream", 17) == 0;
}

static void events_init(union framing_state *s)
{
	sse_init(&s->sse);
}

static void events_finish(union framing_state *s)
{
	sse_finish(&s->sse);
}

static enum errc events_feed(union framing_state *s, const char *bytes, size_t len, sse_event_fn fn,
			     void *arg, struct err *e)
{
	return sse_feed(&s->sse, bytes, len, fn, arg, e);
}

static enum errc events_end(union framing_state *s, sse_event_fn fn, void *arg, struct err *e)
{
	return sse_end(&s->sse, fn, arg, e);
}

static bool events_take(union framing_state *s, struct str data, struct buf *ret, size_t *ret_from)
{
	(void)data;
	return sse_take(&s->sse, ret, ret_from);
}

const struct upstream_framing upstream_events = {
	events_fits, events_init, events_finish, events_feed, events_end, events_take,
};

/* --- lines --- */

static bool lines_fits(const char *content_type)
{
	return strncmp(content_type, "application/", 12) == 0 && strstr(content_type, "json");
}

static void lines_init(union framing_state *s)
{
	buf_init(&s->line, LIMIT_SSE_EVENT);
}

static void lines_finish(union framing_state *s)
{
	buf_finish(&s->line);
}

static enum errc lines_give(struct str line, sse_event_fn fn, void *arg, struct err *e)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line.n > 0 ? fn(arg, STR_NONE, line, e) : ERR_OK;
}

static bool lines_take(union framing_state *s, struct str line, struct buf *ret, size_t *ret_from)
{
	if (s->line.len == 0 || line.p != s->line.data)
		return false;
	*ret = s->line;
	ret->len = line.n;
	*ret_from = 0;
	lines_init(s);
	return true;
}

static enum errc lines_keep(union framing_state *s, const char *bytes, size_t len, struct err *e)
{
	if (buf_add(&s->line, bytes, len))
		return ERR_OK;
	if (buf_starved())
		return err_set(e, ERR_OVERLOADED, NULL, "no memory for the provider's stream");
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent a line that is too long");
}

/* lines_join: joins the carried bytes and the end of the line. */
static enum errc lines_join(union framing_state *s, const char *bytes, size_t len, sse_event_fn fn,
			    void *arg, struct err *e)
{
	if (s->line.len == 0)
		return lines_give((struct str){ bytes, len }, fn, arg, e);

	enum errc rc = lines_keep(s, bytes, len, e);
	if (rc == ERR_OK)
		rc = lines_give(buf_view(&s->line), fn, arg, e);
	buf_clear(&s->line);
	return rc;
}

static enum errc lines_feed(union framing_state *s, const char *bytes, size_t len, sse_event_fn fn,
			    void *arg, struct err *e)
{
	while (len > 0) {
		const char *end = memchr(bytes, '\n', len);

		if (!end)
			return lines_keep(s, bytes, len, e);

		size_t    n = (size_t)(end - bytes);
		enum errc rc = lines_join(s, bytes, n, fn, arg, e);
		if (rc != ERR_OK)
			return rc;
		bytes += n + 1;
		len -= n + 1;
	}
	return ERR_OK;
}

static enum errc lines_end(union framing_state *s, sse_event_fn fn, void *arg, struct err *e)
{
	return lines_join(s, "", 0, fn, arg, e);
}

const struct upstream_framing upstream_lines = {
	lines_fits, lines_init, lines_finish, lines_feed, lines_end, lines_take,
};
