/* Checks the URL and the headers of a provider, and prepares them for all calls. */
#include "upstream/internal.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	ALONE_US = 60 * 1000 * 1000,
	TOLD_AGAIN_US = 60 * 1000 * 1000,
	FAILED_AGAIN_US = 10 * 1000 * 1000,
};

/* How long a server that chose HTTP/1.1 is believed; it may learn HTTP/2 without our being told. */
static const int64_t http1_us = (int64_t)3600 * 1000 * 1000;

/* The empty value removes libcurl's own header. */
#define NO_EXPECT "Expect:"

/* libcurl sends header lines unchanged, even with line breaks, so every line must be checked. */
static bool target_printable(const char *text, size_t max)
{
	size_t n = 0;

	for (const unsigned char *p = (const unsigned char *)text; *p; p++, n++)
		if (*p < 0x20 || *p == 0x7f)
			return false;
	return n <= max;
}

static size_t token_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "!#$%&'*+-.^_`|~");
}

/* Headers that HTTP or this client sets. */
static bool target_is_own(const char *name, size_t len)
{
	static const char *const own[] = { "content-length", "transfer-encoding", "connection",
					   "expect",         "upgrade",           "te",
					   "trailer",        "accept-encoding",   "keep-alive" };

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (strlen(own[i]) == len && strncasecmp(own[i], name, len) == 0)
			return true;
	return false;
}

static enum errc check_header(const char *line, struct err *e)
{
	size_t name = token_length(line);

	if (name == 0 || name > 128 || line[name] != ':')
		return err_set(
			e, ERR_INVALID_VALUE, "headers",
			"a provider's header must have a name of letters, digits and dashes");

	const char *value = line + name + 1;
	value += strspn(value, " ");
	if (*value == '\0' || !target_printable(value, LIMIT_SECRET))
		return err_set(e, ERR_INVALID_VALUE, "headers",
			       "the value of header %.*s must be 1 to %u bytes without control "
			       "characters or line breaks",
			       (int)name, line, LIMIT_SECRET);
	if (target_is_own(line, name))
		return err_set(e, ERR_INVALID_VALUE, "headers",
			       "header %.*s is set by the gateway itself", (int)name, line);
	return ERR_OK;
}

static bool has_header(const struct upstream_target_options *o, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < o->header_count; i++)
		if (strncasecmp(o->headers[i], name, n) == 0 && o->headers[i][n] == ':')
			return true;
	return false;
}

static bool list_add(struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(*list, line);

	if (!longer)
		return false;
	*list = longer;
	return true;
}

static bool list_make(const struct upstream_target_options *o, const char *accept,
		      struct curl_slist **list)
{
	for (size_t i = 0; i < o->header_count; i++)
		if (!list_add(list, o->headers[i]))
			return false;
	if (!has_header(o, "content-type") && !list_add(list, "Content-Type: application/json"))
		return false;
	if (!has_header(o, "accept") && !list_add(list, accept))
		return false;
	if (!has_header(o, "user-agent") && !list_add(list, "User-Agent: parley/" PARLEY_VERSION))
		return false;
	/* A body above 1 MiB would wait up to a second for a 100 that few servers send. */
	return list_add(list, NO_EXPECT);
}

/* --- the heads of our own client's requests --- */

