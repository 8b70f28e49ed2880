/* Makes messages of a chat from the items of a response's input. */
#include "routes/response/response_input.h"

#include "base/limits.h"
#include "routes/response/response_calls.h"
#include "routes/response/response_named.h"
#include "routes/response/response_parts.h"
#include "routes/response/response_said.h"
#include "shape/response_refer.h"

static bool input_item(struct response_draft *x, json_at item)
{
	const struct json_doc *d = x->d;
	json_at                type = json_get_some(d, item, "type");

	if (json_kind(d, item) != JSON_OBJECT)
		return response_draft_refuse(x, ERR_INVALID_TYPE, "must be an item, an object",
					     "%s", "");
	if (type == JSON_ABSENT && json_get_some(d, item, "role") == JSON_ABSENT) {
		/* An object with only an id is a reference. */
		if (json_get_some(d, item, "id") != JSON_ABSENT)
			return response_named_read(x, item);
		return response_draft_refuse(x, ERR_MISSING_PARAMETER, "is required", ".type");
	}
	if (type != JSON_ABSENT && json_is(d, type, "item_reference"))
		return response_named_read(x, item);
	if (type == JSON_ABSENT || json_is(d, type, "message"))
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
	return response_draft_refuse(
		x, ERR_UNSUPPORTED_PARAMETER,
		"must be one of: message, function_call, function_call_output, "
		"custom_tool_call, custom_tool_call_output, reasoning, item_reference, "
		"image_generation_call",
		".type");
}

static bool input_items(struct response_draft *x, json_at input)
{
	JSON_EACH (i, x->d, input) {
		if (!input_item(x, i))
			return false;
		x->item++;
	}
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

enum errc response_input_read(struct input *in, json_at input, struct response_origins *origins,
			      struct run_request *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct response_draft  x = { .d = d, .arena = &in->arena, .e = e, .origins = origins };
	bool                   list = json_kind(d, input) == JSON_ARRAY;

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
	if (!x.list || !x.references)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the input");
	response_draft_init(&x);
	bool ok = list ? input_items(&x, input) : input_text(&x, input);
	response_draft_finish(&x);
	if (!ok)
		return e->code;
	ret->messages = x.list;
	ret->message_count = x.count;
	ret->references = x.references;
	ret->reference_count = x.reference_count;
	ret->join = response_refer_join;
	return ERR_OK;
}
