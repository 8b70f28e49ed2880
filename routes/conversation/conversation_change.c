/* Creates, changes and deletes conversations and their items, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "call/idem.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/check.h"
#include "routes/conversation/conversation.h"
#include "routes/kit/lookup.h"
#include "schema/schema.h"
#include "store/conversation.h"

struct change {
	struct lookup             lookup;
	struct conversation_write write;
	struct conversation_items items;
	struct input             *input; /* owned; `write` points into it */
	struct answer_label       key;   /* if write.made has one */
	struct audit_entry        entry; /* a deletion's, in the audit */
	bool (*print)(const struct change *x, struct buf *out);
	bool                 tagged; /* the answer has the revision as ETag */
	struct request_aside aside;  /* the worker that reads a long body */
	enum errc (*read)(struct change *x, struct err *e);
};

static void change_finish(struct lookup *l)
{
	struct change *x = container_of(l, struct change, lookup);

	buf_finish(&x->write.made.answer);
	conversation_items_finish(&x->items);
	input_destroy(x->input);
}

static size_t change_bytes(const struct lookup *l)
{
	const struct change *x = container_of(l, struct change, lookup);
	bool plain = !x->tagged && x->write.made.key.key.n == 0; /* no word of the request */

	return plain ? x->items.bodies.len : 0;
}

/* --- answers --- */

static bool change_print_conversation(const struct change *x, struct buf *out)
{
	return conversation_print(out, &x->write.now, &x->lookup.gateway->keep);
}

static bool change_print_deleted(const struct change *x, struct buf *out)
{
	char id[ID_MAX];

	id_text(x->write.conversation, ID_CONVERSATION, id);
	return buf_fmt(out, "{\"id\":\"%s\",\"object\":\"conversation.deleted\",\"deleted\":true}",
		       id);
}

static bool push_messages(const struct change *x, struct items *list)
{
	for (size_t i = 0; i < x->items.count; i++) {
		struct store_item item = {
			.message = x->items.messages[i],
			.created_ms = x->write.now_ms,
			.status = RUN_COMPLETED,
		};

		if (!items_push(list, &item))
			return false;
	}
	return true;
}

static bool change_print_items(const struct change *x, struct buf *out)
{
	struct items list;

	items_init(&list, out);
	bool ok = buf_text(out, "{\"object\":\"list\",\"data\":[") && push_messages(x, &list) &&
		  buf_fmt(out, "],\"first_id\":\"%s\",\"last_id\":\"%s\",\"has_more\":false}",
			  list.first, list.last);
	items_finish(&list);
	return ok;
}

/* Runs on the writer's thread: prints the answer that is stored for an idempotency key. */
static bool change_print_made(struct store_job *job, struct buf *out)
{
	const struct change *x = container_of(job, struct change, write.job);

	return x->print(x, out);
}

static bool change_print_answer(struct lookup *l, struct buf *out)
{
	struct change      *x = container_of(l, struct change, lookup);
	struct answer_made *made = &x->write.made;
	struct buf          kept = made->answer;

	bool named = made->key.key.n > 0;

	/* An object with an idempotency key is new, so it has the first revision. */
	if (x->tagged)
		etag_send(l->request, made->replayed ? 1 : x->write.now.revision,
			  !named && x->write.now.titled == TITLED_BY_MODEL);
	if (!named)
		return x->print(x, out);
	if (made->replayed)
		reply_header(l->request, "Idempotency-Replayed", STR("true"));
	made->answer = *out;
	*out = kept;
	return true;
}

static const struct lookup_kind change_kind = {
	LOOKUP(struct change, write), LOOKUP_ARENA(struct change, write.arena, MIB),
	.bytes = change_bytes,        .print = change_print_answer,
	.finish = change_finish,      .cpu = true,
};

/* --- requests --- */

static void set_condition(struct conversation_write *w, struct str if_match)
{
	struct etag tag = etag_parse(if_match, false);

	w->conditional = tag.given && !tag.any;
	w->revision_count = tag.count;
	memcpy(w->revisions, tag.revisions, sizeof w->revisions);
}

static struct change *change_make(struct request *r, struct gateway *g,
				  enum conversation_change change,
				  bool (*print)(const struct change *x, struct buf *out))
{
	struct change *x = lookup_make(&change_kind, r, g);

	if (!x)
		return NULL;
	x->print = print;
	x->tagged = print == change_print_conversation;
	x->write.change = change;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	x->write.origin = gateway_is_console(r) ? ORIGIN_CONSOLE : ORIGIN_PROGRAM;
	buf_init(&x->write.made.answer, LIMIT_STORE_ROW);
	set_condition(&x->write, request_view(r)->head.if_match);
	return x;
}

