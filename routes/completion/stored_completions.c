/* Chat completions that were stored, one and all, as in OpenAI's API. */
#include "routes/completion/stored_completions.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/bulk.h"
#include "routes/chat/completion_print.h"
#include "routes/kit/label_filter.h"
#include "routes/kit/page.h"
#include "store/completion.h"
#include "store/job.h"

#include <stdlib.h>

enum {
	LIST_DEFAULT = 20,
	LIST_MAX = 100,
};

static size_t size_of(const struct store_completion *c)
{
	return c->settings.n + c->answer.n + c->metadata.n;
}

/* --- one --- */

struct get {
	struct bulk            bulk;
	struct completion_read read;
	enum reasoning_name    reasoning;
};

static bool print_found(struct lookup *l, struct buf *out)
{
	const struct get *x = container_of(l, struct get, bulk.lookup);

	return completion_print(out, &x->read.found, x->reasoning);
}

static void get_destroy(struct lookup *l)
{
	struct get *x = container_of(l, struct get, bulk.lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void get_done(struct store_job *job)
{
	struct get *x = container_of(job, struct get, read.job);

	bulk_done(&x->bulk, &job->err, size_of(&x->read.found));
}

void stored_completions_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!id_parse(request_param(r, 0), ID_COMPLETION, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such stored completion");
		return;
	}
	struct get *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->bulk.work = g->work;
	x->reasoning = g->now->run.reasoning;
	x->bulk.lookup = (struct lookup){
		.job = &x->read.job, .print = print_found, .destroy = get_destroy
	};
	x->read = (struct completion_read){
		.job = { .loop = g->loop, .done = get_done },
		.owner = request_owner(r),
		.run = id,
	};
	/* A request's settings, and an answer. */
	arena_init(&x->read.arena, 2 * LIMIT_STORE_ROW + MIB);
	lookup_start(&x->bulk.lookup, r, store_completion_read(g->store, &x->read));
}

/* --- a list of them --- */

struct list {
	struct bulk             bulk;
	struct completions_read read;
	enum reasoning_name     reasoning;
	struct buf              filter; /* what read.filter points into */
};

static bool print_list(struct lookup *l, struct buf *out)
{
	const struct list             *x = container_of(l, struct list, bulk.lookup);
	const struct completions_read *read = &x->read;
	char   first[ID_MAX] = "", last[ID_MAX] = "";
	size_t n = read->completion_count;

	if (n > 0) {
		id_text(read->completions[0].run, ID_COMPLETION, first);
		id_text(read->completions[n - 1].run, ID_COMPLETION, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !completion_print(out, &read->completions[i], x->reasoning))
			return false;
	return buf_text(out, "]}");
}

static void list_destroy(struct lookup *l)
{
	struct list *x = container_of(l, struct list, bulk.lookup);

	arena_finish(&x->read.arena);
	buf_finish(&x->filter);
	free(x);
}

static void list_done(struct store_job *job)
{
	struct list *x = container_of(job, struct list, read.job);
	size_t       bytes = 0;

	for (size_t i = 0; i < x->read.completion_count; i++)
		bytes += size_of(&x->read.completions[i]);
	bulk_done(&x->bulk, &job->err, bytes);
}

/* read_query: false: refused. */
static bool read_query(struct request *r, struct list *x)
{
	struct completions_read *read = &x->read;
	struct str               text;

	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &read->limit) ||
	    !page_order(r, &read->descending))
		return false;
	if (request_query(r, "after", 0, &text) &&
	    !id_parse(text, ID_COMPLETION, &read->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after",
			     "must be the id of a completion of this list");
		return false;
	}
	if (request_query(r, "model", 0, &text)) {
		read->model = arena_str(&read->arena, text);
		if (!read->model.p || !utf8_valid(text.p, text.n)) {
			reply_refuse(r, ERR_INVALID_VALUE, "model", "must be the name of a model");
			return false;
		}
	}
	if (!label_filter_read(r, &read->arena, &x->filter, &read->key, &read->value))
		return false;
	read->filter = buf_view(&x->filter);
	return true;
}

void stored_completions_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = calloc(1, sizeof *x);

	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->bulk.work = g->work;
	x->reasoning = g->now->run.reasoning;
	x->bulk.lookup = (struct lookup){
		.job = &x->read.job, .print = print_list, .destroy = list_destroy
	};
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	x->read.owner = request_owner(r);
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	buf_init(&x->filter, LABEL_FILTER_MAX);
	/* The largest completion alone is a page. */
	arena_init(&x->read.arena, 2 * LIMIT_STORE_ROW + MIB);
	if (!read_query(r, x)) {
		list_destroy(&x->bulk.lookup);
		return;
	}
	lookup_start(&x->bulk.lookup, r, store_completions_read(g->store, &x->read));
}
