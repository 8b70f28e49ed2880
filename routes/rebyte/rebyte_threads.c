/* A thread is a conversation, and its messages are those of the newest branch. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "routes/kit/lookup.h"
#include "routes/rebyte/internal.h"
#include "store/conversation.h"

/* --- one thread --- */

struct thread_get {
	struct lookup            lookup;
	struct conversation_read read;
};

static bool thread_print(struct lookup *l, struct buf *out)
{
	return rebyte_print_thread(out, &container_of(l, struct thread_get, lookup)->read.found);
}

static void thread_failed(const struct lookup *l, struct err *e)
{
	(void)l;
	rebyte_page_failed(&(struct rebyte_page){ 0 }, e);
}

static const struct lookup_kind thread_kind = {
	LOOKUP(struct thread_get, read),
	LOOKUP_ARENA(struct thread_get, read.arena, MIB),
	.failed = thread_failed,
	.print = thread_print,
};

void rebyte_threads_get(struct request *r, void *app)
{
	struct gateway    *g = app;
	struct id          id;
	struct thread_get *x = rebyte_print_id(r, &id) ? lookup_make(&thread_kind, r, g) : NULL;

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.conversation = id;
	lookup_start(&x->lookup, store_conversation_read(g->store, &x->read));
}

/* --- all threads --- */

struct thread_list {
	struct lookup             lookup;
	struct conversations_read read;
	struct rebyte_page        page;
};

static bool thread_list_print(struct lookup *l, struct buf *out)
{
	const struct thread_list *x = container_of(l, struct thread_list, lookup);
	size_t                    count = x->read.line_count;
	bool                      ok = buf_text(out, "{\"list\":[");

	for (size_t i = 0; ok && i < count; i++)
		ok = (i == 0 || buf_text(out, ",")) &&
		     rebyte_print_thread(
			     out, &x->read.lines[rebyte_page_at(&x->page, i, count)].conversation);
	return ok && buf_text(out, "]}");
}

static void thread_list_failed(const struct lookup *l, struct err *e)
{
	rebyte_page_failed(&container_of(l, const struct thread_list, lookup)->page, e);
}

static const struct lookup_kind thread_list_kind = {
	LOOKUP(struct thread_list, read),
	LOOKUP_ARENA(struct thread_list, read.arena, 8 * MIB),
	.failed = thread_list_failed,
	.print = thread_list_print,
};

void rebyte_threads_list(struct request *r, void *app)
{
	struct gateway     *g = app;
	struct thread_list *x = lookup_make(&thread_list_kind, r, g);

	if (!x)
		return;
	if (!rebyte_page_read(r, ID_CONVERSATION, &x->page)) {
		lookup_refuse(&x->lookup, NULL);
		return;
	}
	x->read.owner = request_owner(r);
	x->read.after = x->page.after;
	x->read.descending = x->page.descending;
	x->read.limit = x->page.limit;
	lookup_start(&x->lookup, store_conversations_read(g->store, &x->read));
}

/* --- the messages of a thread --- */

struct thread_messages {
	struct lookup      lookup;
	struct items_read  read;
	struct rebyte_page page;
};

static bool thread_messages_print(struct lookup *l, struct buf *out)
{
	const struct thread_messages *x = container_of(l, struct thread_messages, lookup);
	size_t                        count = x->read.item_count;
	bool                          ok = buf_text(out, "{\"list\":[");

	for (size_t i = 0; ok && i < count; i++)
		ok = (i == 0 || buf_text(out, ",")) &&
		     rebyte_print_message(out, x->read.conversation,
					  &x->read.items[rebyte_page_at(&x->page, i, count)]);
	return ok && buf_text(out, "]}");
}

static size_t thread_messages_bytes(const struct lookup *l)
{
	const struct items_read *read =
		&container_of(l, const struct thread_messages, lookup)->read;
	size_t bytes = 0;

	for (size_t i = 0; i < read->item_count; i++)
		bytes += read->items[i].message.body.n;
	return bytes;
}

static void thread_messages_failed(const struct lookup *l, struct err *e)
{
	rebyte_page_failed(&container_of(l, const struct thread_messages, lookup)->page, e);
}

static const struct lookup_kind thread_messages_kind = {
	LOOKUP(struct thread_messages, read),
	/* A page has room for the largest message. */
	LOOKUP_ARENA(struct thread_messages, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = thread_messages_bytes,
	.failed = thread_messages_failed,
	.print = thread_messages_print,
};

void rebyte_threads_messages(struct request *r, void *app)
{
	struct gateway         *g = app;
	struct thread_messages *x = lookup_make(&thread_messages_kind, r, g);

	if (!x)
		return;
	if (!rebyte_print_id(r, &x->read.conversation) ||
	    !rebyte_page_read(r, ID_MESSAGE, &x->page)) {
		lookup_refuse(&x->lookup, NULL);
		return;
	}
	x->read.owner = request_owner(r);
	x->read.after = x->page.after;
	x->read.descending = x->page.descending;
	x->read.limit = x->page.limit;
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	lookup_start(&x->lookup, store_items_read(g->store, &x->read));
}

/* --- one message --- */

struct thread_message {
	struct lookup    lookup;
	struct item_read read;
};

static bool thread_message_print(struct lookup *l, struct buf *out)
{
	const struct item_read *read = &container_of(l, struct thread_message, lookup)->read;

	return rebyte_print_message(out, read->conversation, &read->item);
}

static size_t thread_message_bytes(const struct lookup *l)
{
	return container_of(l, const struct thread_message, lookup)->read.item.message.body.n;
}

static void thread_message_failed(const struct lookup *l, struct err *e)
{
	(void)l;
	if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "", "there is no such message");
}

static const struct lookup_kind thread_message_kind = {
	LOOKUP(struct thread_message, read),
	LOOKUP_ARENA(struct thread_message, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = thread_message_bytes,
	.failed = thread_message_failed,
	.print = thread_message_print,
};

void rebyte_threads_message(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       thread;
	struct id       message;

	if (!rebyte_print_message_id(r, &thread, &message))
		return;
	struct thread_message *x = lookup_make(&thread_message_kind, r, g);
	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.conversation = thread;
	x->read.message = message;
	lookup_start(&x->lookup, store_item_read(g->store, &x->read));
}
