/* Reads the head once: picks the headers we use, refuses what could smuggle a second request. */
#include "http/head.h"

#include "base/limits.h"

#include <microhttpd.h>
#include <stdint.h>
#include <strings.h>

struct reading {
	struct head *head;
	struct err  *e;
	bool         failed;
	size_t       count;
	size_t       hosts;
	size_t       lengths;
};

#define AT(member) offsetof(struct head, member)
/* clang-format off */
static const struct {
	const char *name;
	size_t      at;
} known[] = {
	{ "Host", AT(host) },
	{ "Content-Type", AT(content_type) },
	{ "Content-Encoding", AT(content_encoding) },
	{ "Content-Length", AT(content_length) },
	{ "Transfer-Encoding", AT(transfer_encoding) },
	{ "Authorization", AT(authorization) },
	{ "Last-Event-ID", AT(last_event_id) },
	{ "Accept", AT(accept) },
	{ "Accept-Encoding", AT(accept_encoding) },
	{ "Traceparent", AT(traceparent) },
	{ "Idempotency-Key", AT(idempotency_key) },
	{ "If-Match", AT(if_match) },
	{ "If-None-Match", AT(if_none_match) },
	{ "Origin", AT(origin) },
	{ "Access-Control-Request-Method", AT(request_method) },
	{ "Access-Control-Request-Headers", AT(request_headers) },
	{ "X-Client-Request-Id", AT(client_request_id) },
	{ "X-Request-Id", AT(client_request_id) },
	{ "User-Agent", AT(user_agent) },
	{ "X-Forwarded-For", AT(x_forwarded_for) },
	{ "Forwarded", AT(forwarded) },
	{ "Expect", AT(expect) },
#define X(api, name) { name, AT(keys[KEY_##api]) },
	KEY_HEADERS(X)
#undef X
};
/* clang-format on */
#undef AT

static bool token_char(unsigned char c)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c != 0 && strchr(others, c));
}

bool head_token_list(struct str list)
{
	bool begun = false;
	bool ended = false; /* after a name and a space, only a comma may follow */

	for (size_t i = 0; i < list.n; i++) {
		unsigned char c = (unsigned char)list.p[i];

		if (c == ',')
			begun = ended = false;
		else if (c == ' ' || c == '\t')
			ended = begun;
		else if (ended || !token_char(c))
			return false;
		else
			begun = true;
	}
	return true;
}

static enum MHD_Result head_refuse(struct reading *r, const char *text)
{
	err_set(r->e, ERR_BAD_REQUEST, "", "%s", text);
	r->failed = true;
	return MHD_NO;
}

static enum MHD_Result each_header(void *cls, enum MHD_ValueKind kind, const char *name,
				   size_t name_len, const char *value, size_t value_len)
{
	static const char tag[] = "x-parley-tag-";
	struct reading   *r = cls;

	(void)kind;
	if (++r->count > LIMIT_HEADERS)
		return head_refuse(r, "more than 100 header fields");
	if (name_len == 0)
		return head_refuse(r, "a header field without a name");
	for (size_t i = 0; i < name_len; i++)
		if (!token_char((unsigned char)name[i]))
			return head_refuse(
				r, "a header field name with a character that is not allowed");
	for (size_t i = 0; i < value_len; i++)
		if (((unsigned char)value[i] < 0x20 && value[i] != '\t') || value[i] == 0x7f)
			return head_refuse(r, "a header field value with a control character");

	if (name_len >= sizeof tag && (name[0] | 0x20) == 'x' &&
	    strncasecmp(name, tag, sizeof tag - 1) == 0)
		r->head->tags = true;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strlen(known[i].name) != name_len || strcasecmp(known[i].name, name) != 0)
			continue;

		struct str v = { value ? value : "", value_len };
		if (i == 0 && ++r->hosts > 1)
			return head_refuse(r, "more than one Host header");
		if (known[i].at == offsetof(struct head, content_length) && ++r->lengths > 1)
			return head_refuse(r, "more than one Content-Length header");
		/* With two of these headers, nobody can know which one counts. */
		if (known[i].at == offsetof(struct head, idempotency_key) &&
		    r->head->idempotency_key.p)
			return head_refuse(r, "more than one Idempotency-Key header");
		memcpy((char *)r->head + known[i].at, &v, sizeof v);
		break;
	}
	return MHD_YES;
}

static bool parse_length(struct str s, size_t *ret)
{
	size_t v = 0;

	if (s.n == 0 || s.n > 18)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v * 10 + (size_t)(s.p[i] - '0');
	}
	*ret = v;
	return true;
}

