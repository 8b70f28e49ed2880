/* Notes which item is open while a provider's events are passed on, and ends it, or goes on with it, when another
 * target takes over. */
#include "shape/response.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdio.h>

/* The effects of events on the item that is open. */
enum join_step {
	JOIN_BINDS, /* nobody else can end it, or go on with it */
	JOIN_NOTHING,
	JOIN_ITEM_BEGINS,
	JOIN_ITEM_ENDS,
	JOIN_PART_BEGINS,
	JOIN_PART_ENDS,
	JOIN_GROWS,
	JOIN_TEXT_ENDS,
};

static const struct join_event {
	const char        *type;
	enum join_step     step;
	enum response_part part;
} join_events[] = {
	{ "response.output_text.delta", JOIN_GROWS, RESPONSE_PART_TEXT },
	{ "response.reasoning_summary_text.delta", JOIN_GROWS, RESPONSE_PART_SUMMARY },
	{ "response.reasoning_text.delta", JOIN_GROWS, RESPONSE_PART_RAW },
	{ "response.output_text.done", JOIN_TEXT_ENDS, RESPONSE_PART_TEXT },
	{ "response.reasoning_summary_text.done", JOIN_TEXT_ENDS, RESPONSE_PART_SUMMARY },
	{ "response.reasoning_text.done", JOIN_TEXT_ENDS, RESPONSE_PART_RAW },
	{ "response.output_item.added", JOIN_ITEM_BEGINS, RESPONSE_PART_NONE },
	{ "response.output_item.done", JOIN_ITEM_ENDS, RESPONSE_PART_NONE },
	{ "response.content_part.added", JOIN_PART_BEGINS, RESPONSE_PART_NONE },
	{ "response.content_part.done", JOIN_PART_ENDS, RESPONSE_PART_NONE },
	{ "response.reasoning_part.added", JOIN_PART_BEGINS, RESPONSE_PART_NONE },
	{ "response.reasoning_part.done", JOIN_PART_ENDS, RESPONSE_PART_NONE },
	{ "response.reasoning_summary_part.added", JOIN_PART_BEGINS, RESPONSE_PART_NONE },
	{ "response.reasoning_summary_part.done", JOIN_PART_ENDS, RESPONSE_PART_NONE },
	{ "response.created", JOIN_NOTHING, RESPONSE_PART_NONE },
	{ "response.queued", JOIN_NOTHING, RESPONSE_PART_NONE },
	{ "response.in_progress", JOIN_NOTHING, RESPONSE_PART_NONE },
	{ "keepalive", JOIN_NOTHING, RESPONSE_PART_NONE },
};

/* The parts of items, and the events that end them. */
static const struct join_part {
	const char *type;
	const char *index;
	const char *text_ends;
	const char *ends;
	const char *more; /* members after the text of the part */
} join_parts[] = {
	[RESPONSE_PART_NONE] = { "", "", "", "", "" },
	[RESPONSE_PART_TEXT] = { "output_text", "content_index", "response.output_text.done",
				 "response.content_part.done", ",\"annotations\":[]" },
	[RESPONSE_PART_SUMMARY] = { "summary_text", "summary_index",
				    "response.reasoning_summary_text.done",
				    "response.reasoning_summary_part.done", "" },
	[RESPONSE_PART_RAW] = { "reasoning_text", "content_index", "response.reasoning_text.done",
				"response.content_part.done", "" },
};

static const struct join_event *join_event_of(struct str type)
{
	static const struct join_event other = { "", JOIN_BINDS, RESPONSE_PART_NONE };

	for (size_t i = 0; i < ARRAY_LEN(join_events); i++)
		if (str_is(type, join_events[i].type))
			return &join_events[i];
	return &other;
}

static enum response_part join_part_of(const struct json_doc *d, json_at part)
{
	for (size_t i = RESPONSE_PART_TEXT; i < ARRAY_LEN(join_parts); i++)
		if (json_is_kind(d, part, JSON_OBJECT) &&
		    json_get_is(d, part, "type", join_parts[i].type))
			return (enum response_part)i;
	return RESPONSE_PART_NONE;
}

/* --- the events that are passed on --- */

void response_joint_init(struct response_joint *j)
{
	buf_init(&j->item, LIMIT_UPSTREAM_BODY);
	buf_init(&j->content, LIMIT_UPSTREAM_BODY);
	buf_init(&j->summary, LIMIT_UPSTREAM_BODY);
	buf_init(&j->text, LIMIT_UPSTREAM_BODY);
	buf_init(&j->logprobs, LIMIT_UPSTREAM_BODY);
}

