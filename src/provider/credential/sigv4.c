/* Canonical requests and signatures.  Source: "Create a signed AWS API request" in the IAM user guide; where that is
 * silent (a member of a query without `=`, several lines of one name), as botocore does it. */
#include "provider/credential/sigv4.h"

#include "base/limits.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

/* A header line, or a member of a query; spans of what it was made of. */
struct part {
	struct str name;
	struct str value;
	size_t     place; /* keeps lines of one name in their order */
};

void sigv4_date(int64_t now_s, char ret[SIGV4_DATE])
{
	time_t    t = (time_t)now_s;
	struct tm day;

	gmtime_r(&t, &day);
	if (strftime(ret, SIGV4_DATE, "%Y%m%dT%H%M%SZ", &day) == 0)
		ret[0] = '\0';
}

/* put_encoded: percent-encodes all bytes but the unreserved ones and those of `more`. */
static bool put_encoded(struct buf *out, struct str s, const char *more)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		char          code[3] = { '%', digits[c >> 4], digits[c & 15] };
		bool          plain = (c < 0x80 && isalnum(c)) || (c && strchr("-_.~", c)) ||
			     (c && strchr(more, c));

		if (!buf_add(out, plain ? (const char *)&s.p[i] : code, plain ? 1 : sizeof code))
			return false;
	}
	return true;
}

/* --- path --- */

static struct str url_rest(const char *url)
{
	const char *authority = strstr(url, "://");

	authority = authority ? authority + 3 : url;
	return str_of(authority + strcspn(authority, "/?"));
}

static struct str url_path(const char *url)
{
	struct str rest = url_rest(url);

	rest.n = strcspn(rest.p, "?");
	return rest;
}

/* sigv4_put_path: without empty segments, "." and "..", as the service itself reads it. */
static bool sigv4_put_path(struct buf *out, struct str path)
{
	struct str segments[SIGV4_PARTS];
	size_t     n = 0;

	for (size_t i = 0, end; i < path.n; i = end + 1) {
		for (end = i; end < path.n && path.p[end] != '/';)
			end++;

		struct str segment = { path.p + i, end - i };
		if (str_is(segment, "..")) {
			n -= n > 0;
		} else if (segment.n > 0 && !str_is(segment, ".")) {
			if (n == SIGV4_PARTS)
				return false;
			segments[n++] = segment;
		}
	}
	bool folder = path.n > 0 && path.p[path.n - 1] == '/';
	for (size_t i = 0; i < n; i++)
		if (!buf_text(out, "/") || !put_encoded(out, segments[i], ""))
			return false;
	return n > 0 && !folder ? true : buf_text(out, "/");
}

/* --- query --- */

static int sigv4_compare_bytes(struct str a, struct str b)
{
	size_t least = a.n < b.n ? a.n : b.n;
	int    by_bytes = least > 0 ? memcmp(a.p, b.p, least) : 0;

	return by_bytes != 0 ? by_bytes : (a.n > b.n) - (a.n < b.n);
}

static int sigv4_compare_members(const void *left, const void *right)
{
	const struct part *a = left;
	const struct part *b = right;
	int                by_name = sigv4_compare_bytes(a->name, b->name);

	return by_name != 0 ? by_name : sigv4_compare_bytes(a->value, b->value);
}

/* sigv4_put_query: in the order of the names.  `%` stays, as the URL is encoded already. */
static bool sigv4_put_query(struct buf *out, const char *url)
{
	struct str  rest = url_rest(url);
	const char *query = memchr(rest.p, '?', rest.n);
	struct part parts[SIGV4_PARTS];
	size_t      n = 0;

	for (const char *at = query ? query + 1 : ""; *at;) {
		size_t length = strcspn(at, "&");
		size_t name = strcspn(at, "=&");

		if (length > 0) {
			if (n == SIGV4_PARTS)
				return false;
			parts[n++] = (struct part){ { at, name },
						    { at + name + (name < length),
						      length - name - (name < length) },
						    0 };
		}
		at += length + (at[length] ? 1 : 0);
	}
	qsort(parts, n, sizeof *parts, sigv4_compare_members);
	for (size_t i = 0; i < n; i++)
		if (!buf_text(out, i > 0 ? "&" : "") || !put_encoded(out, parts[i].name, "%") ||
		    !buf_text(out, "=") || !put_encoded(out, parts[i].value, "%"))
			return false;
	return true;
}

