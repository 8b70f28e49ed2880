/* trace: where a request stands in a distributed trace (W3C Trace Context, level 1), and the spans that
 * are told of it, gathered for an exporter.
 *
 * Spans are printed as OTLP's JSON when they end, into one bounded queue; what does not fit is counted
 * and dropped, so nobody waits for a collector.  Off until trace_enable; then spans cost a few
 * microseconds, and before it one load.  Any thread.
 *
 * No content, keys or other secrets in a span: they are read by others than those who may read
 * conversations. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Plain data.  Texts are lower-case hex, as everything that shows them needs. */
struct trace {
	char id[33];     /* empty: there is no trace */
	char span[17];   /* ours */
	char parent[17]; /* the caller's; empty: none */
	bool sampled;
};

enum { TRACE_HEADER = 56 };

/* trace_enable: spans are gathered from now on, for percent of the traces that begin here; callers'
 * traces are as their callers decided.  Before any thread, once. */
void trace_enable(int64_t percent);
bool trace_on(void);

/* trace_begin: goes on with the caller's trace if the header is well-formed, else begins one if spans
 * are gathered; otherwise there is none.  False: the header was absent or not used, so its tracestate
 * is not to be passed on either. */
bool trace_begin(struct trace *ret, struct str traceparent);
/* trace_child: a span inside `of`; none inside none. */
void trace_child(struct trace *ret, const struct trace *of);
/* trace_header: the value of a traceparent that makes the next one's spans children of this one. */
void trace_header(const struct trace *t, char ret[TRACE_HEADER]);
/* trace_wanted: a span of it would be kept. */
bool trace_wanted(const struct trace *t);

/* As OTLP numbers them. */
enum trace_kind { TRACE_SERVER = 2, TRACE_CLIENT = 3 };

/* A span that is being told; on the stack, between trace_open and trace_close.  What does not fit into
 * LIMIT_TRACE_SPAN makes it a dropped one. */
struct trace_span {
	struct buf json;
	bool       ok;
	bool       begun; /* it has an attribute */
};

/* trace_open: took_us: it ends now and began so long ago. */
void trace_open(struct trace_span *s, const struct trace *t, enum trace_kind kind, struct str name,
		int64_t took_us);
/* Attributes.  An empty text is left out.  Keys are literals of ours. */
void trace_str(struct trace_span *s, const char *key, struct str value);
void trace_int(struct trace_span *s, const char *key, int64_t v);
void trace_bool(struct trace_span *s, const char *key, bool v);
/* trace_seconds: a double, from microseconds. */
void trace_seconds(struct trace_span *s, const char *key, int64_t us);
/* trace_list: an array of one text, as conventions want it for what could be several. */
void trace_list(struct trace_span *s, const char *key, struct str value);
/* trace_close: error: its type, also told as an attribute; NULL: none.  Hands the span on. */
void trace_close(struct trace_span *s, const char *error);

/* trace_take: all that was gathered, spans with commas between, and how many; false: nothing.  *out is
 * to be finished by the caller. */
bool trace_take(struct buf *out, uint64_t *ret_count);