void response_joint_finish(struct response_joint *j)
{
	buf_finish(&j->item);
	buf_finish(&j->content);
	buf_finish(&j->summary);
	buf_finish(&j->text);
	buf_finish(&j->logprobs);
}

static int64_t joint_index(const struct json_doc *d, const char *key)
{
	int64_t n;

	return json_int(d, json_get(d, 0, key), &n) && n >= 0 ? n : 0;
}

static bool joint_item_begins(struct response_joint *j, const struct json_doc *d)
{
	json_at item = json_get(d, 0, "item");

	if (!json_is_kind(d, item, JSON_OBJECT))
		return true;
	j->index = joint_index(d, "output_index");
	j->next = j->index + 1;
	j->message |= json_get_is(d, item, "type", "message");
	buf_clear(&j->item);
	buf_clear(&j->content);
	buf_clear(&j->summary);
	return buf_str(&j->item, json_raw(d, item));
}

static void joint_part_begins(struct response_joint *j, enum response_part part, int64_t nth)
{
	j->part = part;
	j->nth = nth;
	j->told = false;
	buf_clear(&j->text);
	buf_clear(&j->logprobs);
}

static struct buf *joint_list(struct response_joint *j, enum response_part part)
{
	return part == RESPONSE_PART_SUMMARY ? &j->summary : &j->content;
}

static bool joint_part_ends(struct response_joint *j, struct str part)
{
	struct buf *list = joint_list(j, j->part);

	joint_part_begins(j, RESPONSE_PART_NONE, 0);
	return (list->len == 0 || buf_text(list, ",")) && buf_str(list, part);
}

static bool joint_logprobs(struct response_joint *j, const struct json_doc *d)
{
	json_at list = json_get(d, 0, "logprobs");
	bool    ok = true;

	if (json_is_kind(d, list, JSON_ARRAY))
		JSON_EACH (i, d, list)
			ok = ok && (j->logprobs.len == 0 || buf_text(&j->logprobs, ",")) &&
			     buf_str(&j->logprobs, json_raw(d, i));
	return ok;
}

static bool joint_grows(struct response_joint *j, struct json_doc *d, const struct event *ev,
			enum response_part part, bool logprobs)
{
	struct err e;

	if (j->part == RESPONSE_PART_NONE) /* some servers begin no part */
		joint_part_begins(j, part, 0);
	if (logprobs && part == RESPONSE_PART_TEXT &&
	    json_scan(d, ev->raw.p, ev->raw.n, &json_limits_stored, &e) == ERR_OK &&
	    !joint_logprobs(j, d))
		return false;
	return buf_str(&j->text, ev->text);
}

static bool joint_step(struct response_joint *j, const struct json_doc *d, enum join_step step)
{
	json_at part = json_get(d, 0, "part");

	switch (step) {
	case JOIN_ITEM_BEGINS: return joint_item_begins(j, d);
	case JOIN_ITEM_ENDS:
		joint_part_begins(j, RESPONSE_PART_NONE, 0);
		buf_clear(&j->item);
		return true;
	case JOIN_PART_BEGINS:
		joint_part_begins(j, join_part_of(d, part), 0);
		j->nth = joint_index(d, join_parts[j->part].index);
		return true;
	case JOIN_PART_ENDS:
		return !json_is_kind(d, part, JSON_OBJECT) || joint_part_ends(j, json_raw(d, part));
	case JOIN_BINDS:
	case JOIN_NOTHING:
	case JOIN_GROWS:
	case JOIN_TEXT_ENDS: break;
	}
	return true;
}

bool response_joint_note(struct response_joint *j, struct json_doc *doc, const struct event *ev,
			 struct str type, bool logprobs)
{
	const struct join_event *is;
	struct err               e;

	if (type.n == 0)
		return !j->grows || buf_str(&j->text, ev->text);
	is = join_event_of(type);
	j->grows = is->step == JOIN_GROWS;
	switch (is->step) {
	case JOIN_BINDS:
	case JOIN_NOTHING: return true;
	case JOIN_GROWS: return joint_grows(j, doc, ev, is->part, logprobs);
	case JOIN_TEXT_ENDS: j->told = true; return true;
	case JOIN_ITEM_BEGINS:
	case JOIN_ITEM_ENDS:
	case JOIN_PART_BEGINS:
	case JOIN_PART_ENDS: break;
	}
	if (json_scan(doc, ev->raw.p, ev->raw.n, &json_limits_stored, &e) != ERR_OK)
		return e.code != ERR_OVERLOADED;
	return joint_step(j, doc, is->step);
}

