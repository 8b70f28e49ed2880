/* Makes messages of a chat from the items of a response's input. */
#include "base/limits.h"
#include "routes/response/internal.h"
#include "shape/carry.h"
#include "shape/response.h"

#include <stdio.h>

/* --- response_said: Items of what was said: messages of all roles, and the assistant's reasoning. */

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

static bool response_said_message(struct response_draft *x, json_at item)
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

/* response_said_reasoning: reasoning begins the next message of the assistant.  Only a summary, or
 * only the full text, is kept: both say the same. */
static bool response_said_reasoning(struct response_draft *x, json_at item)
{
	json_at    summary = json_get_some(x->d, item, "summary");
	json_at    content = json_get_some(x->d, item, "content");
	bool       brief = json_is_kind(x->d, summary, JSON_ARRAY) && x->d->tok[summary].count > 0;
	struct str hidden = json_get_inner(x->d, item, "encrypted_content");
	bool       carried = carry_is(hidden);

	/* Reasoning that is only a carry stands between calls, or after them. */
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

/* --- response_named: Ids of stored items: which message, and which of its calls. */

/* named_number: the number at the end of an item's id, as in fc_…_2; 1 if there is none, 0 if the
 * end is no number. */
static unsigned named_number(struct str end)
{
	unsigned n = 0;

	if (end.n == 0)
		return 1;
	if (end.n < 2 || end.n > 5 || end.p[0] != '_')
		return 0;
	for (size_t i = 1; i < end.n; i++) {
		if (end.p[i] < '0' || end.p[i] > '9')
			return 0;
		n = 10 * n + (unsigned)(end.p[i] - '0');
	}
	return n;
}

/* named_id: the stored message that an item's id names; *ret_call: the number of the call, 0
 * for another part. */
static bool named_id(struct str text, struct id *ret, unsigned *ret_call)
{
	/* Ids of calls (the first two), of results and messages, and of items that a provider of
	 * this API makes (shape/response_raw). */
	static const char *const prefixes[] = { "fc_",  "ctc_",  ID_MESSAGE, "rs_",  "ig_",
						"fco_", "ctco_", "ws_",      "fs_",  "ci_",
						"cu_",  "lsh_",  "sh_",      "apc_", "tsc_",
						"tso_", "mcp_",  "mcpl_",    "cmp_" };

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t     n = strlen(prefixes[i]) + ID_BODY;
		struct str head = { text.p, n };

		if (text.n < n || !id_parse(head, prefixes[i], ret))
			continue;
		unsigned number = named_number((struct str){ text.p + n, text.n - n });
		*ret_call = i < 2 ? number : 0;
		return number > 0;
	}
	return false;
}

static bool named_add(struct response_draft *x, struct id id)
{
	char       path[64];
	struct str copy;

	snprintf(path, sizeof path, "input[%zu].id", x->item);
	copy = arena_str(x->arena, str_of(path));
	if (!copy.p)
		return response_draft_full(x);
	x->references[x->reference_count++] = (struct call_reference){ .id = id, .path = copy };
	x->stored = id;
	return true;
}

/* response_named_read: parts of one stored message that follow each other are one message. */
static bool response_named_read(struct response_draft *x, json_at item)
{
	struct id id;
	unsigned  call;
	json_at   at;

	if (!response_draft_string(x, item, "", "id", &at))
		return false;
	if (!named_id(json_inner(x->d, at), &id, &call))
		return response_draft_refuse(x, ERR_NOT_FOUND, "there is no such item", ".id");
	if (id.key != x->stored.key || id.secret != x->stored.secret) {
		/* The stored message has its own reasoning. */
		if (!response_draft_flush(x) || !response_draft_begin(x, "") || !named_add(x, id))
			return false;
	}
	response_draft_belongs(x);
	if (x->reading->items)
		x->reading->items[x->item].stored = true;
	if (call == 0)
		return true;
	if (x->call_count++ == LIMIT_TOOLS)
		return response_draft_refuse(x, ERR_INVALID_VALUE,
					     "too many calls follow each other", "%s", "");
	return buf_fmt(&x->calls, "%s{\"" RESPONSE_REFER_CALL "\":%u}",
		       x->call_count > 1 ? "," : "", call) ||
	       response_draft_full(x);
}

