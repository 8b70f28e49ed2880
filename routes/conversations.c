/* GET /v1/conversations/{id} and GET /v1/conversations/{id}/items, as in OpenAI's API. */
#include "routes/conversations.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/items.h"
#include "routes/lookup.h"

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
};

static bool print_conversation(struct lookup *l, struct buf *out)
{
	struct get *x = container_of(l, struct get, lookup);
	char        id[ID_MAX];

	if (!buf_text(out, "{\"id\":\"") ||
	    !buf_str(out, id_text(x->read.conversation, ID_CONVERSATION, id)) ||
	    !buf_fmt(out, "\",\"object\":\"conversation\",\"created_at\":%lld,\"metadata\":",
		     (long long)(x->read.created_ms / 1000)) ||
	    !buf_str(out, x->read.metadata.n ? x->read.metadata : STR("{}")))
		return false;
	if (x->read.title.n > 0 &&
	    (!buf_text(out, ",\"title\":") || !buf_json_string(out, x->read.title)))
		return false;
	return buf_text(out, "}");
}

static void get_destroy(struct lookup *l)
{
	struct get *x = container_of(l, struct get, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void get_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct get, read.job)->lookup, &job->err);
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
		.job = &x->read.job, .print = print_conversation, .destroy = get_destroy
	};
	x->read = (struct conversation_read){
		.job = { .loop = g->loop, .done = get_done },
		.owner = request_owner(r),
		.conversation = id,
	};
	arena_init(&x->read.arena, MIB);
	lookup_start(&x->lookup, r, g->store->ops->conversation_read(g->store, &x->read));
}

/* --- its items --- */

struct list {
	struct lookup     lookup;
	struct items_read read;
};

static bool put_edge(struct buf *out, const char *key, const char *id)
{
	return id[0] ? buf_fmt(out, ",\"%s\":\"%s\"", key, id) : buf_fmt(out, ",\"%s\":null", key);
}

static bool put_head(struct buf *out, const struct items *items, bool has_more)
{
	return buf_text(out, "{\"object\":\"list\"") && put_edge(out, "first_id", items->first) &&
	       put_edge(out, "last_id", items->last) &&
	       buf_fmt(out, ",\"has_more\":%s,\"data\":[", has_more ? "true" : "false");
}

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
	bool ok = put_head(&head, items, read->has_more);
	if (ok) {
		memcpy(out->data + sizeof room - head.len, head.data, head.len);
		buf_take_front(out, sizeof room - head.len);
	}
	buf_finish(&head);
	return ok;
}

static bool print_items(struct lookup *l, struct buf *out)
{
	struct list *x = container_of(l, struct list, lookup);
	struct items items;

	items_init(&items, out);
	bool ok = print_list(&x->read, &items, out);
	items_finish(&items);
	return ok;
}

static void list_destroy(struct lookup *l)
{
	struct list *x = container_of(l, struct list, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void list_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct list, read.job)->lookup, &job->err);
}

static bool parse_limit(struct str s, size_t *ret)
{
	size_t v = 0;

	if (s.n == 0 || s.n > 3)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v * 10 + (size_t)(s.p[i] - '0');
	}
	if (v < 1 || v > ITEMS_MAX)
		return false;
	*ret = v;
	return true;
}

/* read_query: limit, order and after; false: refused. */
static bool read_query(struct request *r, struct items_read *ret)
{
	struct str text;

	ret->limit = ITEMS_DEFAULT;
	ret->descending = true;
	if (request_query(r, "limit", 0, &text) && !parse_limit(text, &ret->limit)) {
		reply_refuse(r, ERR_INVALID_VALUE, "limit", "must be an integer from 1 to 100");
		return false;
	}
	if (request_query(r, "order", 0, &text)) {
		ret->descending = str_is(text, "desc");
		if (!ret->descending && !str_is(text, "asc")) {
			reply_refuse(r, ERR_INVALID_VALUE, "order", "must be one of: asc, desc");
			return false;
		}
	}
	/* An empty cursor means none, as some clients always send the key. */
	if (request_query(r, "after", 0, &text) && text.n > 0 && !items_cursor(text, &ret->after)) {
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
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_items, .destroy = list_destroy
	};
	x->read = read;
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	/* The largest message alone is a page. */
	arena_init(&x->read.arena, LIMIT_STORE_ROW + MIB);
	lookup_start(&x->lookup, r, g->store->ops->items_read(g->store, &x->read));
}
