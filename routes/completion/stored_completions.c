/* Reads and lists stored chat completions, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/chat/chat.h"
#include "routes/kit/check.h"
#include "routes/kit/lookup.h"
#include "schema/schema.h"
#include "store/completion.h"
#include "store/job.h"

enum {
	LIST_DEFAULT = 20,
	LIST_MAX = 100,
};

static size_t size_of(const struct store_completion *c)
{
	return c->settings.n + c->answer.n + c->metadata.n;
}

/* --- one --- */

struct get {
	struct lookup          lookup;
	struct completion_read read;
	enum reasoning_name    reasoning;
};

static bool stored_completions_print_found(struct lookup *l, struct buf *out)
{
	const struct get *x = container_of(l, struct get, lookup);

	return completion_print(out, &x->read.found, x->reasoning);
}

static size_t get_bytes(const struct lookup *l)
{
	return size_of(&container_of(l, struct get, lookup)->read.found);
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, read),
	/* The size of a request's settings and an answer. */
	LOOKUP_ARENA(struct get, read.arena, 2 * LIMIT_STORE_ROW + MIB),
	.bytes = get_bytes,
	.print = stored_completions_print_found,
};

void stored_completions_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!lookup_id(r, ID_COMPLETION, "there is no such stored completion", &id))
		return;
	struct get *x = lookup_make(&get_kind, r, g);
	if (!x)
		return;
	x->reasoning = g->now->run.reasoning;
	x->read.owner = request_owner(r);
	x->read.run = id;
	lookup_start(&x->lookup, store_completion_read(g->store, &x->read));
}

/* --- a list of them --- */

struct list {
	struct lookup           lookup;
	struct completions_read read;
	enum reasoning_name     reasoning;
};

static bool stored_completions_print_list(struct lookup *l, struct buf *out)
{
	const struct list             *x = container_of(l, struct list, lookup);
	const struct completions_read *read = &x->read;
	char                           first[ID_MAX] = "", last[ID_MAX] = "";
	size_t                         n = read->completion_count;

	if (n > 0) {
		id_text(read->completions[0].run, ID_COMPLETION, first);
		id_text(read->completions[n - 1].run, ID_COMPLETION, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !completion_print(out, &read->completions[i], x->reasoning))
			return false;
	return buf_text(out, "]}");
}

static size_t stored_completions_list_bytes(const struct lookup *l)
{
	const struct completions_read *read = &container_of(l, struct list, lookup)->read;
	size_t                         bytes = 0;

	for (size_t i = 0; i < read->completion_count; i++)
		bytes += size_of(&read->completions[i]);
	return bytes;
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	/* A page has room for the largest completion. */
	LOOKUP_ARENA(struct list, read.arena, 2 * LIMIT_STORE_ROW + MIB),
	.bytes = stored_completions_list_bytes,
	.print = stored_completions_print_list,
};

/* stored_completions_read_query: false: refused. */
static bool stored_completions_read_query(struct request *r, struct list *x)
{
	struct completions_read *read = &x->read;
	struct str               text;

	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &read->limit) ||
	    !page_order(r, &read->descending))
		return false;
	if (!page_after(r, ID_COMPLETION, "must be the id of a completion of this list",
			&read->after))
		return false;
	if (request_query(r, "model", 0, &text)) {
		read->model = arena_str(&read->arena, text);
		if (!read->model.p || !utf8_valid(text.p, text.n)) {
			reply_refuse(r, ERR_INVALID_VALUE, "model", "must be the name of a model");
			return false;
		}
	}
	return label_filter_read(r, &read->arena, &read->labels);
}

