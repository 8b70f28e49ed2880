/* upstream/framing: how the body of a provider's stream is cut into events.  A framing is a const
 * struct, which dialects name.  Input may be cut anywhere. */
#pragma once

#include "upstream/sse.h"

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
