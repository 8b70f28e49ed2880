/* Reads runs of agents, which are runs of all routes. */
#include "routes/kit/handlers.h"

#include "base/identity.h"
#include "base/limits.h"
#include "http/reply.h"
#include "json/scan.h"
#include "routes/call/call.h"
#include "routes/kit/lookup.h"
#include "routes/rebyte/internal.h"
#include "shape/encoders.h"
#include "shape/transcript.h"
#include "store/run.h"

/* --- one run --- */

struct agent_run {
	struct lookup   lookup;
	struct run_read read;
};

static bool agent_run_print(struct lookup *l, struct buf *out)
{
	struct run_object o =
		run_print_object(&container_of(l, struct agent_run, lookup)->read, REASONING_NONE);

	return rebyte_run(&o, out);
}

static size_t agent_run_bytes(const struct lookup *l)
{
	return container_of(l, const struct agent_run, lookup)->read.answer.n;
}

static void agent_run_failed(const struct lookup *l, struct err *e)
{
	(void)l;
	if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "", "there is no such run");
}

static const struct lookup_kind agent_run_kind = {
	LOOKUP(struct agent_run, read), LOOKUP_ARENA(struct agent_run, read.arena, RUN_PRINT_ARENA),
	.failed = agent_run_failed,     .bytes = agent_run_bytes,
	.print = agent_run_print,
};

/* agent_run_shape: who may only chat sees the answers of agents, and not what other routes have
 * stored. */
static struct str agent_run_shape(const struct request *r)
{
	return request_view(r)->by.scopes & SCOPE_READ ? STR("") : STR(SHAPE_REBYTE);
}

void rebyte_runs_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!rebyte_agent_id(request_param(r, 0), ID_RUN, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such run");
		return;
	}
	struct agent_run *x = lookup_make(&agent_run_kind, r, g);
	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.run = id;
	x->read.shape = agent_run_shape(r);
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
}

/* --- the runs of a thread --- */

struct agent_runs {
	struct lookup      lookup;
	struct runs_read   read;
	struct rebyte_page page;
};

static bool agent_runs_print(struct lookup *l, struct buf *out)
{
	const struct agent_runs *x = container_of(l, struct agent_runs, lookup);
	size_t                   count = x->read.run_count;
	bool                     ok = buf_text(out, "{\"list\":[");

	for (size_t i = 0; ok && i < count; i++) {
		size_t            at = rebyte_page_at(&x->page, i, count);
		struct run_object o = run_print_object(&x->read.runs[at], REASONING_NONE);

		ok = (i == 0 || buf_text(out, ",")) && rebyte_run_row(&o, out);
	}
	return ok && buf_text(out, "]}");
}

static void agent_runs_failed(const struct lookup *l, struct err *e)
{
	rebyte_page_failed(&container_of(l, const struct agent_runs, lookup)->page, e);
}

static const struct lookup_kind agent_runs_kind = {
	LOOKUP(struct agent_runs, read),
	LOOKUP_ARENA(struct agent_runs, read.arena, 4 * MIB),
	.failed = agent_runs_failed,
	.print = agent_runs_print,
};

void rebyte_runs_list(struct request *r, void *app)
{
	struct gateway    *g = app;
	struct agent_runs *x = lookup_make(&agent_runs_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.status = -1;
	x->read.of_known = true;
	if (!rebyte_print_id(r, &x->read.conversation) || !rebyte_page_read(r, ID_RUN, &x->page)) {
		lookup_refuse(&x->lookup, NULL);
		return;
	}
	x->read.after = x->page.after;
	x->read.ascending = !x->page.descending;
	x->read.limit = x->page.limit;
	lookup_start(&x->lookup, store_runs_read(g->store, &x->read));
}

/* --- ping --- */

void rebyte_runs_ping(struct request *r, void *app)
{
	const char *id = request_view(r)->by.who->id;
	struct buf  body;

	(void)app;
	buf_init(&body, KIB);
	/* A project is taken as it is; the one of a key is the key's name. */
	if (!buf_text(&body, "{\"pId\":") ||
	    !buf_json_string(&body, id[0] ? str_of(id) : STR("default")) || !buf_text(&body, "}"))
		buf_clear(&body);
	reply_json_take(r, 200, &body);
}

/* --- rebyte_print: Prints threads and messages; reads the parameters of lists. */

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
