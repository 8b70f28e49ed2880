/* GET /v1/runs/{id}: the run object, from the store, or from a live run that is not stored. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/identity.h"
#include "base/limits.h"
#include "desk/live.h"
#include "desk/ticket.h"
#include "http/reply.h"
#include "json/scan.h"
#include "routes/call/call.h"
#include "routes/kit/csv.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/key_ring.h"
#include "store/ledger.h"
#include "store/run.h"
#include "store/store.h"

struct get {
	struct lookup   lookup;
	struct run_read read;
};

static bool runs_print_run(struct lookup *l, struct buf *out)
{
	return run_print_whole(out, &container_of(l, struct get, lookup)->read);
}

/* The store learns of attempts and the start of an answer a moment later than the live run. */
static void add_live_news(struct run_read *run)
{
	struct live live;
	struct str  log = STR_NONE;

	if (run->status > RUN_RUNNING ||
	    !live_look_log(run->run, run->owner, &live, &run->arena, &log))
		return;
	struct str provider = arena_str(&run->arena, str_of(live.provider));
	run->provider = provider.p ? provider : run->provider;
	run->attempts = live.attempts;
	run->first_token_ms = live.first_token_ms;
	run->attempt_log = log.n > 0 ? log : run->attempt_log;
}

static enum errc runs_get_came(struct lookup *l, struct err *e)
{
	struct run_read *run = &container_of(l, struct get, lookup)->read;

	(void)e;
	add_live_news(run);
	return ERR_OK;
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, read),
	LOOKUP_ARENA(struct get, read.arena, MIB),
	.came = runs_get_came,
	.print = runs_print_run,
};

/* answer_live: answers with a live run that is not stored; false: there is none. */
static bool answer_live(struct request *r, struct id id)
{
	struct live live;
	struct str  log = STR_NONE;
	struct buf  body;

	if (!live_look_log(id, request_owner(r), &live, request_arena(r), &log) || live.stored)
		return false;
	buf_init(&body, 64 * KIB);
	if (!run_print_live(&body, &live, log))
		buf_clear(&body);
	reply_json_take(r, 200, &body);
	return true;
}

void runs_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!lookup_id(r, ID_RUN, "there is no such run", &id))
		return;
	if (answer_live(r, id))
		return;
	struct get *x = lookup_make(&get_kind, r, g);
	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.run = id;
	x->read.calls = true;
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
}

static bool runs_print_admin(struct lookup *l, struct buf *out)
{
	return run_print_admin(out, &container_of(l, struct get, lookup)->read);
}

static const struct lookup_kind admin_kind = {
	LOOKUP(struct get, read),
	LOOKUP_ARENA(struct get, read.arena, MIB),
	.came = runs_get_came,
	.print = runs_print_admin,
};

void runs_admin_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!lookup_id(r, ID_RUN, "there is no such run", &id))
		return;
	struct get *x = lookup_make(&admin_kind, r, g);
	if (!x)
		return;
	x->read.any_owner = true;
	x->read.run = id;
	x->read.calls = true;
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
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

/* runs_last: where the next page begins. */
static struct str runs_last(const struct runs_read *read, char ret[ID_MAX])
{
	ret[0] = '\0';
	if (!id_none(read->end))
		return id_text(read->end, ID_RUN, ret);
	if (read->run_count > 0)
		return id_text(read->runs[read->run_count - 1].run, ID_RUN, ret);
	return STR_NONE;
}

static bool runs_print_list(struct lookup *l, struct buf *out)
{
	const struct runs_read *read = &container_of(l, struct list, lookup)->read;
	char                    first[ID_MAX] = "", last[ID_MAX];

	if (read->run_count > 0)
		id_text(read->runs[0].run, ID_RUN, first);
	runs_last(read, last);
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < read->run_count; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !(read->keys ? run_print_keyed : run_print)(out, &read->runs[i]))
			return false;
	return buf_text(out, "]}");
}

static enum errc list_came(struct lookup *l, struct err *e)
{
	struct runs_read *read = &container_of(l, struct list, lookup)->read;

	(void)e;
	for (size_t i = 0; i < read->run_count; i++)
		add_live_news(&read->runs[i]);
	return ERR_OK;
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	LOOKUP_ARENA(struct list, read.arena, 4 * MIB),
	.came = list_came,
	.print = runs_print_list,
};

static bool runs_print_csv(struct lookup *l, struct buf *out)
{
	const struct runs_read *read = &container_of(l, struct list, lookup)->read;
	struct csv              c = csv_begin(out, run_csv_columns(read->keys));

	for (size_t i = 0; c.ok && i < read->run_count; i++)
		run_csv(&c, &read->runs[i], read->keys);
	return c.ok;
}

static enum errc list_came_csv(struct lookup *l, struct err *e)
{
	const struct runs_read *read = &container_of(l, struct list, lookup)->read;
	char                    last[ID_MAX];

	csv_headers(l->request, "runs.csv", read->has_more ? runs_last(read, last) : STR_NONE);
	return list_came(l, e);
}

static const struct lookup_kind list_csv = {
	LOOKUP(struct list, read), LOOKUP_ARENA(struct list, read.arena, 4 * MIB),
	.came = list_came_csv,     .print = runs_print_csv,
	.type = CSV_TYPE,
};

/* runs_list_make: NULL: the request was refused and answered. */
static struct list *runs_list_make(struct request *r, struct gateway *g)
{
	bool csv;

	return csv_asked(r, &csv) ? lookup_make(csv ? &list_csv : &list_kind, r, g) : NULL;
}

static bool runs_read_status(struct request *r, int *ret)
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

