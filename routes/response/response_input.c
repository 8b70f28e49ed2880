/* Makes messages of a chat from the items of a response's input. */
#include "routes/response/internal.h"

#include "base/limits.h"
#include "shape/response.h"

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
