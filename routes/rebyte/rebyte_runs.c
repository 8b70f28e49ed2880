/* Reads runs of agents, which are runs of all routes. */
#include "routes/kit/handlers.h"

#include "base/identity.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/call/call.h"
#include "routes/kit/lookup.h"
#include "routes/rebyte/internal.h"
#include "shape/rebyte.h"
#include "store/run.h"

/* --- one run --- */

struct agent_run {
	struct lookup   lookup;
	struct run_read read;
};

static bool agent_run_print(struct lookup *l, struct buf *out)
{
	struct run_object o =
		run_print_object(&container_of(l, struct agent_run, lookup)->read, REASONING_NONE);

	return rebyte_run(&o, out);
}

static size_t agent_run_bytes(const struct lookup *l)
{
	return container_of(l, const struct agent_run, lookup)->read.answer.n;
}

static void agent_run_failed(const struct lookup *l, struct err *e)
{
	(void)l;
	if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "", "there is no such run");
}

static const struct lookup_kind agent_run_kind = {
	LOOKUP(struct agent_run, read), LOOKUP_ARENA(struct agent_run, read.arena, RUN_PRINT_ARENA),
	.failed = agent_run_failed,     .bytes = agent_run_bytes,
	.print = agent_run_print,
};

/* agent_run_shape: who may only chat sees the answers of agents, and not what other routes have
 * stored. */
static struct str agent_run_shape(const struct request *r)
{
	return request_scopes(r) & SCOPE_READ ? STR("") : STR(SHAPE_REBYTE);
}

void rebyte_runs_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!rebyte_agent_id(request_param(r, 0), ID_RUN, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such run");
		return;
	}
	struct agent_run *x = lookup_make(&agent_run_kind, r, g);
	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.run = id;
	x->read.shape = agent_run_shape(r);
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
}

/* --- the runs of a thread --- */

struct agent_runs {
	struct lookup      lookup;
	struct runs_read   read;
	struct rebyte_page page;
};

static bool agent_runs_print(struct lookup *l, struct buf *out)
{
	const struct agent_runs *x = container_of(l, struct agent_runs, lookup);
	size_t                   count = x->read.run_count;
	bool                     ok = buf_text(out, "{\"list\":[");

	for (size_t i = 0; ok && i < count; i++) {
		size_t            at = rebyte_page_at(&x->page, i, count);
		struct run_object o = run_print_object(&x->read.runs[at], REASONING_NONE);

		ok = (i == 0 || buf_text(out, ",")) && rebyte_run_row(&o, out);
	}
	return ok && buf_text(out, "]}");
}

static void agent_runs_failed(const struct lookup *l, struct err *e)
{
	rebyte_page_failed(&container_of(l, const struct agent_runs, lookup)->page, e);
}

static const struct lookup_kind agent_runs_kind = {
	LOOKUP(struct agent_runs, read),
	LOOKUP_ARENA(struct agent_runs, read.arena, 4 * MIB),
	.failed = agent_runs_failed,
	.print = agent_runs_print,
};

void rebyte_runs_list(struct request *r, void *app)
{
	struct gateway    *g = app;
	struct agent_runs *x = lookup_make(&agent_runs_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.status = -1;
	x->read.of_known = true;
	if (!rebyte_print_id(r, &x->read.conversation) || !rebyte_page_read(r, ID_RUN, &x->page)) {
		lookup_refuse(&x->lookup, NULL);
		return;
	}
	x->read.after = x->page.after;
	x->read.ascending = !x->page.descending;
	x->read.limit = x->page.limit;
	lookup_start(&x->lookup, store_runs_read(g->store, &x->read));
}

/* --- ping --- */

void rebyte_runs_ping(struct request *r, void *app)
{
	const char *id = request_key(r)->id;
	struct buf  body;

	(void)app;
	buf_init(&body, KIB);
	/* A project is taken as it is; the one of a key is the key's name. */
	if (!buf_text(&body, "{\"pId\":") ||
	    !buf_json_string(&body, id[0] ? str_of(id) : STR("default")) || !buf_text(&body, "}"))
		buf_clear(&body);
	reply_json_take(r, 200, &body);
}
