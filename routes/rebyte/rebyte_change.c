/* Changes threads outside of their runs. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/check.h"
#include "call/idem.h"
#include "routes/kit/lookup.h"
#include "routes/rebyte/internal.h"
#include "schema/schema.h"
#include "store/conversation.h"

struct thread_change {
	struct lookup             lookup;
	struct conversation_write write;
	struct store_message      messages[LIMIT_ITEMS];
	struct input             *input; /* owned; `write` points into it */
	struct answer_label       key;   /* if write.made has one */
	struct request_aside      aside; /* the worker that reads a long body */
	enum errc (*read)(struct thread_change *x, struct err *e);
};

static void thread_change_finish(struct lookup *l)
{
	struct thread_change *x = container_of(l, struct thread_change, lookup);

	buf_finish(&x->write.made.answer);
	input_destroy(x->input);
}

/* --- answers --- */

static bool thread_change_show(const struct thread_change *x, struct buf *out)
{
	if (x->write.change != CONVERSATION_APPEND)
		return rebyte_print_thread(out, &x->write.now);
	return rebyte_print_message(out, x->write.conversation,
				    &(struct store_item){ .message = x->messages[0],
							  .created_ms = x->write.now_ms,
							  .status = RUN_COMPLETED });
}

/* Runs on the writer's thread: prints the answer that is stored for an idempotency key. */
static bool thread_change_made(struct store_job *job, struct buf *out)
{
	return thread_change_show(container_of(job, struct thread_change, write.job), out);
}

static bool thread_change_print(struct lookup *l, struct buf *out)
{
	struct thread_change *x = container_of(l, struct thread_change, lookup);
	struct answer_made   *made = &x->write.made;
	struct buf            kept = made->answer;

	if (made->key.key.n == 0)
		return thread_change_show(x, out);
	if (made->replayed)
		reply_header(l->request, "Idempotency-Replayed", STR("true"));
	made->answer = *out;
	*out = kept;
	return true;
}

/* thread_change_bytes: a kept answer is printed already, and its header needs the request. */
static size_t thread_change_bytes(const struct lookup *l)
{
	const struct thread_change *x = container_of(l, const struct thread_change, lookup);

	return x->write.made.key.key.n == 0 && x->write.change == CONVERSATION_APPEND
		       ? x->messages[0].body.n
		       : 0;
}

static void thread_change_failed(const struct lookup *l, struct err *e)
{
	(void)l;
	if (e->code == ERR_NOT_FOUND && e->path[0] == '\0')
		err_set(e, ERR_NOT_FOUND, "", "there is no such thread");
}

static const struct lookup_kind thread_change_kind = {
	LOOKUP(struct thread_change, write),
	LOOKUP_ARENA(struct thread_change, write.arena, MIB),
	.bytes = thread_change_bytes,
	.failed = thread_change_failed,
	.print = thread_change_print,
	.finish = thread_change_finish,
	.cpu = true,
};

/* --- bodies --- */

static enum errc change_metadata(struct conversation_write *w, const struct input *in,
				 json_at metadata, struct err *e)
{
	if (metadata == JSON_ABSENT)
		return ERR_OK;
	w->metadata_set = true;
	w->metadata = json_raw(&in->doc, metadata);
	return check_metadata(&in->doc, metadata, e);
}

static void thread_messages_set(struct thread_change *x, const struct str *bodies, size_t count)
{
	CHECK(count <= LIMIT_ITEMS);
	for (size_t i = 0; i < count; i++)
		x->messages[i] = (struct store_message){ id_new(), bodies[i] };
	x->write.messages = x->messages;
	x->write.message_count = count;
}

static enum errc thread_read_create(struct thread_change *x, struct err *e)
{
	struct rebyte_thread body = rebyte_thread_init;
	struct input        *in = x->input;
	struct str          *bodies = NULL;
	size_t               count = 0;
	enum errc rc = fields_read(&rebyte_thread_fields, &in->doc, 0, "", &in->arena, &body, e);

	if (rc == ERR_OK)
		rc = change_metadata(&x->write, in, body.metadata, e);
	if (rc == ERR_OK && body.messages != JSON_ABSENT)
		rc = rebyte_input_read(in, body.messages, "messages", &bodies, &count, e);
	if (rc == ERR_OK)
		thread_messages_set(x, bodies, count);
	return rc;
}

static enum errc thread_read_update(struct thread_change *x, struct err *e)
{
	struct rebyte_update body = rebyte_update_init;
	struct input        *in = x->input;
	enum errc rc = fields_read(&rebyte_update_fields, &in->doc, 0, "", &in->arena, &body, e);

	return rc == ERR_OK ? change_metadata(&x->write, in, body.metadata, e) : rc;
}

static enum errc thread_read_append(struct thread_change *x, struct err *e)
{
	struct str body;
	enum errc  rc = rebyte_input_read_one(x->input, 0, "", &body, e);

	if (rc == ERR_OK)
		thread_messages_set(x, &body, 1);
	return rc;
}

