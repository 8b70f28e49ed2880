/* Translates items of OpenAI's Conversations API to messages of /v1/chat. */
#include "routes/conversation/conversation.h"

#include "base/id.h"
#include "routes/kit/check.h"
#include "schema/schema.h"
#include "store/conversation.h"

static const char *const roles[] = { "user", "assistant", "system", "developer" };

struct reading {
	const struct json_doc *doc;
	struct buf            *out;
	char                   path[160]; /* path of the item */
	struct err            *e;
};

static enum errc conversation_items_fail(struct reading *r, enum errc code, const char *member,
					 const char *text)
{
	err_set(r->e, code, member, "%s", text);
	err_at(r->e, r->path);
	return code;
}

static enum errc conversation_items_no_memory(struct reading *r)
{
	return err_set(r->e, ERR_OVERLOADED, "", "no memory for the items");
}

static bool is_string(const struct reading *r, json_at i)
{
	return i != JSON_ABSENT && json_kind(r->doc, i) == JSON_STRING;
}

static bool conversation_items_put(struct reading *r, const char *text, json_at value)
{
	return buf_text(r->out, text) && buf_str(r->out, json_raw(r->doc, value));
}

/* --- parts --- */

/* A member of a part that must be a string. */
static enum errc conversation_items_need(struct reading *r, const char *part, const char *member,
					 json_at value)
{
	char path[160];

	if (is_string(r, value))
		return ERR_OK;
	check_path(path, "%s.%s", part, member);
	return conversation_items_fail(
		r, value == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE, path,
		"must be a string");
}

/* Prints {"type":…,MEMBER:value} with a string as value. */
static enum errc conversation_items_put_one(struct reading *r, json_at part, const char *path,
					    const char *member, const char *start)
{
	json_at   value = json_get_some(r->doc, part, member);
	enum errc rc = conversation_items_need(r, path, member, value);

	if (rc != ERR_OK)
		return rc;
	return conversation_items_put(r, start, value) && buf_text(r->out, "}")
		       ? ERR_OK
		       : conversation_items_no_memory(r);
}

/* is_uploaded: whether the value is the id of a file uploaded to Parley.  run/attach puts the file
 * into each turn's prompt; every other id is one of the provider's, and goes there as it is. */
static bool is_uploaded(const struct reading *r, json_at value)
{
	struct id id;

	return is_string(r, value) && file_id_parse(json_inner(r->doc, value), false, &id);
}

static enum errc conversation_items_put_image(struct reading *r, json_at part, const char *path)
{
	json_at     url = json_get_some(r->doc, part, "image_url");
	json_at     file = json_get_some(r->doc, part, "file_id");
	json_at     detail = json_get_some(r->doc, part, "detail");
	bool        uploaded = url == JSON_ABSENT && is_uploaded(r, file);
	const char *start = "{\"type\":\"image_url\",\"image_url\":{\"url\":";
	enum errc   rc = uploaded ? ERR_OK : conversation_items_need(r, path, "image_url", url);

	if (rc == ERR_OK && detail != JSON_ABSENT)
		rc = conversation_items_need(r, path, "detail", detail);
	if (rc != ERR_OK)
		return rc;
	if (uploaded)
		start = "{\"type\":\"image_url\",\"image_url\":{\"uuid\":";
	bool ok = conversation_items_put(r, start, uploaded ? file : url) &&
		  (detail == JSON_ABSENT || conversation_items_put(r, ",\"detail\":", detail)) &&
		  buf_text(r->out, "}}");
	return ok ? ERR_OK : conversation_items_no_memory(r);
}

static enum errc conversation_items_put_file(struct reading *r, json_at part, const char *path)
{
	static const char *const members[] = { "file_id", "file_data", "filename" };
	const char              *comma = "";

	if (!buf_text(r->out, "{\"type\":\"file\",\"file\":{"))
		return conversation_items_no_memory(r);
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		json_at value = json_get_some(r->doc, part, members[i]);

		if (value == JSON_ABSENT)
			continue;
		enum errc rc = conversation_items_need(r, path, members[i], value);
		if (rc != ERR_OK)
			return rc;
		bool uploaded = i == 0 && is_uploaded(r, value);
		if (!buf_fmt(r->out, "%s\"%s\":", comma, uploaded ? "uuid" : members[i]) ||
		    !conversation_items_put(r, "", value))
			return conversation_items_no_memory(r);
		comma = ",";
	}
	if (comma[0] == '\0')
		return conversation_items_fail(r, ERR_MISSING_PARAMETER, path,
					       "a file needs file_data or file_id");
	return buf_text(r->out, "}}") ? ERR_OK : conversation_items_no_memory(r);
}

