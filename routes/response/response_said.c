/* Items of what was said: messages of all roles, and the assistant's reasoning. */
#include "routes/response/internal.h"

#include "shape/carry.h"

/* --- messages --- */

static bool said_part(struct response_draft *x, json_at part, const char *place)
{
	bool    refusal = json_get_is(x->d, part, "type", "refusal");
	json_at text;

	if (!refusal && !response_parts_is_text(x->d, part))
		return response_draft_refuse(x, ERR_INVALID_VALUE,
					     "must be one of: output_text, refusal", "%s.type",
					     place);
	if (!response_draft_string(x, part, place, refusal ? "refusal" : "text", &text))
		return false;
	x->has_text = x->has_text || !refusal;
	return buf_str(refusal ? &x->refusal : &x->text, json_inner(x->d, text)) ||
	       response_draft_full(x);
}

static bool said_assistant(struct response_draft *x, json_at content)
{
	const struct json_doc *d = x->d;
	char                   place[96];
	size_t                 n = 0;

	/* Reasoning may stand before it; everything else belongs to a message of its own. */
	if (response_draft_said(x) && !response_draft_flush_said(x))
		return false;
	if (!response_draft_flush_media(x) || !response_draft_begin(x, "content"))
		return false;
	response_draft_keep(x, json_get_some(d, x->at, "phase") != JSON_ABSENT);
	x->has_text = true;
	if (json_kind(d, content) == JSON_STRING)
		return buf_str(&x->text, json_inner(d, content)) || response_draft_full(x);
	x->has_text = false;
	JSON_EACH (i, d, content)
		if (!response_parts_at(x, i, "content", n++, place) || !said_part(x, i, place))
			return false;
	return true;
}

bool response_said_message(struct response_draft *x, json_at item)
{
	static const char *const roles[] = { "user", "system", "developer", "assistant" };
	const struct json_doc   *d = x->d;
	const char              *role = NULL;
	json_at                  content = json_get_some(d, item, "content");

	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		if (json_get_is(d, item, "role", roles[i]))
			role = roles[i];
	if (!role)
		return response_draft_refuse(x, ERR_INVALID_VALUE,
					     "must be one of: user, assistant, system, developer",
					     ".role");
	if (content == JSON_ABSENT)
		return response_draft_refuse(x, ERR_MISSING_PARAMETER, "is required", ".content");
	if (json_kind(d, content) != JSON_STRING && json_kind(d, content) != JSON_ARRAY)
		return response_draft_refuse(x, ERR_INVALID_TYPE,
					     "must be a string or an array of parts", ".content");
	if (strcmp(role, "assistant") == 0)
		return said_assistant(x, content);
	if (!response_draft_flush(x))
		return false;
	if (!response_draft_begin(x, "content"))
		return false;
	if (!buf_fmt(&x->made, "{\"role\":\"%s\",\"content\":", role))
		return response_draft_full(x);
	if (!(json_kind(d, content) == JSON_STRING
		      ? response_draft_raw(x, &x->made, "", content) || response_draft_full(x)
		      : response_parts_read(x, content)))
		return false;
	return (buf_text(&x->made, "}") || response_draft_full(x)) && response_draft_push(x);
}

/* --- reasoning --- */

static bool said_thoughts(struct response_draft *x, json_at list, const char *key)
{
	const struct json_doc *d = x->d;
	char                   place[96];
	size_t                 n = 0;
	json_at                text;

	if (list == JSON_ABSENT)
		return true;
	if (json_kind(d, list) != JSON_ARRAY)
		return response_draft_refuse(x, ERR_INVALID_TYPE, "must be an array", ".%s", key);
	JSON_EACH (i, d, list) {
		if (!response_parts_at(x, i, key, n++, place) ||
		    !response_draft_string(x, i, place, "text", &text))
			return false;
		if ((x->reasoning.len > 0 && !buf_text(&x->reasoning, "\\n\\n")) ||
		    !buf_str(&x->reasoning, json_inner(d, text)))
			return response_draft_full(x);
	}
	return true;
}

/* said_carried: what reasoning carries for the provider of the calls around it (shape/carry). */
static bool said_carried(struct response_draft *x, struct str carried)
{
	bool ours;

	if (!x->carry)
		x->carry = carry_create();
	if (!x->carry || !carry_read(x->carry, carried, &ours))
		return response_draft_full(x);
	if (!ours)
		warnings_add(x->reading->warnings, x->item, "reasoning_dropped",
			     "the encrypted_content of an item was not sent: it is not as the "
			     "gateway gave it");
	return true;
}

bool response_said_reasoning(struct response_draft *x, json_at item)
{
	json_at    summary = json_get_some(x->d, item, "summary");
	json_at    content = json_get_some(x->d, item, "content");
	bool       brief = json_is_kind(x->d, summary, JSON_ARRAY) && x->d->tok[summary].count > 0;
	struct str hidden = json_get_inner(x->d, item, "encrypted_content");
	bool       carried = carry_is(hidden);

	/* What carries alone stands between calls, or after them. */
	if ((brief || !carried) && (x->has_text || x->call_count > 0 || !id_none(x->stored)) &&
	    !response_draft_flush_said(x))
		return false;
	if (carried && !said_carried(x, hidden))
		return false;
	if (!carried)
		response_draft_keep(x, hidden.n > 0);
	return brief || content == JSON_ABSENT ? said_thoughts(x, summary, "summary")
					       : said_thoughts(x, content, "content");
}
