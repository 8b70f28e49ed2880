/* Shows the texts of a request to hooks, before anything of it is reserved, stored or sent.
 *
 *   texts of the messages and members --> the hooks --> let out, or replaced in their places, or refused
 *
 * A text that stands in several places, as in the client's own words and in the messages that were made of them, is asked about
 * once. */
#include "base/hash.h"
#include "base/limits.h"
#include "guard/texts.h"
#include "json/member.h"
#include "lmc/text.h"
#include "run/guard.h"
#include "run/own_texts.h"
#include "shape/gemini_texts.h"
#include "store/conversation.h"

#include <stdio.h>
#include <stdlib.h>

enum source_of {
	OF_MESSAGE,
	OF_BRANCH,
	OF_MADE,
	OF_MEMBER,
	OF_FORWARD,
	OF_NATIVE,
	OF_INSTRUCTION,
	OF_METADATA,
	OF_SETTINGS,
	OF_REASON
};

/* A JSON text with texts. */
struct source {
	enum source_of of;
	size_t         index;
	struct str     json;
	size_t         first, count; /* its strings, in vet's list */
};

/* A string of a source. */
struct found {
	size_t at, len;
	size_t text; /* index among the texts that are asked about */
};

struct vet {
	struct source *sources; /* owned, as the next ones */
	size_t         source_count, source_cap;
	struct found  *list;
	size_t         count, cap;
	struct buf     texts; /* strings with commas between them */
	struct str    *seen;  /* the texts, in a table by their hash, and their indexes */
	size_t        *seen_index;
	size_t         seen_cap, seen_count;
	struct buf     images;
	struct buf     tools;
	struct buf     instruction; /* a JSON string, as the next one */
	struct buf     reason;      /* the one why code is refused */
	struct str    *now;         /* owned: copies of the texts of a verdict, on `words` */
	struct buf     words;
	bool           unwanted; /* the run is to end */
	bool           numbers;  /* tokens in place of texts */
	bool           settles;  /* the response has other settings than the client's */
};

void vet_free(struct vet *v)
{
	if (!v)
		return;
	free(v->sources);
	free(v->list);
	free(v->seen);
	free(v->seen_index);
	free(v->now);
	buf_finish(&v->texts);
	buf_finish(&v->images);
	buf_finish(&v->tools);
	buf_finish(&v->instruction);
	buf_finish(&v->reason);
	buf_finish(&v->words);
	free(v);
}

static struct vet *vet_new(void)
{
	struct vet *v = calloc(1, sizeof *v);

	if (!v)
		return NULL;
	buf_init(&v->texts, LIMIT_UPSTREAM_ASK);
	buf_init(&v->images, LIMIT_UPSTREAM_ASK);
	buf_init(&v->tools, LIMIT_UPSTREAM_ASK);
	buf_init(&v->instruction, LIMIT_UPSTREAM_ASK);
	buf_init(&v->reason, LIMIT_UPSTREAM_ASK);
	buf_init(&v->words, LIMIT_UPSTREAM_ASK);
	return v;
}

/* --- what is asked about --- */

static bool seen_grow(struct vet *v)
{
	size_t      cap = v->seen_cap ? 2 * v->seen_cap : 64;
	struct str *seen = calloc(cap, sizeof *seen);
	size_t     *index = calloc(cap, sizeof *index);

	for (size_t i = 0; seen && index && i < v->seen_cap; i++) {
		if (!v->seen[i].p)
			continue;
		size_t at = (size_t)mix_str(MIX_BEGIN, v->seen[i]) & (cap - 1);
		while (seen[at].p)
			at = (at + 1) & (cap - 1);
		seen[at] = v->seen[i];
		index[at] = v->seen_index[i];
	}
	if (!seen || !index) {
		free(seen);
		free(index);
		return false;
	}
	free(v->seen);
	free(v->seen_index);
	v->seen = seen;
	v->seen_index = index;
	v->seen_cap = cap;
	return true;
}

/* seen_find: the place of a text in the table; .p is NULL there: it was not seen. */
static size_t seen_find(const struct vet *v, struct str text)
{
	size_t at = (size_t)mix_str(MIX_BEGIN, text) & (v->seen_cap - 1);

	while (v->seen[at].p && !str_eq(v->seen[at], text))
		at = (at + 1) & (v->seen_cap - 1);
	return at;
}

