/* The list of conversations, which OpenAI's API lacks. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/conversation/items.h"
#include "routes/kit/page.h"
#include "routes/kit/lookup.h"
#include "store/conversation.h"

enum {
	LIST_DEFAULT = 20,
	LIST_MAX = 100,
};

struct list {
	struct lookup             lookup;
	struct conversations_read read;
};

static bool conversation_list_print_list(struct lookup *l, struct buf *out)
{
	const struct conversations_read *read = &container_of(l, struct list, lookup)->read;
	char                             first[ID_MAX] = "", last[ID_MAX] = "";
	size_t                           n = read->conversation_count;

	if (n > 0) {
		id_text(read->conversations[0].id, ID_CONVERSATION, first);
		id_text(read->conversations[n - 1].id, ID_CONVERSATION, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !conversation_print(out, &read->conversations[i]))
			return false;
	return buf_text(out, "]}");
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	LOOKUP_ARENA(struct list, read.arena, 8 * MIB),
	.print = conversation_list_print_list,
};

static bool read_place(struct request *r, struct conversations_read *ret)
{
	ret->descending = true;
	if (!page_order(r, &ret->descending))
		return false;
	return page_after(r, ID_CONVERSATION, "must be the id of a conversation of this list",
			  &ret->after);
}

void conversation_list_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	if (page_limit(r, LIST_DEFAULT, LIST_MAX, &x->read.limit) && read_place(r, &x->read) &&
	    label_filter_read(r, &x->read.arena, &x->read.labels))
		lookup_start(&x->lookup, store_conversations_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}
