/* Makes items of stored messages, and finds messages by the ids of items. */
#include "routes/conversation/conversation.h"

#include "base/limits.h"
#include "json/scan.h"
#include "shape/transcript.h"
#include "store/conversation.h"

#include <stdio.h>

#define ID_CALL   "fc_"  /* a function_call item; the id of a message's second call ends in "_2" */
#define ID_OUTPUT "fco_" /* a function_call_output item */

/* is_nth: true if the id ends in "_2" and so on, from `at` to the end. */
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

/* items_inner: a member of an object that may be absent (json_get would look into the root
 * then). */
static json_at items_inner(const struct json_doc *d, json_at at, const char *key)
{
	return at == JSON_ABSENT ? JSON_ABSENT : json_get(d, at, key);
}

static bool is_array(const struct json_doc *d, json_at at)
{
	return at != JSON_ABSENT && json_kind(d, at) == JSON_ARRAY;
}

/* items_put: prints a text unchanged, and then the value. */
static bool items_put(struct items *l, const char *text, json_at value)
{
	return buf_text(l->out, text) && json_print(&l->doc, value, l->out);
}

/* items_put_some: the same, but prints nothing if the value is absent or null. */
static bool items_put_some(struct items *l, const char *text, json_at value)
{
	return value == JSON_ABSENT || json_kind(&l->doc, value) == JSON_NULL ||
	       items_put(l, text, value);
}

/* --- content --- */

static bool put_text_part(struct items *l, json_at text, bool output)
{
	const char *start = output ? "{\"type\":\"output_text\",\"text\":"
				   : "{\"type\":\"input_text\",\"text\":";

	return items_put(l, start, text) &&
	       buf_text(l->out, output ? ",\"annotations\":[],\"logprobs\":[]}" : "}");
}

static bool put_image_part(struct items *l, json_at image)
{
	json_at detail = json_get(&l->doc, image, "detail");
	json_at url = json_get(&l->doc, image, "url");

	if (!(url != JSON_ABSENT ? items_put(l, "{\"type\":\"input_image\",\"image_url\":", url)
				 : items_put(l, "{\"type\":\"input_image\",\"file_id\":",
					     json_get(&l->doc, image, "uuid"))))
		return false;
	return (detail == JSON_ABSENT ? buf_text(l->out, ",\"detail\":\"auto\"")
				      : items_put(l, ",\"detail\":", detail)) &&
	       buf_text(l->out, "}");
}

/* put_file_part: {type: file, file: {…}} becomes {type: input_file, …}. */
static bool put_file_part(struct items *l, json_at file)
{
	static const char *const members[][2] = {
		{ "file_id", ",\"file_id\":" },
		{ "uuid", ",\"file_id\":" },
		{ "filename", ",\"filename\":" },
		{ "file_data", ",\"file_data\":" },
	};

	if (!buf_text(l->out, "{\"type\":\"input_file\""))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		json_at v = json_get(&l->doc, file, members[i][0]);

		if (v != JSON_ABSENT && !items_put(l, members[i][1], v))
			return false;
	}
	return buf_text(l->out, "}");
}

static bool items_put_part(struct items *l, json_at part, bool output)
{
	const struct json_doc *d = &l->doc;
	json_at                type = json_get(d, part, "type");
	json_at                text = json_get(d, part, "text");
	json_at                image = json_get(d, part, "image_url");
	json_at                file = json_get(d, part, "file");

	if (json_is(d, type, "text") && text != JSON_ABSENT)
		return put_text_part(l, text, output);
	if (json_is(d, type, "image_url") && json_is_kind(d, image, JSON_OBJECT) &&
	    (json_get(d, image, "url") != JSON_ABSENT || json_get(d, image, "uuid") != JSON_ABSENT))
		return put_image_part(l, image);
	if (json_is(d, type, "file") && file != JSON_ABSENT && json_kind(d, file) == JSON_OBJECT)
		return put_file_part(l, file);
	return items_put(l, "", part); /* audio, refusals and unknown parts stay unchanged */
}

/* put_refusal: a refusal is beside the content of a message, but inside the content of an item. */
static bool put_refusal(struct items *l, json_at refusal, const char *comma)
{
	if (refusal == JSON_ABSENT)
		return true;
	return buf_text(l->out, comma) &&
	       items_put(l, "{\"type\":\"refusal\",\"refusal\":", refusal) && buf_text(l->out, "}");
}

static bool items_put_content(struct items *l, json_at content, json_at refusal, bool output)
{
	const struct json_doc *d = &l->doc;
	const char            *comma = "";

	if (!buf_text(l->out, "["))
		return false;
	if (is_array(d, content)) {
		for (json_at i = json_first(d, content); i != json_end(d, content);
		     i = json_next(d, i), comma = ",")
			if (!buf_text(l->out, comma) || !items_put_part(l, i, output))
				return false;
	} else if (content != JSON_ABSENT && json_kind(d, content) != JSON_NULL) {
		if (!put_text_part(l, content, output))
			return false;
		comma = ",";
	}
	return put_refusal(l, refusal, comma) && buf_text(l->out, "]");
}

/* --- items --- */

