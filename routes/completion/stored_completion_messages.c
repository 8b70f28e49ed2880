/* What a stored completion was asked, message by message. */
#include "routes/completion/stored_completion_messages.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/bulk.h"
#include "routes/chat/completion_print.h"
#include "routes/kit/page.h"
#include "store/completion.h"
#include "store/job.h"

#include <stdlib.h>

enum {
	MESSAGES_DEFAULT = 20,
	MESSAGES_MAX = 100,
};

struct list {
	struct bulk                     bulk;
	struct completion_messages_read read;
};

static bool print_list(struct lookup *l, struct buf *out)
{
	const struct completion_messages_read *read =
		&container_of(l, struct list, bulk.lookup)->read;
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

	for (size_t i = 0; i < x->read.message_count; i++)
		bytes += x->read.messages[i].body.n;
	bulk_done(&x->bulk, &job->err, bytes);
}

/* read_request: the id, limit, order and after; false: refused. */
static bool read_request(struct request *r, struct completion_messages_read *ret)
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
	struct gateway                 *g = app;
	struct completion_messages_read read = { .owner = request_owner(r), .after = -1 };

	if (!read_request(r, &read))
		return;
	struct list *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->bulk.work = g->work;
	x->bulk.lookup = (struct lookup){
		.job = &x->read.job, .print = print_list, .destroy = list_destroy
	};
	x->read = read;
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	/* The largest message alone is a page. */
	arena_init(&x->read.arena, LIMIT_STORE_ROW + MIB);
	lookup_start(&x->bulk.lookup, r,
		     store_completion_messages_read(g->store, &x->read));
}