/* vet_text: *ret: the index of the text among those that are asked about. */
static bool vet_text(struct vet *v, struct str text, size_t *ret)
{
	if (2 * v->seen_count >= v->seen_cap && !seen_grow(v))
		return false;
	size_t at = seen_find(v, text);
	if (!v->seen[at].p) {
		if (!buf_text(&v->texts, v->seen_count > 0 ? ",\"" : "\"") ||
		    !buf_str(&v->texts, text) || !buf_text(&v->texts, "\""))
			return false;
		v->seen[at] = text;
		v->seen_index[at] = v->seen_count++;
	}
	*ret = v->seen_index[at];
	return true;
}

static bool vet_found(struct vet *v, size_t at, struct str text)
{
	struct found f = { .at = at, .len = text.n };

	if (v->count == v->cap) {
		size_t        cap = v->cap ? 2 * v->cap : 64;
		struct found *list = realloc(v->list, cap * sizeof *list);

		if (!list)
			return false;
		v->list = list;
		v->cap = cap;
	}
	if (!vet_text(v, text, &f.text))
		return false;
	v->list[v->count++] = f;
	return true;
}

static struct source *vet_source(struct vet *v, enum source_of of, size_t index, struct str json)
{
	if (v->source_count == v->source_cap) {
		size_t         cap = v->source_cap ? 2 * v->source_cap : 16;
		struct source *list = realloc(v->sources, cap * sizeof *list);

		if (!list)
			return NULL;
		v->sources = list;
		v->source_cap = cap;
	}
	v->sources[v->source_count] =
		(struct source){ .of = of, .index = index, .json = json, .first = v->count };
	return &v->sources[v->source_count++];
}

static bool vet_image(struct vet *v, struct str text)
{
	return buf_text(&v->images, v->images.len > 0 ? ",\"" : "\"") &&
	       buf_str(&v->images, text) && buf_text(&v->images, "\"");
}

/* vet_range: the strings among the values from..to of a scanned document, in the bytes of its text. */
static bool vet_range(struct vet *v, struct source *s, const struct json_doc *d, json_at from,
		      json_at to, const unsigned char *kinds)
{
	bool ok = kinds != NULL;

	for (json_at i = from; ok && i < to; i++) {
		if (kinds[i] == TEXTS_TEXT)
			ok = vet_found(v, d->tok[i].at + 1, json_inner(d, i));
		else if (kinds[i] == TEXTS_MEDIA)
			ok = vet_image(v, json_inner(d, i));
	}
	s->count = v->count - s->first;
	return ok;
}

/* vet_json: all texts of a JSON value. */
static enum errc vet_json(struct vet *v, enum source_of of, size_t index, struct str json,
			  struct err *e)
{
	struct json_doc d = { 0 };
	struct source  *s = vet_source(v, of, index, json);
	unsigned char  *kinds = NULL;
	enum errc rc = s ? json_scan(&d, json.p, json.n, &json_limits_stored, e) : err_no_memory(e);

	if (rc == ERR_OK && !(kinds = texts_find(&d)))
		rc = err_no_memory(e);
	if (rc == ERR_OK && !vet_range(v, s, &d, 0, d.count, kinds))
		rc = err_no_memory(e);
	free(kinds);
	json_doc_finish(&d);
	return rc;
}

/* Members that the gateway itself answers, and tools, which are shown by option.  All other ones are shown, those too that
 * nobody knows: a model may read them. */
static const char *const unread[] = { "model", "tools" };

static bool vet_is_unread(struct str member)
{
	for (size_t i = 0; i < ARRAY_LEN(unread); i++)
		if (json_member_is(member, str_of(unread[i])))
			return true;
	return false;
}

