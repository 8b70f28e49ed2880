/* The framings of streams: server-sent events, and lines of JSON. */
#include "upstream/framing.h"

#include "base/limits.h"

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