/* --- headers --- */

static int compare_lines(const void *left, const void *right)
{
	const struct part *a = left;
	const struct part *b = right;
	size_t             least = a->name.n < b->name.n ? a->name.n : b->name.n;
	int                by_bytes = strncasecmp(a->name.p, b->name.p, least);

	if (by_bytes == 0)
		by_bytes = (a->name.n > b->name.n) - (a->name.n < b->name.n);
	return by_bytes != 0 ? by_bytes : (a->place > b->place) - (a->place < b->place);
}

static bool sigv4_same_name(struct str a, struct str b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

static bool put_lower(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = (char)tolower((unsigned char)s.p[i]);

		if (!buf_add(out, &c, 1))
			return false;
	}
	return true;
}

/* put_folded: the value without spaces at its ends, and with one for several. */
static bool put_folded(struct buf *out, struct str s)
{
	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++) {
		bool space = s.p[i] == ' ' || s.p[i] == '\t';

		if (space && (s.p[i + 1] == ' ' || s.p[i + 1] == '\t'))
			continue;
		if (!buf_add(out, space ? " " : &s.p[i], 1))
			return false;
	}
	return true;
}

/* read_lines: false: there are too many. */
static bool read_lines(struct str head, struct part parts[SIGV4_PARTS], size_t *n)
{
	while (head.n > 0) {
		const char *end = memmem(head.p, head.n, "\r\n", 2);
		size_t      length = end ? (size_t)(end - head.p) : head.n;
		const char *colon = memchr(head.p, ':', length);

		if (colon && *n == SIGV4_PARTS)
			return false;
		if (colon) {
			size_t name = (size_t)(colon - head.p);

			parts[*n] = (struct part){ { head.p, name },
						   { colon + 1, length - name - 1 },
						   *n };
			*n += 1;
		}
		length += end ? 2 : 0;
		head = (struct str){ head.p + length, head.n - length };
	}
	return true;
}

static bool put_lines(struct buf *out, const struct part *parts, size_t n, struct buf *names)
{
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		bool again = i > 0 && sigv4_same_name(parts[i - 1].name, parts[i].name);

		ok = again ? buf_text(out, ",")
			   : buf_text(out, i > 0 ? "\n" : "") && put_lower(out, parts[i].name) &&
				     buf_text(out, ":") && buf_text(names, i > 0 ? ";" : "") &&
				     put_lower(names, parts[i].name);
		ok = ok && put_folded(out, parts[i].value);
	}
	return ok && buf_text(out, "\n");
}

/* put_headers: the given lines, the time and the token, in the order of their names. */
static bool put_headers(struct buf *out, const struct sigv4_ask *ask, const char *token,
			struct buf *names)
{
	struct part parts[SIGV4_PARTS + 2] = {
		{ .name = { "x-amz-date", 10 } },
		{ .name = { "x-amz-security-token", 20 }, .value = str_of(token) },
	};
	char   date[SIGV4_DATE];
	size_t own = token ? 2 : 1;
	size_t n = 0;

	sigv4_date(ask->now_s, date);
	parts[0].value = str_of(date);
	if (!read_lines(ask->head, parts + own, &n))
		return false;
	qsort(parts, n + own, sizeof *parts, compare_lines);
	return put_lines(out, parts, n + own, names);
}

/* --- the steps --- */

bool sigv4_canonical(const struct sigv4_ask *ask, const char *token, struct buf *out,
		     struct buf *names)
{
	char hex[HASH_HEX + 1];

