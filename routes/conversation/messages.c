/* Prints the messages of a conversation in the requested shape: on the loop if they are few, on a
 * worker if they would block the loop. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "shape/transcript.h"
#include "store/conversation.h"

#include <string.h>

enum { MESSAGES_MAX = 1000 };

struct list {
	struct lookup     lookup;
	struct items_read read;
	enum view_format  format;
};

/* messages_put_instruction: on a first page. */
static bool messages_put_instruction(const struct items_read *read, struct buf *out)
{
	if (!read->with_instruction)
		return true;
	return buf_text(out, ",\"instruction\":") &&
	       (read->instruction.n > 0 ? buf_json_string(out, read->instruction)
					: buf_text(out, "null"));
}

static bool put_page(const struct items_read *read, const struct buf *messages,
		     const struct warnings *warnings, struct buf *out)
{
	char   first[ID_MAX] = "", last[ID_MAX] = "";
	size_t n = read->item_count;

	if (n > 0) {
		id_text(read->items[0].message.id, ID_MESSAGE, first);
		id_text(read->items[n - 1].message.id, ID_MESSAGE, last);
	}
	return page_head(out, first, last, read->has_more) && messages_put_instruction(read, out) &&
	       buf_text(out, ",\"warnings\":") && warnings_print(warnings, out) &&
	       buf_text(out, ",\"data\":[") && buf_str(out, buf_view(messages)) &&
	       buf_text(out, "]}");
}

/* object_end: where the JSON object ends that begins at `from`. */
static size_t object_end(struct str json, size_t from)
{
	bool   quoted = false;
	size_t depth = 0;
	size_t i = from;

	for (; i < json.n && (depth > 0 || i == from); i++) {
		char c = json.p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted)
			depth = depth + (c == '{') - (c == '}');
	}
	return i;
}

/* turn_round: puts the last of the printed messages first.  A stored message may be several of a
 * shape, or none, so only what was printed can be turned. */
static bool turn_round(struct buf *messages)
{
	struct str from = buf_view(messages);
	struct buf turned;
	size_t     at = from.n;

	buf_init(&turned, messages->max);
	if (from.n == 0 || !buf_reserve(&turned, from.n))
		return from.n == 0;
	for (size_t begin = 0, end; begin < from.n; begin = end + 1) {
		end = object_end(from, begin);
		at -= end - begin;
		memcpy(turned.data + at, from.p + begin, end - begin);
		if (end < from.n)
			turned.data[--at] = ',';
	}
	turned.len = from.n;
	buf_finish(messages);
	*messages = turned;
	return true;
}

static bool messages_print(struct lookup *l, struct buf *out)
{
	struct list    *x = container_of(l, struct list, lookup);
	size_t          count = x->read.item_count;
	size_t          skip = 0;
	struct str     *list = arena_alloc(&x->read.arena, (count + 1) * sizeof *list);
	struct buf      messages;
	struct warnings warnings;
	bool            ok = list;

	buf_init(&messages, LIMIT_TRANSLATION);
	warnings_init(&warnings);
	/* Messages are printed in the order in which they were said. */
	for (size_t i = 0; ok && i < count; i++)
		list[x->read.descending ? count - 1 - i : i] = x->read.items[i].message.body;
	if (ok && x->read.has_more && x->read.descending)
		skip = view_skip(list, count, x->format);
	else if (ok && x->read.has_more)
		count = view_cut(list, count, x->format);
	x->read.item_count = count -= skip;
	ok = ok &&
	     view_print(list + skip, count, x->format, &warnings, &messages, &l->why) == ERR_OK &&
	     (!x->read.descending || turn_round(&messages)) &&
	     put_page(&x->read, &messages, &warnings, out);
	if (!ok && l->why.code == ERR_OK)
		err_no_memory(&l->why);
	buf_finish(&messages);
	warnings_finish(&warnings);
	return ok;
}

