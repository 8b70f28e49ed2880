/* Reads and lists stored chat completions, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "routes/chat/completion_print.h"
#include "routes/kit/page.h"
#include "store/completion.h"
#include "store/job.h"

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
	struct lookup          lookup;
	struct completion_read read;
	enum reasoning_name    reasoning;
};

static bool stored_completions_print_found(struct lookup *l, struct buf *out)
{
	const struct get *x = container_of(l, struct get, lookup);

	return completion_print(out, &x->read.found, x->reasoning);
}

static size_t get_bytes(const struct lookup *l)
{
	return size_of(&container_of(l, struct get, lookup)->read.found);
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, read),
	/* The size of a request's settings and an answer. */
	LOOKUP_ARENA(struct get, read.arena, 2 * LIMIT_STORE_ROW + MIB),
	.bytes = get_bytes,
	.print = stored_completions_print_found,
};

void stored_completions_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!id_parse(request_param(r, 0), ID_COMPLETION, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such stored completion");
		return;
	}
	struct get *x = lookup_make(&get_kind, r, g);
	if (!x)
		return;
	x->reasoning = g->now->run.reasoning;
	x->read.owner = request_owner(r);
	x->read.run = id;
	lookup_start(&x->lookup, store_completion_read(g->store, &x->read));
}

/* --- a list of them --- */

struct list {
	struct lookup           lookup;
	struct completions_read read;
	enum reasoning_name     reasoning;
};

static bool stored_completions_print_list(struct lookup *l, struct buf *out)
{
	const struct list             *x = container_of(l, struct list, lookup);
	const struct completions_read *read = &x->read;
	char                           first[ID_MAX] = "", last[ID_MAX] = "";
	size_t                         n = read->completion_count;

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

static size_t stored_completions_list_bytes(const struct lookup *l)
{
	const struct completions_read *read = &container_of(l, struct list, lookup)->read;
	size_t                         bytes = 0;

	for (size_t i = 0; i < read->completion_count; i++)
		bytes += size_of(&read->completions[i]);
	return bytes;
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	/* A page has room for the largest completion. */
	LOOKUP_ARENA(struct list, read.arena, 2 * LIMIT_STORE_ROW + MIB),
	.bytes = stored_completions_list_bytes,
	.print = stored_completions_print_list,
};

/* stored_completions_read_query: false: refused. */
static bool stored_completions_read_query(struct request *r, struct list *x)
{
	struct completions_read *read = &x->read;
	struct str               text;

	if (!page_limit(r, LIST_DEFAULT, LIST_MAX, &read->limit) ||
	    !page_order(r, &read->descending))
		return false;
	if (!page_after(r, ID_COMPLETION, "must be the id of a completion of this list",
			&read->after))
		return false;
	if (request_query(r, "model", 0, &text)) {
		read->model = arena_str(&read->arena, text);
		if (!read->model.p || !utf8_valid(text.p, text.n)) {
			reply_refuse(r, ERR_INVALID_VALUE, "model", "must be the name of a model");
			return false;
		}
	}
	return label_filter_read(r, &read->arena, &read->labels);
}

void stored_completions_list(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->reasoning = g->now->run.reasoning;
	x->read.owner = request_owner(r);
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	if (stored_completions_read_query(r, x))
		lookup_start(&x->lookup, store_completions_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}
