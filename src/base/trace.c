/* Trace contexts in hex, and a queue of finished spans. */
#include "base/trace.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/metric.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_bool on;
/* a call is sampled if a random number below 2^32 is less than this */
static uint64_t threshold;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buf      queue = { .max = LIMIT_TRACE_QUEUE };
static uint64_t        queued;

void trace_enable(int64_t percent)
{
	threshold = (uint64_t)percent * (UINT64_C(1) << 32) / 100;
	atomic_store(&on, true);
}

static bool trace_on(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

/* --- contexts --- */

static bool trace_is_hex(const char *p, size_t n)
{
	bool any = false; /* an id of zeroes only is invalid */

	for (size_t i = 0; i < n; i++) {
		if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f')))
			return false;
		any = any || p[i] != '0';
	}
	return any;
}

static int trace_hex_value(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void put_random(char *to, size_t n)
{
	for (size_t i = 0; i < n; i += 16)
		snprintf(to + i, 17, "%016llx", (unsigned long long)(id_random() | 1));
}

/* The form is version-id-parent-flags. A later version may have more after another dash. */
static bool trace_parse(struct str h, struct trace *ret)
{
	const char *p = h.p;

	if (h.n < 55 || p[2] != '-' || p[35] != '-' || p[52] != '-')
		return false;
	bool zero = memcmp(p, "00", 2) == 0;
	if ((!zero && !trace_is_hex(p, 2)) || memcmp(p, "ff", 2) == 0 || !trace_is_hex(p + 3, 32) ||
	    !trace_is_hex(p + 36, 16) || (!trace_is_hex(p + 53, 2) && memcmp(p + 53, "00", 2) != 0))
		return false;
	if (h.n > 55 && (zero || p[55] != '-'))
		return false;
	memcpy(ret->id, p + 3, 32);
	memcpy(ret->parent, p + 36, 16);
	ret->sampled = trace_hex_value(p[54]) & 1;
	return true;
}

bool trace_begin(struct trace *ret, struct str traceparent)
{
	*ret = (struct trace){ 0 };
	if (trace_parse(traceparent, ret)) {
		put_random(ret->span, 16);
		return true;
	}
	*ret = (struct trace){ 0 };
	if (!trace_on())
		return false;
	put_random(ret->id, 32);
	put_random(ret->span, 16);
	ret->sampled = (id_random() >> 32) < threshold;
	return false;
}

void trace_child(struct trace *ret, const struct trace *of)
{
	*ret = *of;
	memcpy(ret->parent, of->span, sizeof ret->parent);
	if (of->id[0])
		put_random(ret->span, 16);
}

void trace_header(const struct trace *t, char ret[TRACE_HEADER])
{
	snprintf(ret, TRACE_HEADER, "00-%s-%s-%s", t->id, t->span, t->sampled ? "01" : "00");
}

bool trace_wanted(const struct trace *t)
{
	return t->sampled && t->id[0] && trace_on();
}

/* --- spans --- */

static bool trace_put_id(struct buf *out, const char *key, const char *hex)
{
	return !hex[0] || (buf_text(out, "\"") && buf_text(out, key) && buf_text(out, "\":\"") &&
			   buf_text(out, hex) && buf_text(out, "\","));
}

void trace_open(struct trace_span *s, const struct trace *t, enum trace_kind kind, struct str name,
		int64_t took_us)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	int64_t end_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
	*s = (struct trace_span){ .ok = true };
	buf_init(&s->json, LIMIT_TRACE_SPAN);
	s->ok = buf_text(&s->json, "{") && trace_put_id(&s->json, "traceId", t->id) &&
		trace_put_id(&s->json, "spanId", t->span) &&
		trace_put_id(&s->json, "parentSpanId", t->parent) &&
		buf_fmt(&s->json,
			"\"kind\":%d,\"startTimeUnixNano\":\"%lld000\",\"endTimeUnixNano\":\"%lld000\","
			"\"name\":",
			(int)kind, (long long)(end_us - took_us), (long long)end_us) &&
		buf_json_string(&s->json, name) && buf_text(&s->json, ",\"attributes\":[");
}

static bool trace_put_key(struct trace_span *s, const char *key, const char *type)
{
	bool ok = (!s->begun || buf_text(&s->json, ",")) &&
		  buf_fmt(&s->json, "{\"key\":\"%s\",\"value\":{\"%s\":", key, type);

	s->begun = true;
	return ok;
}

void trace_str(struct trace_span *s, const char *key, struct str value)
{
	if (value.n > 0)
		s->ok = s->ok && trace_put_key(s, key, "stringValue") &&
			buf_json_string(&s->json, value) && buf_text(&s->json, "}}");
}

void trace_int(struct trace_span *s, const char *key, int64_t v)
{
	s->ok = s->ok && trace_put_key(s, key, "intValue") &&
		buf_fmt(&s->json, "\"%lld\"}}", (long long)v);
}

void trace_bool(struct trace_span *s, const char *key, bool v)
{
	s->ok = s->ok && trace_put_key(s, key, "boolValue") &&
		buf_text(&s->json, v ? "true}}" : "false}}");
}

void trace_seconds(struct trace_span *s, const char *key, int64_t us)
{
	s->ok = s->ok && trace_put_key(s, key, "doubleValue") &&
		buf_fmt(&s->json, "%.6f}}", (double)us / 1e6);
}

void trace_list(struct trace_span *s, const char *key, struct str value)
{
	if (value.n > 0)
		s->ok = s->ok && trace_put_key(s, key, "arrayValue") &&
			buf_text(&s->json, "{\"values\":[{\"stringValue\":") &&
			buf_json_string(&s->json, value) && buf_text(&s->json, "}]}}}");
}

static bool add_locked(struct str span)
{
	size_t len = queue.len;

	if ((len == 0 || buf_text(&queue, ",")) && buf_str(&queue, span))
		return true;
	queue.len = len;
	return false;
}

void trace_close(struct trace_span *s, const char *error)
{
	if (error)
		trace_str(s, "error.type", str_of(error));
	/* OTLP's code for an error is 2. By convention, a span without an error has no status. */
	s->ok = s->ok && buf_text(&s->json, error ? "],\"status\":{\"code\":2}}" : "]}");
	pthread_mutex_lock(&lock);
	bool kept = s->ok && add_locked(buf_view(&s->json));
	queued += kept;
	pthread_mutex_unlock(&lock);
	buf_finish(&s->json);
	if (!kept)
		metric_add(METRIC_SPANS, (const char *[]){ "dropped", "", "" }, 1);
}

bool trace_take(struct buf *out, uint64_t *ret_count)
{
	pthread_mutex_lock(&lock);
	*out = queue;
	*ret_count = queued;
	queue = (struct buf){ .max = LIMIT_TRACE_QUEUE };
	queued = 0;
	pthread_mutex_unlock(&lock);
	return *ret_count > 0;
}