static void change_start(struct change *x)
{
	x->write.messages = x->items.messages;
	x->write.message_count = x->items.count;
	lookup_start(&x->lookup, store_conversation_write(x->lookup.gateway->store, &x->write));
}

static enum errc change_read_run(struct request_aside *a, struct err *e)
{
	struct change *x = container_of(a, struct change, aside);

	return x->read(x, e);
}

static void change_go(struct change *x, const struct err *e)
{
	if (x->lookup.request && e->code == ERR_OK)
		change_start(x);
	else
		lookup_refuse(&x->lookup, e);
}

static void change_read_done(struct request_aside *a)
{
	struct change *x = container_of(a, struct change, aside);

	x->lookup.request = a->request;
	change_go(x, &a->err);
}

/* change_read_body: calls `read` on the loop or on a worker, and then starts the change. */
static void change_read_body(struct change *x, struct request *r,
			     enum errc (*read)(struct change *x, struct err *e))
{
	struct err e = { .code = ERR_OK };

	x->read = read;
	if (x->input->body.len <= LIMIT_LOOP_JSON)
		e.code = read(x, &e);
	else if (request_aside_start(&x->aside, r, x->lookup.gateway->cpu, change_read_run,
				     change_read_done, &e) == ERR_OK)
		return;
	change_go(x, &e);
}

/* change_set_key: reads the Idempotency-Key of requests that create an object. */
static enum errc change_set_key(struct change *x, struct request *r, struct err *e)
{
	if (!request_view(r)->head.idempotency_key.p)
		return ERR_OK;
	if (idem_parse(request_view(r)->head.idempotency_key, &x->key, e) != ERR_OK ||
	    idem_bind(str_of(request_view(r)->method), request_view(r)->path,
		      input_digest(x->input), &x->key, e) != ERR_OK)
		return e->code;
	x->write.made.key = answer_label_name(&x->key);
	x->write.made.print = change_print_made;
	return ERR_OK;
}

static bool change_read_id(struct request *r, struct id *ret)
{
	return lookup_id(r, ID_CONVERSATION, "there is no such conversation", ret);
}

static enum errc set_labels(struct change *x, json_at metadata, struct str title, struct err *e)
{
	struct conversation_write *w = &x->write;

	w->title_set = title.p != NULL;
	w->title = title;
	w->metadata_set = metadata != JSON_ABSENT;
	if (!w->metadata_set)
		return ERR_OK;
	w->metadata = json_raw(&x->input->doc, metadata);
	return check_metadata(&x->input->doc, metadata, e);
}

static enum errc change_set_keep(struct change *x, json_at at, struct err *e)
{
	struct expires_after b = expires_after_init;
	struct input        *in = x->input;
	enum errc            rc = ERR_OK;

	if (at != JSON_ABSENT)
		rc = fields_read(&expires_after_fields, &in->doc, at, "expires_after", &in->arena,
				 &b, e);
	x->write.keep_set = at != JSON_ABSENT;
	x->write.keep_ms = b.seconds * 1000;
	return rc;
}

static enum errc set_ceiling(struct change *x, json_at budget, struct err *e)
{
	struct conversation_budget body = conversation_budget_init;
	struct input              *in = x->input;

	x->write.ceiling_set = budget != JSON_ABSENT;
	if (!x->write.ceiling_set)
		return ERR_OK;
	enum errc rc = fields_read(&conversation_budget_fields, &in->doc, budget, "budget",
				   &in->arena, &body, e);
	if (rc == ERR_OK && body.money != JSON_ABSENT)
		rc = check_money(&in->doc, body.money, "budget.money", &x->write.ceiling_nano, e);
	return rc;
}

