/* Changes the member context.metadata of a message. */
#include "base/limits.h"
#include "json/scan.h"
#include "store/postgres/conversation_change.h"

static const char sql_body[] = "SELECT body FROM message WHERE id = $1 AND secret = $2 "
			       "AND conversation = $3 AND run >= 0 FOR UPDATE";
static const char sql_change[] = "UPDATE message SET body = $2 WHERE id = $1";

static json_at label_member(const struct json_doc *d, json_at object, const char *name)
{
	if (json_kind(d, object) != JSON_OBJECT)
		return JSON_ABSENT;
	for (json_at i = json_first(d, object); i != json_end(d, object);
	     i = json_next_member(d, i))
		if (str_is(json_inner(d, i), name))
			return i;
	return JSON_ABSENT;
}

/* conversation_label_put_others: the members of an object but one, each with a comma before it if one comes before. */
static bool conversation_label_put_others(const struct json_doc *d, json_at object, json_at but,
					  struct buf *out, bool *any)
{
	bool ok = true;

	if (json_kind(d, object) != JSON_OBJECT)
		return true;
	for (json_at i = json_first(d, object); ok && i != json_end(d, object);
	     i = json_next_member(d, i)) {
		if (i == but)
			continue;
		ok = (!*any || buf_text(out, ",")) && buf_str(out, json_member(d, i));
		*any = true;
	}
	return ok;
}

/* print_context: "context":{…}, the others of its members and the metadata. */
static bool print_context(const struct json_doc *d, json_at context, struct str metadata,
			  struct buf *out)
{
	json_at value = context == JSON_ABSENT ? JSON_ABSENT : json_value(context);
	bool    any = false;
	bool    ok = buf_text(out, "\"context\":{");

	if (ok && value != JSON_ABSENT && json_kind(d, value) == JSON_OBJECT)
		ok = conversation_label_put_others(d, value, label_member(d, value, "metadata"),
						   out, &any);
	if (ok && metadata.n > 0)
		ok = (!any || buf_text(out, ",")) && buf_text(out, "\"metadata\":") &&
		     buf_str(out, metadata);
	return ok && buf_text(out, "}");
}

/* print_labelled: the body with other metadata; empty: without. */
static bool print_labelled(struct str body, struct str metadata, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            any = false;
	bool            ok = json_scan(&d, body.p, body.n, &json_limits_stored, &e) == ERR_OK;

	if (ok && json_kind(&d, 0) != JSON_OBJECT) {
		ok = buf_str(out, body);
	} else if (ok) {
		json_at context = label_member(&d, 0, "context");

		ok = buf_text(out, "{") && conversation_label_put_others(&d, 0, context, out, &any);
		if (ok && (context != JSON_ABSENT || metadata.n > 0))
			ok = (!any || buf_text(out, ",")) &&
			     print_context(&d, context, metadata, out);
		ok = ok && buf_text(out, "}");
	}
	json_doc_finish(&d);
	return ok;
}

static enum work_next label_change(struct work *w, struct conversation_write *j)
{
	struct buf    body;
	struct param *a;

	if (work_rows(w, 0) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "this conversation has no such item");
		return WORK_DONE;
	}
	if (!j->metadata_set)
		return WORK_DONE;
	buf_init(&body, LIMIT_STORE_ROW);
	if (!print_labelled(cell_str(work_row(w, 0, 0), 0), j->metadata, &body)) {
		cell_no_memory(&j->job.err);
		buf_finish(&body);
		return WORK_DONE;
	}
	a = work_param(w);
	param_int(a, j->message.key);
	param_text(a, buf_view(&body));
	work_ask(w, sql_change);
	buf_finish(&body);
	conversation_touch(w, j);
	return WORK_LAST;
}

enum work_next conversation_label(struct work *w, struct conversation_write *j, unsigned stage)
{
	struct param *a;

	switch (stage) {
	case 1:
		a = work_param(w);
		param_int(a, j->message.key);
		param_secret(a, j->message.secret);
		param_int(a, j->conversation.key);
		work_ask(w, sql_body);
		return WORK_AGAIN;
	case 2: return label_change(w, j);
	default: return WORK_DONE;
	}
}