/* vet_object: the members of an object that a model may read. */
static enum errc vet_object(struct vet *v, enum source_of of, const struct json_doc *d,
			    unsigned char *kinds, struct err *e)
{
	struct source *s = vet_source(v, of, 0, (struct str){ d->text, d->len });
	bool           ok = kinds && s && json_kind(d, 0) == JSON_OBJECT;

	if (ok)
		JSON_EACH_MEMBER (key, d, 0)
			if (!vet_is_unread(json_member(d, key)) &&
			    !vet_range(v, s, d, json_value(key), d->tok[json_value(key)].next,
				       kinds)) {
				ok = false;
				break;
			}
	free(kinds);
	return ok ? ERR_OK : err_no_memory(e);
}

/* vet_settings: what a response repeats of its request, and is stored. */
static enum errc vet_settings(struct vet *v, struct str settings, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	if (!str_starts(settings, STR("{")))
		return ERR_OK;
	rc = json_scan(&d, settings.p, settings.n, &json_limits_stored, e);
	if (rc == ERR_OK)
		rc = vet_object(v, OF_SETTINGS, &d, texts_find(&d), e);
	json_doc_finish(&d);
	return rc;
}

/* has_numbers: whether a prompt or an input has numbers: tokens, which no hook can read. */
static bool has_numbers(struct str member, struct str value)
{
	bool word = false, found = false;

	if (!json_member_is(member, STR("prompt")) && !json_member_is(member, STR("input")))
		return false;
	for (size_t i = 0; i < value.n && !found; i++) {
		if (value.p[i] == '\\' && word)
			i++;
		else if (value.p[i] == '"')
			word = !word;
		else
			found = !word && value.p[i] >= '0' && value.p[i] <= '9';
	}
	return found;
}

static enum errc vet_member(struct vet *v, enum source_of of, size_t index, struct str member,
			    struct str value, struct err *e)
{
	v->numbers |= has_numbers(member, value);
	return value.n > 0 && !vet_is_unread(member) ? vet_json(v, of, index, value, e) : ERR_OK;
}

static enum errc vet_members(struct vet *v, const struct prompt *p, struct err *e)
{
	enum errc rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < p->member_count; i++) {
		struct str value = json_member_value(p->members[i]);

		if (json_member_is(p->members[i], STR("tools")) && v->tools.len == 0 &&
		    !buf_str(&v->tools, value))
			rc = err_no_memory(e);
		else
			rc = vet_member(v, OF_MEMBER, i, p->members[i], value, e);
	}
	for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(p->forward); i++)
		if (p->forward[i].n > 0)
			rc = vet_member(v, OF_FORWARD, i, p->forward[i],
					json_member_value(p->forward[i]), e);
	return rc;
}

static bool sees_all(const struct run_guard *g)
{
	for (uint32_t left = g->asked; left; left &= left - 1)
		if (g->hooks->list[stage_lowest(left)].all)
			return true;
	return false;
}

static enum errc vet_branch(struct vet *v, const struct run *r, struct err *e)
{
	const struct branch_read *b = run_branch(r);
	enum errc                 rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && b && i < b->message_count; i++)
		rc = vet_json(v, OF_BRANCH, i, b->messages[i].body, e);
	return rc;
}

static enum errc vet_instruction(struct vet *v, const struct run *r, bool all, struct err *e)
{
	struct str text = r->rq->what.instruction;

	if (text.n == 0 ||
	    !(all || (r->rq->what.instruction_set && !r->rq->what.instruction_default)))
		return ERR_OK;
	if (!buf_json_string(&v->instruction, text))
		return err_no_memory(e);
	return vet_json(v, OF_INSTRUCTION, 0, buf_view(&v->instruction), e);
}

/* vet_reason: why the user did not allow code, which the model is told. */
static enum errc vet_reason(struct vet *v, const struct run *r, struct err *e)
{
	const struct call_computing *q = r->rq->manner.computing;

	if (!r->computer || !q || q->reason.n == 0)
		return ERR_OK;
	if (!buf_json_string(&v->reason, q->reason))
		return err_no_memory(e);
	return vet_json(v, OF_REASON, 0, buf_view(&v->reason), e);
}

/* vet_goes_native: whether a provider may be sent the client's own words, which are Gemini's. */
static bool vet_goes_native(const struct run *r)
{
	return prompt_is_native(&r->rq->what.prompt, PROVIDER_GEMINI);
}

