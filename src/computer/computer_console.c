/* Prints chunks of LMC; images and files are segments of their own, between two of the console. */
#include "computer/computer_console.h"

#include "base/base.h"
#include "base/limits.h"

#define CONSOLE "{\"role\":\"computer\",\"type\":\"console\""

static bool console_open(struct console *c, struct buf *out)
{
	if (c->open)
		return true;
	bool again = c->told;

	c->open = c->told = true;
	return buf_text(out, CONSOLE) &&
	       buf_text(out,
			again ? ",\"continued\":true,\"start\":true}\n" : ",\"start\":true}\n");
}

static bool console_dark(struct console *c, struct buf *out)
{
	c->lit = false;
	return buf_text(out, CONSOLE ",\"format\":\"active_line\",\"content\":null}\n");
}

static bool console_close(struct console *c, struct buf *out)
{
	if (!c->open)
		return true;
	c->open = false;
	return (!c->lit || console_dark(c, out)) && buf_text(out, CONSOLE ",\"end\":true}\n");
}

bool console_line(struct console *c, int64_t line, struct buf *out)
{
	c->lit = true;
	return console_open(c, out) &&
	       buf_fmt(out, CONSOLE ",\"format\":\"active_line\",\"content\":%lld}\n",
		       (long long)line);
}

bool console_output(struct console *c, struct str text, struct buf *out)
{
	return console_open(c, out) &&
	       buf_text(out, CONSOLE ",\"format\":\"output\",\"content\":") &&
	       buf_json_string(out, text) && buf_text(out, "}\n");
}

static bool console_base64(struct str bytes, struct buf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	if (!buf_reserve(out, (bytes.n + 2) / 3 * 4))
		return false;
	for (size_t i = 0; i < bytes.n; i += 3) {
		const unsigned char *p = (const unsigned char *)bytes.p + i;
		size_t               n = bytes.n - i;
		unsigned             v = (unsigned)p[0] << 16 | (n > 1 ? (unsigned)p[1] << 8 : 0) |
			     (n > 2 ? (unsigned)p[2] : 0);
		char four[4] = { digits[v >> 18], digits[v >> 12 & 63],
				 n > 1 ? digits[v >> 6 & 63] : '=', n > 2 ? digits[v & 63] : '=' };

		if (!buf_add(out, four, 4))
			return false;
	}
	return true;
}

/* A whole segment: type and format, and what is to be added to the content's chunk. */
static bool console_segment(struct console *c, const char *kind, struct buf *out, bool base64,
			    struct str content, const char *more)
{
	return console_close(c, out) &&
	       buf_fmt(out, "{\"role\":\"computer\",%s,\"start\":true}\n", kind) &&
	       buf_fmt(out, "{\"role\":\"computer\",%s,\"content\":", kind) &&
	       (base64 ? buf_text(out, "\"") && console_base64(content, out) && buf_text(out, "\"")
		       : buf_json_string(out, content)) &&
	       buf_text(out, more) && buf_text(out, "}\n") &&
	       buf_fmt(out, "{\"role\":\"computer\",%s,\"end\":true}\n", kind);
}

bool console_picture(struct console *c, const struct picture *p, struct buf *out)
{
	switch (p->format) {
	case PICTURE_PNG:
		return console_segment(c, "\"type\":\"image\",\"format\":\"base64.png\"", out, true,
				       p->bytes, "");
	case PICTURE_JPEG:
		return console_segment(c, "\"type\":\"image\",\"format\":\"base64.jpeg\"", out,
				       true, p->bytes, "");
	case PICTURE_HTML:
		return console_segment(c, "\"type\":\"code\",\"format\":\"html\"", out, false,
				       p->bytes, ",\"recipient\":\"user\"");
	case PICTURE__COUNT: break;
	}
	return true;
}

bool console_file(struct console *c, struct str path, struct buf *out)
{
	return console_segment(c, "\"type\":\"file\",\"format\":\"path\"", out, false, path,
			       ",\"recipient\":\"user\"");
}

bool console_end(struct console *c, struct buf *out)
{
	bool ok = c->told && !c->open;

	if (!ok)
		ok = console_open(c, out) && console_dark(c, out) && console_close(c, out);
	*c = (struct console){ 0 };
	return ok;
}

/* --- picture: Reads an image of a driver. */

const char *const picture_formats[PICTURE__COUNT] = { "png", "jpeg", "html" };

static bool picture_number(struct str *at, char end, int64_t *ret)
{
	int64_t v = 0;
	size_t  n = 0;

	for (; n < at->n && n < 10 && at->p[n] >= '0' && at->p[n] <= '9'; n++)
		v = v * 10 + (at->p[n] - '0');
	if (n == 0 || n >= at->n || at->p[n] != end)
		return false;
	*at = (struct str){ at->p + n + 1, at->n - n - 1 };
	*ret = v;
	return true;
}

static bool picture_format(struct str *at, enum picture_format *ret)
{
	for (int f = 0; f < PICTURE__COUNT; f++) {
		size_t n = strlen(picture_formats[f]);

		if (at->n > n && memcmp(at->p, picture_formats[f], n) == 0 && at->p[n] == ' ') {
			*at = (struct str){ at->p + n + 1, at->n - n - 1 };
			*ret = (enum picture_format)f;
			return true;
		}
	}
	return false;
}

enum picture_found picture_look(struct str bytes, struct picture *ret)
{
	size_t         head = bytes.n < PICTURE_HEAD ? bytes.n : PICTURE_HEAD;
	const char    *end = head > 0 ? memchr(bytes.p, '\n', head) : NULL;
	struct str     line = { bytes.p, end ? (size_t)(end - bytes.p) + 1 : 0 };
	struct picture p = { .used = line.n };
	int64_t        n;

	if (!end)
		return bytes.n < PICTURE_HEAD ? PICTURE_NONE : PICTURE_BAD;
	if (!picture_number(&line, ' ', &p.number) || !picture_format(&line, &p.format) ||
	    !picture_number(&line, '\n', &n) || n > LIMIT_RUNNER_IMAGE)
		return PICTURE_BAD;
	if (bytes.n - p.used < (size_t)n)
		return PICTURE_NONE;
	p.bytes = (struct str){ bytes.p + p.used, (size_t)n };
	p.used += (size_t)n;
	*ret = p;
	return PICTURE_WHOLE;
}