/* target_host: adds "Host: NAME[:PORT]", the port where it is not the scheme's own. */
static bool target_host(const char *url, struct buf *out)
{
	CURLU *u = curl_url();
	char  *host = NULL;
	char  *port = NULL;
	bool   ok = u && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
		  curl_url_get(u, CURLUPART_HOST, &host, CURLU_PUNYCODE) == CURLUE_OK &&
		  buf_text(out, "Host: ") && buf_text(out, host);

	if (ok && curl_url_get(u, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
		ok = buf_text(out, ":") && buf_text(out, port);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(u);
	return ok && buf_text(out, "\r\n");
}

/* target_head: the header lines of each request; owned. NULL: no memory. */
static char *target_head(const struct upstream_target_options *o, const struct curl_slist *lines)
{
	struct buf b;
	bool       ok;

	buf_init(&b, LIMIT_UPSTREAM_HEAD);
	ok = has_header(o, "host") || target_host(o->url, &b);
	for (; ok && lines; lines = lines->next)
		if (strcmp(lines->data, NO_EXPECT) != 0)
			ok = buf_text(&b, lines->data) && buf_text(&b, "\r\n");
	if (ok && buf_add(&b, "", 1))
		return b.data;
	buf_finish(&b);
	return NULL;
}

/* target_origin: the length of scheme and authority. */
static size_t target_origin(const char *url)
{
	const char *authority = strstr(url, "://") + 3;

	return (size_t)(authority - url) + strcspn(authority, "/?");
}

static bool part_is_set(CURLU *u, CURLUPart part)
{
	char *text = NULL;
	bool  set = curl_url_get(u, part, &text, 0) == CURLUE_OK && text[0] != '\0';

	curl_free(text);
	return set;
}

/* url_ok: libcurl would accept one slash as well, and a third one, and take the path for the host. */
static bool url_ok(const char *url)
{
	CURLU *u = curl_url();
	bool   ok = u &&
		  (strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0) &&
		  !strstr(url, ":///") && target_printable(url, LIMIT_SECRET) &&
		  !strchr(url, ' ') && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
		  part_is_set(u, CURLUPART_HOST) && !part_is_set(u, CURLUPART_USER) &&
		  !part_is_set(u, CURLUPART_PASSWORD) && !part_is_set(u, CURLUPART_FRAGMENT);

	curl_url_cleanup(u);
	return ok;
}

bool upstream_url_is_safe(const char *url)
{
	static const char *const near[] = { "http://127.0.0.1", "http://localhost",
					    "http://[::1]" };

	if (strncmp(url, "https://", 8) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(near); i++) {
		size_t      n = strlen(near[i]);
		const char *rest = strncmp(url, near[i], n) == 0 ? url + n : NULL;

		/* localhost:x@elsewhere is elsewhere. */
		if (rest && (*rest == ':' || *rest == '/' || !*rest))
			return strcspn(rest, "@") >= strcspn(rest, "/?#");
	}
	return false;
}

static enum errc target_check(const struct upstream_target_options *o, struct err *e)
{
	if (!o->url || !url_ok(o->url))
		return err_set(e, ERR_INVALID_VALUE, "base_url",
			       "a provider's URL must be http:// or https:// with a host, and "
			       "without user name, fragment, spaces or control characters");
	if (o->proxy && (!o->proxy[0] || !target_printable(o->proxy, LIMIT_SECRET)))
		return err_set(e, ERR_INVALID_VALUE, "proxy",
			       "a provider's proxy must be a URL without control characters");
	for (size_t i = 0; i < o->header_count; i++) {
		enum errc rc = check_header(o->headers[i], e);

		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static bool target_copy(const char *from, char **to)
{
	if (from)
		*to = strdup(from);
	return !from || *to;
}

enum errc upstream_target_create(const struct upstream_target_options *o,
				 struct upstream_target **ret, struct err *e)
{
	enum errc rc = target_check(o, e);

	if (rc != ERR_OK)
		return rc;
	/* The TLS of libcurl costs two megabytes, which a gateway without targets does not need. */
	if (!failure_init())
		return err_set(e, ERR_INTERNAL, NULL, "libcurl could not be started");

	OWNED(upstream_target) t = calloc(1, sizeof *t);
	if (!t)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	atomic_init(&t->refs, 1);
	/* libcurl does not show the TLS of a proxy, which may have taken a part of a record. */
	atomic_init(&t->alone_until_us,
		    o->proxy && strncasecmp(o->proxy, "https:", 6) == 0 ? INT64_MAX : 0);
	atomic_init(&t->told_us, -TOLD_AGAIN_US);
	atomic_init(&t->failed_us, -FAILED_AGAIN_US);
	atomic_init(&t->http1_until_us, 0);
	t->connect_ms = (long)((o->connect_us + 999) / 1000);
	t->get = o->get;
	t->tls = strncasecmp(o->url, "https:", 6) == 0;
	t->http2 = o->http2 && t->tls;
	t->origin = target_origin(o->url);
	t->share = share_create();
	if (!t->share || !target_copy(o->name, &t->name) || !target_copy(o->url, &t->url) ||
	    !target_copy(o->ca_file, &t->ca_file) || !target_copy(o->proxy, &t->proxy) ||
	    !target_copy(o->socket, &t->socket) ||
	    !list_make(o, "Accept: application/json", &t->plain) ||
	    !list_make(o, "Accept: text/event-stream", &t->stream) ||
	    !(t->head = target_head(o, t->plain)) || !(t->stream_head = target_head(o, t->stream)))
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	*ret = TAKE(t);
	return ERR_OK;
}

struct upstream_target *target_ref(const struct upstream_target *t)
{
	/* Only the count changes, so the target may be const. */
	struct upstream_target *held = (struct upstream_target *)(uintptr_t)t;

	atomic_fetch_add_explicit(&held->refs, 1, memory_order_relaxed);
	return held;
}

const char *upstream_target_url(const struct upstream_target *t)
{
	return t->url;
}

const char *upstream_target_head(const struct upstream_target *t, bool stream)
{
	return stream ? t->stream_head : t->head;
}

void target_distrust(struct upstream_target *t, int64_t now_us)
{
	const char     *labels[METRIC_LABELS] = { t->name ? t->name : "", "", "" };
	int_fast64_t    told_us = atomic_load(&t->told_us);
	struct log_line l;

	metric_add(METRIC_SURPLUS, labels, 1);
	if (!target_is_alone(t, now_us + ALONE_US))
		atomic_store(&t->alone_until_us, now_us + ALONE_US);
	if (now_us - told_us < TOLD_AGAIN_US ||
	    !atomic_compare_exchange_strong(&t->told_us, &told_us, now_us))
		return;
	log_begin(&l, LOG_WARN, "upstream_surplus");
	log_str(&l, "upstream", str_of(labels[0]));
	log_str(&l, "msg",
		STR("the provider sent bytes beyond its answer; for a minute each of its connections of "
		    "HTTP/1.1 carries one call"));
	log_end(&l);
}

void upstream_target_failed(struct upstream_target *t, const struct err *e, int64_t now_us)
{
	int_fast64_t    failed_us = atomic_load(&t->failed_us);
	struct str      host = { t->url, t->origin };
	const char     *start = memchr(host.p, ':', host.n);
	const char     *at = memrchr(host.p, '@', host.n); /* after a user and a password */
	struct log_line l;

	if (e->code != ERR_UPSTREAM_CONNECT && e->code != ERR_CONNECT_TIMEOUT &&
	    e->code != ERR_FIRST_BYTE_TIMEOUT && e->code != ERR_IDLE_TIMEOUT &&
	    e->code != ERR_UPSTREAM_BAD_RESPONSE && e->code != ERR_STREAM_INCOMPLETE)
		return;
	if (now_us - failed_us < FAILED_AGAIN_US ||
	    !atomic_compare_exchange_strong(&t->failed_us, &failed_us, now_us))
		return;
	start = at ? at + 1 : start ? start + 3 : host.p; /* after :// */
	log_begin(&l, LOG_WARN, "upstream_failed");
	log_str(&l, "upstream", str_of(t->name ? t->name : ""));
	log_str(&l, "host", (struct str){ start, (size_t)(host.p + host.n - start) });
	log_str(&l, "error_code", str_of(err_code_wire(e->code)));
	log_str(&l, "msg", str_of(e->text));
	log_end(&l);
}

void target_speaks_http1(struct upstream_target *t, int64_t now_us)
{
	atomic_store_explicit(&t->http1_until_us, now_us + http1_us, memory_order_relaxed);
}

void upstream_target_destroy(struct upstream_target *t)
{
	if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) > 1)
		return;
	curl_slist_free_all(t->plain);
	curl_slist_free_all(t->stream);
	free(t->head);
	free(t->stream_head);
	free(t->name);
	free(t->url);
	free(t->ca_file);
	free(t->proxy);
	free(t->socket);
	share_destroy(t->share);
	free(t);
}
