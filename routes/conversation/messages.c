/* A conversation's messages, read from the store, then printed in the shape that is asked for: here
 * if they are few, by a worker if they would hold the loop. */
#include "routes/conversation/messages.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "shape/view.h"
#include "routes/kit/gateway.h"
#include "routes/kit/page.h"
#include "store/conversation.h"

#include <stdlib.h>

enum { MESSAGES_MAX = 1000 };

struct list {
	struct items_read read;
	struct work_job   work;
	struct gateway   *gateway;
	struct request   *request; /* NULL: the client left */
	enum view_format  format;
	struct buf        body;
	struct err        err;
};

static void destroy(struct list *x)
{
	arena_finish(&x->read.arena);
	buf_finish(&x->body);
	free(x);
}

static void client_left(void *arg)
{
	struct list *x = arg;

	x->request = NULL;
	atomic_store_explicit(&x->read.job.cancelled, true, memory_order_relaxed);
}

static void answer(struct list *x)
{
	if (x->request && x->err.code == ERR_OK)
		reply_json_take(x->request, 200, &x->body);
	else if (x->request)
		reply_error(x->request, &x->err);
	destroy(x);
}

/* --- printing; on the loop or on a worker --- */

static bool put_page(struct list *x, const struct buf *messages, const struct warnings *warnings)
{
	const struct items_read *read = &x->read;
	struct buf              *out = &x->body;
	char   first[ID_MAX] = "", last[ID_MAX] = "";
	size_t n = read->item_count;

	if (n > 0) {
		id_text(read->items[0].message.id, ID_MESSAGE, first);
		id_text(read->items[n - 1].message.id, ID_MESSAGE, last);
	}
	return page_head(out, first, last, read->has_more) && buf_text(out, ",\"warnings\":") &&
	       warnings_print(warnings, out) && buf_text(out, ",\"data\":[") &&
	       buf_str(out, buf_view(messages)) && buf_text(out, "]}");
}

static void print(struct work_job *job)
{
	struct list     *x = container_of(job, struct list, work);
	size_t           count = x->read.item_count;
	struct str      *list = arena_alloc(&x->read.arena, (count + 1) * sizeof *list);
	struct buf       messages;
	struct warnings  warnings;
	bool             ok = list;

	buf_init(&messages, LIMIT_TRANSLATION);
	warnings_init(&warnings);
	for (size_t i = 0; ok && i < count; i++)
		list[i] = x->read.items[i].message.body;
	if (ok && x->read.has_more)
		x->read.item_count = count = view_cut(list, count, x->format);
	ok = ok && view_print(list, count, x->format, &warnings, &messages, &x->err) == ERR_OK &&
	     put_page(x, &messages, &warnings);
	if (!ok && x->err.code == ERR_OK)
		err_set(&x->err, ERR_OVERLOADED, "", "no memory for the messages");
	buf_finish(&messages);
	warnings_finish(&warnings);
}

static void on_printed(struct work_job *job)
{
	answer(container_of(job, struct list, work));
}

/* --- reading --- */

static void on_read(struct store_job *job)
{
	struct list *x = container_of(job, struct list, read.job);
	size_t       bytes = 0;

	x->err = job->err;
	for (size_t i = 0; x->err.code == ERR_OK && i < x->read.item_count; i++)
		bytes += x->read.items[i].message.body.n;
	if (x->err.code != ERR_OK || !x->request) {
		answer(x);
		return;
	}
	if (bytes <= LIMIT_TRANSLATE_LOOP) {
		print(&x->work);
		answer(x);
		return;
	}
	x->work = (struct work_job){ .loop = x->gateway->loop, .run = print, .done = on_printed };
	if (!work_submit(x->gateway->work, &x->work)) {
		err_set(&x->err, ERR_OVERLOADED, "", "too much is waiting to be printed; try again");
		answer(x);
	}
}

/* --- the request --- */

static bool read_format(struct request *r, enum view_format *ret)
{
	struct str text;

	*ret = VIEW_NATIVE;
	if (!request_query(r, "format", 0, &text))
		return true;
	for (size_t i = 0; view_formats[i]; i++)
		if (str_is(text, view_formats[i])) {
			*ret = (enum view_format)i;
			return true;
		}
	reply_refuse(r, ERR_INVALID_VALUE, "format", "must be one of: native, openai, lmc");
	return false;
}

static bool read_page(struct request *r, struct items_read *ret)
{
	struct str text;

	if (!page_limit(r, MESSAGES_MAX, MESSAGES_MAX, &ret->limit))
		return false;
	if (request_query(r, "after", 0, &text) &&
	    !id_parse(text, ID_MESSAGE, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of a message: last_id");
		return false;
	}
	if (request_query(r, "leaf", 0, &text) && !id_parse(text, ID_MESSAGE, &ret->leaf)) {
		reply_refuse(r, ERR_NOT_FOUND, "leaf", "this conversation has no such message");
		return false;
	}
	return true;
}

void messages_list(struct request *r, void *app)
{
	struct gateway   *g = app;
	struct items_read read = { .owner = request_owner(r) };
	enum view_format  format;

	if (!id_parse(request_param(r, 0), ID_CONVERSATION, &read.conversation)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such conversation");
		return;
	}
	if (!read_format(r, &format) || !read_page(r, &read))
		return;
	struct list *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->format = format;
	buf_init(&x->body, LIMIT_TRANSLATION);
	x->read = read;
	x->read.job.loop = g->loop;
	x->read.job.done = on_read;
	x->read.page_bytes = LIMIT_MESSAGES_PAGE;
	/* The largest message alone is a page. */
	arena_init(&x->read.arena, LIMIT_STORE_ROW + MIB);
	if (!store_items_read(g->store, &x->read)) {
		destroy(x);
		reply_refuse(r, ERR_OVERLOADED, "", "too many reads are waiting");
		return;
	}
	request_on_left(r, client_left, x);
}
