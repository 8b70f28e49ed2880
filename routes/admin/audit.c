/* GET /v1/admin/audit: who did what to which object, as JSON or CSV. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/csv.h"
#include "routes/kit/lookup.h"
#include "store/audit.h"

enum { AUDIT_DEFAULT = 50, AUDIT_MAX = 1000, AUDIT_CSV_MAX = 10000 };

struct audit_list {
	struct lookup     lookup;
	struct audit_read read;
};

/* --- JSON --- */

static bool audit_member(struct buf *out, const char *key, struct str text)
{
	return buf_fmt(out, ",\"%s\":", key) &&
	       (text.n > 0 ? buf_json_string(out, text) : buf_text(out, "null"));
}

static bool audit_print_row(struct buf *out, const struct audit_row *row)
{
	char id[ID_MAX];

	return buf_fmt(out, "{\"object\":\"audit.entry\",\"id\":\"%s\",\"at\":%lld,\"at_ms\":%lld",
		       id_text(row->id, ID_AUDIT, id).p, (long long)(row->at_ms / 1000),
		       (long long)row->at_ms) &&
	       audit_member(out, "actor", row->actor) &&
	       audit_member(out, "session", row->session) &&
	       audit_member(out, "address", row->address) &&
	       audit_member(out, "action", row->action) &&
	       audit_member(out, "object_id", row->object) &&
	       audit_member(out, "request_id", row->request) && buf_text(out, "}");
}

static bool audit_print(struct lookup *l, struct buf *out)
{
	const struct audit_read *read = &container_of(l, struct audit_list, lookup)->read;
	char                     first[ID_MAX] = "", last[ID_MAX] = "";

	if (read->row_count > 0) {
		id_text(read->rows[0].id, ID_AUDIT, first);
		id_text(read->rows[read->row_count - 1].id, ID_AUDIT, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < read->row_count; i++)
		if ((i > 0 && !buf_text(out, ",")) || !audit_print_row(out, &read->rows[i]))
			return false;
	return buf_text(out, "]}");
}

/* --- CSV --- */

static bool audit_print_csv(struct lookup *l, struct buf *out)
{
	const struct audit_read *read = &container_of(l, struct audit_list, lookup)->read;
	char                     id[ID_MAX];
	struct csv c = csv_begin(out, "at,actor,session,address,action,object,request_id,id");

	for (size_t i = 0; c.ok && i < read->row_count; i++) {
		const struct audit_row *row = &read->rows[i];

		csv_time(&c, row->at_ms);
		csv_text(&c, row->actor);
		csv_text(&c, row->session);
		csv_text(&c, row->address);
		csv_text(&c, row->action);
		csv_text(&c, row->object);
		csv_text(&c, row->request);
		csv_text(&c, id_text(row->id, ID_AUDIT, id));
		csv_row(&c);
	}
	return c.ok;
}

static enum errc audit_came_csv(struct lookup *l, struct err *e)
{
	const struct audit_read *read = &container_of(l, struct audit_list, lookup)->read;
	char                     id[ID_MAX];

	(void)e;
	csv_headers(l->request, "audit.csv",
		    read->has_more ? id_text(read->rows[read->row_count - 1].id, ID_AUDIT, id)
				   : STR_NONE);
	return ERR_OK;
}

static size_t audit_bytes(const struct lookup *l)
{
	return container_of(l, struct audit_list, lookup)->read.arena.used;
}

static const struct lookup_kind audit_json = {
	LOOKUP(struct audit_list, read),
	LOOKUP_ARENA(struct audit_list, read.arena, MIB),
	.bytes = audit_bytes,
	.print = audit_print,
};
static const struct lookup_kind audit_csv = {
	LOOKUP(struct audit_list, read),
	LOOKUP_ARENA(struct audit_list, read.arena, 8 * MIB),
	.bytes = audit_bytes,
	.came = audit_came_csv,
	.print = audit_print_csv,
	.type = CSV_TYPE,
};

/* --- the query --- */

static bool audit_read_action(struct request *r, struct audit_read *ret)
{
	enum audit_action action;
	struct str        text;

	if (!request_query(r, "action", 0, &text))
		return true;
	if (audit_action_find(text, &action)) {
		ret->action = str_of(audit_action_name(action));
		return true;
	}
	reply_refuse(r, ERR_INVALID_VALUE, "action", "must be an action, such as key.create");
	return false;
}

static bool audit_read_query(struct request *r, struct audit_read *ret, size_t most)
{
	int64_t since = 0;
	int64_t until = INT64_MAX / 1000 - 1;

	if (!page_limit(r, most < AUDIT_CSV_MAX ? AUDIT_DEFAULT : AUDIT_MAX, most, &ret->limit) ||
	    !page_after(r, ID_AUDIT, "must be the id of an entry of this list", &ret->after) ||
	    !audit_read_action(r, ret) ||
	    !page_text(r, "actor", AUDIT_OBJECT - 1, &ret->arena, &ret->actor) ||
	    !page_text(r, "object", AUDIT_OBJECT - 1, &ret->arena, &ret->object) ||
	    !page_seconds(r, "since", &since) || !page_seconds(r, "until", &until))
		return false;
	ret->from_ms = since * 1000;
	ret->to_ms = until * 1000 + 999;
	return true;
}

void audit_get(struct request *r, void *app)
{
	struct gateway *g = app;
	bool            csv;

	if (!csv_asked(r, &csv))
		return;
	struct audit_list *x = lookup_make(csv ? &audit_csv : &audit_json, r, g);
	if (!x)
		return;
	if (audit_read_query(r, &x->read, csv ? AUDIT_CSV_MAX : AUDIT_MAX))
		lookup_start(&x->lookup, store_audit_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}
