/* GET /v1/runs/{id}: the run object, from the store or, if it is stored nowhere, while it lives. */
#include "routes/run/runs.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "routes/kit/page.h"
#include "routes/call/run_print.h"
#include "desk/live.h"
#include "store/job.h"
#include "store/run.h"

#include <stdlib.h>

struct get {
	struct lookup   lookup;
	struct run_read read;
};

static bool print_run(struct lookup *l, struct buf *out)
{
	return run_print(out, &container_of(l, struct get, lookup)->read);
}

static void get_destroy(struct lookup *l)
{
	struct get *x = container_of(l, struct get, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

/* The store hears of a run's answer a moment after it has begun, and of attempts with it. */
static void freshen(struct run_read *run)
{
	struct live live;

	if (run->status > RUN_RUNNING || !live_look(run->run, run->owner, &live))
		return;
	run->attempts = live.attempts;
	run->first_token_ms = live.first_token_ms;
}

static void get_done(struct store_job *job)
{
	if (job->err.code == ERR_OK)
		freshen(&container_of(job, struct get, read.job)->read);
	lookup_done(&container_of(job, struct get, read.job)->lookup, &job->err);
}

/* answer_live: a run that is stored nowhere; false: there is no such. */
static bool answer_live(struct request *r, struct id id)
{
	struct live live;
	struct buf  body;

	if (!live_find(id, request_owner(r), &live))
		return false;
	buf_init(&body, 16 * KIB);
	if (!run_print_live(&body, &live))
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
	lookup_start(&x->lookup, r, store_run_read(g->store, &x->read));
}

/* --- a list of them --- */

enum {
	RUNS_DEFAULT = 20,
	RUNS_MAX = 100,
};

struct list {
	struct lookup    lookup;
	struct runs_read read;
};

static bool print_list(struct lookup *l, struct buf *out)
{
	const struct runs_read *read = &container_of(l, struct list, lookup)->read;
	char first[ID_MAX] = "", last[ID_MAX] = "";

	if (read->run_count > 0) {
		id_text(read->runs[0].run, ID_RUN, first);
		id_text(read->runs[read->run_count - 1].run, ID_RUN, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < read->run_count; i++)
		if ((i > 0 && !buf_text(out, ",")) || !run_print(out, &read->runs[i]))
			return false;
	return buf_text(out, "]}");
}

static void list_destroy(struct lookup *l)
{
	struct list *x = container_of(l, struct list, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void list_done(struct store_job *job)
{
	struct runs_read *read = &container_of(job, struct list, read.job)->read;

	for (size_t i = 0; job->err.code == ERR_OK && i < read->run_count; i++)
		freshen(&read->runs[i]);
	lookup_done(&container_of(job, struct list, read.job)->lookup, &job->err);
}

static bool read_status(struct request *r, int *ret)
{
	struct str text;

	*ret = -1;
	if (!request_query(r, "status", 0, &text))
		return true;
	for (int i = 0; i < RUN_STATUS__COUNT; i++)
		if (str_is(text, run_status_name((enum run_status)i))) {
			*ret = i;
			return true;
		}
	reply_refuse(r, ERR_INVALID_VALUE, "status",
		     "must be one of: queued, running, completed, incomplete, failed, cancelled");
	return false;
}

static bool read_query(struct request *r, struct runs_read *ret)
{
	struct str text;

	if (!page_limit(r, RUNS_DEFAULT, RUNS_MAX, &ret->limit) || !read_status(r, &ret->status))
		return false;
	if (request_query(r, "after", 0, &text) &&
	    !id_parse(text, ID_RUN, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of a run of this list");
		return false;
	}
	if (request_query(r, "conversation", 0, &text) &&
	    !id_parse(text, ID_CONVERSATION, &ret->conversation)) {
		reply_refuse(r, ERR_NOT_FOUND, "conversation", "there is no such conversation");
		return false;
	}
	return true;
}

void runs_get_all(struct request *r, void *app)
{
	struct gateway  *g = app;
	struct runs_read read = { .owner = request_owner(r) };

	if (!read_query(r, &read))
		return;
	struct list *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_list, .destroy = list_destroy
	};
	x->read = read;
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	arena_init(&x->read.arena, 4 * MIB);
	lookup_start(&x->lookup, r, store_runs_read(g->store, &x->read));
}