/* vet_unpass: the provider is sent the translation, and not the client's own words; why: they can't be sent. */
static enum errc vet_unpass(struct run *r, const char *why, struct err *e)
{
	struct call_what *what = &r->rq->what;
	int64_t           n;

	if (what->untranslated || !budget_answers(&what->prompt, &n) || n != 1)
		return err_set(e, ERR_CONTENT_BLOCKED, "",
			       "%s, and it can't be translated, because it has %s", why,
			       what->untranslated ? "what only its own API can be told"
						  : "a candidateCount above 1");
	what->prompt.native = NULL;
	return warnings_join(&r->warnings, what->warnings, what->warning_count) ? ERR_OK
										: err_no_memory(e);
}

/* vet_gather_own: the client's own words, if a provider may be sent them.  Data that may be a text is shown, and sent, as the
 * translation has it. */
static enum errc vet_gather_own(struct run *r, struct vet *v, struct err *e)
{
	const struct prompt_native *native = r->rq->what.prompt.native;

	if (vet_goes_native(r) && gemini_hides(native->doc))
		return vet_unpass(r, "the request has data that a hook can't read as it is", e);
	return native ? vet_object(v, OF_NATIVE, native->doc,
				   vet_goes_native(r) ? own_texts_find(native->doc, 0)
						      : texts_find(native->doc),
				   e)
		      : ERR_OK;
}

/* vet_gather: the texts of the request, on a worker if they are long. */
static enum errc vet_gather(struct run *r, struct err *e)
{
	struct run_guard             *g = guard_of(r);
	struct vet                   *v = g->vet;
	const struct call_what       *what = &r->rq->what;
	bool                          all = sees_all(g);
	size_t                        made_count;
	const struct transcript_made *made = attach_made(r, &made_count);
	const struct branch_read     *branch = run_branch(r);
	size_t                        old = branch ? branch->message_count : 0;
	enum errc                     rc = vet_instruction(v, r, all, e);

	if (rc == ERR_OK)
		rc = vet_reason(v, r, e);
	if (rc == ERR_OK && all)
		rc = vet_branch(v, r, e);
	if (rc == ERR_OK)
		rc = vet_gather_own(r, v, e);
	for (size_t i = 0; rc == ERR_OK && i < what->message_count; i++)
		rc = vet_json(v, OF_MESSAGE, i, what->messages[i], e);
	for (size_t i = 0; rc == ERR_OK && i < made_count; i++)
		if (all || made[i].message >= old)
			rc = vet_json(v, OF_MADE, i, made[i].text, e);
	if (rc == ERR_OK)
		rc = vet_members(v, &what->prompt, e);
	if (rc == ERR_OK && r->rq->thread.metadata.n > 0)
		rc = vet_json(v, OF_METADATA, 0, r->rq->thread.metadata, e);
	if (rc == ERR_OK)
		rc = vet_settings(v, r->rq->manner.settings, e);
	if (rc == ERR_OK && v->numbers)
		rc = err_set(
			e, ERR_CONTENT_BLOCKED, "",
			"hooks check the texts of this gateway's calls, and numbers of tokens are "
			"none: send texts");
	return rc;
}

/* --- texts that a hook has changed --- */

/* source_made: the source with the verdict's texts, in the request's arena; .p is NULL: no memory.  *ret_changed: it
 * is another one than before. */
