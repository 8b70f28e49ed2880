/* Plain answers whose content is a list of parts, as Mistral's reasoning models send them. The list
 * becomes what OpenAI's clients read: a text, and the thinking beside it. */
#include "provider/openai/openai.h"

enum part { PART_TEXT, PART_THINKING };

/* openai_parts_put_thinking: thinking: a string, or a list of parts with a text. */
static bool openai_parts_put_thinking(const struct json_doc *doc, json_at thinking, struct buf *out)
{
	if (!json_is_kind(doc, thinking, JSON_ARRAY))
		return buf_str(out, json_inner_of(doc, thinking));
	JSON_EACH (i, doc, thinking)
		if (!buf_str(out, json_get_inner(doc, i, "text")))
			return false;
	return true;
}

static bool openai_parts_put_parts(const struct json_doc *doc, json_at content, enum part which,
				   struct buf *out)
{
	bool ok = true;

	for (json_at i = json_first(doc, content); ok && i != json_end(doc, content);
	     i = json_next(doc, i)) {
		bool plain = json_kind(doc, i) == JSON_STRING;

		switch (which) {
		case PART_TEXT:
			ok = buf_str(out,
				     plain ? json_inner(doc, i) : json_get_inner(doc, i, "text"));
			break;
		case PART_THINKING:
			ok = openai_parts_put_thinking(doc, json_get(doc, i, "thinking"), out);
			break;
		}
	}
	return ok;
}

static json_at list_in(const struct json_doc *doc, json_at choice)
{
	json_at message = json_get(doc, choice, "message");
	json_at content = message != JSON_ABSENT ? json_get(doc, message, "content") : JSON_ABSENT;

	return json_is_kind(doc, content, JSON_ARRAY) ? content : JSON_ABSENT;
}

/* put_quoted: prints the text or the thinking of a list as a string. *ret_empty: the string is
 * empty. */
static bool put_quoted(const struct json_doc *doc, json_at content, enum part which,
		       struct buf *out, bool *ret_empty)
{
	size_t start = out->len;
	bool   ok = buf_text(out, "\"") && openai_parts_put_parts(doc, content, which, out) &&
		  buf_text(out, "\"");

	*ret_empty = out->len == start + 2;
	return ok;
}

/* put_thought: prints the thinking of a list after name: as a member after the content, or, with an
 * empty name, as the value of an empty reasoning_content. Prints nothing if there is no
 * thinking. */
static bool put_thought(const struct json_doc *doc, json_at content, const char *name,
			struct buf *out, bool *ret_empty)
{
	size_t start = out->len;

	if (!buf_text(out, name) || !put_quoted(doc, content, PART_THINKING, out, ret_empty))
		return false;
	if (*ret_empty)
		out->len = start;
	return true;
}

/* openai_parts_copy_to: copies doc's text from *at up to a value, and moves *at to the end of the value. */
static bool openai_parts_copy_to(const struct json_doc *doc, json_at value, size_t *at,
				 struct buf *out)
{
	bool ok = buf_add(out, doc->text + *at, doc->tok[value].at - *at);

	*at = (size_t)doc->tok[value].at + doc->tok[value].len;
	return ok;
}

/* openai_parts_join: copies one message with its list joined. own: the message's reasoning_content,
 * which may stand before or after the list, and must not be printed twice. */
static bool openai_parts_join(const struct json_doc *doc, json_at content, json_at own, size_t *at,
			      struct buf *out)
{
	bool said = json_inner_of(doc, own).n > 0;
	bool front = own != JSON_ABSENT && doc->tok[own].at < doc->tok[content].at;
	bool empty;

	for (int i = 0; i < 2; i++) {
		if ((i == 0) != front) {
			if (!openai_parts_copy_to(doc, content, at, out) ||
			    !put_quoted(doc, content, PART_TEXT, out, &empty) ||
			    (own == JSON_ABSENT &&
			     !put_thought(doc, content, ",\"reasoning_content\":", out, &empty)))
				return false;
		} else if (own != JSON_ABSENT && !said) {
			if (!openai_parts_copy_to(doc, own, at, out) ||
			    !put_thought(doc, content, "", out, &empty) ||
			    (empty && !buf_str(out, json_raw(doc, own))))
				return false;
		}
	}
	return true;
}

bool openai_join_parts(const struct json_doc *doc, json_at choices, struct buf *out)
{
	size_t at = 0;

	JSON_EACH (i, doc, choices) {
		json_at content = list_in(doc, i);

		if (content != JSON_ABSENT &&
		    !openai_parts_join(
			    doc, content,
			    json_get(doc, json_get(doc, i, "message"), "reasoning_content"), &at,
			    out))
			return false;
	}
	return buf_add(out, doc->text + at, doc->len - at);
}
