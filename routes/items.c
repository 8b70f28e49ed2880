/* Stored messages made into items, and items' ids back into messages. */
#include "routes/items.h"

#include "base/buf.h"

#include <stdio.h>

#define ID_CALL   "fc_"  /* a function_call item; behind the body "_2" for a message's second call */
#define ID_OUTPUT "fco_" /* a function_call_output item */

/* is_nth: "_2" and so on, from at to the end. */
static bool is_nth(struct str text, size_t at)
{
	size_t digits = at + 1;

	while (digits < text.n && text.p[digits] >= '0' && text.p[digits] <= '9')
		digits++;
	return text.p[at] == '_' && digits == text.n && digits > at + 1;
}

bool items_cursor(struct str text, struct id *ret)
{
	static const char *const prefixes[] = { ID_MESSAGE, ID_CALL, ID_OUTPUT };

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i]) + ID_BODY;

		if (text.n >= n && (text.n == n || (i == 1 && is_nth(text, n))) &&
		    id_parse((struct str){ text.p, n }, prefixes[i], ret))
			return true;
	}
	return false;
}

static struct value *copy_of(const struct value *v)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	struct value *copy = value_print(v, &text) ? value_parse(buf_view(&text)) : NULL;
	buf_finish(&text);
	return copy;
}

static struct value *text_of(const char *s)
{
	return value_string(str_of(s));
}

/* --- content --- */

static struct value *text_part(const struct value *text, bool output)
{
	struct value *part = value_object();

	if (value_add_take(part, "type", text_of(output ? "output_text" : "input_text")) &&
	    value_add_take(part, "text", copy_of(text)) &&
	    (!output || value_add_take(part, "annotations", value_array())))
		return part;
	value_destroy(part);
	return NULL;
}

static struct value *image_part(const struct value *image)
{
	const struct value *detail = value_get(image, "detail");
	struct value       *part = value_object();

	if (value_add_take(part, "type", text_of("input_image")) &&
	    value_add_take(part, "image_url", copy_of(value_get(image, "url"))) &&
	    value_add_take(part, "detail", detail ? copy_of(detail) : text_of("auto")))
		return part;
	value_destroy(part);
	return NULL;
}

/* file_part: {type: file, file: {…}} becomes {type: input_file, …}. */
static struct value *file_part(const struct value *file)
{
	static const char *const members[] = { "file_id", "filename", "file_data" };
	struct value            *part = value_object();
	bool                     ok = value_add_take(part, "type", text_of("input_file"));

	for (size_t i = 0; ok && i < ARRAY_LEN(members); i++) {
		const struct value *v = value_get(file, members[i]);

		ok = !v || value_add_take(part, members[i], copy_of(v));
	}
	if (ok)
		return part;
	value_destroy(part);
	return NULL;
}

static struct value *part_of(const struct value *part, bool output)
{
	struct str          type = STR_NONE;
	const struct value *inner;

	(void)value_text(value_get(part, "type"), &type);
	if (str_is(type, "text") && value_get(part, "text"))
		return text_part(value_get(part, "text"), output);
	inner = value_get(part, "image_url");
	if (str_is(type, "image_url") && value_get(inner, "url"))
		return image_part(inner);
	inner = value_get(part, "file");
	if (str_is(type, "file") && value_is_object(inner))
		return file_part(inner);
	return copy_of(part); /* audio, refusals, and what we do not know: as they came */
}

static struct value *content_of(const struct value *content, bool output)
{
	struct value *list = value_array();
	bool          ok = list != NULL;

	if (value_is_array(content))
		for (size_t i = 0; ok && i < value_count(content); i++)
			ok = value_push_take(list, part_of(value_at(content, i), output));
	else if (content && !value_is_null(content))
		ok = value_push_take(list, text_part(content, output));
	if (ok)
		return list;
	value_destroy(list);
	return NULL;
}

/* --- items --- */

static bool add_id(struct value *item, struct id id, const char *prefix, size_t nth)
{
	char text[ID_MAX];
	char numbered[ID_MAX + 24];

	id_text(id, prefix, text);
	snprintf(numbered, sizeof numbered, nth > 0 ? "%s_%zu" : "%s", text, nth + 1);
	return value_add_take(item, "id", text_of(numbered));
}