static struct str source_made(struct run *r, const struct vet *v, const struct source *s,
			      bool *ret_changed)
{
	struct texts_new *list = calloc(s->count + 1, sizeof *list);
	struct buf        out;
	struct str        ret = STR_NONE;

	*ret_changed = false;
	buf_init(&out, LIMIT_UPSTREAM_ASK);
	for (size_t i = 0; list && i < s->count; i++) {
		const struct found *f = &v->list[s->first + i];

		list[i] = (struct texts_new){ f->at, f->len, v->now[f->text] };
		*ret_changed |= !str_eq((struct str){ s->json.p + f->at, f->len }, v->now[f->text]);
	}
	if (list && !*ret_changed)
		ret = s->json;
	else if (list && texts_put(s->json, list, s->count, &out))
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

/* vet_misses: whether a text of a message was changed that is not shown to the provider as it stands in the client's own words:
 * one that was joined from several, or made of arguments or results.  The same text may stand elsewhere, too.  True, too:
 * no memory. */
static bool vet_misses(const struct run *r, const struct vet *v)
{
	const struct json_doc *d = r->rq->what.prompt.native->doc;
	size_t                *left = calloc(v->seen_count + 1, sizeof *left);
	unsigned char         *marks = gemini_marks(d, 0);
	bool                   misses = !left || !marks;

	for (json_at i = 0; !misses && v->seen_cap > 0 && i < d->count; i++) {
		if (marks[i] != GEMINI_ALONE || json_inner_of(d, i).n == 0)
			continue;
		size_t at = seen_find(v, json_inner(d, i));
		if (v->seen[at].p)
			left[v->seen_index[at]]++;
	}
	for (size_t i = 0; left && i < v->source_count; i++) {
		const struct source *s = &v->sources[i];

		for (size_t k = 0; !misses && s->of == OF_MESSAGE && k < s->count; k++) {
			const struct found *f = &v->list[s->first + k];
			struct str          was = { s->json.p + f->at, f->len };

			misses = !str_eq(was, v->now[f->text]) && left[f->text]-- == 0;
		}
	}
	free(left);
	free(marks);
	return misses;
}

/* vet_is_joined: whether a text is made of those of the client's own words from this one on, with an empty line between two,
 * or nothing.  *ret_kept: their new texts make the new text in the same way. */
static bool vet_is_joined(const struct vet *v, const struct source *own, size_t from,
			  struct str was, struct str now, bool *ret_kept)
{
	static const struct str gap = { "\\n\\n", 4 };
	bool                    kept = true;

	for (size_t i = from; i < own->count && was.n > 0; i++) {
		const struct found *f = &v->list[own->first + i];
		struct str          part = { own->json.p + f->at, f->len };
		struct str          fresh = v->now[f->text];

		if (i > from && !str_starts(was, part) && str_starts(was, gap)) {
			was = (struct str){ was.p + gap.n, was.n - gap.n };
			kept = kept && str_starts(now, gap);
			now = kept ? (struct str){ now.p + gap.n, now.n - gap.n } : now;
		}
		if (!str_starts(was, part))
			return false;
		was = (struct str){ was.p + part.n, was.n - part.n };
		kept = kept && str_starts(now, fresh);
		now = kept ? (struct str){ now.p + fresh.n, now.n - fresh.n } : now;
	}
	*ret_kept = kept && now.n == 0;
	return was.n == 0;
}

/* vet_tears: whether a text of a message was changed across the pieces that the client's own words have of it: these would be
 * sent as they were. */
static bool vet_tears(const struct vet *v)
{
	const struct source *own = NULL;
	bool                 tears = false;

	for (size_t i = 0; i < v->source_count; i++)
		if (v->sources[i].of == OF_NATIVE)
			own = &v->sources[i];
	for (size_t i = 0; own && i < v->source_count; i++) {
		const struct source *s = &v->sources[i];

		for (size_t k = 0; s->of == OF_MESSAGE && k < s->count; k++) {
			const struct found *f = &v->list[s->first + k];
			struct str          was = { s->json.p + f->at, f->len };
			struct str          now = v->now[f->text];
			bool                kept;

			for (size_t n = 0; !tears && !str_eq(was, now) && n < own->count; n++)
				tears = vet_is_joined(v, own, n, was, now, &kept) && !kept;
		}
	}
	return tears;
}

static enum errc vet_replace(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);
	const struct vet *v = g->vet;

	if ((vet_goes_native(r) ? vet_misses(r, v) : vet_tears(v)) &&
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

/* vet_keep_words: the verdict's texts, which the callback only lends. */
static bool vet_keep_words(struct vet *v, const struct str *texts)
{
	size_t total = 0;

	for (size_t i = 0; i < v->seen_count; i++)
		total += texts[i].n;
	v->now = calloc(v->seen_count + 1, sizeof *v->now);
	if (!v->now || !buf_reserve(&v->words, total + 1))
		return false;
	for (size_t i = 0; i < v->seen_count; i++) {
		size_t at = v->words.len;

		if (!buf_str(&v->words, texts[i]))
			return false;
		v->now[i] = (struct str){ v->words.data + at, texts[i].n };
	}
	return true;
}

/* --- the check --- */

static void vet_over(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);

	vet_free(TAKE(g->vet));
	step_over(r, e);
}

/* vet_replaced: the answer is printed with the settings as they are now. */
static void vet_replaced(struct run *r, struct err *e)
{
	if (e->code == ERR_OK && guard_of(r)->vet->settles && !run_settle(r))
		e->code = err_no_memory(e);
	vet_over(r, e);
}

static bool keeps_blocked(const struct run_guard *g)
{
	for (uint32_t left = g->asked; left; left &= left - 1)
		if (g->hooks->list[stage_lowest(left)].keep_blocked)
			return true;
	return false;
}

/* The values of a response whose request was blocked, in the places of the client's own words.  NULL: what stood there; of
 * members that are not here, numbers, booleans and nulls stay. */
static const struct {
	const char *member, *value;
} bare_values[] = {
	{ "model", NULL },
	{ "conversation", NULL },
	{ "previous_response_id", NULL },
	{ "instructions", "null" },
	{ "metadata", "{}" },
	{ "tool_choice", "\"auto\"" },
	{ "prompt_cache_key", "null" },
	{ "safety_identifier", "null" },
	{ "service_tier", "\"auto\"" },
	{ "user", "null" },
	{ "tools", "[]" },
	{ "text", "{\"format\":{\"type\":\"text\"}}" },
	{ "reasoning", "{\"effort\":null,\"summary\":null}" },
	{ "truncation", "\"disabled\"" },
};

/* bare_value: what stands in a member's place; empty: the member is left out. */
static struct str bare_value(const struct json_doc *d, json_at key)
{
	json_at value = json_value(key);

	for (size_t i = 0; i < ARRAY_LEN(bare_values); i++)
		if (json_is(d, key, bare_values[i].member))
			return bare_values[i].value ? str_of(bare_values[i].value)
						    : json_raw(d, value);
	switch (json_kind(d, value)) {
	case JSON_STRING:
	case JSON_ARRAY:
	case JSON_OBJECT: return STR_NONE;
	case JSON_NUMBER:
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NULL: break;
	}
	return json_raw(d, value);
}

/* bare_settings: those of a response, without the client's words; none where memory is short. */
static struct str bare_settings(struct run *r, struct str settings)
{
	struct json_doc d = { 0 };
	struct buf      out;
	struct str      ret = STR_NONE;
	struct err      e;

	if (!str_starts(settings, STR("{")))
		return settings;
	buf_init(&out, settings.n + KIB);
	bool ok = json_scan(&d, settings.p, settings.n, &json_limits_stored, &e) == ERR_OK;
	if (ok)
		JSON_EACH_MEMBER (key, &d, 0) {
			struct str value = bare_value(&d, key);

			ok = ok && (value.n == 0 || (buf_text(&out, out.len > 0 ? "," : "{") &&
						     buf_str(&out, json_raw(&d, key)) &&
						     buf_text(&out, ":") && buf_str(&out, value)));
		}
	if (ok && out.len > 0 && buf_text(&out, "}"))
		ret = arena_str(&r->rq->input->arena, buf_view(&out));
	json_doc_finish(&d);
	buf_finish(&out);
	return ret;
}

/* vet_block: the request is refused.  Of a stored one, the run is stored, without its content. */
static void vet_block(struct run *r, struct run_guard *g, const struct err *e)
{
	struct err own = *e;

	if (!run_stored(r) || r->computer) {
		vet_over(r, &own);
		return;
	}
	err_keep(&g->refusal, e);
	r->given.refused = true;
	if (!keeps_blocked(g)) {
		r->rq->what.message_count = 0;
		r->rq->what.instruction = STR_NONE;
		r->rq->what.instruction_set = false;
		r->rq->thread.metadata = STR_NONE;
		r->rq->manner.settings = bare_settings(r, r->rq->manner.settings);
	}
	own.code = ERR_OK;
	vet_over(r, &own);
}

static void vet_on_verdict(void *arg, enum check_verdict v, const struct str *texts,
			   const struct err *e)
{
	struct run_guard *g = arg;
	struct run       *r = g->run;
	struct err        own = { .code = ERR_OK };

	g->check = NULL;
	run_release(r);
	switch (v) {
	case CHECK_BLOCK: vet_block(r, g, e); return;
	case CHECK_FAIL: own = *e; break;
	case CHECK_REPLACE:
		if (!vet_keep_words(g->vet, texts))
			own.code = err_no_memory(&own);
		else if (aside_wanted(r)) {
			aside_do(r, vet_replace, vet_replaced);
			return;
		} else {
			own.code = vet_replace(r, &own);
			vet_replaced(r, &own);
			return;
		}
		break;
	case CHECK_ALLOW:
	case CHECK__COUNT: break;
	}
	vet_over(r, &own);
}

/* vet_ask: the texts are known.  Nothing to ask about is let out. */
static enum step_next vet_ask(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);
	struct vet       *v = g->vet;
	struct check_ask  ask;

	if (v->seen_count == 0 && v->images.len == 0 && v->tools.len == 0) {
		vet_free(TAKE(g->vet));
		return STEP_MORE;
	}
	guard_fill(r, g, &ask);
	ask.phase = HOOK_REQUEST;
	ask.mask = g->asked;
	ask.texts = buf_view(&v->texts);
	ask.count = v->seen_count;
	ask.images = buf_view(&v->images);
	ask.tools = buf_view(&v->tools);
	ask.whole = true;
	if (check_begin(&ask, guard_note, vet_on_verdict, g, &g->check, e) != ERR_OK)
		return STEP_FAILED;
	run_hold(r);
	return STEP_PARKED;
}

