/* upstream/sse: a parser for server-sent events, as liberal as real providers require. Source:
 * WHATWG HTML, "Server-sent events". Additions: a last event without a blank line counts, an
 * `error:` field is an event named "error", a bare JSON line is an event named "error" too, and
 * an event with empty data is skipped.
 *
 * Input may be cut anywhere: inside UTF-8, between CR and LF, inside a field name. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct sse {
	struct buf line; /* an unfinished line, carried over */
	struct buf data; /* the event's, after `from` other bytes */
	size_t     from;
	struct buf name;
	struct str span; /* data of one line still in the caller's bytes; only within sse_feed */
	bool       after_cr;
	bool       begun; /* the BOM question is settled */
	bool       has_data;
	bool       bare; /* the pending event is JSON without a field name */
};

/* Returning anything but ERR_OK stops the feed with that error. */
typedef enum errc (*sse_event_fn)(void *arg, struct str name, struct str data, struct err *e);

void sse_init(struct sse *s);
void sse_finish(struct sse *s);
/* sse_feed: calls fn for each complete event in the bytes given so far.  Spans are borrowed for the
 * call.  A whole line inside one read is not copied.
 * Errors: UPSTREAM_BAD_RESPONSE above LIMIT_SSE_LINE or LIMIT_SSE_EVENT, and fn's own. */
enum errc sse_feed(struct sse *s, const char *bytes, size_t len, sse_event_fn fn, void *arg,
		   struct err *e) MUST_USE;
/* sse_take: within fn, gives the memory of long data to the caller, for whom copying it would take
 * long: *ret owns it, and the data is what follows *ret_from bytes.  False: the data has no memory
 * of its own. */
bool sse_take(struct sse *s, struct buf *ret, size_t *ret_from) MUST_USE;
/* sse_end: ends the input; a pending event without its blank line is still given. */
enum errc sse_end(struct sse *s, sse_event_fn fn, void *arg, struct err *e) MUST_USE;

/* --- framing: how the body of a provider's stream is cut into events.  A framing is a const
 * struct, which dialects name.  Input may be cut anywhere. */

/* The state of cutting one stream; embedded in a call. */
union framing_state {
	struct sse sse;
	struct buf line; /* an unfinished line, carried over */
	void      *own;  /* state of a framing that neither fits; NULL after init */
};

struct upstream_framing {
	/* fits: whether a 2xx answer with this content type (lower case, not empty, not text/plain) is a
	 * stream. */
	bool (*fits)(const char *content_type);
	void (*init)(union framing_state *s);
	void (*finish)(union framing_state *s);
	/* feed, end: as sse_feed and sse_end; an event without a name has an empty one. */
	enum errc (*feed)(union framing_state *s, const char *bytes, size_t len, sse_event_fn fn,
			  void *arg, struct err *e);
	enum errc (*end)(union framing_state *s, sse_event_fn fn, void *arg, struct err *e);
	/* take: as sse_take; data: as fn got it. */
	bool (*take)(union framing_state *s, struct str data, struct buf *ret, size_t *ret_from);
};

extern const struct upstream_framing upstream_events; /* server-sent events */
/* Newline-delimited JSON, one value a line.  Empty lines are skipped; a last line without its newline
 * counts.  A line above LIMIT_SSE_EVENT is UPSTREAM_BAD_RESPONSE. */
extern const struct upstream_framing upstream_lines;
/* Amazon's binary frames (upstream/aws_frames.c).  An event has the frame's name.  An exception's or an error's
 * has its own, after UPSTREAM_FAULT, and an object with a message.  A frame above LIMIT_SSE_EVENT, one with a wrong
 * checksum, and one with a header of an unknown type are UPSTREAM_BAD_RESPONSE. */
enum { UPSTREAM_FAULT = '!' };
extern const struct upstream_framing upstream_aws_frames;
