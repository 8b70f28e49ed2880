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
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/key_ring.h"
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

static bool runs_print_list(struct lookup *l, struct buf *out)
{
	const struct runs_read *read = &container_of(l, struct list, lookup)->read;
	char                    first[ID_MAX] = "", last[ID_MAX] = "";

	if (read->run_count > 0) {
		id_text(read->runs[0].run, ID_RUN, first);
		id_text(read->runs[read->run_count - 1].run, ID_RUN, last);
	}
	if (!id_none(read->end))
		id_text(read->end, ID_RUN, last);
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

/* runs_read_since: created_after is in whole seconds, as created_at is, and so a run of that very
 * second is none of the list. */
static bool runs_read_since(struct request *r, int64_t *ret_ms)
{
	enum { DIGITS = 11 }; /* until the year 5138 */
	struct str text;
	int64_t    s = 0;

	if (!request_query(r, "created_after", 0, &text))
		return true;
	for (size_t i = 0; i < text.n; i++) {
		if (text.n > DIGITS || text.p[i] < '0' || text.p[i] > '9') {
			reply_refuse(r, ERR_INVALID_VALUE, "created_after",
				     "must be seconds since 1970");
			return false;
		}
		s = 10 * s + (text.p[i] - '0');
	}
	*ret_ms = (s + 1) * 1000;
	return true;
}

/* runs_read_name: a parameter of at most `most` bytes, copied; *ret is empty if it is absent. */
static bool runs_read_name(struct request *r, const char *name, size_t most, struct arena *a,
			   struct str *ret)
{
	struct err e;
	struct str text;

	if (!request_query(r, name, 0, &text))
		return true;
	if (text.n > most || !utf8_valid(text.p, text.n)) {
		err_set(&e, ERR_INVALID_VALUE, name, "must be UTF-8 of at most %zu bytes", most);
		reply_error(r, &e);
		return false;
	}
	*ret = arena_str(a, text);
	if (ret->p)
		return true;
	err_no_memory(&e);
	reply_error(r, &e);
	return false;
}

/* runs_read_query: the parameters that all lists have. */
static bool runs_read_query(struct request *r, struct runs_read *ret)
{
	bool descending = true;

	ret->most = LIMIT_RUNS_LOOK;
	if (!page_limit(r, RUNS_DEFAULT, RUNS_MAX, &ret->limit) || !page_order(r, &descending) ||
	    !runs_read_status(r, &ret->status) || !runs_read_since(r, &ret->from_ms) ||
	    !runs_read_name(r, "model", LIMIT_MODEL, &ret->arena, &ret->model) ||
	    !runs_read_name(r, "key", IDENTITY_ID_MAX - 1, &ret->arena, &ret->key))
		return false;
	ret->ascending = !descending;
	return page_after(r, ID_RUN, "must be the id of a run of this list", &ret->after);
}

static bool runs_read_conversation(struct request *r, struct runs_read *ret)
{
	struct str text;

	if (!request_query(r, "conversation", 0, &text) ||
	    id_parse(text, ID_CONVERSATION, &ret->conversation))
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
	struct list *x = lookup_make(&list_kind, r, app);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	runs_start_list(x, runs_read_query(r, &x->read) && runs_read_conversation(r, &x->read));
}

void runs_admin_get_all(struct request *r, void *app)
{
	struct list *x = lookup_make(&list_kind, r, app);

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
