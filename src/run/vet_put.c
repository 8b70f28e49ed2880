/* See vet.h.  What changes is a copy in the arena of the request's input: nothing is written in place. */
#include "run/vet.h"

#include "base/limits.h"
#include "guard/texts.h"
#include "json/member.h"
#include "lmc/datum.h"
#include "lmc/text.h"
#include "run/guard.h"
#include "store/conversation.h"

#include <stdlib.h>

/* found_made: what stands in a place now; .p is NULL: no memory.  *ret_changed: it is another text. */
static struct str found_made(struct run *r, const struct vet *v, const struct source *s,
			     const struct found *f, bool *ret_changed)
{
	struct str raw = { s->json.p + f->at, f->len };
	struct str now = f->part.p ? f->part : v->now[f->text];
	struct buf out;

	*ret_changed = !str_eq(f->was, now);
	if (!*ret_changed)
		return raw;
	if (!f->data)
		return now;
	buf_init(&out, LIMIT_UPSTREAM_ASK);
	now = datum_put(raw, now, &out) ? arena_str(&r->rq->input->arena, buf_view(&out))
					: STR_NONE;
	buf_finish(&out);
	return now;
}

/* source_list: the new strings of a source, in the order of their places.  Of two texts in one place, the first one that has
 * changed counts.  False: no memory. */
static bool source_list(struct run *r, const struct vet *v, const struct source *s,
			struct texts_new *list, size_t *ret_count, bool *ret_changed)
{
	bool before = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct found *f = &v->list[s->first + i];
		bool                changed;
		struct str          text = found_made(r, v, s, f, &changed);
		bool                again = *ret_count > 0 && list[*ret_count - 1].at == f->at;

		if (!text.p)
			return false;
		*ret_changed |= changed;
		if (again && before)
			continue;
		*ret_count -= again;
		list[(*ret_count)++] = (struct texts_new){ f->at, f->len, text };
		before = changed;
	}
	return true;
}

/* source_made: the source with the verdict's texts, in the request's arena; .p is NULL: no memory.  *ret_changed: it
 * is another one than before. */
static struct str source_made(struct run *r, const struct vet *v, const struct source *s,
			      bool *ret_changed)
{
	struct texts_new *list = calloc(s->count + 1, sizeof *list);
	size_t            count = 0;
	struct buf        out;
	struct str        ret = STR_NONE;

	*ret_changed = false;
	buf_init(&out, LIMIT_UPSTREAM_ASK);
	bool ok = list && source_list(r, v, s, list, &count, ret_changed);
	if (ok && !*ret_changed)
		ret = s->json;
	else if (ok && texts_put(s->json, list, count, &out))
		ret = arena_str(&r->rq->input->arena, buf_view(&out));
	buf_finish(&out);
	free(list);
	return ret;
}

static struct str *copy_list(struct run *r, const struct str *list, size_t count)
{
	struct str *copy = arena_alloc(&r->rq->input->arena, (count + 1) * sizeof *copy);

	if (copy && count > 0)
		memcpy(copy, list, count * sizeof *copy);
	return copy;
}

static bool vet_put_message(struct run *r, size_t index, struct str text)
{
	struct str *copy = copy_list(r, r->rq->what.messages, r->rq->what.message_count);

	if (copy) {
		copy[index] = text;
		r->rq->what.messages = copy;
	}
	return copy;
}

/* member_made: the member with another value; .p is NULL: no memory. */
static struct str member_made(struct run *r, struct str member, struct str value)
{
	struct str ret = STR_NONE;
	struct buf out;

	buf_init(&out, LIMIT_UPSTREAM_ASK);
	if (buf_text(&out, "\"") && buf_str(&out, json_member_key(member)) &&
	    buf_text(&out, "\":") && buf_str(&out, value))
		ret = arena_str(&r->rq->input->arena, buf_view(&out));
	buf_finish(&out);
	return ret;
}

static bool vet_put_forward(struct run *r, size_t index, struct str value)
{
	struct str *member = &r->rq->what.prompt.forward[index];

	*member = member_made(r, *member, value);
	return member->p;
}