/* --- response_calls: Calls that follow each other are one message; each result is a message of its own. */

/* calls_begin: a call goes on with the assistant's message, or begins one. */
static bool calls_begin(struct response_draft *x, const char *key)
{
	struct origin row = { ORIGIN_CALL, .key = key };

	if (!response_draft_said(x) && !response_draft_begin(x, "content"))
		return false;
	response_draft_belongs(x);
	row.message = (uint32_t)x->count;
	row.n = (uint32_t)x->call_count;
	return response_draft_origin(x, row);
}

/* response_calls_read: a call of a function, or of a custom tool, which is a function with one text
 * to the provider.  response_calls_result: the result of either. */
static bool response_calls_read(struct response_draft *x, json_at item, bool custom)
{
	struct buf *out = &x->calls;
	struct buf  arguments;
	json_at     id;
	json_at     name;
	json_at     value;
	struct str  space = json_get_inner(x->d, item, "namespace");

	if (!response_draft_string(x, item, "", "call_id", &id) ||
	    !response_draft_string(x, item, "", "name", &name) ||
	    !response_draft_string(x, item, "", custom ? "input" : "arguments", &value))
		return false;
	if (!response_draft_flush_media(x) || !calls_begin(x, custom ? "input" : "arguments"))
		return false;
	response_draft_keep(x, custom || space.n > 0 ||
				       json_get_some(x->d, item, "caller") != JSON_ABSENT);
	if (x->call_count++ == LIMIT_TOOLS)
		return response_draft_refuse(x, ERR_INVALID_VALUE,
					     "too many calls follow each other", "%s", "");
	buf_init(&arguments, LIMIT_BODY_MAX);
	bool ok = (response_draft_raw(x, out, x->call_count > 1 ? ",{\"id\":" : "{\"id\":", id) &&
		   buf_text(out, ",\"type\":\"function\",\"function\":{\"name\":\"") &&
		   (space.n == 0 || (buf_str(out, space) && buf_text(out, RESPONSE_TOOLS_JOINT))) &&
		   buf_str(out, json_inner(x->d, name)) && buf_text(out, "\",\"arguments\":")) ||
		  response_draft_full(x);
	if (ok && custom)
		ok = (response_draft_raw(x, &arguments, "{\"input\":", value) &&
		      buf_text(&arguments, "}") && buf_json_string(out, buf_view(&arguments))) ||
		     response_draft_full(x);
	else if (ok)
		ok = response_draft_raw(x, out, "", value) || response_draft_full(x);
	buf_finish(&arguments);
	return ok && (buf_text(out, "}}") || response_draft_full(x));
}

/* calls_put_parts: the text of a result as parts; files and images wait for the next user's message,
 * because a tool's message has no place for them. */
static bool calls_put_parts(struct response_draft *x, json_at output)
{
	const struct json_doc *d = x->d;
	struct buf             texts;
	char                   place[96];
	size_t                 n = 0;
	uint32_t               text = 0;
	bool                   ok = true;

	buf_init(&texts, LIMIT_BODY_MAX);
	for (json_at i = json_first(d, output); ok && i != json_end(d, output);
	     i = json_next(d, i), n++) {
		bool          is_text = response_parts_is_text(d, i);
		struct origin row = { ORIGIN_PART, (uint32_t)x->count, text, .key = "output" };

		row.at = (uint32_t)n;
		text += is_text;
		x->reading->unsendable = x->reading->unsendable || response_parts_is_upload(d, i);
		ok = response_parts_at(x, i, "output", n, place) &&
		     response_parts_put(x, i, place, is_text ? &texts : &x->media) &&
		     (is_text ? response_draft_origin(x, row)
			      : response_draft_media(x, "output", n));
	}
	if (ok && texts.len == 0)
		ok = buf_text(&x->made, "\"\"") || response_draft_full(x);
	else if (ok)
		ok = (buf_text(&x->made, "[") && buf_str(&x->made, buf_view(&texts)) &&
		      buf_text(&x->made, "]")) ||
		     response_draft_full(x);
	buf_finish(&texts);
	return ok;
}

