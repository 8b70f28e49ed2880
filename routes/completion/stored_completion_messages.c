/* Lists the messages of a stored completion's request. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "routes/chat/completion_print.h"
#include "routes/kit/page.h"
#include "store/completion.h"
#include "store/job.h"

enum {
	MESSAGES_DEFAULT = 20,
	MESSAGES_MAX = 100,
};

struct list {
	struct lookup                   lookup;
	struct completion_messages_read read;
};

static bool completion_messages_print_list(struct lookup *l, struct buf *out)
{
	const struct completion_messages_read *read = &container_of(l, struct list, lookup)->read;
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
	const struct completion_messages_read *read = &container_of(l, struct list, lookup)->read;
	size_t                                 bytes = 0;

	for (size_t i = 0; i < read->message_count; i++)
		bytes += read->messages[i].body.n;
	return bytes;
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	/* A page has room for the largest message. */
	LOOKUP_ARENA(struct list, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = completion_messages_list_bytes,
	.print = completion_messages_print_list,
};

/* completion_messages_read_request: reads id, limit, order and after; false: refused. */
static bool completion_messages_read_request(struct request                  *r,
					     struct completion_messages_read *ret)
{
	struct str text;

	if (!id_parse(request_param(r, 0), ID_COMPLETION, &ret->run)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such stored completion");
		return false;
	}
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
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

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