	hash_hex(ask->body, HASH_BYTES, hex);
	return buf_text(out, ask->method) && buf_text(out, "\n") &&
	       sigv4_put_path(out, url_path(ask->url)) && buf_text(out, "\n") &&
	       sigv4_put_query(out, ask->url) && buf_text(out, "\n") &&
	       put_headers(out, ask, token, names) && buf_text(out, "\n") &&
	       buf_str(out, buf_view(names)) && buf_text(out, "\n") && buf_text(out, hex);
}

/* sigv4_put_scope: 20150830/us-east-1/service/aws4_request */
static bool sigv4_put_scope(struct buf *out, const struct sigv4_ask *ask, const char *date)
{
	return buf_add(out, date, strlen("20150830")) && buf_text(out, "/") &&
	       buf_text(out, ask->region) && buf_text(out, "/") && buf_text(out, ask->service) &&
	       buf_text(out, "/aws4_request");
}

bool sigv4_text(const struct sigv4_ask *ask, struct str canonical, struct buf *out)
{
	unsigned char digest[HASH_BYTES];
	char          hex[HASH_HEX + 1];
	char          date[SIGV4_DATE];

	hash_sha256(canonical.p, canonical.n, digest);
	hash_hex(digest, sizeof digest, hex);
	sigv4_date(ask->now_s, date);
	return buf_text(out, "AWS4-HMAC-SHA256\n") && buf_text(out, date) && buf_text(out, "\n") &&
	       sigv4_put_scope(out, ask, date) && buf_text(out, "\n") && buf_text(out, hex);
}

void sigv4_signature(const struct sigv4_ask *ask, const char *secret, struct str text,
		     char ret[HASH_HEX + 1])
{
	char              date[SIGV4_DATE];
	char              first[LIMIT_SECRET + 8];
	unsigned char     key[HASH_BYTES];
	const char *const steps[] = { ask->region, ask->service, "aws4_request" };

	sigv4_date(ask->now_s, date);
	memcpy(first, "AWS4", 4);
	str_copy(first + 4, sizeof first - 4, str_of(secret));
	hash_hmac_of(str_of(first), date, strlen("20150830"), key);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		hash_hmac(key, steps[i], strlen(steps[i]), key);
	hash_hmac(key, text.p, text.n, key);
	hash_hex(key, sizeof key, ret);
	explicit_bzero(first, sizeof first);
}

static bool put_authorization(const struct sigv4_ask *ask, const char *id, struct str names,
			      const char *signature, struct buf *out)
{
	char date[SIGV4_DATE];

	sigv4_date(ask->now_s, date);
	return buf_text(out, "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=") &&
	       buf_text(out, id) && buf_text(out, "/") && sigv4_put_scope(out, ask, date) &&
	       buf_text(out, ", SignedHeaders=") && buf_str(out, names) &&
	       buf_text(out, ", Signature=") && buf_text(out, signature);
}

bool sigv4_sign(const struct sigv4_ask *ask, const struct sigv4_keys *keys, struct buf *out)
{
	char       signature[HASH_HEX + 1];
	char       date[SIGV4_DATE];
	struct buf canonical, names, text;

	buf_init(&canonical, 4 * (size_t)LIMIT_UPSTREAM_HEAD);
	buf_init(&names, LIMIT_UPSTREAM_HEAD);
	buf_init(&text, KIB);
	sigv4_date(ask->now_s, date);
	bool ok = sigv4_canonical(ask, keys->token, &canonical, &names) &&
		  sigv4_text(ask, buf_view(&canonical), &text);
	if (ok) {
		sigv4_signature(ask, keys->secret, buf_view(&text), signature);
		ok = buf_text(out, "\r\nX-Amz-Date: ") && buf_text(out, date) &&
		     (!keys->token || (buf_text(out, "\r\nX-Amz-Security-Token: ") &&
				       buf_text(out, keys->token))) &&
		     put_authorization(ask, keys->id, buf_view(&names), signature, out);
	}
	buf_finish(&canonical);
	buf_finish(&names);
	buf_finish(&text);
	return ok;
}