static size_t messages_list_bytes(const struct lookup *l)
{
	const struct items_read *read = &container_of(l, struct list, lookup)->read;
	size_t                   bytes = 0;

	for (size_t i = 0; i < read->item_count; i++)
		bytes += read->items[i].message.body.n;
	return bytes;
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	/* A page has room for the largest message. */
	LOOKUP_ARENA(struct list, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = messages_list_bytes,
	.print = messages_print,
};

/* --- the request --- */

static bool messages_read_format(struct request *r, enum view_format *ret)
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

static bool messages_read_page(struct request *r, struct items_read *ret)
{
	struct str text;

	if (!page_limit(r, MESSAGES_MAX, MESSAGES_MAX, &ret->limit) ||
	    !page_order(r, &ret->descending))
		return false;
	if (!page_after(r, ID_MESSAGE, "must be the id of a message: last_id", &ret->after))
		return false;
	ret->with_instruction = id_none(ret->after);
	if (request_query(r, "leaf", 0, &text) && !id_parse(text, ID_MESSAGE, &ret->leaf)) {
		reply_refuse(r, ERR_NOT_FOUND, "leaf", "this conversation has no such message");
		return false;
	}
	return true;
}

static bool messages_read_request(struct request *r, struct list *x)
{
	return lookup_id(r, ID_CONVERSATION, "there is no such conversation",
			 &x->read.conversation) &&
	       messages_read_format(r, &x->format) && messages_read_page(r, &x->read);
}

void messages_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.page_bytes = LIMIT_MESSAGES_PAGE;
	if (messages_read_request(r, x))
		lookup_start(&x->lookup, store_items_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- tree: The shape of a conversation with all of its branches, without what was said. */

enum {
	TREE_DEFAULT = 100,
	TREE_MAX = 1000,
	TREE_NODE_BYTES = 400, /* approximate size of a printed node */
};

struct get {
	struct lookup    lookup;
	struct tree_read read;
};

/* print_id: a member that is null where there is no such object. */
static bool print_id(struct buf *out, const char *name, struct id id, const char *kind)
{
	char text[ID_MAX];

	if (id_none(id))
		return buf_fmt(out, ",\"%s\":null", name);
	return buf_fmt(out, ",\"%s\":\"%s\"", name, id_text(id, kind, text).p);
}

static bool print_node(struct buf *out, const struct tree_node *n)
{
	char id[ID_MAX];

	if (!buf_fmt(out, "{\"id\":\"%s\"", id_text(n->message, ID_MESSAGE, id).p) ||
	    !print_id(out, "parent_id", n->parent, ID_MESSAGE) ||
	    !buf_fmt(out, ",\"role\":\"%s\",\"created_at\":%lld,\"preview\":", n->role,
		     (long long)(n->created_ms / 1000)) ||
	    !buf_json_string(out, n->preview) || !print_id(out, "run_id", n->run, ID_RUN) ||
	    !buf_text(out, ",\"model\":") ||
	    !(n->model.n > 0 ? buf_json_string(out, n->model) : buf_text(out, "null")))
		return false;
	return buf_text(out, n->removed ? ",\"removed\":true}" : "}");
}

static bool tree_print(struct lookup *l, struct buf *out)
{
	const struct tree_read *read = &container_of(l, struct get, lookup)->read;
	char                    first[ID_MAX] = "", last[ID_MAX] = "";

	if (read->node_count > 0) {
		id_text(read->nodes[0].message, ID_MESSAGE, first);
		id_text(read->nodes[read->node_count - 1].message, ID_MESSAGE, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < read->node_count; i++)
		if ((i > 0 && !buf_text(out, ",")) || !print_node(out, &read->nodes[i]))
			return false;
	return buf_text(out, "]}");
}

static size_t tree_bytes(const struct lookup *l)
{
	const struct get *x = container_of((struct lookup *)(uintptr_t)l, struct get, lookup);

	return x->read.node_count * TREE_NODE_BYTES;
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, read),
	LOOKUP_ARENA(struct get, read.arena, 32 * MIB),
	.bytes = tree_bytes,
	.print = tree_print,
};

static bool tree_read_query(struct request *r, struct tree_read *ret)
{
	if (!lookup_id(r, ID_CONVERSATION, "there is no such conversation", &ret->conversation))
		return false;
	if (!page_limit(r, TREE_DEFAULT, TREE_MAX, &ret->limit))
		return false;
	return page_after(r, ID_MESSAGE, "must be the id of a message of this conversation",
			  &ret->after);
}

void tree_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct get     *x = lookup_make(&get_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	if (tree_read_query(r, &x->read))
		lookup_start(&x->lookup, store_tree_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}
