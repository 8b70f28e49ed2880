/* GET /v1/admin/log: the last lines of the log, and those to come as a stream.
 *
 * A stream looks for new lines a few times a second, so that whoever logs one pays nothing for it.  Lines with the
 * contents of messages (log_content) are left out: the log is the operator's, but a page of the console is not the
 * place for what others have said. */
#include "routes/kit/handlers.h"

#include "base/identity.h"
#include "base/limits.h"
#include "base/log_ring.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/stream.h"
#include "routes/kit/lookup.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	LOOK_US = 250 * 1000,
	LOOKS = 4, /* between two checks of the caller's right */
	LOW = 64 * KIB,
	BODY = 8 * MIB, /* LIMIT_LOG_RING, with each byte escaped */
	PLACE = 24,
};

/* Which lines are wanted. */
struct log_filter {
	enum log_level level; /* and what is worse */
	char           request_id[2 * ID_MAX];
	uint64_t       from; /* a place */
};

/* log_wanted: false: the line is left out; ret is what it says. */
static bool log_wanted(const struct log_filter *f, struct str line, struct log_seen *ret)
{
	return log_line_read(line, ret) && ret->level <= f->level &&
	       !str_is(ret->event, "content") &&
	       (!f->request_id[0] || str_is(ret->request_id, f->request_id));
}

/* log_print: end: the place after the line, its id. */
static bool log_print(struct buf *out, struct str line, const struct log_seen *seen, uint64_t end)
{
	return buf_fmt(out, "{\"object\":\"log.line\",\"id\":\"%llu\",\"at\":",
		       (unsigned long long)end) &&
	       buf_json_string(out, seen->ts) &&
	       buf_fmt(out, ",\"level\":\"%s\",\"event\":", log_level_name(seen->level)) &&
	       buf_json_string(out, seen->event) && buf_text(out, ",\"request_id\":") &&
	       (seen->request_id.n > 0 ? buf_json_string(out, seen->request_id)
				       : buf_text(out, "null")) &&
	       buf_text(out, ",\"text\":") && buf_json_string(out, line) && buf_text(out, "}");
}

/* log_next: cuts a line off the front of *text; false: there is none. */
static bool log_next(struct str *text, struct str *ret)
{
	const char *end = text->n > 0 ? memchr(text->p, '\n', text->n) : NULL;

	if (!end)
		return false;
	*ret = (struct str){ text->p, (size_t)(end - text->p) };
	*text = (struct str){ end + 1, text->n - ret->n - 1 };
	return true;
}

/* log_skip: how many wanted lines come before the last LIMIT_LOG_SHOWN ones. */
static size_t log_skip(const struct log_filter *f, struct str text)
{
	struct log_seen seen;
	struct str      line;
	size_t          n = 0;

	while (log_next(&text, &line))
		n += log_wanted(f, line, &seen);
	return n > LIMIT_LOG_SHOWN ? n - LIMIT_LOG_SHOWN : 0;
}

/* log_take: the bytes from the place on, owned; NULL: no memory. */
static char *log_take(uint64_t from, struct str *ret, uint64_t *ret_at)
{
	char *bytes = malloc(LIMIT_LOG_RING);

	*ret = (struct str){ bytes,
			     bytes ? log_ring_take(from, bytes, LIMIT_LOG_RING, ret_at) : 0 };
	return bytes;
}

/* --- JSON --- */

static bool log_print_lines(struct buf *out, const struct log_filter *f, struct str text,
			    uint64_t at)
{
	size_t          skip = log_skip(f, text);
	bool            first = true;
	struct log_seen seen;
	struct str      line;

	while (log_next(&text, &line)) {
		at += line.n + 1;
		if (!log_wanted(f, line, &seen) || (skip > 0 && skip-- > 0))
			continue;
		if ((!first && !buf_text(out, ",")) || !log_print(out, line, &seen, at))
			return false;
		first = false;
	}
	return true;
}

static void log_answer(struct request *r, const struct log_filter *f)
{
	uint64_t   at = 0;
	struct str text;
	char      *bytes = log_take(f->from, &text, &at);
	char       last[PLACE];
	struct buf body;

	buf_init(&body, BODY);
	snprintf(last, sizeof last, "%llu", (unsigned long long)at + text.n);
	if (!bytes || !page_head(&body, "", last, false) || !buf_text(&body, ",\"data\":[") ||
	    !log_print_lines(&body, f, text, at) || !buf_text(&body, "]}"))
		buf_clear(&body); /* told as a lack of memory */
	free(bytes);
	reply_json_take(r, 200, &body);
}

/* --- the stream --- */

struct log_viewer {
	struct gateway        *gateway;
	struct stream         *stream;
	struct identity       *who;   /* held */
	const struct snapshot *began; /* only to be compared */
	struct log_filter      filter;
	struct buf             out;
	struct timer           look;
	unsigned               looks;
	bool                   ready; /* the lines of before were told */
	bool                   last;
};

static atomic_int viewers;

static void viewer_finish(struct log_viewer *x, const struct err *e)
{
	bool ok = e ? buf_text(&x->out, "event: error\ndata: ") && err_body(e, STR_NONE, &x->out) &&
				  buf_text(&x->out, "\n")
		    : buf_text(&x->out, "event: done\ndata: [DONE]\n\n");

	(void)ok; /* without memory, the stream just ends */
	x->last = true;
}

static bool viewer_print(struct log_viewer *x, struct str line, const struct log_seen *seen)
{
	return buf_text(&x->out, "data: ") && log_print(&x->out, line, seen, x->filter.from) &&
	       buf_text(&x->out, "\n\n");
}