static enum errc conversation_items_put_part(struct reading *r, json_at part, const char *path)
{
	const struct json_doc *d = r->doc;

	if (json_kind(d, part) != JSON_OBJECT)
		return conversation_items_fail(r, ERR_INVALID_TYPE, path,
					       "a part must be an object");
	json_at type = json_get(d, part, "type");

	if (json_is(d, type, "input_text") || json_is(d, type, "output_text") ||
	    json_is(d, type, "text"))
		return conversation_items_put_one(r, part, path, "text",
						  "{\"type\":\"text\",\"text\":");
	if (json_is(d, type, "refusal"))
		return conversation_items_put_one(r, part, path, "refusal",
						  "{\"type\":\"refusal\",\"refusal\":");
	if (json_is(d, type, "input_image"))
		return conversation_items_put_image(r, part, path);
	if (json_is(d, type, "input_file"))
		return conversation_items_put_file(r, part, path);
	if (json_is(d, type, "input_audio"))
		return conversation_items_put(r, "", part) ? ERR_OK
							   : conversation_items_no_memory(r);
	char at[160];
	check_path(at, "%s.type", path);
	return conversation_items_fail(
		r, type == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_VALUE, at,
		"must be one of: input_text, output_text, text, refusal, input_image, "
		"input_file, input_audio");
}

/* Reads a string, or an array of parts. */
static enum errc conversation_items_put_content(struct reading *r, json_at content,
						const char *member)
{
	const struct json_doc *d = r->doc;
	size_t                 n = 0;
	char                   path[160];

	if (content == JSON_ABSENT)
		return conversation_items_fail(r, ERR_MISSING_PARAMETER, member,
					       "must be a string or an array of parts");
	if (json_kind(d, content) == JSON_STRING)
		return conversation_items_put(r, "", content) ? ERR_OK
							      : conversation_items_no_memory(r);
	if (json_kind(d, content) != JSON_ARRAY)
		return conversation_items_fail(r, ERR_INVALID_TYPE, member,
					       "must be a string or an array of parts");
	if (d->tok[content].count < 1 || d->tok[content].count > LIMIT_PARTS)
		return conversation_items_fail(r, ERR_INVALID_VALUE, member,
					       "must have 1 to 256 parts");
	for (json_at i = json_first(d, content); i != json_end(d, content);
	     i = json_next(d, i), n++) {
		check_path(path, "%s[%zu]", member, n);
		if (!buf_text(r->out, n == 0 ? "[" : ","))
			return conversation_items_no_memory(r);
		enum errc rc = conversation_items_put_part(r, i, path);
		if (rc != ERR_OK)
			return rc;
	}
	return buf_text(r->out, "]") ? ERR_OK : conversation_items_no_memory(r);
}
_Static_assert(LIMIT_PARTS == 256, "the message names it");

/* --- items --- */

static enum errc conversation_items_put_message(struct reading                 *r,
						const struct conversation_item *item)
{
	if (item->role < 0)
		return conversation_items_fail(
			r, ERR_MISSING_PARAMETER, "role",
			"must be one of: user, assistant, system, developer");
	if (!buf_fmt(r->out, "{\"role\":\"%s\",\"content\":", roles[item->role]))
		return conversation_items_no_memory(r);
	enum errc rc = conversation_items_put_content(r, item->content, "content");
	if (rc != ERR_OK)
		return rc;
	return buf_text(r->out, "}") ? ERR_OK : conversation_items_no_memory(r);
}

static enum errc conversation_items_put_call(struct reading                 *r,
					     const struct conversation_item *item, bool first)
{
	if (!item->call_id.p)
		return conversation_items_fail(r, ERR_MISSING_PARAMETER, "call_id",
					       "a function call needs a call_id");
	if (!item->name.p)
		return conversation_items_fail(r, ERR_MISSING_PARAMETER, "name",
					       "a function call needs the name of its function");
	if (!item->arguments.p)
		return conversation_items_fail(
			r, ERR_MISSING_PARAMETER, "arguments",
			"a function call needs arguments, a string with JSON");
	bool ok =
		buf_text(r->out, first ? "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
				       : ",") &&
		buf_text(r->out, "{\"id\":") && buf_json_string(r->out, item->call_id) &&
		buf_text(r->out, ",\"type\":\"function\",\"function\":{\"name\":") &&
		buf_json_string(r->out, item->name) && buf_text(r->out, ",\"arguments\":") &&
		buf_json_string(r->out, item->arguments) && buf_text(r->out, "}}");
	return ok ? ERR_OK : conversation_items_no_memory(r);
}

