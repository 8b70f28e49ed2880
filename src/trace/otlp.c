/* Sends spans to the collector, one batch at a time. */
#include "trace/otlp.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_US = 1000 * 1000, HEADERS = 16 };

static const struct upstream_limits limits = {
	.first_byte_us = 10 * 1000 * 1000,
	.idle_us = 10 * 1000 * 1000,
	.total_us = 20 * 1000 * 1000,
};

struct otlp {
	struct loop            *loop;
	struct upstream_pool   *upstreams;
	struct upstream_target *target;
	struct timer            timer;
	struct upstream_call   *call;  /* NULL: none is on its way */
	struct buf              batch; /* its body */
	uint64_t                count; /* spans in it */
	int                     status;
	bool                    failing; /* true: logged already */
	char                    version[32];
};

/* --- a batch --- */

static void otlp_count(const char *result, uint64_t n)
{
	metric_add(METRIC_SPANS, (const char *[]){ result, "", "" }, (int64_t)n);
}

static void otlp_over(struct otlp *x, bool good, const char *why)
{
	otlp_count(good ? "sent" : "failed", x->count);
	if (!good && !x->failing)
		log_note(LOG_WARN, "trace", "the collector does not take spans: %s", why);
	else if (good && x->failing)
		log_note(LOG_INFO, "trace", "the collector takes spans again");
	x->failing = !good;
	x->count = 0;
	buf_finish(&x->batch);
}

static void otlp_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	struct otlp *x = arg;

	(void)content_type;
	(void)retry_after_ms;
	x->status = status;
}

static bool otlp_on_data(void *arg, const char *bytes, size_t len)
{
	(void)arg;
	(void)bytes;
	(void)len;
	return true;
}

static void otlp_on_done(void *arg, const struct err *e)
{
	struct otlp *x = arg;
	char         why[64];

	x->call = NULL;
	snprintf(why, sizeof why, "status %d", x->status);
	otlp_over(x, e->code == ERR_OK && x->status >= 200 && x->status <= 299,
		  e->code == ERR_OK ? why : err_code_wire(e->code));
}

static const struct upstream_callbacks callbacks = { otlp_on_head, otlp_on_data, otlp_on_done };

static bool put_batch(struct buf *out, const char *version, const struct buf *spans)
{
	return buf_fmt(out,
		       "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
		       "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"parley\"}},"
		       "{\"key\":\"service.version\",\"value\":{\"stringValue\":\"%s\"}}]},"
		       "\"scopeSpans\":[{\"scope\":{\"name\":\"parley\",\"version\":\"%s\"},\"spans\":[",
		       version, version) &&
	       buf_str(out, buf_view(spans)) && buf_text(out, "]}]}]}");
}

static void send_batch(struct otlp *x)
{
	struct buf spans;
	struct err e;

	if (x->call || !trace_take(&spans, &x->count))
		return;
	x->status = 0;
	buf_init(&x->batch, LIMIT_TRACE_QUEUE + 4 * KIB);
	bool ok = put_batch(&x->batch, x->version, &spans);
	buf_finish(&spans);
	if (!ok)
		otlp_over(x, false, "out of memory");
	else if (upstream_start(x->upstreams, x->target,
				&(struct upstream_ask){ .body = buf_view(&x->batch) }, &limits,
				&callbacks, x, &x->call, &e) != ERR_OK)
		otlp_over(x, false, err_code_wire(e.code));
}

static void otlp_on_timer(struct timer *t)
{
	struct otlp *x = container_of(t, struct otlp, timer);

	send_batch(x);
	timer_start(x->loop, &x->timer, EVERY_US);
}

/* --- birth and death --- */

/* otlp_put_headers: makes header lines of "a=b,c=d"; false: another form. */
static bool otlp_put_headers(struct arena *a, const char *text, const char *lines[HEADERS],
			     size_t *ret_n)
{
	while (text && *text) {
		size_t      n = strcspn(text, ",");
		const char *eq = memchr(text, '=', n);
		char       *line = arena_alloc(a, n + 2);

		if (!eq || eq == text || !line || *ret_n == HEADERS)
			return false;
		snprintf(line, n + 2, "%.*s: %.*s", (int)(eq - text), text,
			 (int)(n - (size_t)(eq - text) - 1), eq + 1);
		lines[(*ret_n)++] = line;
		text += n + (text[n] == ',');
	}
	return true;
}

static enum errc otlp_make_target(const struct otlp_options *o, struct upstream_target **ret,
				  struct err *e)
{
	static const char              path[] = "/v1/traces";
	struct arena                   a;
	const char                    *lines[HEADERS];
	struct upstream_target_options t = { .name = "otlp",
					     .headers = lines,
					     .connect_us = 5 * 1000 * 1000 };
	size_t                         n = strlen(o->endpoint);
	enum errc                      rc = ERR_OK;

	arena_init(&a, LIMIT_ARENA);
	while (n > 0 && o->endpoint[n - 1] == '/')
		n--;
	bool whole = n > sizeof path - 1 &&
		     memcmp(o->endpoint + n - (sizeof path - 1), path, sizeof path - 1) == 0;
	char *url = arena_alloc(&a, n + sizeof path);
	if (url)
		snprintf(url, n + sizeof path, "%.*s%s", (int)n, o->endpoint, whole ? "" : path);
	t.url = url;
	if (!url || !otlp_put_headers(&a, o->headers, lines, &t.header_count))
		rc = err_set(e, ERR_INVALID_VALUE, "PARLEY_OTLP_HEADERS",
			     "must be name=value, several with commas between");
	else if ((rc = upstream_target_create(&t, ret, e)) != ERR_OK)
		memcpy(e->path, "otlp_endpoint",
		       /* the option here is not the base_url of a target */
		       sizeof "otlp_endpoint");
	arena_finish(&a);
	return rc;
}

enum errc otlp_create(const struct otlp_options *o, struct otlp **ret, struct err *e)
{
	struct otlp *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	x->loop = o->loop;
	x->upstreams = o->upstreams;
	x->timer.fn = otlp_on_timer;
	str_copy(x->version, sizeof x->version, str_of(o->version));
	enum errc rc = otlp_make_target(o, &x->target, e);
	if (rc != ERR_OK) {
		free(x);
		return rc;
	}
	timer_start(x->loop, &x->timer, EVERY_US);
	*ret = x;
	return ERR_OK;
}

void otlp_flush(struct otlp *x)
{
	send_batch(x);
}

bool otlp_busy(const struct otlp *x)
{
	return x->call != NULL;
}

void otlp_destroy(struct otlp *x)
{
	if (!x)
		return;
	timer_stop(x->loop, &x->timer);
	if (x->call)
		upstream_cancel(x->call);
	buf_finish(&x->batch);
	upstream_target_destroy(x->target);
	free(x);
}
