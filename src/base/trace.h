/* trace: the place of a request in a distributed trace (W3C Trace Context, level 1), and the spans
 * of the request, which wait for an exporter.
 *
 * A span is printed as OTLP's JSON when it ends, into a queue with a limit.  Spans that do not fit
 * are counted and dropped, so nothing waits for a collector.  Tracing is off until trace_enable; a
 * span costs a few microseconds then, and one load before.  Any thread.
 *
 * A span must not have content, keys or other secrets, because its readers may be people who must
 * not read conversations. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Plain data.  The texts are lower-case hex. */
struct trace {
	char id[33];     /* empty: there is no trace */
	char span[17];   /* the span's own id */
	char parent[17]; /* the caller's span; empty: none */
	bool sampled;
};

enum { TRACE_HEADER = 56 };

/* trace_enable: from now on, spans are gathered for `percent` of the traces that begin here; for
 * other traces, the caller has decided.  To be called once, before other threads start. */
void trace_enable(int64_t percent);

/* trace_begin: continues the caller's trace if the header is well-formed; otherwise begins a trace
 * if spans are gathered.  False: the header is absent or was not used, so its tracestate must not
 * be passed on either. */
bool trace_begin(struct trace *ret, struct str traceparent);
/* trace_child: a span inside `of`; if `of` is no trace, *ret is none. */
void trace_child(struct trace *ret, const struct trace *of);
/* trace_header: the traceparent for the next server, whose spans become children of this span. */
void trace_header(const struct trace *t, char ret[TRACE_HEADER]);
/* trace_wanted: whether spans of this trace are kept. */
bool trace_wanted(const struct trace *t);

/* The numbers are OTLP's. */
enum trace_kind { TRACE_SERVER = 2, TRACE_CLIENT = 3 };

/* A span that is being printed; on the stack, from trace_open to trace_close.  A span that does not
 * fit into LIMIT_TRACE_SPAN is dropped. */
struct trace_span {
	struct buf json;
	bool       ok;
	bool       begun; /* the span has an attribute */
};

/* trace_open: the span ends now, and began took_us ago. */
void trace_open(struct trace_span *s, const struct trace *t, enum trace_kind kind, struct str name,
		int64_t took_us);
/* trace_str, trace_int and trace_bool add attributes.  An empty text is left out.  Keys are
 * literals. */
void trace_str(struct trace_span *s, const char *key, struct str value);
void trace_int(struct trace_span *s, const char *key, int64_t v);
void trace_bool(struct trace_span *s, const char *key, bool v);
/* trace_seconds: adds microseconds as a double in seconds. */
void trace_seconds(struct trace_span *s, const char *key, int64_t us);
/* trace_list: adds an array with one text, for attributes that could have several. */
void trace_list(struct trace_span *s, const char *key, struct str value);
/* trace_close: puts the span into the queue.  error: its type, which also becomes an attribute;
 * NULL: the span has no error. */
void trace_close(struct trace_span *s, const char *error);

/* trace_take: takes all gathered spans, separated by commas, and their number; false: there are
 * none. The caller must finish *out. */
bool trace_take(struct buf *out, uint64_t *ret_count);