/* items_start: prints the comma, the type and the id of the next item. */
static bool items_start(struct items *l, const char *type, struct id id, const char *prefix,
			size_t nth)
{
	char text[ID_MAX];

	id_text(id, prefix, text);
	snprintf(l->last, sizeof l->last, nth > 0 ? "%s_%zu" : "%s", text, nth + 1);
	if (l->count == 0)
		memcpy(l->first, l->last, sizeof l->first);
	return buf_text(l->out, l->count++ > 0 ? ",{\"type\":\"" : "{\"type\":\"") &&
	       buf_text(l->out, type) && buf_text(l->out, "\",\"id\":\"") &&
	       buf_text(l->out, l->last) && buf_text(l->out, "\"");
}

static const char *items_status_of(enum run_status s)
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

/* items_read_role: the role, cut if it is longer than any known role. */
static bool items_read_role(const struct json_doc *d, char ret[16])
{
	json_at    at = json_get(d, 0, "role");
	struct buf text;

	snprintf(ret, 16, "user");
	if (at == JSON_ABSENT || json_kind(d, at) != JSON_STRING)
		return true;
	buf_init(&text, d->tok[at].len);
	bool ok = json_unescape(json_inner(d, at), &text);
	if (ok)
		snprintf(ret, 16, "%.*s", STR_ARG(buf_view(&text)));
	buf_finish(&text);
	return ok;
}

static bool push_message(struct items *l, const struct store_item *si, const char *role)
{
	const struct json_doc *d = &l->doc;
	bool                   output = strcmp(role, "assistant") == 0;

	return items_start(l, "message", si->message.id, ID_MESSAGE, 0) &&
	       buf_text(l->out, ",\"status\":\"") &&
	       buf_text(l->out, items_status_of(si->status)) && buf_text(l->out, "\",\"role\":") &&
	       buf_json_string(l->out, str_of(role)) && buf_text(l->out, ",\"content\":") &&
	       items_put_content(l, json_get(d, 0, "content"), json_get_some(d, 0, "refusal"),
				 output) &&
	       items_put_some(l, ",\"name\":", json_get(d, 0, "name")) &&
	       items_put_some(l, ",\"context\":", json_get(d, 0, "context")) &&
	       buf_text(l->out, ",\"created_at\":") && buf_int(l->out, si->created_ms / 1000) &&
	       buf_text(l->out, "}");
}

static bool push_call(struct items *l, const struct store_item *si, json_at call, size_t nth)
{
	const struct json_doc *d = &l->doc;
	json_at                function = json_get(d, call, "function");

	return items_start(l, "function_call", si->message.id, ID_CALL, nth) &&
	       items_put_some(l, ",\"call_id\":", json_get(d, call, "id")) &&
	       items_put_some(l, ",\"name\":", items_inner(d, function, "name")) &&
	       items_put_some(l, ",\"arguments\":", items_inner(d, function, "arguments")) &&
	       buf_text(l->out, ",\"status\":\"") &&
	       buf_text(l->out, items_status_of(si->status)) && buf_text(l->out, "\"}");
}

static bool items_put_output(struct items *l, json_at content)
{
	if (content == JSON_ABSENT)
		return buf_text(l->out, "\"\"");
	if (is_array(&l->doc, content))
		return items_put_content(l, content, JSON_ABSENT, false);
	return items_put(l, "", content);
}

static bool push_output(struct items *l, const struct store_item *si)
{
	return items_start(l, "function_call_output", si->message.id, ID_OUTPUT, 0) &&
	       items_put_some(l, ",\"call_id\":", json_get(&l->doc, 0, "tool_call_id")) &&
	       buf_text(l->out, ",\"output\":") &&
	       items_put_output(l, json_get(&l->doc, 0, "content")) &&
	       buf_text(l->out, ",\"status\":\"completed\"}");
}

static bool push_all(struct items *l, const struct store_item *si)
{
	const struct json_doc *d = &l->doc;
	json_at                calls = json_get(d, 0, "tool_calls");
	char                   role[16];
	size_t                 nth = 0;

	if (!items_read_role(d, role))
		return false;
	if (strcmp(role, "tool") == 0)
		return push_output(l, si);
	/* A message with only tool calls has no text to show. */
	if ((!is_array(d, calls) || json_get_some(d, 0, "content") != JSON_ABSENT) &&
	    !push_message(l, si, role))
		return false;
	if (is_array(d, calls))
		JSON_EACH (i, d, calls)
			if (!push_call(l, si, i, nth++))
				return false;
	return true;
}

void items_init(struct items *list, struct buf *out)
{
	*list = (struct items){ .out = out };
}

void items_finish(struct items *list)
{
	json_doc_finish(&list->doc);
}

static bool items_scan(struct items *l, struct str body)
{
	struct err e;

	return json_scan(&l->doc, body.p, body.n, &json_limits_stored, &e) == ERR_OK &&
	       json_kind(&l->doc, 0) == JSON_OBJECT;
}

/* An LMC message is shown in the form that a provider without tools gets. */
static bool as_openai(struct items *l, struct buf *made)
{
	return view_single(&l->doc, 0, made) && items_scan(l, buf_view(made));
}

bool items_push(struct items *list, const struct store_item *item)
{
	struct str body = item->message.body;
	size_t     len = list->out->len;
	size_t     count = list->count;
	struct buf made;

	buf_init(&made, LIMIT_TRANSLATION);
	/* The added text is short, so one step of growth is enough. */
	bool ok = items_scan(list, body) && buf_reserve(list->out, body.n + KIB);
	if (ok && json_get_some(&list->doc, 0, "type") != JSON_ABSENT)
		ok = as_openai(list, &made);
	ok = ok && push_all(list, item);
	buf_finish(&made);
	if (ok)
		return true;
	list->out->len = len;
	list->count = count;
	return false;
}
