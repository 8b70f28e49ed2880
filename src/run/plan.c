/* Prints and reads plans, and writes that of a run. */
#include "run/plan.h"

#include "base/limits.h"
#include "desk/ticket.h"
#include "msg/event_code.h"
#include "run/internal.h"
#include "shape/family.h"
#include "store/store.h"

#include <stdlib.h>

enum { PLAN_BYTES = MIB }; /* a call with a longer one is not asked again */

/* --- flags: those of a request, by their names in the plan */

enum { FLAG_BITS = 6 };

static const char *const flag_names[] = {
	"answers_calls", "once",  "default", "asks_usage", "as_sent", "want_usage",
	"bare",          "fence", "fences",  "logprobs",   "plain",   "capped",
};

/* The last FLAG_BITS of them have no address in the request: they are copied by bits_of and bits_take. */
static bool *flag_at(struct call_request *rq, size_t i, bool bits[FLAG_BITS])
{
	bool *const flags[] = {
		&rq->what.answers_calls,       &rq->what.instruction_once,
		&rq->what.instruction_default, &rq->what.prompt.want_usage,
		&rq->what.prompt.as_sent,      &rq->manner.want_usage,
	};

	_Static_assert(ARRAY_LEN(flag_names) == ARRAY_LEN(flags) + FLAG_BITS,
		       "each flag has a name");
	return i < ARRAY_LEN(flags) ? flags[i] : bits + (i - ARRAY_LEN(flags));
}

static void bits_of(const struct call_request *rq, bool ret[FLAG_BITS])
{
	ret[0] = rq->manner.bare;
	ret[1] = rq->manner.fence;
	ret[2] = rq->manner.fences;
	ret[3] = rq->manner.logprobs;
	ret[4] = !rq->what.prompt.stream;
	ret[5] = rq->manner.capped;
}

static void bits_take(struct call_request *rq, const bool bits[FLAG_BITS])
{
	rq->manner.bare = bits[0];
	rq->manner.fence = bits[1];
	rq->manner.fences = bits[2];
	rq->manner.logprobs = bits[3];
	rq->manner.plain = bits[4];
	rq->manner.capped = bits[5];
}

static bool plan_put_flags(const struct call_request *rq, struct buf *out)
{
	struct call_request copy = *rq;
	bool                bits[FLAG_BITS];
	bool                ok = true;

	bits_of(rq, bits);
	for (size_t i = 0; ok && i < ARRAY_LEN(flag_names); i++)
		if (*flag_at(&copy, i, bits))
			ok = buf_fmt(out, ",\"%s\":true", flag_names[i]);
	return ok;
}

static void plan_read_flags(const struct json_doc *d, struct call_request *rq)
{
	bool bits[FLAG_BITS] = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(flag_names); i++)
		*flag_at(rq, i, bits) = json_is_kind(d, json_get(d, 0, flag_names[i]), JSON_TRUE);
	bits_take(rq, bits);
}

/* --- members */

static bool plan_put_members(struct buf *out, const char *key, const struct str *members,
			     size_t count)
{
	bool ok = buf_fmt(out, ",\"%s\":{", key);
	bool any = false;

	for (size_t i = 0; ok && i < count; i++) {
		if (members[i].n == 0)
			continue;
		ok = (!any || buf_text(out, ",")) && buf_str(out, members[i]);
		any = true;
	}
	return ok && buf_text(out, "}");
}

static size_t plan_read_members(const struct json_doc *d, const char *key, struct str *ret,
				size_t most)
{
	json_at object = json_get(d, 0, key);
	size_t  n = 0;

	if (!json_is_kind(d, object, JSON_OBJECT))
		return 0;
	JSON_EACH_MEMBER (i, d, object)
		if (n < most)
			ret[n++] = json_member(d, i);
	return n;
}

/* --- the plan */

static bool plan_put_text(struct buf *out, const char *key, struct str text)
{
	return text.n == 0 || (buf_fmt(out, ",\"%s\":", key) && buf_json_string(out, text));
}

static bool plan_put_raw(struct buf *out, const char *key, struct str raw)
{
	return raw.n == 0 || (buf_fmt(out, ",\"%s\":", key) && buf_str(out, raw));
}

bool plan_print(const struct call_request *rq, struct buf *out)
{
	const struct prompt *p = &rq->what.prompt;
	bool                 keeps = rq->what.instruction_once || rq->what.instruction_default;
	char                 who[TICKET_WHO] = "";

	if (rq->caller.who)
		ticket_who(rq->caller.who, who);
	return buf_fmt(out, "{\"family\":\"%s\",\"who\":\"%s\"", rq->manner.family->name, who) &&
	       buf_fmt(out, ",\"session\":%lld,\"guess\":%lld", (long long)rq->caller.session,
		       (long long)rq->manner.guess_in) &&
	       plan_put_flags(rq, out) && plan_put_raw(out, "limit", p->max_tokens) &&
	       plan_put_text(out, "limit_key",
			     str_of(p->max_tokens_key ? p->max_tokens_key : "")) &&
	       plan_put_raw(out, "stream_options", p->stream_options) &&
	       plan_put_members(out, "forward", p->forward, ARRAY_LEN(p->forward)) &&
	       (!keeps || plan_put_text(out, "instruction", rq->what.instruction)) &&
	       plan_put_members(out, "members", p->members, p->member_count) && buf_text(out, "}");
}

