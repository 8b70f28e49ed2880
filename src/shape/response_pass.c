/* Replaces ids and numbers in a provider's events. */
#include "shape/response.h"

#include "base/limits.h"
#include "shape/encoders.h"

#include <stdio.h>

void response_pass_init(struct response_pass *p, bool renames)
{
	*p = (struct response_pass){ .renames = renames };
	buf_init(&p->last, LIMIT_UPSTREAM_BODY);
	buf_init(&p->object, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	response_joint_init(&p->joint);
}

void response_pass_finish(struct response_pass *p)
{
	buf_finish(&p->last);
	buf_finish(&p->object);
	response_joint_finish(&p->joint);
	json_doc_finish(&p->doc);
}

/* --- events --- */

/* pass_member: an object in an event; empty: there is none, or memory is short. */
static struct str pass_member(struct response_pass *p, struct str raw, const char *key)
{
	struct err e;

	if (json_scan(&p->doc, raw.p, raw.n, &json_limits_stored, &e) != ERR_OK)
		return STR_NONE;
	json_at i = json_get(&p->doc, 0, key);
	return json_is_kind(&p->doc, i, JSON_OBJECT) ? json_raw(&p->doc, i) : STR_NONE;
}

/* pass_put: what stands before a part, and something else instead of the part. */
static bool pass_put(struct buf *out, struct str *rest, struct str part, struct str instead)
{
	struct str before = { rest->p, (size_t)(part.p - rest->p) };

	rest->p = part.p + part.n;
	rest->n -= before.n + part.n;
	return buf_str(out, before) && buf_str(out, instead);
}

/* pass_replaced: the event with the id of its item and its number replaced, in the order in which they
 * stand. */
static bool pass_replaced(const struct response *r, const struct event *ev, uint64_t number,
			  struct buf *out)
{
	char       digits[48];
	struct str rest = ev->raw;
	struct str id = ev->raw_id;
	struct str count = ev->raw_created;
	struct str own = response_raw_id(r->raw, id);

	snprintf(digits, sizeof digits, count.n > 0 ? "%llu" : ",\"sequence_number\":%llu",
		 (unsigned long long)number);
	if (count.n == 0) /* before the last brace */
		count = (struct str){ ev->raw.p + ev->raw.n - 1, 0 };
	return (id.n == 0 || id.p > count.p || pass_put(out, &rest, id, own)) &&
	       pass_put(out, &rest, count, str_of(digits)) &&
	       (id.n == 0 || id.p < count.p || pass_put(out, &rest, id, own)) && buf_str(out, rest);
}

bool response_pass_close(struct blocks *b, size_t start, struct buf *out)
{
	block_one_line(out, start);
	return response_block_close(b, out);
}

static bool pass_one(const struct response *r, const struct event *ev, struct str type,
		     struct blocks *b, struct buf *out)
{
	if (!block_open(b, type, out))
		return false;
	size_t start = out->len;
	return pass_replaced(r, ev, response_number(b), out) && response_pass_close(b, start, out);
}

static struct response_frame pass_frame(const struct response *r, const char *status, bool over,
					int64_t ended_s)
{
	return (struct response_frame){
		.run = r->run,
		.created_s = r->created_s,
		.settings = buf_view(&r->settings),
		.usage = &r->usage,
		.status = status,
		.over = over,
		.completed_s = ended_s,
	};
}

/* pass_response: an event with a response; the object is printed anew. */
static bool pass_response(struct response_pass *p, const struct response *r, struct str raw,
			  struct str type, struct blocks *b, struct buf *out)
{
	struct response_frame f = pass_frame(r, "in_progress", false, 0);

	if (!block_open(b, type, out))
		return false;
	size_t start = out->len;
	return buf_text(out, "{\"type\":\"") && buf_str(out, type) &&
	       buf_fmt(out, "\",\"sequence_number\":%llu,\"response\":",
		       (unsigned long long)response_number(b)) &&
	       response_raw_print(r->raw, &f, pass_member(p, raw, "response"), out) &&
	       buf_text(out, "}") && response_pass_close(b, start, out);
}

/* pass_on: the last event waits for the store. */
static bool pass_on_raw(struct response_pass *p, const struct response *r, const struct event *ev,
			struct blocks *b, struct buf *out)
{
	struct str type = block_type_of(&p->doc, ev->raw, &json_limits_stored);

	if (!response_joint_note(&p->joint, &p->doc, ev, type, r->logprobs))
		return false;
	if (str_is(type, "response.completed") || str_is(type, "response.incomplete"))
		return buf_str(&p->last, ev->raw);
	if (str_is(type, "response.created") || str_is(type, "response.queued") ||
	    str_is(type, "response.in_progress"))
		return pass_response(p, r, ev->raw, type, b, out);
	if (str_is(type, "response.output_item.added") &&
	    !response_raw_name(r->raw, pass_member(p, ev->raw, "item")))
		return false;
	return pass_one(r, ev, type, b, out);
}

bool response_pass_event(struct response_pass *p, struct response *r, const struct event *ev,
			 struct blocks *b, struct buf *out)
{
	p->on = true;
	if (!r->raw)
		r->raw = response_raw_create(r->run, p->renames);
	if (!r->raw)
		return false;
	if (ev->kind == EVENT_USAGE)
		r->usage = ev->usage;
	if (ev->kind == EVENT_FINISH && !r->finished) {
		r->finished = true;
		str_copy(r->finish, sizeof r->finish, ev->text);
	}
	if (ev->kind == EVENT_OTHER && ev->text.n > 0 && !response_raw_add(r->raw, ev->text))
		return false;
	return ev->raw.n > 0 ? pass_on_raw(p, r, ev, b, out)
			     : response_joint_note(&p->joint, &p->doc, ev, STR_NONE, false);
}

/* --- the end --- */

/* The masking of a finish reason may have dropped the provider's own event. */
bool response_pass_ready(struct response_pass *p, struct response *r, int64_t ended_s)
{
	bool                  early = response_incomplete(r);
	struct response_frame f = pass_frame(r, early ? "incomplete" : "completed", true, ended_s);

	if (p->object.len > 0)
		return true;
	if (!response_raw_print(r->raw, &f, pass_member(p, buf_view(&p->last), "response"),
				&p->object))
		return false;
	block_one_line(&p->object, 0);
	return true;
}

bool response_pass_whole(struct response *r, bool renames, const struct encoder_whole *w,
			 int64_t ended_s, struct buf *out)
{
	r->raw = response_raw_create(r->run, renames);
	r->usage = *w->usage;
	str_copy(r->finish, sizeof r->finish, w->finish_reason);

	bool                  early = response_incomplete(r);
	struct response_frame f = pass_frame(r, early ? "incomplete" : "completed", true, ended_s);
	return r->raw && response_raw_print(r->raw, &f, w->raw, out);
}