/* --- whether it can go on --- */

/* join_item_binds: items of tools, and such as begin with a text that no event has. */
static bool join_item_binds(const struct json_doc *d)
{
	json_at item = json_get(d, 0, "item");

	return !json_is_kind(d, item, JSON_OBJECT) || (!json_get_is(d, item, "type", "message") &&
						       !json_get_is(d, item, "type", "reasoning"));
}

static bool join_begins_bare(const struct json_doc *d)
{
	json_at content = json_get(d, json_get(d, 0, "item"), "content");

	return !json_is_kind(d, content, JSON_ARRAY) || d->tok[content].count == 0;
}

static bool join_binds(const struct json_doc *d, enum join_step step, unsigned *open)
{
	switch (step) {
	case JOIN_ITEM_BEGINS: return ++*open > 1 || join_item_binds(d) || !join_begins_bare(d);
	case JOIN_ITEM_ENDS: return (*open)-- != 1 || join_item_binds(d);
	case JOIN_PART_BEGINS:
		return *open == 0 || join_part_of(d, json_get(d, 0, "part")) == RESPONSE_PART_NONE;
	case JOIN_GROWS:
	case JOIN_TEXT_ENDS:
	case JOIN_PART_ENDS: return *open == 0;
	case JOIN_BINDS: return true;
	case JOIN_NOTHING: break;
	}
	return false;
}

