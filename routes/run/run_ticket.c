/* A ticket for a run's events, for readers that can't send a key. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "desk/ticket.h"
#include "store/key_ring.h"
#include "store/run.h"
#include "store/store.h"

struct get {
	struct lookup    lookup;
	struct run_read  read;
	struct identity *who; /* held */
};

static bool print_ticket(struct lookup *l, struct buf *out)
{
	struct get *x = container_of(l, struct get, lookup);
	char        id[ID_MAX];
	int64_t     until_s = clock_wall_ms() / 1000 + LIMIT_TICKET_SECONDS;
	char        ticket[TICKET_MAX];

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
	identity_release(container_of(l, struct get, lookup)->who);
}

static const struct lookup_kind ticket_kind = {
	LOOKUP(struct get, read),
	LOOKUP_ARENA(struct get, read.arena, MIB),
	.print = print_ticket,
	.finish = ticket_finish,
};

void run_ticket_post(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!id_parse(request_param(r, 0), ID_RUN, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such run");
		return;
	}
	struct get *x = lookup_make(&ticket_kind, r, g);
	if (!x)
		return;
	x->who = identity_hold(request_key(r));
	x->read.owner = request_owner(r);
	x->read.run = id;
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
}
