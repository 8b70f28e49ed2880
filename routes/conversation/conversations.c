/* GET /v1/conversations/{id}, its items and one of them, as in OpenAI's API. */
#include "routes/conversation/conversations.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/bulk.h"
#include "routes/conversation/conversation_print.h"
#include "routes/kit/etag.h"
#include "routes/conversation/items.h"
#include "routes/kit/page.h"
#include "store/conversation.h"

#include <stdlib.h>

enum {
	ITEMS_DEFAULT = 20,
	ITEMS_MAX = 100,
	PAGE_HEAD = 512, /* what stands in front of a page's data, two ids included */
};

static bool conversation_id(struct request *r, struct id *ret)
{
	if (id_parse(request_param(r, 0), ID_CONVERSATION, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such conversation");
	return false;
}

/* --- one conversation --- */

struct get {
	struct lookup            lookup;
	struct conversation_read read;
	struct etag              match;
	struct etag              none_match;
};

static bool print_found(struct lookup *l, struct buf *out)
{
	const struct store_conversation *found = &container_of(l, struct get, lookup)->read.found;

	etag_send(l->request, found->revision);
	return conversation_print(out, found);
}

static void get_destroy(struct lookup *l)
{
	struct get *x = container_of(l, struct get, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void get_done(struct store_job *job)
{
	struct get *x = container_of(job, struct get, read.job);
	int64_t     revision = x->read.found.revision;
	struct err  e = job->err;

	if (e.code == ERR_OK && x->match.given && !etag_has(&x->match, revision)) {
		err_set(&e, ERR_PRECONDITION_FAILED, "", "the conversation has changed");
	} else if (e.code == ERR_OK && x->lookup.request && etag_has(&x->none_match, revision)) {
		etag_send(x->lookup.request, revision);
		reply_static(x->lookup.request, 304, NULL, STR_NONE);
		get_destroy(&x->lookup);
		return;
	}
	lookup_done(&x->lookup, &e);
}

void conversations_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!conversation_id(r, &id))
		return;
	struct get *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_found, .destroy = get_destroy
	};
	x->read = (struct conversation_read){
		.job = { .loop = g->loop, .done = get_done },
		.owner = request_owner(r),
		.conversation = id,
	};
	x->match = etag_parse(request_if_match(r), false);
	x->none_match = etag_parse(request_if_none_match(r), true);
	arena_init(&x->read.arena, MIB);
	lookup_start(&x->lookup, r, store_conversation_read(g->store, &x->read));
}

/* --- its items --- */

struct list {
	struct bulk       bulk;
	struct items_read read;
};

/* What stands in front of the data is only known behind it: room is left, and what is too much of
 * it taken off at the end. */
static bool print_list(const struct items_read *read, struct items *items, struct buf *out)
{
	static const char room[PAGE_HEAD];
	struct buf        head;

	if (!buf_add(out, room, sizeof room))
		return false;
	for (size_t i = 0; i < read->item_count; i++)
		if (!items_push(items, &read->items[i]))
			return false;
	if (!buf_text(out, "]}"))
		return false;

	buf_init(&head, sizeof room);
	bool ok = page_head(&head, items->first, items->last, read->has_more) &&
		  buf_text(&head, ",\"data\":[");
	if (ok) {
		memcpy(out->data + sizeof room - head.len, head.data, head.len);
		buf_take_front(out, sizeof room - head.len);
	}
	buf_finish(&head);
	return ok;
}

static bool print_items(struct lookup *l, struct buf *out)
{
	struct list *x = container_of(l, struct list, bulk.lookup);
	struct items items;

	items_init(&items, out);
	bool ok = print_list(&x->read, &items, out);
	items_finish(&items);
	return ok;
}

static void list_destroy(struct lookup *l)
{
	struct list *x = container_of(l, struct list, bulk.lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void list_done(struct store_job *job)
{
	struct list *x = container_of(job, struct list, read.job);
	size_t       bytes = 0;

	for (size_t i = 0; job->err.code == ERR_OK && i < x->read.item_count; i++)
		bytes += x->read.items[i].message.body.n;
	bulk_done(&x->bulk, &job->err, bytes);
}

/* read_query: limit, order and after; false: refused. */
static bool read_query(struct request *r, struct items_read *ret)
{
	struct str text;

	ret->descending = true;
	if (!page_limit(r, ITEMS_DEFAULT, ITEMS_MAX, &ret->limit) ||
	    !page_order(r, &ret->descending))
		return false;
	/* An empty cursor means none, as some clients always send the key. */
	if (request_query(r, "after", 0, &text) && !items_cursor(text, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of an item of this list");
		return false;
	}
	return true;
}

void conversations_items(struct request *r, void *app)
{
	struct gateway   *g = app;
	struct items_read read = { .owner = request_owner(r) };

	if (!conversation_id(r, &read.conversation) || !read_query(r, &read))
		return;
	struct list *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->bulk.work = g->work;
	x->bulk.lookup = (struct lookup){
		.job = &x->read.job, .print = print_items, .destroy = list_destroy
	};
	x->read = read;
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	/* The largest message alone is a page. */
	arena_init(&x->read.arena, LIMIT_STORE_ROW + MIB);
	lookup_start(&x->bulk.lookup, r, store_items_read(g->store, &x->read));
}

/* --- one item --- */

struct one {
	struct bulk      bulk;
	struct item_read read;
	char             id[ITEM_ID_MAX]; /* as asked */
	struct buf       made;            /* an array of the items that the message makes */
	struct json_doc  doc;
	json_at          found;
};

static bool make_items(struct one *x)
{
	struct items items;

	items_init(&items, &x->made);
	bool ok = buf_text(&x->made, "[") && items_push(&items, &x->read.item) &&
	          buf_text(&x->made, "]");
	items_finish(&items);
	return ok;
}

static enum errc pick(struct one *x, struct err *e)
{
	if (!make_items(x))
		return err_set(e, ERR_INTERNAL, "", "the item could not be made");
	if (json_scan(&x->doc, x->made.data, x->made.len, &json_limits_stored, e) != ERR_OK)
		return e->code;
	for (json_at i = json_first(&x->doc, 0); i != json_end(&x->doc, 0); i = json_next(&x->doc, i))
		if (json_is(&x->doc, json_get(&x->doc, i, "id"), x->id)) {
			x->found = i;
			return ERR_OK;
		}
	return err_set(e, ERR_NOT_FOUND, "", "there is no such item");
}

static bool print_one(struct lookup *l, struct buf *out)
{
	struct one *x = container_of(l, struct one, bulk.lookup);

	return pick(x, &l->why) == ERR_OK && buf_str(out, json_raw(&x->doc, x->found));
}

static void one_destroy(struct lookup *l)
{
	struct one *x = container_of(l, struct one, bulk.lookup);

	arena_finish(&x->read.arena);
	buf_finish(&x->made);
	json_doc_finish(&x->doc);
	free(x);
}

static void one_done(struct store_job *job)
{
	struct one *x = container_of(job, struct one, read.job);

	bulk_done(&x->bulk, &job->err, job->err.code == ERR_OK ? x->read.item.message.body.n : 0);
}

void conversations_item(struct request *r, void *app)
{
	struct gateway  *g = app;
	struct item_read read = { .owner = request_owner(r) };

	if (!conversation_id(r, &read.conversation))
		return;
	if (request_param(r, 1).n >= ITEM_ID_MAX || !items_cursor(request_param(r, 1), &read.message)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such item");
		return;
	}
	struct one *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->bulk.work = g->work;
	x->bulk.lookup = (struct lookup){
		.job = &x->read.job, .print = print_one, .destroy = one_destroy
	};
	x->read = read;
	x->read.job.loop = g->loop;
	x->read.job.done = one_done;
	str_copy(x->id, sizeof x->id, request_param(r, 1));
	buf_init(&x->made, 2 * LIMIT_BRANCH_BYTES);
	arena_init(&x->read.arena, LIMIT_STORE_ROW + MIB);
	lookup_start(&x->bulk.lookup, r, store_item_read(g->store, &x->read));
}