enum errc head_read(struct MHD_Connection *c, const char *version, struct head *ret, struct err *e)
{
	struct reading r = { .head = ret, .e = e };
	bool           http11 = strcmp(version, "HTTP/1.1") == 0;

	if (!http11 && strcmp(version, "HTTP/1.0") != 0)
		return err_set(e, ERR_BAD_REQUEST, "", "only HTTP/1.1 and HTTP/1.0 are supported");
	*ret = (struct head){ 0 };
	MHD_get_connection_values_n(c, MHD_HEADER_KIND, each_header, &r);
	if (r.failed)
		return e->code;
	if (http11 && r.hosts == 0)
		return err_set(e, ERR_BAD_REQUEST, "", "the Host header is missing");
	if (ret->transfer_encoding.p) {
		if (ret->content_length.p)
			return err_set(e, ERR_BAD_REQUEST, "",
				       "Content-Length and Transfer-Encoding exclude each other");
		if (ret->transfer_encoding.n != 7 ||
		    strncasecmp(ret->transfer_encoding.p, "chunked", 7) != 0)
			return err_set(e, ERR_BAD_REQUEST, "",
				       "the only supported Transfer-Encoding is chunked");
		if (!http11)
			return err_set(e, ERR_BAD_REQUEST, "", "HTTP/1.0 has no Transfer-Encoding");
	}
	if (ret->content_length.p && !parse_length(ret->content_length, &ret->body_bytes))
		return err_set(e, ERR_BAD_REQUEST, "", "Content-Length is not a number");
	return ERR_OK;
}

bool head_is_same_origin(const struct head *h)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (h->host.n > 0 && h->origin.n == n + h->host.n &&
		    strncasecmp(h->origin.p, schemes[i], n) == 0 &&
		    strncasecmp(h->origin.p + n, h->host.p, h->host.n) == 0)
			return true;
	}
	return false;
}

/* is_nothing: whether the parameters after a coding say that its weight is 0. */
static bool is_nothing(struct str parameters)
{
	size_t at = 0;

	while (at < parameters.n && strchr("; \t", parameters.p[at]))
		at++;
	if (parameters.n - at < 3 || strncasecmp(parameters.p + at, "q=0", 3) != 0)
		return false;
	for (at += 3; at < parameters.n; at++)
		if (!strchr(".0 \t", parameters.p[at]))
			return false;
	return true;
}

bool head_asks_websocket(struct MHD_Connection *c)
{
	static const char name[] = "websocket";
	const char       *upgrade = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Upgrade");

	while (upgrade && *upgrade) {
		upgrade += strspn(upgrade, ", \t");
		size_t n = strcspn(upgrade, ", \t");
		if (n == sizeof name - 1 && strncasecmp(upgrade, name, n) == 0)
			return true;
		upgrade += n;
	}
	return false;
}

bool head_takes_gzip(struct str accept_encoding)
{
	bool any = false;   /* `*` is named, and wanted */
	bool gzip = false;  /* it is named, and wanted */
	bool named = false; /* then * does not count */

	for (size_t from = 0, to; from < accept_encoding.n; from = to + 1) {
		to = from;
		while (to < accept_encoding.n && accept_encoding.p[to] != ',')
			to++;
		while (from < to && strchr(" \t", accept_encoding.p[from]))
			from++;
		size_t end = from;
		while (end < to && !strchr("; \t", accept_encoding.p[end]))
			end++;
		struct str coding = { accept_encoding.p + from, end - from };
		bool       wanted = !is_nothing((struct str){ accept_encoding.p + end, to - end });
		if (str_is(coding, "*")) {
			any = wanted;
		} else if (coding.n == 4 && strncasecmp(coding.p, "gzip", 4) == 0) {
			named = true;
			gzip = wanted;
		}
	}
	return named ? gzip : any;
}

bool head_host_is_local(struct str host)
{
	static const char *const local[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; i < ARRAY_LEN(local); i++) {
		size_t n = strlen(local[i]);

		if (host.n < n || strncasecmp(host.p, local[i], n) != 0)
			continue;
		if (host.n == n)
			return true;
		if (host.p[n] != ':' || host.n == n + 1 || host.n > n + 6)
			continue;
		size_t at = n + 1;
		while (at < host.n && host.p[at] >= '0' && host.p[at] <= '9')
			at++;
		if (at == host.n)
			return true;
	}
	return false;
}
