/* The list of conversations, which OpenAI's API lacks. */
#include "routes/conversation_list.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/conversation_print.h"
#include "routes/lookup.h"
#include "routes/page.h"

#include <stdlib.h>

enum {
	LIST_DEFAULT = 20,
	LIST_MAX = 100,
	FILTER_MAX = 64 * KIB, /* all pairs of a filter, as JSON */
};

struct list {
	struct lookup             lookup;
	struct conversations_read read;
	struct buf                filter; /* what read.filter, key and value point into */
};

static bool print_list(struct lookup *l, struct buf *out)
{
	const struct conversations_read *read = &container_of(l, struct list, lookup)->read;
	char   first[ID_MAX] = "", last[ID_MAX] = "";
	size_t n = read->conversation_count;

	if (n > 0) {
		id_text(read->conversations[0].id, ID_CONVERSATION, first);
		id_text(read->conversations[n - 1].id, ID_CONVERSATION, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) || !conversation_print(out, &read->conversations[i]))
			return false;
	return buf_text(out, "]}");
}

static void list_destroy(struct lookup *l)
{
	struct list *x = container_of(l, struct list, lookup);

	arena_finish(&x->read.arena);
	buf_finish(&x->filter);
	free(x);
}

static void list_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct list, read.job)->lookup, &job->err);
}

static bool read_place(struct request *r, struct conversations_read *ret)
{
	struct str text;

	ret->descending = true;
	if (!page_order(r, &ret->descending))
		return false;
	if (request_query(r, "after", 0, &text) && text.n > 0 &&
	    !id_parse(text, ID_CONVERSATION, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after",
		             "must be the id of a conversation of this list");
		return false;
	}
	return true;
}

/* The pairs metadata[k]=v, as one JSON object; the first of them alone as well.  What is no UTF-8
 * would not be there. */
static bool read_filter(struct request *r, struct list *x)
{
	struct str key;
	struct str value;
	size_t     n = 0;

	for (; request_query_within(r, "metadata", n, &key, &value); n++) {
		bool text = utf8_valid(key.p, key.n) && utf8_valid(value.p, value.n);

		if (!text || n == LIMIT_METADATA) {
			reply_refuse(r, ERR_INVALID_VALUE, "metadata",
			             text ? "at most 16 pairs are allowed" : "must be UTF-8");
			return false;
		}
		if (n == 0) {
			x->read.key = arena_str(&x->read.arena, key);
			x->read.value = arena_str(&x->read.arena, value);
		}
		if (!x->read.key.p || !x->read.value.p || !buf_text(&x->filter, n > 0 ? "," : "{") ||
		    !buf_json_string(&x->filter, key) || !buf_text(&x->filter, ":") ||
		    !buf_json_string(&x->filter, value)) {
			reply_refuse(r, ERR_INVALID_VALUE, "metadata", "the filter is too long");
			return false;
		}
	}
	if (n > 0 && !buf_text(&x->filter, "}")) {
		reply_refuse(r, ERR_INVALID_VALUE, "metadata", "the filter is too long");
		return false;
	}
	x->read.filter = buf_view(&x->filter);
	return true;
}
_Static_assert(LIMIT_METADATA == 16, "the message names it");

void conversation_list_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = calloc(1, sizeof *x);

	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_list, .destroy = list_destroy
	};
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	x->read.owner = request_owner(r);
	buf_init(&x->filter, FILTER_MAX);
	arena_init(&x->read.arena, 8 * MIB);
	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &x->read.limit) || !read_place(r, &x->read) || !read_filter(r, x)) {
		list_destroy(&x->lookup);
		return;
	}
	lookup_start(&x->lookup, r, g->store->ops->conversations_read(g->store, &x->read));
}