static bool response_calls_result(struct response_draft *x, json_at item)
{
	const struct json_doc *d = x->d;
	json_at                id;
	json_at                output = json_get_some(d, item, "output");

	if (!response_draft_string(x, item, "", "call_id", &id))
		return false;
	if (output == JSON_ABSENT)
		return response_draft_refuse(x, ERR_MISSING_PARAMETER, "is required", ".output");
	if (json_kind(d, output) != JSON_STRING && json_kind(d, output) != JSON_ARRAY)
		return response_draft_refuse(x, ERR_INVALID_TYPE,
					     "must be a string or an array of parts", ".output");
	if (!response_draft_flush_said(x) || !response_draft_begin(x, "output"))
		return false;
	response_draft_keep(x, json_get_is(d, item, "type", "custom_tool_call_output"));
	if (!response_draft_raw(x, &x->made, "{\"role\":\"tool\",\"tool_call_id\":", id) ||
	    !buf_text(&x->made, ",\"content\":"))
		return response_draft_full(x);
	if (!(json_kind(d, output) == JSON_STRING
		      ? response_draft_raw(x, &x->made, "", output) || response_draft_full(x)
		      : calls_put_parts(x, output)))
		return false;
	return (buf_text(&x->made, "}") || response_draft_full(x)) && response_draft_push(x);
}

/* Items of tools that OpenAI runs itself, and of its own ways to keep a conversation small: nobody else
 * can read them.  Source: openai-python 3.57, types/responses/response_input_param.py. */
static const char *const hosted[] = {
	"apply_patch_call",
	"apply_patch_call_output",
	"code_interpreter_call",
	"compaction",
	"compaction_trigger",
	"computer_call",
	"computer_call_output",
	"configuration_update",
	"context_compaction",
	"file_search_call",
	"local_shell_call",
	"local_shell_call_output",
	"mcp_approval_request",
	"mcp_approval_response",
	"mcp_call",
	"mcp_list_tools",
	"program",
	"program_output",
	"shell_call",
	"shell_call_output",
	"tool_search_call",
	"tool_search_output",
	"web_search_call",
};

static bool is_hosted(const struct json_doc *d, json_at type)
{
	for (size_t i = 0; i < ARRAY_LEN(hosted); i++)
		if (json_is(d, type, hosted[i]))
			return true;
	return false;
}

/* input_drop: an item that only OpenAI can read; its type is known. */
static bool input_drop(struct response_draft *x, json_at type)
{
	struct str word = json_inner(x->d, type);

	if (!x->reading->drops)
		return response_draft_refuse(x, ERR_UNSUPPORTED_PARAMETER,
					     "is an item of a tool that OpenAI runs itself",
					     ".type");
	response_draft_keep(x, true);
	warnings_add(x->reading->warnings, x->item, "hosted_item_dropped",
		     "an item of type %.*s does not reach this provider", STR_ARG(word));
	return true;
}

static bool input_tools(struct response_draft *x, json_at item, json_at type)
{
	json_at list = json_get_some(x->d, item, "tools");

	if (!x->reading->drops)
		return input_drop(x, type);
	if (!json_is_kind(x->d, list, JSON_ARRAY))
		return response_draft_refuse(x, ERR_INVALID_TYPE, "must be an array of tools",
					     ".tools");
	x->reading->more[x->reading->more_count++] =
		(struct response_tools_more){ list, (uint32_t)x->item };
	return true;
}

static bool input_typed(struct response_draft *x, json_at item, json_at type)
{
	const struct json_doc *d = x->d;

	if (json_is(d, type, "item_reference"))
		return response_named_read(x, item);
	if (json_is(d, type, "message"))
		return response_said_message(x, item);
	if (json_is(d, type, "function_call"))
		return response_calls_read(x, item, false);
	if (json_is(d, type, "custom_tool_call"))
		return response_calls_read(x, item, true);
	if (json_is(d, type, "function_call_output") || json_is(d, type, "custom_tool_call_output"))
		return response_calls_result(x, item);
	if (json_is(d, type, "image_generation_call"))
		return response_parts_image(x, item);
	if (json_is(d, type, "reasoning"))
		return response_said_reasoning(x, item);
	if (json_is(d, type, "additional_tools"))
		return input_tools(x, item, type);
	if (is_hosted(d, type))
		return input_drop(x, type);
	return response_draft_refuse(
		x, ERR_UNSUPPORTED_PARAMETER,
		"must be one of: message, function_call, function_call_output, "
		"custom_tool_call, custom_tool_call_output, reasoning, item_reference, "
		"image_generation_call, additional_tools",
		".type");
}

