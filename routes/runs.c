/* GET /v1/runs/{id}: the run object, from the store or, if it is stored nowhere, while it lives. */
#include "routes/runs.h"

#include "base/limits.h"
#include "http/reply.h"
#include "lmc/chunk.h"
#include "routes/lookup.h"
#include "run/live.h"

#include <stdlib.h>

struct get {
	struct lookup   lookup;
	struct run_read read;
};

static bool put_id(struct buf *out, const char *key, struct id id, const char *prefix)
{
	char text[ID_MAX];

	if (id_none(id))
		return buf_fmt(out, ",\"%s\":null", key);
	id_text(id, prefix, text);
	return buf_fmt(out, ",\"%s\":\"%s\"", key, text);
}

static bool put_text(struct buf *out, const char *key, struct str s)
{
	if (!buf_fmt(out, ",\"%s\":", key))
		return false;
	return s.n > 0 ? buf_json_string(out, s) : buf_text(out, "null");
}

static bool put_time(struct buf *out, const char *key, int64_t ms)
{
	return ms > 0 ? buf_fmt(out, ",\"%s\":%lld", key, (long long)(ms / 1000))
		      : buf_fmt(out, ",\"%s\":null", key);
}

static bool put_usage(struct buf *out, const struct usage *u)
{
	if (!buf_text(out, ",\"usage\":"))
		return false;
	return u->known ? chunk_usage(u, out) : buf_text(out, "null");
}

static bool put_run(struct buf *out, const struct run_read *run)
{
	char id[ID_MAX];

	return buf_text(out, "{\"id\":\"") && buf_str(out, id_text(run->run, ID_RUN, id)) &&
	       buf_fmt(out, "\",\"object\":\"run\",\"status\":\"%s\"", run_status_name(run->status)) &&
	       put_id(out, "conversation", run->conversation, ID_CONVERSATION) &&
	       put_text(out, "model", run->model) && put_text(out, "provider", run->provider) &&
	       put_time(out, "created_at", run->created_ms) &&
	       put_time(out, "first_token_at", run->first_token_ms) &&
	       put_time(out, "completed_at", run->completed_ms) &&
	       put_text(out, "finish_reason", run->finish_reason) && put_usage(out, &run->usage) &&
	       buf_text(out, ",\"error\":") &&
	       buf_str(out, run->error.n > 0 ? run->error : STR("null")) &&
	       buf_fmt(out, ",\"attempts\":%lld", (long long)run->attempts) &&
	       put_id(out, "continues", run->continues, ID_RUN) && buf_text(out, "}");
}

static bool print_run(struct lookup *l, struct buf *out)
{
	return put_run(out, &container_of(l, struct get, lookup)->read);
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

/* answer_live: a run that is stored nowhere; false: there is no such. */
static bool answer_live(struct request *r, struct id id)
{
	struct live     live;
	struct run_read view;
	struct buf      body;

	if (!live_find(id, request_owner(r), &live))
		return false;
	view = (struct run_read){
		.run = id,
		.status = live.status,
		.model = str_of(live.model),
		.provider = str_of(live.provider),
		.created_ms = live.created_ms,
		.attempts = 1,
	};
	buf_init(&body, 16 * KIB);
	if (!put_run(&body, &view))
		buf_clear(&body);
	reply_json_take(r, 200, &body);
	return true;
}

void runs_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!id_parse(request_param(r, 0), ID_RUN, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such run");
		return;
	}
	if (answer_live(r, id))
		return;
	struct get *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_run, .destroy = get_destroy
	};
	x->read = (struct run_read){
		.job = { .loop = g->loop, .done = get_done },
		.owner = request_owner(r),
		.run = id,
	};
	arena_init(&x->read.arena, MIB);
	lookup_start(&x->lookup, r, g->store->ops->run_read(g->store, &x->read));
}