/* runs_read_times: created_after is in whole seconds, as created_at is, and so a run of that very
 * second is none of the list; neither is one of the second of created_before. */
static bool runs_read_times(struct request *r, struct runs_read *ret)
{
	enum { DIGITS = 11 };
	int64_t after = -1;

	if (!page_seconds(r, "created_after", &after) ||
	    !page_seconds(r, "created_before", &ret->to_ms) ||
	    !page_number(r, "min_duration_ms", DIGITS, "must be milliseconds", &ret->min_ms))
		return false;
	ret->from_ms = after < 0 ? 0 : (after + 1) * 1000;
	ret->to_ms *= 1000;
	return true;
}

static bool runs_read_outcome(struct request *r, int *ret)
{
	struct str text;

	if (!request_query(r, "outcome", 0, &text))
		return true;
	*ret = call_outcome_find(text) + 1;
	if (*ret > 0)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "outcome",
		     "must be one of: completed, failed, cancelled, client_left, refused");
	return false;
}

static bool runs_read_stored(struct request *r, enum runs_stores *ret)
{
	struct str text;

	if (!request_query(r, "stored", 0, &text))
		return true;
	*ret = str_is(text, "true") ? RUNS_STORED : RUNS_UNSTORED;
	if (*ret == RUNS_STORED || str_is(text, "false"))
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "stored", "must be true or false");
	return false;
}

/* runs_read_query: the parameters that all lists have. */
static bool runs_read_query(struct request *r, struct runs_read *ret)
{
	bool descending = true;

	ret->most = LIMIT_RUNS_LOOK;
	if (!page_limit(r, RUNS_DEFAULT, RUNS_MAX, &ret->limit) || !page_order(r, &descending) ||
	    !runs_read_status(r, &ret->status) || !runs_read_times(r, ret) ||
	    !runs_read_outcome(r, &ret->outcome) || !runs_read_stored(r, &ret->stores) ||
	    !page_text(r, "model", LIMIT_MODEL, &ret->arena, &ret->model) ||
	    !page_text(r, "provider", 63, &ret->arena, &ret->provider) ||
	    !page_text(r, "error", 63, &ret->arena, &ret->error) ||
	    !page_text(r, "key", IDENTITY_ID_MAX - 1, &ret->arena, &ret->key) ||
	    !page_text(r, "group", IDENTITY_ID_MAX - 1, &ret->arena, &ret->group))
		return false;
	ret->ascending = !descending;
	ret->calls = true;
	return page_after(r, ID_RUN, "must be the id of a run of this list", &ret->after);
}

static bool runs_read_conversation(struct request *r, struct runs_read *ret)
{
	struct str text;

	if (!request_query(r, "conversation", 0, &text))
		return true;
	/* A conversation has none but stored runs, and these don't know the group of their key. */
	ret->calls = false;
	if (ret->group.n > 0) {
		reply_refuse(r, ERR_INVALID_VALUE, "group",
			     "must not be given together with conversation");
		return false;
	}
	if (id_parse(text, ID_CONVERSATION, &ret->conversation))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "conversation", "there is no such conversation");
	return false;
}

static void runs_start_list(struct list *x, bool asked)
{
	if (asked)
		lookup_start(&x->lookup, store_runs_read(x->lookup.gateway->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

void runs_get_all(struct request *r, void *app)
{
	struct list *x = runs_list_make(r, app);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.keyed = str_starts(str_of(request_view(r)->by.who->id), STR("key_"));
	runs_start_list(x, runs_read_query(r, &x->read) && runs_read_conversation(r, &x->read));
}

void runs_admin_get_all(struct request *r, void *app)
{
	struct list *x = runs_list_make(r, app);

	if (!x)
		return;
	x->read.any_owner = true;
	x->read.keys = true;
	runs_start_list(x, runs_read_query(r, &x->read));
}

/* --- run_ticket: A ticket for a run's events, for readers that can't send a key. */

struct ticket_get {
	struct lookup    lookup;
	struct run_read  read;
	struct identity *who; /* held */
};

static bool print_ticket(struct lookup *l, struct buf *out)
{
	struct ticket_get *x = container_of(l, struct ticket_get, lookup);
	char               id[ID_MAX];
	int64_t            until_s = clock_wall_ms() / 1000 + LIMIT_TICKET_SECONDS;
	char               ticket[TICKET_MAX];

	unsigned char signing[HASH_BYTES];

	if (x->who->until_ms > 0 && until_s > x->who->until_ms / 1000)
		until_s = x->who->until_ms / 1000;
	key_ring_signing(l->gateway->store->ring, signing);
	ticket_make(signing, x->read.run, x->who, until_s, ticket);
	id_text(x->read.run, ID_RUN, id);
	return buf_fmt(
		out,
		"{\"object\":\"run.ticket\",\"ticket\":\"%s\",\"run\":\"%s\",\"expires_at\":%lld,"
		"\"url\":\"/v1/runs/%s/events?ticket=%s\"}",
		ticket, id, (long long)until_s, id, ticket);
}

static void ticket_finish(struct lookup *l)
{
	identity_release(container_of(l, struct ticket_get, lookup)->who);
}

static const struct lookup_kind ticket_kind = {
	LOOKUP(struct ticket_get, read),
	LOOKUP_ARENA(struct ticket_get, read.arena, MIB),
	.print = print_ticket,
	.finish = ticket_finish,
};

void run_ticket_post(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!lookup_id(r, ID_RUN, "there is no such run", &id))
		return;
	struct ticket_get *x = lookup_make(&ticket_kind, r, g);
	if (!x)
		return;
	x->who = identity_hold(request_view(r)->by.who);
	x->read.owner = request_owner(r);
	x->read.run = id;
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
}