static bool input_item(struct response_draft *x, json_at item)
{
	const struct json_doc *d = x->d;
	json_at                type = JSON_ABSENT;

	if (json_kind(d, item) != JSON_OBJECT)
		return response_draft_refuse(x, ERR_INVALID_TYPE, "must be an item, an object",
					     "%s", "");
	type = json_get_some(d, item, "type");
	if (type != JSON_ABSENT)
		return input_typed(x, item, type);
	if (json_get_some(d, item, "role") != JSON_ABSENT)
		return response_said_message(x, item);
	/* An object with only an id is a reference. */
	if (json_get_some(d, item, "id") != JSON_ABSENT)
		return response_named_read(x, item);
	return response_draft_refuse(x, ERR_MISSING_PARAMETER, "is required", ".type");
}

/* input_share: items that belong to the message of a reference are sent with it. */
static void input_share(struct response_reading *reading)
{
	for (size_t i = 0; i < reading->item_count; i++) {
		if (!reading->items[i].stored)
			continue;
		for (size_t k = 0; k < reading->item_count; k++)
			if (reading->items[k].message == reading->items[i].message)
				reading->items[k].stored = true;
	}
}

static bool input_items(struct response_draft *x, json_at input)
{
	struct response_reading *reading = x->reading;
	size_t                   count = x->d->tok[input].count;
	struct response_ordered *list;

	reading->items = arena_alloc(x->arena, (count + 1) * sizeof *reading->items);
	x->raws = arena_alloc(x->arena, (count + 1) * sizeof *x->raws);
	if (!reading->items || !x->raws ||
	    !response_order(x->d, input, reading->follows, x->arena, &list))
		return response_draft_full(x);
	reading->item_count = count;
	for (size_t i = 0; i < count; i++) {
		x->item = list[i].at;
		x->at = list[i].item;
		reading->items[x->item] =
			(struct prompt_item){ list[i].item, PROMPT_NO_MESSAGE, false, false };
		if (!input_item(x, list[i].item))
			return false;
	}
	if (x->reference_count > 0)
		input_share(reading);
	return response_draft_flush(x);
}

static bool input_text(struct response_draft *x, json_at input)
{
	return response_draft_begin(x, NULL) &&
	       ((response_draft_raw(x, &x->made, "{\"role\":\"user\",\"content\":", input) &&
		 buf_text(&x->made, "}")) ||
		response_draft_full(x)) &&
	       response_draft_push(x);
}

enum errc response_input_read(struct input *in, json_at input, struct response_reading *reading,
			      struct call_request *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct response_draft  x = {
		 .d = d, .arena = &in->arena, .e = e, .reading = reading, .origins = reading->origins
	};
	bool list = json_kind(d, input) == JSON_ARRAY;

	if (!list && json_kind(d, input) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, "input",
			       "must be a string or an array of items");
	if (list && d->tok[input].count > LIMIT_MESSAGES)
		return err_set(e, ERR_INVALID_VALUE, "input", "must have at most %d items",
			       LIMIT_MESSAGES);
	/* Before an item there may be messages that earlier items have begun. */
	x.list = arena_alloc(x.arena, (list ? 3 * d->tok[input].count + 2 : 1) * sizeof *x.list);
	x.references =
		arena_alloc(x.arena, (list ? d->tok[input].count + 1 : 1) * sizeof *x.references);
	reading->more =
		arena_alloc(x.arena, (list ? d->tok[input].count + 1 : 1) * sizeof *reading->more);
	if (!x.list || !x.references || !reading->more)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the input");
	response_draft_init(&x);
	bool ok = list ? input_items(&x, input) : input_text(&x, input);
	response_draft_finish(&x);
	if (!ok)
		return e->code;
	ret->what.messages = x.list;
	ret->what.message_count = x.count;
	ret->thread.references = x.references;
	ret->thread.reference_count = x.reference_count;
	ret->thread.join = response_refer_join;
	return ERR_OK;
}
