/* The shape of a conversation with all of its branches, without what was said. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "routes/kit/page.h"
#include "store/conversation.h"

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
	if (!id_parse(request_param(r, 0), ID_CONVERSATION, &ret->conversation)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such conversation");
		return false;
	}
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
