/* GET /v1/responses/{id}: the object, or its events; DELETE: removes the response. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "json/scan.h"
#include "routes/call/call.h"
#include "routes/kit/lookup.h"
#include "routes/response/internal.h"
#include "store/job.h"
#include "store/run.h"

static bool response_get_id(struct request *r, struct id *ret)
{
	return lookup_id(r, request_family(r)->run_id, "there is no such response", ret);
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
	if (str_is(stream, "true") && str_is(str_of(request_view(r)->method), "GET"))
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
	struct audit_entry     entry;
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
	lookup_audit(&x->lookup, AUDIT_RESPONSE_DELETE, request_param(r, 0), &x->entry);
	lookup_start(&x->lookup, store_response_delete(g->store, &x->write));
}

/* --- response_show: The members of a request that its response shows. */

static bool show_value(const struct json_doc *d, const char *key, const char *absent,
		       struct buf *out)
{
	json_at v = json_get_some(d, 0, key);

	return buf_fmt(out, ",\"%s\":", key) &&
	       (v == JSON_ABSENT ? buf_text(out, absent) : json_print(d, v, out));
}

static bool show_object(const struct json_doc *d, json_at object, const char *key, struct buf *out)
{
	json_at v = object != JSON_ABSENT ? json_get_some(d, object, key) : JSON_ABSENT;

	return buf_fmt(out, "\"%s\":", key) &&
	       (v == JSON_ABSENT ? buf_text(out, "null") : json_print(d, v, out));
}

static bool show_text(const struct json_doc *d, json_at text, struct buf *out)
{
	json_at format = text != JSON_ABSENT ? json_get_some(d, text, "format") : JSON_ABSENT;
	json_at verbosity = text != JSON_ABSENT ? json_get_some(d, text, "verbosity") : JSON_ABSENT;

	return buf_text(out, ",\"text\":{\"format\":") &&
	       (format == JSON_ABSENT ? buf_text(out, "{\"type\":\"text\"}")
				      : json_print(d, format, out)) &&
	       (verbosity == JSON_ABSENT ||
		(buf_text(out, ",\"verbosity\":") && json_print(d, verbosity, out))) &&
	       buf_text(out, "}");
}

static bool show_conversation(const struct call_request *rq, struct buf *out)
{
	char id[ID_MAX];

	if (id_none(rq->thread.conversation))
		return buf_text(out, ",\"conversation\":null");
	id_text(rq->thread.conversation, ID_CONVERSATION, id);
	return buf_fmt(out, ",\"conversation\":{\"id\":\"%s\"}", id);
}

static bool show_all(const struct json_doc *d, const struct response_request *c,
		     const struct response_tools *tools, const struct call_request *rq,
		     struct buf *out)
{
	/* Members with their values, or what stands for a value that is absent. */
	static const char *const plain[][2] = {
		{ "instructions", "null" },
		{ "metadata", "{}" },
		{ "parallel_tool_calls", "true" },
		{ "temperature", "1.0" },
		{ "presence_penalty", "0.0" },
		{ "frequency_penalty", "0.0" },
		{ "tool_choice", "\"auto\"" },
		{ "top_p", "1.0" },
		{ "max_output_tokens", "null" },
		{ "max_tool_calls", "null" },
		{ "previous_response_id", "null" },
		{ "prompt_cache_key", "null" },
		{ "safety_identifier", "null" },
		{ "service_tier", "\"default\"" },
		{ "user", "null" },
	};
	bool ok = buf_text(out, "{\"model\":") && buf_json_string(out, rq->what.model);

	for (size_t i = 0; ok && i < ARRAY_LEN(plain); i++)
		ok = show_value(d, plain[i][0], plain[i][1], out);
	return ok && buf_text(out, ",\"tools\":") && response_tools_show(tools, out) &&
	       show_text(d, c->text, out) && buf_text(out, ",\"reasoning\":{") &&
	       show_object(d, c->reasoning, "effort", out) && buf_text(out, ",") &&
	       show_object(d, c->reasoning, "summary", out) && buf_text(out, "}") &&
	       show_conversation(rq, out) &&
	       buf_fmt(out,
		       ",\"background\":%s,\"store\":%s,\"top_logprobs\":%lld,"
		       "\"truncation\":\"disabled\"}",
		       c->background ? "true" : "false", c->store ? "true" : "false",
		       (long long)c->top_logprobs);
}

enum errc response_show(struct input *in, const struct response_request *c,
			const struct response_tools *tools, struct call_request *ret, struct err *e)
{
	struct buf text;

	buf_init(&text, LIMIT_STORE_ROW);
	if (show_all(&in->doc, c, tools, ret, &text))
		ret->manner.settings = arena_str(&in->arena, buf_view(&text));
	buf_finish(&text);
	return ret->manner.settings.p ? ERR_OK
				      : err_set(e, ERR_OVERLOADED, "", "no memory for the request");
}
