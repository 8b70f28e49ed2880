/* A ticket for a run's events, for readers that can't send a key. */
#include "routes/run/run_ticket.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "desk/ticket.h"
#include "store/key_ring.h"
#include "store/run.h"
#include "store/store.h"

#include <stdlib.h>

struct get {
	struct lookup   lookup;
	struct run_read read;
	struct identity *who; /* held */
	struct store    *store;
};

static bool print_ticket(struct lookup *l, struct buf *out)
{
	struct get *x = container_of(l, struct get, lookup);
	char        id[ID_MAX];
	int64_t     until_s = clock_wall_ms() / 1000 + LIMIT_TICKET_SECONDS;
	char        ticket[TICKET_MAX];

	unsigned char signing[HASH_BYTES];

	key_ring_signing(x->store->ring, signing);
	ticket_make(signing, x->read.run, x->who, until_s, ticket);
	id_text(x->read.run, ID_RUN, id);
	return buf_fmt(out,
		       "{\"object\":\"run.ticket\",\"ticket\":\"%s\",\"run\":\"%s\",\"expires_at\":%lld,"
		       "\"url\":\"/v1/runs/%s/events?ticket=%s\"}",
		       ticket, id, (long long)until_s, id, ticket);
}

static void destroy(struct lookup *l)
{
	struct get *x = container_of(l, struct get, lookup);

	arena_finish(&x->read.arena);
	identity_release(x->who);
	free(x);
}

static void on_read(struct store_job *job)
{
	struct get *x = container_of(job, struct get, read.job);

	lookup_done(&x->lookup, &job->err);
}

void run_ticket_post(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!id_parse(request_param(r, 0), ID_RUN, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such run");
		return;
	}
	struct get *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the read");
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_ticket, .destroy = destroy
	};
	x->who = identity_hold(request_key(r));
	x->store = g->store;
	x->read = (struct run_read){
		.job = { .loop = g->loop, .done = on_read },
		.owner = request_owner(r),
		.run = id,
	};
	arena_init(&x->read.arena, MIB);
	lookup_start(&x->lookup, r, store_run_read(g->store, &x->read));
}