/* --- requests --- */

static void thread_change_go(struct thread_change *x, const struct err *e)
{
	if (x->lookup.request && e->code == ERR_OK)
		lookup_start(&x->lookup,
			     store_conversation_write(x->lookup.gateway->store, &x->write));
	else
		lookup_refuse(&x->lookup, e);
}

static enum errc thread_change_aside(struct request_aside *a, struct err *e)
{
	struct thread_change *x = container_of(a, struct thread_change, aside);

	return x->read(x, e);
}

static void thread_change_read(struct request_aside *a)
{
	struct thread_change *x = container_of(a, struct thread_change, aside);

	x->lookup.request = a->request;
	thread_change_go(x, &a->err);
}

/* thread_change_set_key: of what creates an object. */
static enum errc thread_change_set_key(struct thread_change *x, struct request *r, struct err *e)
{
	if (x->write.change == CONVERSATION_UPDATE || !request_view(r)->head.idempotency_key.p)
		return ERR_OK;
	if (idem_parse(request_view(r)->head.idempotency_key, &x->key, e) != ERR_OK ||
	    idem_bind(str_of(request_view(r)->method), request_view(r)->path,
		      input_digest(x->input), &x->key, e) != ERR_OK)
		return e->code;
	x->write.made.key = answer_label_name(&x->key);
	x->write.made.print = thread_change_made;
	return ERR_OK;
}

static void thread_change_start(struct request *r, struct gateway *g, struct id id,
				enum conversation_change change,
				enum errc (*read)(struct thread_change *x, struct err *e))
{
	struct thread_change *x = lookup_make(&thread_change_kind, r, g);
	struct err            e = { .code = ERR_OK };

	if (!x)
		return;
	x->input = request_input_take(r);
	x->read = read;
	x->write.change = change;
	x->write.conversation = id;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	buf_init(&x->write.made.answer, LIMIT_STORE_ROW);
	if (thread_change_set_key(x, r, &e) != ERR_OK)
		thread_change_go(x, &e);
	else if (x->input->body.len > LIMIT_LOOP_JSON &&
		 request_aside_start(&x->aside, r, g->cpu, thread_change_aside, thread_change_read,
				     &e) == ERR_OK)
		return;
	else if (e.code != ERR_OK)
		thread_change_go(x, &e);
	else {
		e.code = read(x, &e);
		thread_change_go(x, &e);
	}
}

void rebyte_change_create(struct request *r, void *app)
{
	thread_change_start(r, app, id_new(), CONVERSATION_CREATE, thread_read_create);
}

void rebyte_change_update(struct request *r, void *app)
{
	struct id id;

	if (rebyte_print_id(r, &id))
		thread_change_start(r, app, id, CONVERSATION_UPDATE, thread_read_update);
}

void rebyte_change_append(struct request *r, void *app)
{
	struct id id;

	if (rebyte_print_id(r, &id))
		thread_change_start(r, app, id, CONVERSATION_APPEND, thread_read_append);
}

/* --- one message --- */

struct message_change {
	struct lookup             lookup;
	struct conversation_write write;
	struct input             *input; /* owned; `write` points into it */
};

/* message_change_came: the answer is the message, as a GET of it reads it. */
static enum errc message_change_came(struct lookup *l, struct err *e)
{
	(void)e;
	rebyte_threads_message(TAKE(l->request), l->gateway);
	return ERR_OK;
}

static void message_change_failed(const struct lookup *l, struct err *e)
{
	(void)l;
	if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "", "there is no such message");
}

static void message_change_finish(struct lookup *l)
{
	input_destroy(container_of(l, struct message_change, lookup)->input);
}

static const struct lookup_kind message_change_kind = {
	LOOKUP(struct message_change, write), LOOKUP_ARENA(struct message_change, write.arena, MIB),
	.came = message_change_came,          .failed = message_change_failed,
	.finish = message_change_finish,
};

static enum errc message_change_read(struct message_change *x, struct err *e)
{
	struct rebyte_update body = rebyte_update_init;
	struct input        *in = x->input;
	enum errc rc = fields_read(&rebyte_update_fields, &in->doc, 0, "", &in->arena, &body, e);

	return rc == ERR_OK ? change_metadata(&x->write, in, body.metadata, e) : rc;
}

void rebyte_change_message(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       thread;
	struct id       message;
	struct err      e = { .code = ERR_OK };

	if (!rebyte_print_message_id(r, &thread, &message))
		return;
	struct message_change *x = lookup_make(&message_change_kind, r, g);
	if (!x)
		return;
	x->input = request_input_take(r);
	x->write.change = CONVERSATION_LABEL_MESSAGE;
	x->write.conversation = thread;
	x->write.message = message;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	if (message_change_read(x, &e) == ERR_OK)
		lookup_start(&x->lookup, store_conversation_write(g->store, &x->write));
	else
		lookup_refuse(&x->lookup, &e);
}