static enum errc read_create(struct change *x, struct err *e)
{
	struct conversation_create body = conversation_create_init;
	struct input              *in = x->input;
	enum errc                  rc =
		fields_read(&conversation_create_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (rc == ERR_OK)
		rc = set_labels(x, body.metadata, body.title, e);
	if (rc == ERR_OK)
		rc = change_set_keep(x, body.expires_after, e);
	if (rc == ERR_OK)
		rc = set_ceiling(x, body.budget, e);
	if (rc == ERR_OK && body.items != JSON_ABSENT)
		rc = conversation_items_read(in, body.items, &x->items, e);
	return rc;
}

static enum errc read_update(struct change *x, struct err *e)
{
	struct conversation_update body = conversation_update_init;
	struct input              *in = x->input;
	enum errc                  rc =
		fields_read(&conversation_update_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (rc != ERR_OK)
		return rc;
	x->write.pinned_set = json_get_some(&in->doc, 0, "pinned") != JSON_ABSENT;
	x->write.pinned = body.pinned;
	rc = change_set_keep(x, body.expires_after, e);
	if (rc == ERR_OK)
		rc = set_ceiling(x, body.budget, e);
	return rc == ERR_OK ? set_labels(x, body.metadata, body.title, e) : rc;
}

static enum errc read_append(struct change *x, struct err *e)
{
	struct conversation_append body = conversation_append_init;
	struct input              *in = x->input;
	enum errc                  rc =
		fields_read(&conversation_append_fields, &in->doc, 0, "", &in->arena, &body, e);

	return rc == ERR_OK ? conversation_items_read(in, body.items, &x->items, e) : rc;
}

void conversation_change_create(struct request *r, void *app)
{
	struct err     e;
	struct change *x = change_make(r, app, CONVERSATION_CREATE, change_print_conversation);

	if (!x)
		return;
	x->input = request_input_take(r);
	x->write.conversation = id_new();
	if (change_set_key(x, r, &e) == ERR_OK)
		change_read_body(x, r, read_create);
	else
		lookup_refuse(&x->lookup, &e);
}

static enum errc read_fork(struct change *x, struct err *e)
{
	struct conversation_fork body = conversation_fork_init;
	struct input            *in = x->input;
	enum errc                rc =
		fields_read(&conversation_fork_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (rc == ERR_OK)
		rc = set_labels(x, body.metadata, body.title, e);
	if (rc == ERR_OK && body.at.p && !items_cursor(body.at, &x->write.message))
		rc = err_set(e, ERR_NOT_FOUND, "at", "this conversation has no such message");
	x->write.source = x->write.conversation;
	x->write.conversation = id_new();
	return rc;
}

/* change_with_body: starts a change or a copy of an existing object, with a body. */
static void change_with_body(struct request *r, void *app, enum conversation_change change,
			     bool (*print)(const struct change *x, struct buf *out),
			     enum errc (*read)(struct change *x, struct err *e))
{
	struct id  id;
	struct err e;

	if (!change_read_id(r, &id))
		return;
	struct change *x = change_make(r, app, change, print);
	if (!x)
		return;
	x->input = request_input_take(r);
	x->write.conversation = id;
	if (change == CONVERSATION_UPDATE || change_set_key(x, r, &e) == ERR_OK)
		change_read_body(x, r, read);
	else
		lookup_refuse(&x->lookup, &e);
}

void conversation_change_update(struct request *r, void *app)
{
	change_with_body(r, app, CONVERSATION_UPDATE, change_print_conversation, read_update);
}

void conversation_change_append(struct request *r, void *app)
{
	change_with_body(r, app, CONVERSATION_APPEND, change_print_items, read_append);
}

void conversation_change_fork(struct request *r, void *app)
{
	change_with_body(r, app, CONVERSATION_FORK, change_print_conversation, read_fork);
}

void conversation_change_delete(struct request *r, void *app)
{
	struct id id;

	if (!change_read_id(r, &id))
		return;
	struct change *x = change_make(r, app, CONVERSATION_DELETE, change_print_deleted);
	if (!x)
		return;
	x->write.conversation = id;
	lookup_audit(&x->lookup, AUDIT_CONVERSATION_DELETE, request_param(r, 0), &x->entry);
	change_start(x);
}

void conversation_change_remove(struct request *r, void *app)
{
	struct id id;
	struct id message;

	if (!change_read_id(r, &id))
		return;
	if (!items_cursor(request_param(r, 1), &message)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such item");
		return;
	}
	struct change *x =
		change_make(r, app, CONVERSATION_REMOVE_MESSAGE, change_print_conversation);
	if (!x)
		return;
	x->write.conversation = id;
	x->write.message = message;
	lookup_audit(&x->lookup, AUDIT_ITEM_DELETE, request_param(r, 1), &x->entry);
	change_start(x);
}
