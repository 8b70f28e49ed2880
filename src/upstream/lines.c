/* Joins pieces to lines of JSON. */
#include "upstream/lines.h"

#include "base/limits.h"

void lines_init(struct lines *l)
{
	buf_init(&l->line, LIMIT_SSE_EVENT);
}

void lines_finish(struct lines *l)
{
	buf_finish(&l->line);
}

static enum errc lines_give(struct str line, sse_event_fn fn, void *arg, struct err *e)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line.n > 0 ? fn(arg, STR_NONE, line, e) : ERR_OK;
}

bool lines_take(struct lines *l, struct str line, struct buf *ret)
{
	if (l->line.len == 0 || line.p != l->line.data)
		return false;
	*ret = l->line;
	ret->len = line.n;
	lines_init(l);
	return true;
}

static enum errc lines_keep(struct lines *l, const char *bytes, size_t len, struct err *e)
{
	if (buf_add(&l->line, bytes, len))
		return ERR_OK;
	if (buf_starved())
		return err_set(e, ERR_OVERLOADED, NULL, "no memory for the provider's stream");
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent a line that is too long");
}

/* lines_join: joins the carried bytes and the end of the line. */
static enum errc lines_join(struct lines *l, const char *bytes, size_t len, sse_event_fn fn,
			    void *arg, struct err *e)
{
	if (l->line.len == 0)
		return lines_give((struct str){ bytes, len }, fn, arg, e);

	enum errc rc = lines_keep(l, bytes, len, e);
	if (rc == ERR_OK)
		rc = lines_give(buf_view(&l->line), fn, arg, e);
	buf_clear(&l->line);
	return rc;
}

enum errc lines_feed(struct lines *l, const char *bytes, size_t len, sse_event_fn fn, void *arg,
		     struct err *e)
{
	while (len > 0) {
		const char *end = memchr(bytes, '\n', len);

		if (!end)
			return lines_keep(l, bytes, len, e);

		size_t    n = (size_t)(end - bytes);
		enum errc rc = lines_join(l, bytes, n, fn, arg, e);
		if (rc != ERR_OK)
			return rc;
		bytes += n + 1;
		len -= n + 1;
	}
	return ERR_OK;
}

enum errc lines_end(struct lines *l, sse_event_fn fn, void *arg, struct err *e)
{
	return lines_join(l, "", 0, fn, arg, e);
}
