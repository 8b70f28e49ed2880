/* GET /v1/responses/{id}: the object, or its events; DELETE: removes the response. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/call/run_events.h"
#include "routes/call/run_print.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/response.h"

static bool response_get_id(struct request *r, struct id *ret)
{
	if (id_parse(request_param(r, 0), request_family(r)->run_id, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such response");
	return false;
}

/* --- the object --- */

struct get {
	struct lookup       lookup;
	struct run_read     read;
	enum reasoning_name reasoning;
};

static bool response_get_print(struct lookup *l, struct buf *out)
{
	const struct get *x = container_of(l, struct get, lookup);

	return run_print_for(out, &family_responses, x->reasoning, &x->read);
}

static size_t response_get_bytes(const struct lookup *l)
{
	const struct run_read *read = &container_of(l, struct get, lookup)->read;

	return read->settings.n + read->answer.n;
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, read),
	LOOKUP_ARENA(struct get, read.arena, RUN_PRINT_ARENA),
	.bytes = response_get_bytes,
	.print = response_get_print,
};

static void response_get_object(struct request *r, struct gateway *g, struct id id)
{
	struct get *x = lookup_make(&get_kind, r, g);

	if (!x)
		return;
	x->reasoning = g->now->run.reasoning;
	x->read.owner = request_owner(r);
	x->read.run = id;
	x->read.shape = run_print_shape(&family_responses);
	lookup_start(&x->lookup, store_run_read(g->store, &x->read));
}

/* --- the events --- */

static void response_get_events(struct request *r, struct gateway *g, struct id id)
{
	struct str            text;
	struct follow_options o = {
		.loop = g->loop,
		.cpu = g->cpu,
		.store = g->store,
		.owner = request_owner(r),
		.run = id,
		.family = request_family(r),
		.own_only = true,
		.want_usage = true,
		.reasoning = g->now->run.reasoning,
	};

	if (request_query(r, "starting_after", 0, &text) && !o.family->cursor(text, &o.cursor))
		reply_refuse(r, ERR_INVALID_VALUE, "starting_after",
			     "must be the sequence_number of an event of this response");
	else
		run_events_reply(r, &o);
}

void response_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;
	struct str      stream = STR("false");

	if (!response_get_id(r, &id))
		return;
	(void)request_query(r, "stream", 0, &stream);
	if (str_is(stream, "true") && str_is(request_method(r), "GET"))
		response_get_events(r, g, id);
	else if (stream.n == 0 || str_is(stream, "true") || str_is(stream, "false"))
		response_get_object(r, g, id);
	else
		reply_refuse(r, ERR_INVALID_VALUE, "stream", "must be true or false");
}

/* --- the end --- */

struct delete
{
	struct lookup          lookup;
	struct response_delete write;
};

static bool response_get_print_deleted(struct lookup *l, struct buf *out)
{
	char id[ID_MAX];

	id_text(container_of(l, struct delete, lookup)->write.run, family_responses.run_id, id);
	return buf_fmt(out, "{\"id\":\"%s\",\"object\":\"response\",\"deleted\":true}", id);
}

static const struct lookup_kind delete_kind = {
	LOOKUP(struct delete, write),
	LOOKUP_ARENA(struct delete, write.arena, 3 * LIMIT_STORE_ROW),
	.print = response_get_print_deleted,
};

void response_get_delete(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!response_get_id(r, &id))
		return;
	struct delete *x = lookup_make(&delete_kind, r, g);
	if (!x)
		return;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	x->write.run = id;
	lookup_start(&x->lookup, store_response_delete(g->store, &x->write));
}