static bool vet_put_member(struct run *r, size_t index, struct str value)
{
	struct prompt *p = &r->rq->what.prompt;
	struct str    *copy = copy_list(r, p->members, p->member_count);

	if (!copy || !(copy[index] = member_made(r, copy[index], value)).p)
		return false;
	p->members = copy;
	if (!p->embed || !json_member_is(copy[index], STR("input")))
		return true;
	struct embed *embed = arena_alloc(&r->rq->input->arena, sizeof *embed);
	if (!embed)
		return false;
	*embed = *p->embed;
	embed->input = value;
	p->embed = embed;
	return true;
}

/* put_native: values of the new text have the numbers of the old one's. */
static bool put_native(struct run *r, struct str text)
{
	struct arena         *memory = &r->rq->input->arena;
	struct prompt_native *native = arena_alloc(memory, sizeof *native);
	struct json_doc      *doc = arena_alloc(memory, sizeof *doc);
	struct json_doc       d = { 0 };
	struct json_tok      *tok = NULL;
	struct err            e;
	bool                  ok = native && doc &&
		  json_scan(&d, text.p, text.n, &json_limits_request, &e) == ERR_OK &&
		  (tok = arena_alloc(memory, d.count * sizeof *tok)) != NULL;

	if (ok) {
		memcpy(tok, d.tok, d.count * sizeof *tok);
		*doc = (struct json_doc){ text.p, text.n, tok, d.count, d.count };
		*native = *r->rq->what.prompt.native;
		native->doc = doc;
		r->rq->what.prompt.native = native;
	}
	json_doc_finish(&d);
	return ok;
}

/* vet_put_plain: a JSON string as plain text. */
static bool vet_put_plain(struct run *r, struct str text, struct str *ret)
{
	struct buf out;

	buf_init(&out, LIMIT_UPSTREAM_ASK);
	bool ok = json_unescape((struct str){ text.p + 1, text.n - 2 }, &out) &&
		  (*ret = arena_str(&r->rq->input->arena, buf_view(&out))).p;
	buf_finish(&out);
	return ok;
}

static bool vet_put_reason(struct run *r, struct str text)
{
	struct call_computing *copy = arena_alloc(&r->rq->input->arena, sizeof *copy);

	if (!copy)
		return false;
	*copy = *r->rq->manner.computing;
	if (!vet_put_plain(r, text, &copy->reason))
		return false;
	copy->reason.n =
		copy->reason.n < LIMIT_COMPUTER_REASON ? copy->reason.n : LIMIT_COMPUTER_REASON;
	copy->reason.n = text_whole(copy->reason);
	r->rq->manner.computing = copy;
	return true;
}

static bool vet_put(struct run *r, const struct source *s, struct str text)
{
	switch (s->of) {
	case OF_MESSAGE: return vet_put_message(r, s->index, text);
	case OF_BRANCH: r->jobs->branch->read.messages[s->index].body = text; return true;
	case OF_MADE: attach_replace(r, s->index, text); return true;
	case OF_MEMBER: return vet_put_member(r, s->index, text);
	case OF_NATIVE: return put_native(r, text);
	case OF_FORWARD: return vet_put_forward(r, s->index, text);
	case OF_INSTRUCTION: return vet_put_plain(r, text, &r->rq->what.instruction);
	case OF_METADATA: r->rq->thread.metadata = text; return true;
	case OF_SETTINGS: r->rq->manner.settings = text; return true;
	case OF_REASON: return vet_put_reason(r, text);
	}
	return false;
}

enum errc vet_replace(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);
	const struct vet *v = g->vet;

	if (!vet_split(g->vet))
		return err_set(
			e, ERR_CONTENT_BLOCKED, "",
			"a hook has changed a text that the request has in pieces, which can't "
			"be put into them");
	if (vet_own_stays(r, v) &&
	    vet_unpass(r, "a hook has changed a text that the request has in pieces", e) != ERR_OK)
		return e->code;
	for (size_t i = 0; i < v->source_count; i++) {
		bool       changed;
		struct str text = source_made(r, v, &v->sources[i], &changed);

		if (v->sources[i].of == OF_NATIVE && !r->rq->what.prompt.native)
			continue;
		if (!text.p || (changed && !vet_put(r, &v->sources[i], text)))
			return err_no_memory(e);
		g->vet->settles |= changed && v->sources[i].of == OF_SETTINGS;
	}
	return ERR_OK;
}
