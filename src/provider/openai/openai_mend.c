/* Finds what plain answers lack, and copies them with it. */
#include "base/limits.h"

#include "provider/openai/openai.h"
#include "shape/encoders.h"

/* --- looking --- */

/* The ids of a message's calls so far, as hashes. */
struct ids {
	uint64_t list[LIMIT_TOOLS];
	size_t   count;
};

/* ids_add: adds an id.  Returns how many calls have it now. */
static uint32_t ids_add(struct ids *x, struct str id)
{
	uint64_t h = openai_call_hash(id);
	uint32_t nth = 1;

	for (size_t i = 0; i < x->count; i++)
		nth += x->list[i] == h;
	if (x->count < LIMIT_TOOLS)
		x->list[x->count++] = h;
	return nth;
}

static bool is_text_or_none(const struct json_doc *doc, json_at i)
{
	return i == JSON_ABSENT || json_kind(doc, i) == JSON_NULL ||
	       json_kind(doc, i) == JSON_STRING;
}

/* call_body: the object with a call's name.  JSON_ABSENT: the call is of a kind that only its
 * client knows. */
static json_at call_body(const struct json_doc *doc, json_at call, bool *ret_custom)
{
	json_at function = json_get_some(doc, call, "function");

	*ret_custom = function == JSON_ABSENT;
	return function != JSON_ABSENT ? function : json_get_some(doc, call, "custom");
}

static enum errc look_call(const struct json_doc *doc, json_at call, struct ids *ids, unsigned *ret,
			   struct err *e)
{
	bool       custom;
	struct str type = json_get_inner(doc, call, "type");
	struct str id, name;

	if (json_kind(doc, call) != JSON_OBJECT || !decode_text(doc, call, "id", &id))
		return decode_bad(e, "a tool call that is no object, or whose id is no string");
	json_at body = call_body(doc, call, &custom);
	if (body == JSON_ABSENT && type.n > 0 && !str_is(type, "function"))
		return ERR_OK;
	if (!json_is_kind(doc, body, JSON_OBJECT) || !decode_text(doc, body, "name", &name) ||
	    json_get_some(doc, body, "name") == JSON_ABSENT)
		return decode_bad(e, "a tool call without the name of a function");
	if (id.n == 0 || ids_add(ids, id) > 1)
		*ret |= MEND_CALLS;

	json_at args = json_get_some(doc, body, custom ? "input" : "arguments");
	if (json_is_kind(doc, args, JSON_STRING) && json_inner(doc, args).n > 0)
		return ERR_OK;
	if (args != JSON_ABSENT && json_kind(doc, args) != JSON_STRING &&
	    (custom || json_kind(doc, args) != JSON_OBJECT))
		return decode_bad(e, "arguments of a call that are neither a string nor an object");
	if (!custom)
		*ret |= MEND_CALLS;
	return ERR_OK;
}

static enum errc look_calls(const struct json_doc *doc, json_at calls, unsigned *ret, struct err *e)
{
	struct ids ids = { .count = 0 };
	enum errc  rc = ERR_OK;

	if (json_kind(doc, calls) == JSON_NULL)
		return ERR_OK;
	if (json_kind(doc, calls) != JSON_ARRAY)
		return decode_bad(e, "an answer with tool_calls that are no list");
	if (doc->tok[calls].count > LIMIT_TOOLS)
		return decode_bad(e, "too many tool calls");
	for (json_at i = json_first(doc, calls); rc == ERR_OK && i != json_end(doc, calls);
	     i = json_next(doc, i))
		rc = look_call(doc, i, &ids, ret, e);
	return rc;
}