/* viewer_lines: prints lines, as far as there is room; true: all of them. */
static bool viewer_lines(struct log_viewer *x, struct str text)
{
	size_t          skip = x->ready ? 0 : log_skip(&x->filter, text);
	struct log_seen seen;
	struct str      line;
	bool            ok = true;

	while (ok && x->out.len < LOW && log_next(&text, &line)) {
		x->filter.from += line.n + 1;
		if (log_wanted(&x->filter, line, &seen) && (skip == 0 || skip-- == 0))
			ok = viewer_print(x, line, &seen);
	}
	if (!ok) {
		x->out.len = 0;
		viewer_finish(x, &(struct err){ .code = ERR_OVERLOADED, .text = "out of memory" });
	}
	return text.n == 0;
}

static void viewer_fill(struct log_viewer *x)
{
	uint64_t   from = x->filter.from;
	struct str text;

	if (x->last || x->out.len >= LOW || (x->ready && log_ring_end() == from))
		return;
	char *bytes = log_take(from, &text, &x->filter.from);
	if (!bytes)
		return; /* the next look has more luck */
	bool gap = x->ready && x->filter.from > from;
	bool whole = (!gap || buf_text(&x->out, "data: {\"object\":\"log.gap\"}\n\n")) &&
		     viewer_lines(x, text);

	free(bytes);
	if (whole && !x->ready)
		x->ready = buf_text(&x->out, "data: {\"object\":\"ready\"}\n\n");
}

static struct str viewer_ready(void *arg, bool *ret_last)
{
	struct log_viewer *x = arg;

	*ret_last = x->last;
	return buf_view(&x->out);
}

static void viewer_taken(void *arg, size_t n)
{
	struct log_viewer *x = arg;

	buf_take_front(&x->out, n);
	viewer_fill(x);
}

static void viewer_destroy(struct log_viewer *x)
{
	atomic_fetch_sub(&viewers, 1);
	identity_release(x->who);
	buf_finish(&x->out);
	free(x);
}

static void viewer_over(void *arg, bool whole)
{
	struct log_viewer *x = arg;

	(void)whole;
	timer_stop(x->gateway->loop, &x->look);
	viewer_destroy(x);
}

static const struct stream_source viewer_source = { viewer_ready, viewer_taken, viewer_over, NULL };

/* viewer_check: a stream without an end must not outlive the right to read it, nor the gateway. */
static void viewer_check(struct log_viewer *x)
{
	struct err e;

	if (atomic_load(x->gateway->draining) ||
	    (x->who->number == 0 && x->gateway->now != x->began)) {
		viewer_finish(x, NULL); /* who connects again is looked at anew */
	} else if (!gateway_allows(x->gateway, x->who, SCOPE_ADMIN)) {
		err_set(&e, ERR_INVALID_API_KEY, "", "the API key is not valid any more");
		viewer_finish(x, &e);
	}
}

static void viewer_on_look(struct timer *t)
{
	struct log_viewer *x = container_of(t, struct log_viewer, look);
	size_t             before = x->out.len;

	if (x->last)
		return;
	timer_start(x->gateway->loop, t, LOOK_US);
	viewer_fill(x);
	if (!x->last && x->looks++ % LOOKS == 0)
		viewer_check(x);
	if (x->last || x->out.len != before)
		stream_wake(x->stream);
}

static void viewer_start(struct request *r, struct gateway *g, const struct log_filter *f)
{
	if (atomic_fetch_add(&viewers, 1) >= LIMIT_LOG_VIEWERS) {
		atomic_fetch_sub(&viewers, 1);
		reply_refuse(r, ERR_OVERLOADED, "", "too many streams of the log are open");
		return;
	}
	struct log_viewer *x = calloc(1, sizeof *x);
	if (!x) {
		atomic_fetch_sub(&viewers, 1);
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the stream");
		return;
	}
	x->gateway = g;
	x->who = identity_hold(request_view(r)->by.who);
	x->began = g->now;
	x->filter = *f;
	x->look.fn = viewer_on_look;
	buf_init(&x->out, 2 * LOW);
	viewer_fill(x);
	x->stream = stream_open(r, &viewer_source, x);
	if (!x->stream) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the stream");
		viewer_destroy(x);
		return;
	}
	timer_start(g->loop, &x->look, LOOK_US);
}

/* --- the query --- */

static bool log_read_query(struct request *r, struct log_filter *ret)
{
	enum { DIGITS = 18 };
	struct str text;
	int64_t    from = 0;

	*ret = (struct log_filter){ .level = LOG_DEBUG };
	if (request_query(r, "level", 0, &text) && !log_level_find(text, &ret->level)) {
		reply_refuse(r, ERR_INVALID_VALUE, "level",
			     "must be one of: error, warn, info, debug");
		return false;
	}
	if (request_query(r, "request_id", 0, &text)) {
		if (text.n >= sizeof ret->request_id) {
			reply_refuse(r, ERR_INVALID_VALUE, "request_id",
				     "must be the id of a request");
			return false;
		}
		str_copy(ret->request_id, sizeof ret->request_id, text);
	}
	if (!page_number(r, "after", DIGITS, "must be the id of a line", &from))
		return false;
	ret->from = (uint64_t)from;
	return true;
}

void log_get(struct request *r, void *app)
{
	static const char event_stream[] = "text/event-stream";
	struct str        accept = request_view(r)->head.accept;
	struct log_filter f;

	if (!log_read_query(r, &f))
		return;
	if (accept.n > 0 && memmem(accept.p, accept.n, event_stream, sizeof event_stream - 1))
		viewer_start(r, app, &f);
	else
		log_answer(r, &f);
}
