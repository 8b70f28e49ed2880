/* Reads an answer line by line, and its body without copying it elsewhere. */
#include "upstream/internal.h"

#include "base/limits.h"

#include <string.h>
#include <strings.h>

void http1_init(struct http1 *h)
{
	*h = (struct http1){ .state = HTTP1_STATUS };
	buf_init(&h->line, LIMIT_UPSTREAM_LINE);
}

void http1_finish(struct http1 *h)
{
	buf_finish(&h->line);
}

static bool http1_fail(struct http1 *h, const char *why)
{
	h->wrong = why;
	return false;
}

/* --- text --- */

static bool http1_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int http1_hex(char c)
{
	if (http1_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static struct str http1_trim(struct str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static bool http1_is(struct str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

/* Keeps what fits, because only the start of a long value matters. */
static void http1_keep(char *to, size_t size, struct str value, bool lower)
{
	size_t n = value.n < size - 1 ? value.n : size - 1;

	for (size_t i = 0; i < n; i++) {
		char c = value.p[i];

		to[i] = lower && c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
	}
	to[n] = '\0';
}

/* --- the head --- */

/* http1_status: "HTTP/1.x 200 words"; the words may be missing. */
static bool http1_status(struct http1 *h, struct str line)
{
	const char *p = line.p;

	if (line.n < 12 || memcmp(p, "HTTP/1.", 7) != 0 || !http1_digit(p[7]) || p[8] != ' ' ||
	    p[9] < '1' || p[9] > '9' || !http1_digit(p[10]) || !http1_digit(p[11]) ||
	    (line.n > 12 && p[12] != ' '))
		return http1_fail(h, "no HTTP/1 status line");
	h->status = (p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0');
	h->keeps = p[7] != '0';
	h->state = HTTP1_HEADER;
	return true;
}

static bool http1_length(struct http1 *h, struct str value)
{
	uint64_t n = 0;

	/* 18 digits fit, and no body is that long. */
	if (value.n == 0 || value.n > 18)
		return http1_fail(h, "a Content-Length that is no length");
	for (size_t i = 0; i < value.n; i++) {
		if (!http1_digit(value.p[i]))
			return http1_fail(h, "a Content-Length that is no length");
		n = n * 10 + (uint64_t)(value.p[i] - '0');
	}
	if (h->counted && n != h->length)
		return http1_fail(h, "two unequal Content-Lengths");
	h->counted = true;
	h->length = n;
	return true;
}

static bool http1_coding(struct http1 *h, struct str value)
{
	if (http1_is(value, "identity"))
		return true;
	if (h->chunked || !http1_is(value, "chunked"))
		return http1_fail(h, "a Transfer-Encoding other than chunked");
	h->chunked = true;
	return true;
}

/* A header's value may be a list; "close" in it is what matters. */
static void http1_connection(struct http1 *h, struct str value)
{
	while (value.n > 0) {
		const char *comma = memchr(value.p, ',', value.n);
		size_t      n = comma ? (size_t)(comma - value.p) : value.n;

		if (http1_is(http1_trim((struct str){ value.p, n }), "close"))
			h->keeps = false;
		n += comma ? 1 : 0;
		value = (struct str){ value.p + n, value.n - n };
	}
}

/* http1_value: the value of a header, if it is one that is read. */
static bool http1_value(struct http1 *h, struct str name, struct str value)
{
	h->folding = true;
	if (http1_is(name, "content-length"))
		return http1_length(h, value);
	if (http1_is(name, "transfer-encoding"))
		return http1_coding(h, value);
	if (http1_is(name, "content-type"))
		http1_keep(h->content_type, sizeof h->content_type, value, true);
	else if (http1_is(name, "connection"))
		http1_connection(h, value);
	else if (http1_is(name, "content-encoding"))
		h->compressed = value.n > 0 && !http1_is(value, "identity");
	else if (http1_is(name, "retry-after"))
		http1_keep(h->retry_after, sizeof h->retry_after, value, false);
	else if (http1_is(name, "retry-after-ms"))
		http1_keep(h->retry_after_ms, sizeof h->retry_after_ms, value, false);
	else
		h->folding = false;
	return true;
}

static bool http1_header(struct http1 *h, struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);

	if (line.p[0] == ' ' || line.p[0] == '\t')
		return !h->folding || http1_fail(h, "a folded header line");
	if (!colon || colon == line.p)
		return http1_fail(h, "a header line without a name and a colon");
	if (memchr(line.p, '\0', line.n))
		return http1_fail(h, "a NUL byte in its head");

	size_t n = (size_t)(colon - line.p);
	if (memchr(line.p, ' ', n) || memchr(line.p, '\t', n))
		return http1_fail(h, "a space in the name of a header");
	return http1_value(h, (struct str){ line.p, n },
			   http1_trim((struct str){ colon + 1, line.n - n - 1 }));
}

/* http1_interim: a head of 1xx is passed over; only the bound of all heads counts it. */
static bool http1_interim(struct http1 *h)
{
	struct http1 fresh = { .state = HTTP1_STATUS,
			       .line = h->line,
			       .head_bytes = h->head_bytes };

	if (h->status == 101)
		return http1_fail(h, "a change of protocol that it was not asked for");
	*h = fresh;
	return true;
}

/* http1_body: the head is whole; decides how the body is framed (RFC 9112, section 6.3). */
static bool http1_body(struct http1 *h)
{
	if (h->status < 200)
		return http1_interim(h);
	if (h->status == 204 || h->status == 304) {
		h->state = HTTP1_OVER;
	} else if (h->chunked) {
		/* Both framings: the length is not to be trusted, and what follows neither. */
		h->keeps = h->keeps && !h->counted;
		h->counted = false;
		h->state = HTTP1_SIZE;
	} else if (h->counted) {
		h->left = h->length;
		h->state = h->left > 0 ? HTTP1_COUNTED : HTTP1_OVER;
	} else {
		h->keeps = false;
		h->state = HTTP1_UNTIL_CLOSE;
	}
	return true;
}

/* --- chunks --- */

static bool http1_size(struct http1 *h, struct str line)
{
	uint64_t n = 0;
	size_t   i = 0;

	for (; i < line.n && http1_hex(line.p[i]) >= 0; i++) {
		if (n >> 56)
			return http1_fail(h, "a chunk of an impossible size");
		n = n << 4 | (unsigned)http1_hex(line.p[i]);
	}

	struct str rest = http1_trim((struct str){ line.p + i, line.n - i });
	if (i == 0 || (rest.n > 0 && rest.p[0] != ';'))
		return http1_fail(h, "a chunk without a size");
	h->left = n;
	h->state = n > 0 ? HTTP1_CHUNK : HTTP1_TRAILER;
	return true;
}

/* --- lines --- */

static bool http1_line(struct http1 *h, struct str line)
{
	switch (h->state) {
	case HTTP1_STATUS: return http1_status(h, line);
	case HTTP1_HEADER: return line.n > 0 ? http1_header(h, line) : http1_body(h);
	case HTTP1_SIZE: return http1_size(h, line);
	case HTTP1_CHUNK_END:
		h->state = HTTP1_SIZE;
		return line.n == 0 || http1_fail(h, "a chunk that is longer than its size");
	case HTTP1_TRAILER:
		if (line.n == 0)
			h->state = HTTP1_OVER;
		return true;
	case HTTP1_COUNTED:
	case HTTP1_CHUNK:
	case HTTP1_UNTIL_CLOSE:
	case HTTP1_OVER:
	case HTTP1_STATE__COUNT: break;
	}
	check_failed("a state that reads lines", __FILE__, __LINE__);
}

/* A stream has any number of chunks, so only heads and trailers have a bound of all their lines. */
static bool http1_count(struct http1 *h, size_t n)
{
	if (h->state == HTTP1_SIZE || h->state == HTTP1_CHUNK_END)
		return true;
	h->head_bytes += n;
	return h->head_bytes <= LIMIT_UPSTREAM_HEAD || http1_fail(h, "a head of more than 300 KiB");
}

static bool http1_carry(struct http1 *h, const char *p, size_t n)
{
	if (buf_add(&h->line, p, n))
		return true;
	h->starved = buf_starved();
	return http1_fail(h, "a header line of more than 100 KiB");
}

/* http1_take_line: one line of the input, or the start of one, which is kept.  *at moves past
 * it. */
static bool http1_take_line(struct http1 *h, const char **at, const char *end)
{
	const char *from = *at;
	const char *lf = memchr(from, '\n', (size_t)(end - from));
	struct str  line = { from, (size_t)((lf ? lf : end) - from) };
	bool        ok;

	*at = lf ? lf + 1 : end;
	if (!http1_count(h, (size_t)(*at - from)))
		return false;
	if (!lf || h->line.len > 0 || line.n > h->line.max) {
		if (!http1_carry(h, line.p, line.n))
			return false;
		if (!lf)
			return true;
		line = buf_view(&h->line);
	}
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	ok = http1_line(h, line);
	buf_clear(&h->line);
	return ok;
}

/* --- bytes --- */

/* http1_piece: how many of n bytes belong to the body or chunk that is being read. */
static size_t http1_piece(struct http1 *h, size_t n)
{
	if (h->state == HTTP1_UNTIL_CLOSE)
		return n;
	if (n > h->left)
		n = (size_t)h->left;
	h->left -= n;
	if (h->left == 0)
		h->state = h->state == HTTP1_CHUNK ? HTTP1_CHUNK_END : HTTP1_OVER;
	return n;
}

bool http1_feed(struct http1 *h, char *bytes, size_t n, struct str *ret_body)
{
	const char *at = bytes;
	const char *end = bytes + n;
	char       *body = bytes; /* the end of what was moved together */

	*ret_body = (struct str){ bytes, 0 };
	while (at < end && h->state != HTTP1_OVER) {
		if (h->state != HTTP1_COUNTED && h->state != HTTP1_CHUNK &&
		    h->state != HTTP1_UNTIL_CLOSE) {
			if (!http1_take_line(h, &at, end))
				break;
			continue;
		}

		size_t piece = http1_piece(h, (size_t)(end - at));
		if (ret_body->n == 0)
			ret_body->p = body = bytes + (at - bytes);
		else if (body != at)
			memmove(body, at, piece);
		body += piece;
		at += piece;
		ret_body->n += piece;
	}
	h->surplus = h->surplus || (!h->wrong && at < end);
	return !h->wrong;
}

bool http1_end(struct http1 *h)
{
	if (h->state == HTTP1_UNTIL_CLOSE)
		h->state = HTTP1_OVER;
	return h->state == HTTP1_OVER;
}