static enum errc conversation_items_put_output(struct reading                 *r,
					       const struct conversation_item *item)
{
	if (!item->call_id.p)
		return conversation_items_fail(r, ERR_MISSING_PARAMETER, "call_id",
					       "an output needs the id of its call");
	if (!buf_text(r->out, "{\"role\":\"tool\",\"tool_call_id\":") ||
	    !buf_json_string(r->out, item->call_id) || !buf_text(r->out, ",\"content\":"))
		return conversation_items_no_memory(r);
	enum errc rc = conversation_items_put_content(r, item->output, "output");
	if (rc != ERR_OK)
		return rc;
	return buf_text(r->out, "}") ? ERR_OK : conversation_items_no_memory(r);
}

static enum errc conversation_items_read_item(struct reading *r, struct input *in, json_at i,
					      struct conversation_item *ret)
{
	*ret = conversation_item_init;
	if (json_kind(r->doc, i) != JSON_OBJECT)
		return err_set(r->e, ERR_INVALID_TYPE, r->path, "an item must be an object");
	return fields_read(&conversation_item_fields, r->doc, i, r->path, &in->arena, ret, r->e);
}

static enum errc conversation_items_put_item(struct reading                 *r,
					     const struct conversation_item *item, bool first_call)
{
	switch ((enum conversation_item_type)item->type) {
	case CONVERSATION_ITEM_MESSAGE: return conversation_items_put_message(r, item);
	case CONVERSATION_ITEM_CALL: return conversation_items_put_call(r, item, first_call);
	case CONVERSATION_ITEM_OUTPUT: return conversation_items_put_output(r, item);
	case CONVERSATION_ITEM__COUNT: break;
	}
	return ERR_INTERNAL;
}

/* Bodies are kept as lengths until the buffer no longer moves. */
static void end_message(struct conversation_items *all, size_t *start)
{
	all->messages[all->count++] =
		(struct store_message){ id_new(), { NULL, all->bodies.len - *start } };
	*start = all->bodies.len;
}

static enum errc conversation_items_read_all(struct reading *r, struct input *in, json_at items,
					     struct conversation_items *ret)
{
	const struct json_doc   *d = r->doc;
	struct conversation_item item;
	size_t                   n = 0;
	size_t                   start = 0;
	bool                     in_calls = false;

	for (json_at i = json_first(d, items); i != json_end(d, items); i = json_next(d, i), n++) {
		check_path(r->path, "items[%zu]", n);
		enum errc rc = conversation_items_read_item(r, in, i, &item);
		if (rc != ERR_OK)
			return rc;
		bool call = item.type == CONVERSATION_ITEM_CALL;
		if (in_calls && !call) {
			if (!buf_text(r->out, "]}"))
				return conversation_items_no_memory(r);
			end_message(ret, &start);
		}
		rc = conversation_items_put_item(r, &item, !in_calls);
		if (rc != ERR_OK)
			return rc;
		if (!call)
			end_message(ret, &start);
		in_calls = call;
	}
	if (!in_calls)
		return ERR_OK;
	if (!buf_text(r->out, "]}"))
		return conversation_items_no_memory(r);
	end_message(ret, &start);
	return ERR_OK;
}

enum errc conversation_items_read(struct input *in, json_at items, struct conversation_items *ret,
				  struct err *e)
{
	struct reading r = { .doc = &in->doc, .out = &ret->bodies, .e = e };
	size_t         at = 0;

	/* The text around a part or a call is at most a hundred bytes longer than in the
	 * request. */
	buf_init(&ret->bodies, in->body.len + (size_t)LIMIT_ITEMS * LIMIT_PARTS * 128);
	ret->count = 0;
	enum errc rc = conversation_items_read_all(&r, in, items, ret);
	if (rc != ERR_OK)
		return rc;
	for (size_t i = 0; i < ret->count; i++) {
		ret->messages[i].body.p = ret->bodies.data + at;
		at += ret->messages[i].body.n;
	}
	return ERR_OK;
}

void conversation_items_finish(struct conversation_items *items)
{
	buf_finish(&items->bodies);
	items->count = 0;
}