static enum errc look_message(const struct json_doc *doc, json_at message, unsigned *ret,
			      uint16_t *images, struct err *e)
{
	enum errc rc = ERR_OK;

	JSON_EACH_MEMBER (k, doc, message) {
		json_at v = json_value(k);

		if (OPENAI_KEY(doc, k, "content") && json_kind(doc, v) == JSON_ARRAY)
			*ret |= MEND_PARTS;
		else if ((OPENAI_KEY(doc, k, "content") || OPENAI_KEY(doc, k, "refusal") ||
			  OPENAI_KEY(doc, k, "reasoning_content") ||
			  OPENAI_KEY(doc, k, "reasoning")) &&
			 !is_text_or_none(doc, v))
			return decode_bad(e,
					  "an answer with content, reasoning or a refusal that is "
					  "no string");
		else if (OPENAI_KEY(doc, k, "tool_calls"))
			rc = look_calls(doc, v, ret, e);
		else if (OPENAI_KEY(doc, k, "images") && json_kind(doc, v) == JSON_ARRAY)
			*images = (uint16_t)(*images + doc->tok[v].count);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* usage_at: the usage object, which some servers put beside its place. */
static json_at usage_at(const struct json_doc *doc, const struct openai_top *top)
{
	json_at usage = top->usage;

	if (usage != JSON_ABSENT && json_kind(doc, usage) != JSON_NULL)
		return usage;
	if (json_is_kind(doc, top->choices, JSON_ARRAY) && doc->tok[top->choices].count > 0)
		usage = json_get_some(doc, json_first(doc, top->choices), "usage");
	if (!json_is_kind(doc, usage, JSON_OBJECT) && top->aside != JSON_ABSENT)
		usage = json_get_some(doc, top->aside, "usage");
	return json_is_kind(doc, usage, JSON_OBJECT) ? usage : JSON_ABSENT;
}

enum errc openai_mend_look(const struct json_doc *doc, const struct openai_top *top, unsigned *ret,
			   struct usage *ret_usage, struct err *e)
{
	uint16_t images = 0;
	bool     plain;

	*ret = 0;
	*ret_usage = (struct usage){ .known = false };
	if (json_is_kind(doc, top->choices, JSON_ARRAY))
		JSON_EACH (i, doc, top->choices) {
			json_at   message = json_get(doc, i, "message");
			enum errc rc = json_is_kind(doc, message, JSON_OBJECT)
					       ? look_message(doc, message, ret, &images, e)
					       : ERR_OK;

			if (rc != ERR_OK)
				return rc;
		}
	json_at at = usage_at(doc, top);
	if (at == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(doc, at) != JSON_OBJECT)
		return decode_bad(e, "an answer with usage that is no object");
	if (!openai_usage(doc, at, ret_usage, &plain) || !plain || at != top->usage)
		*ret |= MEND_USAGE;
	ret_usage->images = images;
	if (top->tier != JSON_ABSENT)
		ret_usage->class = (uint8_t)openai_class(doc, top->tier);
	return ERR_OK;
}

/* --- copying --- */

struct copy {
	const struct json_doc *doc;
	size_t                 at; /* the text before it was copied */
	struct buf            *out;
};

static bool openai_mend_copy_to(struct copy *c, size_t to)
{
	bool ok = buf_add(c->out, c->doc->text + c->at, to - c->at);

	c->at = to;
	return ok;
}

/* copy_skip: copies the text up to a value, which is left out. */
static bool copy_skip(struct copy *c, json_at value)
{
	const struct json_tok *t = &c->doc->tok[value];

	if (!openai_mend_copy_to(c, t->at))
		return false;
	c->at += t->len;
	return true;
}

/* copy_member: begins a member of the object: in the place of its old value, or as the first one. */
static bool copy_member(struct copy *c, json_at object, json_at value, const char *key)
{
	if (value != JSON_ABSENT)
		return copy_skip(c, value);
	return openai_mend_copy_to(c, c->doc->tok[object].at + 1) &&
	       buf_fmt(c->out, "\"%s\":", key);
}

/* copy_next: ends a member; one that is new has others after it. */
static bool copy_next(struct copy *c, json_at value)
{
	return value != JSON_ABSENT || buf_text(c->out, ",");
}

static bool copy_id(struct copy *c, json_at call, struct ids *ids)
{
	const struct json_doc *doc = c->doc;
	json_at                at = json_get(doc, call, "id");
	struct str             id = json_inner_of(doc, at);
	uint32_t               nth = id.n > 0 ? ids_add(ids, id) : 0;
	char                   made[ID_MAX];

	if (nth == 1)
		return true;
	return copy_member(c, call, at, "id") && buf_text(c->out, "\"") &&
	       (nth == 0 ? buf_str(c->out, decode_made_id(made))
			 : openai_call_id_twin(id, nth, c->out)) &&
	       buf_text(c->out, "\"") && copy_next(c, at);
}

static bool copy_args(struct copy *c, json_at body, bool custom)
{
	const struct json_doc *doc = c->doc;
	json_at                at = json_get(doc, body, "arguments");
	bool                   object = json_is_kind(doc, at, JSON_OBJECT);

	if (custom || json_inner_of(doc, at).n > 0)
		return true;
	return copy_member(c, body, at, "arguments") &&
	       (object ? buf_text(c->out, "\"") && buf_json_escape(c->out, json_raw(doc, at)) &&
				 buf_text(c->out, "\"")
		       : buf_text(c->out, "\"{}\"")) &&
	       copy_next(c, at);
}

/* copy_call: the members of a call may have any order. */
static bool copy_call(struct copy *c, json_at call, struct ids *ids)
{
	const struct json_doc *doc = c->doc;
	bool                   custom;
	json_at                body = call_body(doc, call, &custom);
	json_at                id = json_get(doc, call, "id");

	if (body == JSON_ABSENT)
		return true;
	if (id < body) /* or absent */
		return copy_id(c, call, ids) && copy_args(c, body, custom);
	return copy_args(c, body, custom) && copy_id(c, call, ids);
}

static bool copy_calls(struct copy *c, json_at choices)
{
	const struct json_doc *doc = c->doc;

	JSON_EACH (i, doc, choices) {
		json_at    message = json_get(doc, i, "message");
		json_at    calls = json_is_kind(doc, message, JSON_OBJECT)
					   ? json_get(doc, message, "tool_calls")
					   : JSON_ABSENT;
		struct ids ids = { .count = 0 };

		if (!json_is_kind(doc, calls, JSON_ARRAY))
			continue;
		JSON_EACH (k, doc, calls)
			if (!copy_call(c, k, &ids))
				return false;
	}
	return true;
}

/* copy_usage: the counts as OpenAI has them, and what else the provider tells; null, if the counts
 * can't be read. */
static bool copy_usage(struct copy *c, json_at old, json_at usage)
{
	static const char *const ours[] = { "prompt_tokens", "completion_tokens", "total_tokens",
					    "prompt_tokens_details", "completion_tokens_details" };
	const struct json_doc   *doc = c->doc;
	struct usage             u;
	bool                     plain;

	if (!copy_member(c, 0, old, "usage"))
		return false;
	if (!openai_usage(doc, usage, &u, &plain))
		return buf_text(c->out, "null") && copy_next(c, old);
	if (!chunk_usage(&u, c->out))
		return false;
	c->out->len--; /* its brace */
	JSON_EACH_MEMBER (k, doc, usage) {
		bool other = true;

		for (size_t i = 0; i < ARRAY_LEN(ours); i++)
			other = other && !json_is(doc, k, ours[i]);
		if (other && !(buf_text(c->out, ",") && buf_str(c->out, json_member(doc, k))))
			return false;
	}
	return buf_text(c->out, "}") && copy_next(c, old);
}

/* mend_once: copies the answer with one of its faults mended. */
static bool mend_once(const struct json_doc *doc, enum openai_mend which, struct buf *out)
{
	struct openai_top top;
	struct copy       c = { .doc = doc, .out = out };
	bool              ok = true;

	openai_top_read(doc, &top);
	switch (which) {
	case MEND_PARTS: return openai_join_parts(doc, top.choices, out);
	case MEND_CALLS: ok = copy_calls(&c, top.choices); break;
	case MEND_USAGE: ok = copy_usage(&c, top.usage, usage_at(doc, &top)); break;
	}
	return ok && openai_mend_copy_to(&c, doc->len);
}

enum errc openai_mend(struct decode *d, unsigned needs, struct buf *out, struct err *e)
{
	static const enum openai_mend all[] = { MEND_CALLS, MEND_PARTS, MEND_USAGE };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct buf text;

		if (!(needs & all[i]))
			continue;
		buf_init(&text, 2 * (size_t)LIMIT_UPSTREAM_BODY);
		if (!mend_once(d->doc, all[i], &text)) {
			buf_finish(&text);
			return err_no_memory(e);
		}
		buf_finish(out);
		*out = text;
		if (json_scan(d->doc, out->data, out->len, &json_limits_upstream, e) != ERR_OK)
			return decode_bad(e, "an answer that is too large");
	}
	return ERR_OK;
}

/* --- openai_parts: Plain answers whose content is a list of parts, as Mistral's reasoning models send them. The list
 * becomes what OpenAI's clients read: a text, and the thinking beside it. */

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
