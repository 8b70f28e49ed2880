/* Prints what the assistant says as chunks in OpenAI's shape. */
#include "lmc/translate.h"

#include "lmc/text.h"

struct say {
	const struct json_doc *d;
	bool                   fence;
	struct buf            *out;
	struct buf             head;      /* the start of every chunk, up to its delta */
	struct buf             content;   /* scratch: a message's text, where it is escaped */
	struct buf             format;    /* scratch: its format, likewise */
	struct buf             arguments; /* scratch: those of execute */
	size_t                 calls;
	bool                   begun;     /* a chunk has been printed */
	bool                   open_line; /* the last content did not end in LF */
};

static bool make_head(struct say *s, struct str id, struct str model, int64_t created_s)
{
	struct buf *out = &s->head;

	return buf_text(out, "{\"id\":") && text_quote(out, id) &&
	       buf_text(out, ",\"object\":\"chat.completion.chunk\",\"created\":") &&
	       buf_int(out, created_s) && buf_text(out, ",\"model\":") && text_quote(out, model) &&
	       buf_text(out, ",\"choices\":[{\"index\":0,\"delta\":{");
}

static bool open_chunk(struct say *s)
{
	bool comma = s->begun;

	s->begun = true;
	return (!comma || buf_text(s->out, ",")) && buf_str(s->out, buf_view(&s->head));
}

/* close_chunk: reason is NULL except in the last chunk. */
static bool close_chunk(struct say *s, const char *reason)
{
	if (!buf_text(s->out, "},\"logprobs\":null,\"finish_reason\":"))
		return false;
	if (!reason)
		return buf_text(s->out, "null}]}");
	return buf_text(s->out, "\"") && buf_text(s->out, reason) && buf_text(s->out, "\"}]}");
}

/* --- content --- */

/* open_content: starts a new line (S5). */
static bool open_content(struct say *s)
{
	return open_chunk(s) && buf_text(s->out, "\"content\":\"") &&
	       (!s->open_line || buf_text(s->out, "\\n"));
}

static bool close_content(struct say *s)
{
	return buf_text(s->out, "\"") && close_chunk(s, NULL);
}

static bool say_message(struct say *s, struct str text)
{
	if (text.n == 0)
		return true;
	if (!open_content(s) || !text_put(s->out, text) || !close_content(s))
		return false;
	s->open_line = text.p[text.n - 1] != '\n';
	return true;
}

static bool say_put_ticks(struct buf *out, size_t n)
{
	if (!buf_reserve(out, n))
		return false;
	memset(out->data + out->len, '`', n);
	out->len += n;
	return true;
}

static bool say_block(struct say *s, struct str format, struct str code)
{
	size_t n = text_ticks(code) + 1;

	n = n < 3 ? 3 : n;
	if (!open_content(s) || !say_put_ticks(s->out, n) || !text_put(s->out, format) ||
	    !buf_text(s->out, "\\n") || !text_put(s->out, code) || !buf_text(s->out, "\\n") ||
	    !say_put_ticks(s->out, n) || !buf_text(s->out, "\\n") || !close_content(s))
		return false;
	s->open_line = false;
	return true;
}

/* --- calls --- */

static bool open_call(struct say *s)
{
	return open_chunk(s) && buf_text(s->out, "\"tool_calls\":[{\"index\":") &&
	       buf_int(s->out, (int64_t)s->calls);
}

static bool say_call(struct say *s, struct str name, struct str arguments)
{
	struct buf *out = s->out;

	if (!open_call(s) || !buf_text(out, ",\"id\":\"call_") ||
	    !buf_int(out, (int64_t)s->calls + 1) ||
	    !buf_text(out, "\",\"type\":\"function\",\"function\":{\"name\":") ||
	    !text_quote(out, name) || !buf_text(out, ",\"arguments\":\"\"}}]") ||
	    !close_chunk(s, NULL))
		return false;
	if (arguments.n > 0 &&
	    (!open_call(s) || !buf_text(out, ",\"function\":{\"arguments\":") ||
	     !text_quote(out, arguments) || !buf_text(out, "}}]") || !close_chunk(s, NULL)))
		return false;
	s->calls++;
	return true;
}

static bool say_execute(struct say *s, struct str format, struct str code)
{
	struct buf *out = &s->arguments;

	buf_clear(out);
	return buf_text(out, "{\"language\":") &&
	       text_quote(out, format.n > 0 ? format : STR("python")) &&
	       buf_text(out, ",\"code\":") && text_quote(out, code) && buf_text(out, "}") &&
	       say_call(s, STR("execute"), buf_view(out));
}

/* --- messages --- */

/* say_view: the text of a member; empty if it is absent. */
static bool say_view(const struct json_doc *d, json_at i, struct buf *tmp, struct str *ret)
{
	*ret = STR("");
	return i == JSON_ABSENT || text_view(d, i, tmp, ret);
}

/* is_heard: true if the assistant says it to the user (S1). */
static bool is_heard(const struct json_doc *d, json_at message)
{
	json_at role = json_get(d, message, "role");
	json_at recipient = json_get_some(d, message, "recipient");

	return role != JSON_ABSENT && json_is(d, role, "assistant") &&
	       (recipient == JSON_ABSENT || json_is(d, recipient, "assistant"));
}

static bool say_one(struct say *s, json_at message)
{
	const struct json_doc *d = s->d;
	json_at                type = json_get(d, message, "type");
	struct str             content, format;

	if (!is_heard(d, message) || type == JSON_ABSENT)
		return true;

	bool text = json_is(d, type, "message");
	bool code = json_is(d, type, "code");
	bool call = json_is(d, type, "tool_call") && !s->fence;
	if (!text && !code && !call)
		return true;
	if (!say_view(d, json_get(d, message, "content"), &s->content, &content) ||
	    !say_view(d, json_get(d, message, "format"), &s->format, &format))
		return false;
	if (text)
		return say_message(s, content);
	if (call)
		return say_call(s, format, content);
	return s->fence ? say_block(s, format, content) : say_execute(s, format, content);
}

static bool say_all(struct say *s, json_at messages)
{
	const struct json_doc *d = s->d;

	if (!open_chunk(s) || !buf_text(s->out, "\"role\":\"assistant\",\"content\":\"\"") ||
	    !close_chunk(s, NULL))
		return false;
	JSON_EACH (i, d, messages)
		if (!say_one(s, i))
			return false;
	return open_chunk(s) && close_chunk(s, s->calls > 0 ? "tool_calls" : "stop");
}

bool say_chunks(const struct json_doc *d, json_at messages, bool fence, struct str id,
		struct str model, int64_t created_s, struct buf *out)
{
	size_t     start = out->len;
	struct say s = { .d = d, .fence = fence, .out = out };

	buf_init(&s.head, out->max);
	buf_init(&s.content, out->max);
	buf_init(&s.format, out->max);
	buf_init(&s.arguments, out->max);

	bool ok = make_head(&s, id, model, created_s) && say_all(&s, messages);
	if (!ok)
		out->len = start;
	buf_finish(&s.head);
	buf_finish(&s.content);
	buf_finish(&s.format);
	buf_finish(&s.arguments);
	return ok;
}