static const struct family *plan_family(const struct json_doc *d)
{
	static const struct family *const all[] = {
		&family_chat,      &family_completions, &family_text,   &family_messages,
		&family_responses, &family_rebyte,      &family_gemini, &family_ollama,
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (json_get_is(d, 0, "family", all[i]->name))
			return all[i];
	return NULL;
}

static bool plan_read_text(const struct json_doc *d, const char *key, struct arena *a,
			   struct str *ret)
{
	json_at i = json_get(d, 0, key);

	return i == JSON_ABSENT || json_text(d, i, a, ret);
}

static struct str plan_read_raw(const struct json_doc *d, const char *key)
{
	json_at i = json_get(d, 0, key);

	return i == JSON_ABSENT ? STR_NONE : json_raw(d, i);
}

static bool plan_read_limit(const struct json_doc *d, struct arena *a, struct prompt *p)
{
	struct str key = STR_NONE;
	char      *text;

	p->max_tokens = plan_read_raw(d, "limit");
	if (!plan_read_text(d, "limit_key", a, &key))
		return false;
	if (key.n == 0)
		return true;
	text = arena_alloc(a, key.n + 1);
	if (text) {
		memcpy(text, key.p, key.n);
		text[key.n] = '\0';
	}
	p->max_tokens_key = text;
	return text;
}

static bool plan_read_prompt(const struct json_doc *d, struct arena *a, struct prompt *p)
{
	json_at     list = json_get(d, 0, "members");
	struct str *members = arena_alloc(a, (d->count + 1) * sizeof *members);

	if (!members || !json_is_kind(d, list, JSON_OBJECT) || !plan_read_limit(d, a, p))
		return false;
	p->members = members;
	p->member_count = plan_read_members(d, "members", members, d->count);
	(void)plan_read_members(d, "forward", p->forward, ARRAY_LEN(p->forward));
	p->stream_options = plan_read_raw(d, "stream_options");
	p->stream = true;
	return true;
}

enum errc plan_read(struct input *in, struct call_request *rq, struct str *ret_who, struct err *e)
{
	struct json_doc *d = &in->doc;
	int64_t          session = 0;

	*ret_who = STR_NONE;
	if (json_scan(d, in->body.data, in->body.len, &json_limits_stored, e) != ERR_OK)
		return e->code;
	rq->manner.family = plan_family(d);
	if (!rq->manner.family || !plan_read_prompt(d, &in->arena, &rq->what.prompt) ||
	    !plan_read_text(d, "who", &in->arena, ret_who) ||
	    !plan_read_text(d, "instruction", &in->arena, &rq->what.instruction) ||
	    !json_int(d, json_get(d, 0, "session"), &session) ||
	    !json_int(d, json_get(d, 0, "guess"), &rq->manner.guess_in))
		return err_set(e, ERR_INTERNAL, "", "the log says not how the call was asked");
	rq->caller.session = (uint64_t)session;
	plan_read_flags(d, rq);
	rq->what.instruction_set = rq->what.instruction_once;
	rq->manner.store = rq->manner.finish = true;
	return ERR_OK;
}

/* --- plan_start: the step that writes it */

struct run_planned {
	struct run          *run;
	struct events_append append;
	struct events_entry  entry;
	struct buf           data;
};

static void plan_free(struct run_planned *x)
{
	buf_finish(&x->data);
	free(x);
}

static void plan_on_logged(struct store_job *job)
{
	struct run_planned *x = container_of(job, struct run_planned, append.job);
	struct run         *r = x->run;
	struct err          e = job->err;

	run_release(r);
	if (e.code == ERR_OK && x->entry.refused)
		err_set(&e, ERR_INTERNAL, "", "the gateway could not store this request");
	if (e.code == ERR_OK)
		r->journal.seq = r->journal.base = 1;
	plan_free(x);
	step_over(r, &e);
}

static bool plan_encode(const struct run *r, struct run_planned *x)
{
	struct buf text;

	buf_init(&text, PLAN_BYTES);
	bool ok =
		plan_print(r->rq, &text) && event_encode(&(struct event){ .kind = EVENT_ASKED,
									  .block = journal_asked(r),
									  .name = buf_view(&text) },
							 1, &x->data);
	buf_finish(&text);
	return ok;
}

bool plan_wanted(const struct run *r)
{
	return r->given.restarts && (r->journal.logged || !r->given.stream) && !cache_is_hit(r) &&
	       store_does(r->engine->o.store, JOB_EVENTS_APPEND);
}

enum step_next plan_start(struct run *r, struct err *e)
{
	struct run_planned *x = calloc(1, sizeof *x);

	(void)e;
	r->given.restarts = x;
	if (!x)
		return STEP_MORE;
	x->run = r;
	buf_init(&x->data, 2 * PLAN_BYTES);
	r->given.restarts = plan_encode(r, x);
	if (!r->given.restarts) {
		plan_free(x);
		return STEP_MORE;
	}
	x->entry.piece = (struct events_piece){ r->names.id, 1, 1, buf_view(&x->data) };
	x->append = (struct events_append){ .job = { .loop = run_loop(r), .done = plan_on_logged },
					    .entries = &x->entry,
					    .entry_count = 1 };
	run_hold(r);
	if (store_events_append(r->engine->o.store, &x->append))
		return STEP_PARKED;
	run_release(r);
	r->given.restarts = false;
	plan_free(x);
	return STEP_MORE;
}