static void vet_gathered(struct run *r, struct err *e)
{
	if (e->code == ERR_OK && guard_of(r)->vet->unwanted) {
		vet_over(r, e);
		return;
	}
	enum step_next next = e->code == ERR_OK ? vet_ask(r, e) : STEP_FAILED;

	if (next != STEP_PARKED)
		vet_over(r, e);
}

static enum step_next vet_start(struct run *r, struct err *e)
{
	struct run_guard *g = guard_of(r);

	/* The further calls of a run with a computer have nothing new of the client's. */
	if (g && (r->attempt.before > 0 || g->note_count > 0))
		return STEP_MORE;
	if (!g || !(g->vet = vet_new())) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	if (!aside_wanted(r))
		return vet_gather(r, e) == ERR_OK ? vet_ask(r, e) : STEP_FAILED;
	if (aside_submit(r, vet_gather, vet_gathered))
		return STEP_PARKED;
	err_set(e, ERR_OVERLOADED, "", "too many large requests are waiting; try again");
	return STEP_FAILED;
}

static void vet_on_unwanted(struct timer *t)
{
	struct run_guard *g = container_of(t, struct run_guard, soon);
	struct err        e = { .code = ERR_OK };

	run_release(g->run);
	vet_over(g->run, &e);
}

/* vet_unwant: the run goes on in the next turn of the loop, as the caller is within it. */
void vet_unwant(struct run *r)
{
	struct run_guard *g = run_stage_has(r, STAGE_GUARD);

	if (!g || !g->vet || g->vet->unwanted)
		return;
	g->vet->unwanted = true;
	if (!g->check)
		return;
	check_cancel(TAKE(g->check));
	g->soon.fn = vet_on_unwanted;
	timer_start(run_loop(r), &g->soon, 0);
}

static bool vet_wanted(const struct run *r)
{
	const struct run_guard *g;

	return guard_take(r, &g) && (!g || g->asked);
}

bool vet_refused(const struct run *r)
{
	return r->given.refused;
}

enum step_next vet_refuse(struct run *r, struct err *e)
{
	const struct run_guard *g = guard_of(r);

	*e = *g->refusal;
	return STEP_FAILED;
}

static void vet_event(struct run *r, const struct event *ev)
{
	run_pass(r, STAGE_VET, ev);
}

const struct stage vet_stage = {
	.name = "vet",
	.wanted = vet_wanted,
	.start = vet_start,
	.event = vet_event,
	.save = guard_save,
};
