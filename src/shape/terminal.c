/* Shortens the outputs of the computer. */
#include "shape/transcript.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/text.h"

/* overwrite_lines: of each line, what a terminal would show in the end, if a carriage return cleared the line once
 * something follows. */
static void overwrite_lines(struct buf *text)
{
	size_t line = 0;
	size_t to = 0;
	bool   back = false;

	for (size_t i = 0; i < text->len; i++) {
		char c = text->data[i];

		if (c == '\r') {
			back = true;
			continue;
		}
		if (back && c != '\n')
			to = line;
		back = false;
		text->data[to++] = c;
		if (c == '\n')
			line = to;
	}
	text->len = to;
}

static bool terminal_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t count_characters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += !terminal_continues(s.p[i]);
	return n;
}

/* terminal_place_of: of the n-th character. */
static size_t terminal_place_of(struct str s, size_t n)
{
	size_t i = 0;

	for (; i < s.n; i++)
		if (!terminal_continues(s.p[i]) && n-- == 0)
			break;
	return i;
}

static bool put_short(struct str text, struct buf *out)
{
	size_t n = count_characters(text);

	if (n <= LIMIT_COMPUTER_HEAD + LIMIT_COMPUTER_TAIL)
		return text_quote(out, text);

	size_t head = terminal_place_of(text, LIMIT_COMPUTER_HEAD);
	size_t tail = terminal_place_of(text, n - LIMIT_COMPUTER_TAIL);
	return buf_text(out, "\"") && text_put(out, (struct str){ text.p, head }) &&
	       buf_fmt(out, "\\n[%zu characters left out]\\n",
		       n - LIMIT_COMPUTER_HEAD - LIMIT_COMPUTER_TAIL) &&
	       text_put(out, (struct str){ text.p + tail, text.n - tail }) && buf_text(out, "\"");
}

static bool is_output(const struct json_doc *d, json_at message)
{
	return json_get_is(d, message, "role", "computer") &&
	       json_get_is(d, message, "type", "console");
}

/* fit_content: copies the message up to the end of this content, which is shortened. */
static bool fit_content(const struct json_doc *d, json_at content, struct str *rest,
			struct buf *out)
{
	struct str raw = json_raw(d, content);
	struct buf text;

	buf_init(&text, LIMIT_ANSWER);
	bool ok = buf_add(out, rest->p, (size_t)(raw.p - rest->p)) && text_of(d, content, &text);
	if (ok) {
		overwrite_lines(&text);
		ok = put_short(buf_view(&text), out);
	}
	buf_finish(&text);
	*rest = (struct str){ raw.p + raw.n, (size_t)(rest->p + rest->n - raw.p) - raw.n };
	return ok;
}

static bool fit_all(const struct json_doc *d, struct str message, struct buf *out)
{
	json_at    list = json_get(d, 0, "lmc");
	struct str rest = message;

	if (list == JSON_ABSENT || json_kind(d, list) != JSON_ARRAY)
		return buf_str(out, message);
	JSON_EACH (i, d, list) {
		json_at content = json_get(d, i, "content");

		if (is_output(d, i) && content != JSON_ABSENT &&
		    json_kind(d, content) == JSON_STRING && !fit_content(d, content, &rest, out))
			return false;
	}
	return buf_str(out, rest);
}

bool terminal_fit(struct str message, struct arena *arena, struct str *ret)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      out;
	bool            ok = true;

	*ret = message;
	if (!memmem(message.p, message.n, "\"lmc\"", 5) ||
	    (message.n <= LIMIT_COMPUTER_HEAD + LIMIT_COMPUTER_TAIL &&
	     !memmem(message.p, message.n, "\\r", 2)))
		return true;
	buf_init(&out, 2 * LIMIT_STORE_ROW);
	if (json_scan(&d, message.p, message.n, &json_limits_stored, &e) == ERR_OK &&
	    json_kind(&d, 0) == JSON_OBJECT) {
		ok = fit_all(&d, message, &out);
		if (ok)
			*ret = arena_str(arena, buf_view(&out));
	}
	json_doc_finish(&d);
	buf_finish(&out);
	return ok && ret->p;
}