static bool add_copy(struct value *item, const char *key, const struct value *v)
{
	return !v || value_is_null(v) || value_add_take(item, key, copy_of(v));
}

static const char *status_of(enum run_status s)
{
	switch (s) {
	case RUN_QUEUED:
	case RUN_RUNNING: return "in_progress";
	case RUN_INCOMPLETE:
	case RUN_FAILED:
	case RUN_CANCELLED: return "incomplete";
	case RUN_COMPLETED:
	case RUN_STATUS__COUNT: break;
	}
	return "completed";
}

/* push_refusal: it stands beside the content in a message, and within it in an item. */
static bool push_refusal(struct value *content, const struct value *refusal)
{
	struct value *part;

	if (!refusal || value_is_null(refusal))
		return true;
	part = value_object();
	if (value_add_take(part, "type", text_of("refusal")) &&
	    value_add_take(part, "refusal", copy_of(refusal)))
		return value_push_take(content, part);
	value_destroy(part);
	return false;
}

static bool push_message(struct value *list, const struct store_item *si, const struct value *m,
			 const char *role)
{
	struct value *item = value_object();
	bool          output = strcmp(role, "assistant") == 0;
	struct value *content = content_of(value_get(m, "content"), output);

	if (item && push_refusal(content, value_get(m, "refusal")) && value_add_take(item, "type", text_of("message")) &&
	    add_id(item, si->message.id, ID_MESSAGE, 0) &&
	    value_add_take(item, "status", text_of(status_of(si->status))) &&
	    value_add_take(item, "role", text_of(role)) &&
	    value_add_take(item, "content", TAKE(content)) &&
	    add_copy(item, "name", value_get(m, "name")) &&
	    add_copy(item, "context", value_get(m, "context")) &&
	    value_add_take(item, "created_at", value_int(si->created_ms / 1000)))
		return value_push_take(list, item);
	value_destroy(content);
	value_destroy(item);
	return false;
}

static bool push_call(struct value *list, const struct store_item *si, const struct value *call,
		      size_t nth)
{
	const struct value *function = value_get(call, "function");
	struct value       *item = value_object();

	if (item && value_add_take(item, "type", text_of("function_call")) &&
	    add_id(item, si->message.id, ID_CALL, nth) &&
	    add_copy(item, "call_id", value_get(call, "id")) &&
	    add_copy(item, "name", value_get(function, "name")) &&
	    add_copy(item, "arguments", value_get(function, "arguments")) &&
	    value_add_take(item, "status", text_of(status_of(si->status))))
		return value_push_take(list, item);
	value_destroy(item);
	return false;
}

static bool push_output(struct value *list, const struct store_item *si, const struct value *m)
{
	const struct value *content = value_get(m, "content");
	struct value       *item = value_object();
	struct value *output = value_is_array(content) ? content_of(content, false)
			       : content               ? copy_of(content)
						       : value_string(STR_NONE);

	if (item && value_add_take(item, "type", text_of("function_call_output")) &&
	    add_id(item, si->message.id, ID_OUTPUT, 0) &&
	    add_copy(item, "call_id", value_get(m, "tool_call_id")) &&
	    value_add_take(item, "output", TAKE(output)) &&
	    value_add_take(item, "status", text_of("completed")))
		return value_push_take(list, item);
	value_destroy(output);
	value_destroy(item);
	return false;
}

static bool push_all(struct value *list, const struct store_item *si, const struct value *m)
{
	const struct value *calls = value_get(m, "tool_calls");
	struct str          role = STR("user");
	char                role_text[16];
	bool                ok = true;

	(void)value_text(value_get(m, "role"), &role);
	snprintf(role_text, sizeof role_text, "%.*s", STR_ARG(role));
	if (str_is(role, "tool"))
		return push_output(list, si, m);
	/* A message of nothing but tool calls has no text to show. */
	if (!value_is_array(calls) || !(value_is_null(value_get(m, "content")) || !value_get(m, "content")))
		ok = push_message(list, si, m, role_text);
	for (size_t i = 0; ok && value_is_array(calls) && i < value_count(calls); i++)
		ok = push_call(list, si, value_at(calls, i), i);
	return ok;
}

bool items_push(struct value *list, const struct store_item *item)
{
	struct value *m = value_parse(item->message.body);
	bool          ok = value_is_object(m) && push_all(list, item, m);

	value_destroy(m);
	return ok;
}