bool response_join_binds(struct str raw, unsigned *open)
{
	struct json_doc doc = { 0 };
	struct err      e;
	struct str      type = block_type_of(&doc, raw, &json_limits_upstream);
	enum join_step  step = join_event_of(type)->step;
	bool            binds = true;

	if (step == JOIN_GROWS)
		binds = *open == 0;
	else if (json_scan(&doc, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK)
		binds = join_binds(&doc, step, open);
	json_doc_finish(&doc);
	return binds;
}

/* --- another target takes over --- */

/* An item that ends, and the place of its events. */
struct join {
	struct response_joint *j;
	const struct json_doc *d;  /* its beginning */
	struct str             id; /* the one that clients have, with quotes */
	struct blocks         *b;
	struct buf            *out;
};

static bool join_open(struct join *x, const char *type, size_t *ret_start)
{
	if (!block_open(x->b, str_of(type), x->out))
		return false;
	*ret_start = x->out->len;
	return buf_fmt(x->out, "{\"type\":\"%s\",\"sequence_number\":%llu", type,
		       (unsigned long long)response_number(x->b));
}

static bool join_close(struct join *x, size_t start)
{
	return buf_text(x->out, "}") && response_pass_close(x->b, start, x->out);
}

/* join_part_open: an event of the part that is open. */
static bool join_part_open(struct join *x, const char *type, size_t *ret_start)
{
	return join_open(x, type, ret_start) && buf_text(x->out, ",\"item_id\":") &&
	       buf_str(x->out, x->id) &&
	       buf_fmt(x->out, ",\"output_index\":%lld,\"%s\":%lld", (long long)x->j->index,
		       join_parts[x->j->part].index, (long long)x->j->nth);
}

static bool join_put_text(struct join *x, struct buf *out)
{
	return buf_text(out, ",\"text\":\"") && buf_str(out, buf_view(&x->j->text)) &&
	       buf_text(out, "\"") &&
	       (x->j->part != RESPONSE_PART_TEXT ||
		(buf_text(out, ",\"logprobs\":[") && buf_str(out, buf_view(&x->j->logprobs)) &&
		 buf_text(out, "]")));
}

static bool join_end_part(struct join *x)
{
	const struct join_part *is = &join_parts[x->j->part];
	struct buf              part;
	size_t                  start;

	if (x->j->part == RESPONSE_PART_NONE)
		return true;
	buf_init(&part, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	bool ok = (x->j->told || (join_part_open(x, is->text_ends, &start) &&
				  join_put_text(x, x->out) && join_close(x, start))) &&
		  buf_fmt(&part, "{\"type\":\"%s\"", is->type) && join_put_text(x, &part) &&
		  buf_text(&part, is->more) && buf_text(&part, "}") &&
		  join_part_open(x, is->ends, &start) && buf_text(x->out, ",\"part\":") &&
		  buf_str(x->out, buf_view(&part)) && join_close(x, start) &&
		  joint_part_ends(x->j, buf_view(&part));
	buf_finish(&part);
	return ok;
}

/* join_put_item: the item as it ends. */
static bool join_put_item(struct join *x, struct str id, struct buf *out)
{
	bool message = json_get_is(x->d, 0, "type", "message");
	bool ok = buf_fmt(out, "{\"type\":\"%s\",\"id\":", message ? "message" : "reasoning") &&
		  buf_str(out, id);

	JSON_EACH_MEMBER (k, x->d, 0) {
		if (json_is(x->d, k, "type") || json_is(x->d, k, "id") ||
		    json_is(x->d, k, "content") || json_is(x->d, k, "summary"))
			continue;
		ok = ok && (json_is(x->d, k, "status")
				    ? buf_text(out, ",\"status\":\"completed\"")
				    : buf_text(out, ",") && buf_str(out, json_member(x->d, k)));
	}
	ok = ok && (message || (buf_text(out, ",\"summary\":[") &&
				buf_str(out, buf_view(&x->j->summary)) && buf_text(out, "]")));
	if (message || x->j->content.len > 0)
		ok = ok && buf_text(out, ",\"content\":[") &&
		     buf_str(out, buf_view(&x->j->content)) && buf_text(out, "]");
	return ok && buf_text(out, "}");
}

static bool join_end_item(struct join *x, struct response *r, struct str own)
{
	struct buf item;
	size_t     start;

	buf_init(&item, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	bool ok = join_end_part(x) && join_put_item(x, own, &item) &&
		  response_raw_add(r->raw, buf_view(&item)) &&
		  join_open(x, "response.output_item.done", &start) &&
		  buf_fmt(x->out, ",\"output_index\":%lld,\"item\":", (long long)x->j->index) &&
		  join_put_item(x, x->id, x->out) && join_close(x, start);
	buf_finish(&item);
	return ok;
}

/* join_adopt: the item goes on. */
static bool join_adopt(struct join *x, struct response *r)
{
	struct str            id = { x->id.p + 1, x->id.n - 2 };
	struct response_item *i = response_adopt(r, (size_t)x->j->index, id);
	bool                  ok = i;

	JSON_EACH_MEMBER (k, x->d, 0) {
		static const char *const known[] = { "type", "id", "status", "role", "content" };
		bool                     own = true;

		for (size_t n = 0; n < ARRAY_LEN(known); n++)
			own = own && !json_is(x->d, k, known[n]);
		if (ok && own)
			ok = buf_text(&i->own, ",") && buf_str(&i->own, json_member(x->d, k));
	}
	if (ok)
		block_one_line(&i->own, 0);
	return ok && (x->j->part == RESPONSE_PART_NONE ||
		      response_adopt_text(r, i, buf_view(&x->j->text), buf_view(&x->j->logprobs)));
}

static bool join_item(struct response_pass *p, struct response *r, struct blocks *b,
		      struct buf *out)
{
	struct response_joint *j = &p->joint;
	struct join            x = { .j = j, .d = &p->doc, .b = b, .out = out };
	struct err             e;

	if (json_scan(&p->doc, j->item.data, j->item.len, &json_limits_stored, &e) != ERR_OK)
		return false;
	json_at    at = json_get(&p->doc, 0, "id");
	struct str own =
		json_is_kind(&p->doc, at, JSON_STRING) ? json_raw(&p->doc, at) : STR("\"\"");
	x.id = response_raw_id(r->raw, own);
	bool first = j->content.len == 0 && j->nth == 0 && !j->told;
	if (json_get_is(&p->doc, 0, "type", "message") && first && x.id.n < RESPONSE_OWN_ID)
		return join_adopt(&x, r);
	return join_end_item(&x, r, own);
}

bool response_join(struct response_pass *p, struct response *r, struct blocks *b, struct buf *out)
{
	struct response_joint *j = &p->joint;

	p->on = false;
	buf_clear(&p->last);
	r->base = (size_t)j->next;
	r->answered = j->message;
	if (j->item.len > 0 && !join_item(p, r, b, out))
		return false;
	if (p->renames)
		response_raw_counts(r->raw, r->nth);
	response_joint_finish(j);
	return true;
}