void stored_completions_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->reasoning = g->now->run.reasoning;
	x->read.owner = request_owner(r);
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	if (stored_completions_read_query(r, x))
		lookup_start(&x->lookup, store_completions_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- stored_completion_messages: Lists the messages of a stored completion's request. */

enum {
	MESSAGES_DEFAULT = 20,
	MESSAGES_MAX = 100,
};

struct message_list {
	struct lookup                   lookup;
	struct completion_messages_read read;
};

static bool completion_messages_print_list(struct lookup *l, struct buf *out)
{
	const struct completion_messages_read *read =
		&container_of(l, struct message_list, lookup)->read;
	char   first[COMPLETION_PRINT_ID] = "", last[COMPLETION_PRINT_ID] = "";
	size_t n = read->message_count;

	if (n > 0) {
		completion_print_id(read->run, read->messages[0].place, first);
		completion_print_id(read->run, read->messages[n - 1].place, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !completion_print_message(out, read->run, &read->messages[i]))
			return false;
	return buf_text(out, "]}");
}

static size_t completion_messages_list_bytes(const struct lookup *l)
{
	const struct completion_messages_read *read =
		&container_of(l, struct message_list, lookup)->read;
	size_t bytes = 0;

	for (size_t i = 0; i < read->message_count; i++)
		bytes += read->messages[i].body.n;
	return bytes;
}

static const struct lookup_kind message_list_kind = {
	LOOKUP(struct message_list, read),
	/* A page has room for the largest message. */
	LOOKUP_ARENA(struct message_list, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = completion_messages_list_bytes,
	.print = completion_messages_print_list,
};

/* completion_messages_read_request: reads id, limit, order and after; false: refused. */
static bool completion_messages_read_request(struct request                  *r,
					     struct completion_messages_read *ret)
{
	struct str text;

	if (!lookup_id(r, ID_COMPLETION, "there is no such stored completion", &ret->run))
		return false;
	if (!page_limit(r, MESSAGES_DEFAULT, MESSAGES_MAX, &ret->limit) ||
	    !page_order(r, &ret->descending))
		return false;
	if (request_query(r, "after", 0, &text) &&
	    !completion_print_place(text, ret->run, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after",
			     "must be the id of a message of this list");
		return false;
	}
	return true;
}

void stored_completion_messages_list(struct request *r, void *app)
{
	struct gateway      *g = app;
	struct message_list *x = lookup_make(&message_list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.after = -1;
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	if (completion_messages_read_request(r, &x->read))
		lookup_start(&x->lookup, store_completion_messages_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- stored_completion_change: Changes the metadata of a stored completion, or deletes it, as in OpenAI's API. */

struct change {
	struct lookup           lookup;
	struct completion_write write;
	struct audit_entry      entry; /* a deletion's, in the audit */
	enum reasoning_name     reasoning;
	struct input           *input; /* owned; `write` points into it */
};

static bool print_completion(struct lookup *l, struct buf *out)
{
	const struct change *x = container_of(l, struct change, lookup);

	return completion_print(out, &x->write.now, x->reasoning);
}

static bool completion_change_print_deleted(struct lookup *l, struct buf *out)
{
	char id[ID_MAX];

	id_text(container_of(l, struct change, lookup)->write.run, ID_COMPLETION, id);
	return buf_fmt(out, "{\"object\":\"chat.completion.deleted\",\"id\":\"%s\",", id) &&
	       buf_text(out, "\"deleted\":true}");
}

static void completion_change_finish(struct lookup *l)
{
	input_destroy(container_of(l, struct change, lookup)->input);
}

static size_t completion_change_bytes(const struct lookup *l)
{
	const struct store_completion *now = &container_of(l, struct change, lookup)->write.now;

	return now->settings.n + now->answer.n + now->metadata.n;
}

static const struct lookup_kind update_kind = {
	LOOKUP(struct change, write),
	LOOKUP_ARENA(struct change, write.arena, 3 * LIMIT_STORE_ROW),
	.bytes = completion_change_bytes,
	.print = print_completion,
	.finish = completion_change_finish,
};

static const struct lookup_kind delete_kind = {
	LOOKUP(struct change, write),
	LOOKUP_ARENA(struct change, write.arena, 3 * LIMIT_STORE_ROW),
	.print = completion_change_print_deleted,
	.finish = completion_change_finish,
};

/* completion_change_make: NULL: the request was refused. */
static struct change *completion_change_make(struct request *r, struct gateway *g,
					     const struct lookup_kind *kind)
{
	struct id id;

	if (!lookup_id(r, ID_COMPLETION, "there is no such stored completion", &id))
		return NULL;
	struct change *x = lookup_make(kind, r, g);
	if (!x)
		return NULL;
	x->reasoning = g->now->run.reasoning;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	x->write.run = id;
	return x;
}

static void completion_change_start(struct change *x)
{
	lookup_start(&x->lookup, store_completion_write(x->lookup.gateway->store, &x->write));
}

static enum errc completion_change_read_body(struct change *x, struct err *e)
{
	struct completion_update body = completion_update_init;
	struct input            *in = x->input;
	enum errc                rc;

	rc = fields_read(&completion_update_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (rc != ERR_OK || body.metadata == JSON_ABSENT)
		return rc;
	x->write.metadata = json_raw(&in->doc, body.metadata);
	return check_metadata(&in->doc, body.metadata, e);
}

void stored_completion_change_update(struct request *r, void *app)
{
	struct err     e;
	struct change *x = completion_change_make(r, app, &update_kind);

	if (!x)
		return;
	x->input = request_input_take(r);
	if (completion_change_read_body(x, &e) == ERR_OK)
		completion_change_start(x);
	else
		lookup_refuse(&x->lookup, &e);
}

void stored_completion_change_delete(struct request *r, void *app)
{
	struct change *x = completion_change_make(r, app, &delete_kind);

	if (!x)
		return;
	x->write.delete = true;
	lookup_audit(&x->lookup, AUDIT_COMPLETION_DELETE, request_param(r, 0), &x->entry);
	completion_change_start(x);
}
