/* Prints threads and messages; reads the parameters of lists. */
#include "routes/rebyte/internal.h"

#include "base/limits.h"
#include "http/reply.h"
#include "json/scan.h"
#include "routes/kit/page.h"
#include "shape/view.h"

enum {
	PAGE_DEFAULT = 20,
	PAGE_MAX = 100,
};

/* --- objects --- */

bool rebyte_print_thread(struct buf *out, const struct store_conversation *c)
{
	char id[ID_MAX];

	return buf_fmt(out, "{\"id\":\"%s\",\"created_at\":%lld",
		       id_text(c->id, ID_CONVERSATION, id).p, (long long)(c->created_ms / 1000)) &&
	       (c->metadata.n <= 2 ||
		(buf_text(out, ",\"metadata\":") && buf_str(out, c->metadata))) &&
	       buf_text(out, "}");
}

/* rebyte_print_content: the texts of a message, one after the other. */
static bool rebyte_print_content(const struct json_doc *d, struct buf *out)
{
	json_at content = json_get(d, 0, "content");
	bool    ok = buf_text(out, ",\"content\":\"");

	if (json_is_kind(d, content, JSON_STRING))
		ok = ok && buf_str(out, json_inner(d, content));
	if (json_is_kind(d, content, JSON_ARRAY))
		JSON_EACH (i, d, content)
			if (json_is_kind(d, i, JSON_OBJECT))
				ok = ok && buf_str(out, json_get_inner(d, i, "text"));
	return ok && buf_str(out, json_get_inner(d, 0, "refusal")) && buf_text(out, "\"");
}

static bool rebyte_print_some(const struct json_doc *d, json_at value, const char *before,
			      struct buf *out)
{
	return value == JSON_ABSENT || (buf_text(out, before) && json_print(d, value, out));
}

static bool rebyte_print_members(const struct json_doc *d, struct id thread,
				 const struct store_item *item, struct buf *out)
{
	json_at    context = json_get_some(d, 0, "context");
	json_at    metadata = json_is_kind(d, context, JSON_OBJECT)
				      ? json_get_some(d, context, "metadata")
				      : JSON_ABSENT;
	struct str role = json_get_inner(d, 0, "role");
	char       id[ID_MAX];

	return buf_fmt(out, "{\"id\":\"%s\",\"created_at\":%lld",
		       id_text(item->message.id, ID_MESSAGE, id).p,
		       (long long)(item->created_ms / 1000)) &&
	       buf_fmt(out, ",\"thread_id\":\"%s\",\"role\":\"",
		       id_text(thread, ID_CONVERSATION, id).p) &&
	       buf_str(out, role.n > 0 ? role : STR("user")) && buf_text(out, "\"") &&
	       rebyte_print_content(d, out) &&
	       rebyte_print_some(d, metadata, ",\"metadata\":", out) &&
	       rebyte_print_some(d, json_get_some(d, 0, "name"), ",\"name\":", out) &&
	       (item->model.n == 0 ||
		(buf_text(out, ",\"agent_id\":") && buf_json_string(out, item->model) &&
		 buf_fmt(out, ",\"run_id\":\"%s\"", id_text(item->message.id, ID_RUN, id).p))) &&
	       buf_text(out, "}");
}

bool rebyte_print_message(struct buf *out, struct id thread, const struct store_item *item)
{
	struct json_doc d = { 0 };
	struct buf      made;
	struct err      e;
	struct str      body = item->message.body;

	buf_init(&made, LIMIT_TRANSLATION);
	bool ok = json_scan(&d, body.p, body.n, &json_limits_stored, &e) == ERR_OK;
	/* An LMC message is shown in the form that a provider without tools gets. */
	if (ok && json_get_some(&d, 0, "type") != JSON_ABSENT)
		ok = view_single(&d, 0, &made) &&
		     json_scan(&d, made.data, made.len, &json_limits_stored, &e) == ERR_OK;
	ok = ok && rebyte_print_members(&d, thread, item, out);
	json_doc_finish(&d);
	buf_finish(&made);
	return ok;
}

/* --- lists --- */

bool rebyte_page_read(struct request *r, const char *prefix, struct rebyte_page *ret)
{
	struct str after = STR_NONE;
	struct str before = STR_NONE;

	*ret = (struct rebyte_page){ .descending = true };
	if (!page_limit(r, PAGE_DEFAULT, PAGE_MAX, &ret->limit) || !page_order(r, &ret->descending))
		return false;
	(void)request_query(r, "after", 0, &after);
	(void)request_query(r, "before", 0, &before);
	if (after.n > 0 && before.n > 0) {
		reply_refuse(r, ERR_INVALID_VALUE, "before", "is allowed only without after");
		return false;
	}
	ret->backwards = before.n > 0;
	if (ret->backwards)
		ret->descending = !ret->descending;
	if (after.n + before.n == 0 ||
	    rebyte_agent_id(ret->backwards ? before : after, prefix, &ret->after))
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, ret->backwards ? "before" : "after",
		     "must be an id of this list");
	return false;
}

void rebyte_page_failed(const struct rebyte_page *p, struct err *e)
{
	if (strcmp(e->path, "after") == 0)
		err_set(e, ERR_INVALID_VALUE, p->backwards ? "before" : "after",
			"must be an id of this list");
	else if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "", "there is no such thread");
}

size_t rebyte_page_at(const struct rebyte_page *p, size_t n, size_t count)
{
	return p->backwards ? count - 1 - n : n;
}

bool rebyte_print_id(struct request *r, struct id *ret)
{
	if (rebyte_agent_id(request_param(r, 0), ID_CONVERSATION, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such thread");
	return false;
}

bool rebyte_print_message_id(struct request *r, struct id *ret_thread, struct id *ret)
{
	if (rebyte_agent_id(request_param(r, 0), ID_CONVERSATION, ret_thread) &&
	    rebyte_agent_id(request_param(r, 1), ID_MESSAGE, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such message");
	return false;
}
