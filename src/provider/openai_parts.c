/* Whole answers whose content is a list of parts, as Mistral's reasoning models send it, made what
 * OpenAI's clients read: a text, and the thinking beside it. */
#include "provider/openai.h"

enum part { PART_TEXT, PART_THINKING };

/* put_thinking: a string, or a list of parts with a text. */
static bool put_thinking(const struct json_doc *doc, json_at thinking, struct buf *out)
{
	if (thinking == JSON_ABSENT || json_kind(doc, thinking) != JSON_ARRAY)
		return buf_str(out, openai_inner(doc, thinking));
	for (json_at i = json_first(doc, thinking); i != json_end(doc, thinking);
	     i = json_next(doc, i))
		if (!buf_str(out, openai_inner(doc, json_get(doc, i, "text"))))
			return false;
	return true;
}

static bool put_parts(const struct json_doc *doc, json_at content, enum part which, struct buf *out)
{
	bool ok = true;

	for (json_at i = json_first(doc, content); ok && i != json_end(doc, content);
	     i = json_next(doc, i)) {
		bool plain = json_kind(doc, i) == JSON_STRING;

		switch (which) {
		case PART_TEXT:
			ok = buf_str(out, plain ? json_inner(doc, i)
						: openai_inner(doc, json_get(doc, i, "text")));
			break;
		case PART_THINKING:
			ok = put_thinking(doc, json_get(doc, i, "thinking"), out);
			break;
		}
	}
	return ok;
}

static json_at list_in(const struct json_doc *doc, json_at choice)
{
	json_at message = json_get(doc, choice, "message");
	json_at content = message != JSON_ABSENT ? json_get(doc, message, "content") : JSON_ABSENT;

	return content != JSON_ABSENT && json_kind(doc, content) == JSON_ARRAY ? content
										: JSON_ABSENT;
}

bool openai_has_parts(const struct json_doc *doc, json_at choices)
{
	if (choices == JSON_ABSENT || json_kind(doc, choices) != JSON_ARRAY)
		return false;
	for (json_at i = json_first(doc, choices); i != json_end(doc, choices); i = json_next(doc, i))
		if (list_in(doc, i) != JSON_ABSENT)
			return true;
	return false;
}

bool openai_join_parts(const struct json_doc *doc, json_at choices, struct buf *out)
{
	size_t at = 0;

	for (json_at i = json_first(doc, choices); i != json_end(doc, choices);
	     i = json_next(doc, i)) {
		json_at content = list_in(doc, i);
		size_t  start;

		if (content == JSON_ABSENT)
			continue;
		if (!buf_add(out, doc->text + at, doc->tok[content].at - at) ||
		    !buf_text(out, "\"") || !put_parts(doc, content, PART_TEXT, out) ||
		    !buf_text(out, "\""))
			return false;
		start = out->len;
		if (!buf_text(out, ",\"reasoning_content\":\""))
			return false;
		size_t empty = out->len;
		if (!put_parts(doc, content, PART_THINKING, out) || !buf_text(out, "\""))
			return false;
		if (out->len == empty + 1)
			out->len = start;
		at = (size_t)doc->tok[content].at + doc->tok[content].len;
	}
	return buf_add(out, doc->text + at, doc->len - at);
}
