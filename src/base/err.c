/* The columns of the error table, and the only function that prints an error object. */
#include "base/err.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	int         http;
	const char *type;
	const char *wire;
	bool        retry;
} rows[ERR__COUNT] = {
	[ERR_OK] = { 200, "", "", false },
#define X(name, http, type, wire, retry) [ERR_##name] = { http, type, wire, retry },
#include "base/err.def"
#undef X
};

/* A text that was cut at its maximum must not end inside a UTF-8 character, because half a character
 * makes the JSON around it invalid. */
static void err_keep_whole(char *text)
{
	size_t n = strlen(text);
	size_t lead = n;

	while (lead > 0 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
		lead--;
	if (lead == 0)
		return;

	unsigned char c = (unsigned char)text[lead - 1];
	size_t        want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	if (n - (lead - 1) < want)
		text[lead - 1] = '\0';
}

enum errc err_set(struct err *e, enum errc code, const char *path, const char *fmt, ...)
{
	va_list ap;

	*e = (struct err){ .code = code };
	snprintf(e->path, sizeof e->path, "%s", path ? path : "");
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	err_keep_whole(e->path);
	err_keep_whole(e->text);
	return code;
}

enum errc err_no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, NULL, "the gateway is out of memory");
}

enum errc err_blame(struct err *e, enum err_fault fault)
{
	e->fault = fault;
	return e->code;
}

static struct err no_memory = { .code = ERR_OVERLOADED, .text = "out of memory" };

void err_keep(struct err **slot, const struct err *e)
{
	struct err *copy = malloc(sizeof *copy);

	if (copy)
		*copy = *e;
	err_drop(slot);
	*slot = copy ? copy : &no_memory;
}

void err_drop(struct err **slot)
{
	if (*slot != &no_memory)
		free(*slot);
	*slot = NULL;
}

void err_at(struct err *e, const char *prefix)
{
	char        path[sizeof e->path];
	const char *dot = e->path[0] && e->path[0] != '[' ? "." : "";

	if (snprintf(path, sizeof path, "%s%s%s", prefix, dot, e->path) <= 0)
		return;
	err_keep_whole(path);
	memcpy(e->path, path, sizeof path);
}

int err_http(const struct err *e)
{
	return e->http ? e->http : rows[e->code].http;
}

const char *err_type(const struct err *e)
{
	return e->type[0] ? e->type : rows[e->code].type;
}

const char *err_wire(const struct err *e)
{
	return e->wire[0] ? e->wire : rows[e->code].wire;
}

bool err_retryable(const struct err *e)
{
	return rows[e->code].retry;
}

const char *err_wire_type(struct str wire)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].wire && str_is(wire, rows[i].wire))
			return rows[i].type;
	return rows[ERR_UPSTREAM_ERROR].type;
}

const char *err_code_wire(enum errc code)
{
	return rows[code].wire;
}

/* Errors quote what clients and providers sent, and their texts are cut to size: each byte that is
 * no UTF-8 becomes U+FFFD. */
static bool err_put_escaped(struct buf *out, struct str s)
{
	size_t from = 0;
	size_t i = 0;

	while (i < s.n) {
		size_t len = utf8_len((const unsigned char *)s.p + i, s.n - i);

		if (len == 0) {
			if (!buf_json_escape(out, (struct str){ s.p + from, i - from }) ||
			    !buf_text(out, "\xef\xbf\xbd"))
				return false;
			from = i + 1;
		}
		i += len > 0 ? len : 1;
	}
	return buf_json_escape(out, (struct str){ s.p + from, s.n - from });
}

bool err_text(const char *text, struct buf *out)
{
	if (!text[0])
		return buf_text(out, "null");
	return buf_text(out, "\"") && err_put_escaped(out, str_of(text)) && buf_text(out, "\"");
}

static bool err_put_member(struct buf *out, const char *name, const char *value)
{
	return buf_text(out, name) && err_text(value, out);
}

/* The path comes before the text, because OpenAI's SDKs show their users the message only. */
bool err_message(const struct err *e, struct buf *out)
{
	bool named = e->path[0] && !e->verbatim;

	return buf_text(out, "\"") &&
	       (!named || (err_put_escaped(out, str_of(e->path)) && buf_text(out, ": "))) &&
	       err_put_escaped(out, str_of(e->text[0] ? e->text : "unknown error")) &&
	       buf_text(out, "\"");
}

bool err_object(const struct err *e, struct str request_id, struct buf *out)
{
	if (!buf_text(out, "{\"message\":") || !err_message(e, out) ||
	    !err_put_member(out, ",\"type\":", err_type(e)) ||
	    !err_put_member(out, ",\"param\":", e->path) ||
	    !err_put_member(out, ",\"code\":", err_wire(e)))
		return false;
	if (request_id.n > 0 &&
	    (!buf_text(out, ",\"request_id\":") || !buf_json_string(out, request_id)))
		return false;
	return buf_text(out, "}");
}

bool err_body(const struct err *e, struct str request_id, struct buf *out)
{
	return buf_text(out, "{\"error\":") && err_object(e, request_id, out) &&
	       buf_text(out, "}\n");
}

/* --- hint: The distance between two short names. */

enum { LONGEST = 32, FAR = 3 };

static size_t hint_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char hint_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool hint_near(struct str written, struct str meant, size_t *ret_distance)
{
	/* Three rows of the table are enough, because a swap needs the row two steps back. */
	size_t row[3][LONGEST + 1];

	if (written.n == 0 || written.n > LONGEST || meant.n == 0 || meant.n > LONGEST)
		return false;
	for (size_t k = 0; k <= meant.n; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= written.n; i++) {
		size_t *now = row[i % 3];
		size_t *last = row[(i + 2) % 3];

		now[0] = i;
		for (size_t k = 1; k <= meant.n; k++) {
			char   a = hint_lower(written.p[i - 1]);
			char   b = hint_lower(meant.p[k - 1]);
			size_t d = hint_least(last[k - 1] + (a != b),
					      hint_least(last[k], now[k - 1]) + 1);

			if (i > 1 && k > 1 && a == hint_lower(meant.p[k - 2]) &&
			    b == hint_lower(written.p[i - 2]))
				d = hint_least(d, row[(i + 1) % 3][k - 2] + 1);
			now[k] = d;
		}
	}

	/* At most a third of the name may be wrong; without that rule "n" would be near to every
	 * short name. */
	size_t distance = row[written.n % 3][meant.n];
	if (distance > FAR || distance * 3 > meant.n)
		return false;
	*ret_distance = distance;
	return true;
}
