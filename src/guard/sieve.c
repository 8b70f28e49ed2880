/* Holds the events of an answer until their texts may leave: how they come, and how they leave. */
#include "guard/sieve.h"

#include "base/limits.h"
#include "base/list.h"
#include "guard/internal.h"
#include "guard/texts.h"
#include "json/member.h"

#include <errno.h>
#include <stdlib.h>

enum { JOIN_MOST = 32 /* events, of other choices and calls, over which a piece is joined */ };

struct sieve *sieve_create(const struct sieve_options *o)
{
	struct sieve *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->o = *o;
	s->need = o->window;
	s->end = &s->first;
	for (size_t i = 0; i < IN__COUNT; i++)
		buf_init(&s->out[i], o->max + LIMIT_PIECE);
	return s;
}

/* sieve_put_range: appends s[from..to). */
static bool sieve_put_range(struct buf *out, struct str s, size_t from, size_t to)
{
	return from >= to || buf_add(out, s.p + from, to - from);
}

/* --- events that come --- */

/* The parts of an event that is being put. */
struct draft {
	struct sieve   *sieve;
	struct part    *parts; /* owned */
	size_t          count, cap;
	struct str      rest[IN__COUNT];
	struct buf      bare[IN__COUNT]; /* the same without the parts */
	size_t          done[IN__COUNT]; /* bytes of rest that bare has, or that are in parts */
	struct channel *waits;           /* NULL: none */
};

static bool draft_add(struct draft *d, struct channel *c, struct str piece, enum member m)
{
	struct buf *bare = &d->bare[m];
	size_t      at = piece.n > 0 ? (size_t)(piece.p - d->rest[m].p) : d->done[m];

	if (d->count == d->cap) {
		size_t       cap = d->cap ? 2 * d->cap : 1;
		struct part *parts = realloc(d->parts, cap * sizeof *parts);

		if (!parts)
			return false;
		d->parts = parts;
		d->cap = cap;
	}
	if (!sieve_put_range(bare, d->rest[m], d->done[m], at))
		return false;
	d->done[m] = at + piece.n;
	size_t from = channel_end(c);
	if (!buf_str(&c->text, piece))
		return false;
	d->parts[d->count++] = (struct part){ c, bare->len, from, from + piece.n, m };
	c->refs++;
	return true;
}

static bool draft_alone(struct draft *d, struct str text, enum member m)
{
	struct channel *c = channel_new(d->sieve, EVENT__COUNT, 0, 0);

	if (!c)
		return false;
	c->alone = true;
	d->sieve->fresh += texts_count(text);
	return draft_add(d, c, text, m);
}

/* draft_json: each text of a JSON value stands alone. */
static bool draft_json(struct draft *d, struct str json)
{
	struct sieve *s = d->sieve;
	struct err    e;

	if (json.n == 0)
		return true;
	if (json_scan(&s->doc, json.p, json.n, &json_limits_upstream, &e) != ERR_OK) {
		errno = e.code == ERR_OVERLOADED ? ENOMEM : 0;
		return false;
	}
	unsigned char *kinds = texts_find(&s->doc);
	bool           ok = kinds != NULL;
	for (json_at i = 0; ok && i < s->doc.count; i++)
		if (kinds[i] == TEXTS_TEXT)
			ok = draft_alone(d, json_inner(&s->doc, i), IN_TEXT);
	free(kinds);
	return ok;
}

static bool draft_piece(struct draft *d, const struct event *ev, bool entire)
{
	struct channel *c = channel_of(d->sieve, ev->kind, ev->choice, ev->block);

	if (!c)
		return false;
	c->entire = entire;
	c->code = entire;
	if (!entire)
		d->sieve->fresh += texts_count(ev->text);
	return draft_add(d, c, ev->text, IN_TEXT);
}

/* close_kinds: the choice goes on with another kind of text. */
static bool close_kinds(struct sieve *s, const struct event *ev)
{
	for (struct channel *c = s->channels; c; c = c->next) {
		bool text = c->kind == EVENT_TEXT || c->kind == EVENT_REASONING ||
			    c->kind == EVENT_REFUSAL;

		if (!c->alone && text && c->choice == ev->choice && c->kind != ev->kind &&
		    !channel_close(s, c))
			return false;
	}
	return true;
}

static bool close_call(struct sieve *s, uint32_t choice, uint32_t block)
{
	for (struct channel *c = s->channels; c; c = c->next)
		if (!c->alone && c->kind == EVENT_TOOL_ARGS && c->choice == choice &&
		    c->block == block && !channel_close(s, c))
			return false;
	return true;
}

static bool close_choice(struct sieve *s, uint32_t choice)
{
	for (struct channel *c = s->channels; c; c = c->next)
		if (!c->alone && c->choice == choice && !channel_close(s, c))
			return false;
	return true;
}

static bool sieve_close_segment(struct sieve *s)
{
	for (struct channel *c = s->channels; c; c = c->next)
		if (!c->alone && c->kind == EVENT_LMC && !channel_close(s, c))
			return false;
	return true;
}

/* draft_begin: the event begins a text that leaves whole, and leaves with it. */
static bool draft_begin(struct draft *d, enum event_kind kind, uint32_t choice, uint32_t block)
{
	d->waits = channel_of(d->sieve, kind, choice, block);
	if (!d->waits)
		return false;
	d->waits->entire = true;
	return true;
}

/* draft_lmc: the content of a segment in pieces is a channel; all other texts of a chunk stand alone. */
static bool draft_lmc(struct draft *d, struct str chunk)
{
	struct sieve *s = d->sieve;
	struct err    e;

	if (json_scan(&s->doc, chunk.p, chunk.n, &json_limits_upstream, &e) != ERR_OK) {
		errno = e.code == ERR_OVERLOADED ? ENOMEM : 0;
		return false;
	}
	json_at content = json_get(&s->doc, 0, "content");
	if (json_is_kind(&s->doc, json_get(&s->doc, 0, "start"), JSON_TRUE)) {
		if (!sieve_close_segment(s))
			return false;
		s->segment++;
		s->segment_text = !json_get_is(&s->doc, 0, "type", "image");
		s->segment_entire = json_get_is(&s->doc, 0, "type", "tool_call");
		s->segment_code = s->segment_entire || json_get_is(&s->doc, 0, "type", "code");
		if (s->segment_entire && !draft_begin(d, EVENT_LMC, 0, s->segment))
			return false;
	}
	if (json_is_kind(&s->doc, json_get(&s->doc, 0, "end"), JSON_TRUE) &&
	    !sieve_close_segment(s))
		return false;
	unsigned char *kinds = texts_find(&s->doc);
	bool           ok = kinds != NULL;
	for (json_at i = 0; ok && i < s->doc.count; i++) {
		struct str text = kinds[i] == TEXTS_NONE ? STR_NONE : json_inner(&s->doc, i);

		if (i == content && kinds[i] != TEXTS_NONE &&
		    (s->segment_text || kinds[i] == TEXTS_TEXT)) {
			struct channel *c = channel_of(s, EVENT_LMC, 0, s->segment);

			ok = c != NULL;
			if (!ok)
				break;
			c->entire = s->segment_entire;
			c->code = s->segment_code;
			if (!c->entire)
				s->fresh += texts_count(text);
			ok = draft_add(d, c, text, IN_TEXT);
		} else if (kinds[i] == TEXTS_TEXT && text.n > 0) {
			ok = draft_alone(d, text, IN_TEXT);
		}
	}
	free(kinds);
	return ok;
}

/* is_known_end: the words of APIs for an answer's end; any other one is a text. */
static bool is_known_end(struct str word)
{
	static const char *const known[] = {
		"stop",          "length",     "tool_calls",       "content_filter",
		"function_call", "end_turn",   "max_tokens",       "stop_sequence",
		"tool_use",      "pause_turn", "refusal",          "completed",
		"incomplete",    "STOP",       "MAX_TOKENS",       "SAFETY",
		"RECITATION",    "eos",        "max_steps",        "confirmation",
		"model_length",  "error",      "max_output_tokens"
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(word, known[i]))
			return true;
	return word.n == 0;
}

/* is_model_name: words with slashes between them, as models have; what has spaces is a text. */
static bool is_model_name(struct str name)
{
	size_t at = 0;

	while (at < name.n) {
		const char *slash = memchr(name.p + at, '/', name.n - at);
		size_t      to = slash ? (size_t)(slash - name.p) : name.n;

		if (!texts_is_id((struct str){ name.p + at, to - at }))
			return false;
		at = to + 1;
	}
	return true;
}

static bool draft_fill(struct draft *d, const struct event *ev)
{
	struct sieve *s = d->sieve;

	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL: return close_kinds(s, ev) && draft_piece(d, ev, false);
	case EVENT_TOOL_ARGS: return draft_piece(d, ev, true);
	case EVENT_TOOL_START:
		return draft_begin(d, EVENT_TOOL_ARGS, ev->choice, ev->block) &&
		       close_kinds(s, ev) &&
		       (str_starts(ev->text, STR("{")) ? draft_json(d, ev->text)
			: ev->text.n == 0 || texts_is_signature(ev->text)
				? true
				: draft_alone(d, ev->text, IN_TEXT)) &&
		       (ev->name.n == 0 || draft_alone(d, ev->name, IN_NAME)) &&
		       (texts_is_id(ev->id) || draft_alone(d, ev->id, IN_ID));
	case EVENT_BLOCK_END: return close_call(s, ev->choice, ev->block);
	case EVENT_MEDIA:
	case EVENT_MESSAGE: return draft_json(d, ev->text);
	case EVENT_LMC: return draft_lmc(d, ev->text);
	case EVENT_FINISH:
		return close_choice(s, ev->choice) &&
		       (is_known_end(ev->text) || draft_alone(d, ev->text, IN_TEXT)) &&
		       (is_known_end(ev->name) || draft_alone(d, ev->name, IN_NAME));
	case EVENT_START:
		return (is_model_name(ev->text) || draft_alone(d, ev->text, IN_TEXT)) &&
		       (texts_is_id(ev->id) || draft_alone(d, ev->id, IN_ID));
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return true;
}

static bool is_piece(const struct event *ev, const struct draft *d)
{
	return d->count == 1 && !d->parts[0].channel->alone &&
	       (ev->kind == EVENT_TEXT || ev->kind == EVENT_REASONING ||
		ev->kind == EVENT_REFUSAL || ev->kind == EVENT_TOOL_ARGS || ev->kind == EVENT_LMC);
}

/* joins_over: whether nothing of another kind stands after the event, in its choice. */
static bool joins_over(const struct held *h)
{
	size_t n = 0;

	for (const struct held *o = h->next; o; o = o->next)
		if (n++ == JOIN_MOST ||
		    (o->event.choice == h->event.choice && o->event.kind != h->event.kind))
			return false;
	return true;
}

/* sieve_join: the piece goes to the event before it of its channel, where nothing stands between that it would overtake. */
static bool sieve_join(struct sieve *s, const struct event *ev, const struct draft *d)
{
	const struct part *p = d->parts;
	struct held       *h = is_piece(ev, d) ? p->channel->last : NULL;

	if (!h || h->number <= s->fence || h->parts[0].to != p->from || !joins_over(h) ||
	    h->event.hollow != ev->hollow || h->event.from_lmc != ev->from_lmc ||
	    !str_eq(h->event.text, buf_view(&d->bare[IN_TEXT])) || h->parts[0].at != p->at)
		return false;
	h->parts[0].to = p->to;
	p->channel->refs--;
	return true;
}

static struct str bytes_put(char **at, struct str s)
{
	struct str ret = { *at, s.n };

	if (s.n > 0)
		memcpy(*at, s.p, s.n);
	*at += s.n;
	return s.n > 0 ? ret : STR_NONE;
}

static bool sieve_append(struct sieve *s, const struct event *ev, struct draft *d)
{
	struct str text = buf_view(&d->bare[IN_TEXT]);
	struct str name = buf_view(&d->bare[IN_NAME]);
	struct str id = buf_view(&d->bare[IN_ID]);
	size_t     bytes = sizeof(struct held) + text.n + name.n + id.n +
		       d->count * (sizeof(struct part) + sizeof(struct channel) / 2);
	struct held *h =
		s->bytes + bytes <= s->o.max ? malloc(sizeof *h + text.n + name.n + id.n) : NULL;

	if (!h) {
		errno = s->bytes + bytes <= s->o.max ? ENOMEM : EMSGSIZE;
		return false;
	}
	char *at = h->bytes;
	*h = (struct held){ .event = *ev,
			    .number = ++s->number,
			    .piece = is_piece(ev, d),
			    .parts = TAKE(d->parts),
			    .part_count = d->count,
			    .waits = d->waits };
	if (h->waits)
		h->waits->refs++;
	h->event.text = bytes_put(&at, text);
	h->event.name = bytes_put(&at, name);
	h->event.id = bytes_put(&at, id);
	h->event.give = NULL;
	h->event.err = NULL;
	h->event.pass = PASS_ONLY;
	h->event.raw = h->event.raw_usage = h->event.raw_role = h->event.raw_id =
		h->event.raw_created = STR_NONE;
	s->bytes += bytes;
	if (!h->piece)
		s->fence = h->number;
	else
		h->parts[0].channel->last = h;
	*s->end = h;
	s->end = &h->next;
	return true;
}

static bool draft_rest(struct draft *d)
{
	for (size_t i = 0; i < IN__COUNT; i++)
		if (!sieve_put_range(&d->bare[i], d->rest[i], d->done[i], d->rest[i].n))
			return false;
	return true;
}

bool sieve_put(struct sieve *s, const struct event *ev)
{
	struct draft d = { .sieve = s, .rest = { ev->text, ev->name, ev->id } };
	size_t       before = 0;

	for (size_t i = 0; i < IN__COUNT; i++)
		buf_init(&d.bare[i], LIMIT_UPSTREAM_BODY);
	errno = 0;
	bool ok = draft_fill(&d, ev) && draft_rest(&d);
	for (size_t i = 0; i < d.count; i++)
		before += d.parts[i].to - d.parts[i].from;
	if (ok && s->bytes + before > s->o.max) {
		errno = EMSGSIZE;
		ok = false;
	}
	s->bytes += before;
	ok = ok && (sieve_join(s, ev, &d) || sieve_append(s, ev, &d));
	for (size_t i = 0; i < IN__COUNT; i++)
		buf_finish(&d.bare[i]);
	free(d.parts);
	return ok;
}

void sieve_close(struct sieve *s)
{
	s->closed = true;
	/* Without memory for what has left, it is only not known any more. */
	for (struct channel *c = s->channels; c; c = c->next)
		(void)!channel_close(s, c);
}

void sieve_reopen(struct sieve *s)
{
	s->closed = false;
}

bool sieve_closed(const struct sieve *s)
{
	return s->closed;
}

bool sieve_any(const struct sieve *s)
{
	return s->first != NULL;
}

size_t sieve_held(const struct sieve *s)
{
	return s->bytes;
}

/* --- events that leave --- */

bool sieve_put_member(const struct held *h, enum member m, struct buf *out)
{
	struct str bare = m == IN_TEXT ? h->event.text : m == IN_NAME ? h->event.name : h->event.id;
	size_t     at = 0;

	for (size_t i = 0; i < h->part_count; i++) {
		const struct part *p = &h->parts[i];

		if (p->member != m)
			continue;
		if (!sieve_put_range(out, bare, at, p->at) ||
		    !buf_str(out, channel_slice(p->channel, p->from, p->to)))
			return false;
		at = p->at;
	}
	return sieve_put_range(out, bare, at, bare.n);
}

static bool is_clear(const struct held *h)
{
	for (size_t i = 0; i < h->part_count; i++)
		if (h->parts[i].to > h->parts[i].channel->clear)
			return false;
	return !h->waits || (!h->waits->open && h->waits->clear == channel_end(h->waits));
}

static void sieve_forget(struct sieve *s, struct held *h)
{
	for (size_t i = 0; i < h->part_count; i++) {
		struct channel *c = h->parts[i].channel;
		size_t          n = h->parts[i].to - h->parts[i].from;

		c->refs--;
		if (c->last == h)
			c->last = NULL;
		s->bytes -= n < s->bytes ? n : s->bytes;
	}
	if (h->waits)
		h->waits->refs--;
	size_t own = sizeof *h + h->event.text.n + h->event.name.n + h->event.id.n +
		     h->part_count * (sizeof(struct part) + sizeof(struct channel) / 2);
	s->bytes -= own < s->bytes ? own : s->bytes;
}

static void held_free(struct held *h)
{
	if (h)
		free(h->parts);
	free(h);
}

/* next_piece: as much of a piece as may leave, and as one event should have; false: nothing may. */
static bool next_piece(struct sieve *s, struct held *h, struct event *ret, bool *ret_failed)
{
	struct part    *p = h->parts;
	struct channel *c = p->channel;
	size_t          to = p->to < c->clear ? p->to : c->clear;

	if (to <= p->from && p->to > p->from)
		return false;
	struct str slice = channel_slice(c, p->from, to);
	slice.n = json_cut(slice, LIMIT_PIECE);
	*ret = h->event;
	bool ok = sieve_put_range(&s->out[0], h->event.text, 0, p->at) &&
		  buf_str(&s->out[0], slice) &&
		  sieve_put_range(&s->out[0], h->event.text, p->at, h->event.text.n);
	if (!ok) {
		*ret_failed = true;
		return false;
	}
	ret->text = buf_view(&s->out[0]);
	p->from += slice.n;
	s->bytes -= slice.n < s->bytes ? slice.n : s->bytes;
	channel_spend(c, p->from);
	return true;
}

static void sieve_pop(struct sieve *s)
{
	struct held *h = s->first;

	s->first = h->next;
	if (!s->first)
		s->end = &s->first;
	sieve_forget(s, h);
	s->given = h;
	channels_trim(s);
}

bool sieve_next(struct sieve *s, struct event *ret, bool *ret_failed)
{
	struct held *h = s->first;

	*ret_failed = false;
	held_free(TAKE(s->given));
	for (size_t i = 0; i < IN__COUNT; i++)
		buf_clear(&s->out[i]);
	if (!h)
		return false;
	if (h->piece) {
		if (!next_piece(s, h, ret, ret_failed))
			return false;
		if (h->parts[0].from == h->parts[0].to)
			sieve_pop(s);
		return true;
	}
	if (!is_clear(h))
		return false;
	for (size_t i = 0; i < IN__COUNT; i++)
		if (!sieve_put_member(h, (enum member)i, &s->out[i])) {
			*ret_failed = true;
			return false;
		}
	*ret = h->event;
	ret->text = buf_view(&s->out[IN_TEXT]);
	ret->name = buf_view(&s->out[IN_NAME]);
	ret->id = buf_view(&s->out[IN_ID]);
	sieve_pop(s);
	return true;
}

bool sieve_past(struct sieve *s, const struct event *ev)
{
	bool ok = sieve_put(s, ev);

	for (struct channel *c = s->channels; ok && c; c = c->next)
		ok = channel_leave(s, c, channel_end(c));
	sieve_drop(s);
	return ok;
}

void sieve_drop(struct sieve *s)
{
	while (s->first) {
		struct held *h = s->first;

		s->first = h->next;
		for (size_t i = 0; i < h->part_count; i++)
			h->parts[i].channel->refs--;
		if (h->waits)
			h->waits->refs--;
		held_free(h);
	}
	s->end = &s->first;
	s->bytes = 0;
	s->fresh = 0;
	s->need = s->o.window;
	s->asking = 0;
	for (size_t i = 0; i < SIEVE_CHECKS; i++)
		s->batches[i].count = 0;
	channels_forget(s);
}

void sieve_destroy(struct sieve *s)
{
	if (!s)
		return;
	sieve_drop(s);
	held_free(s->given);
	while (s->channels) {
		struct channel *c = s->channels;

		s->channels = c->next;
		channel_free(c);
	}
	for (size_t i = 0; i < SIEVE_CHECKS; i++)
		free(s->batches[i].list);
	for (size_t i = 0; i < IN__COUNT; i++)
		buf_finish(&s->out[i]);
	json_doc_finish(&s->doc);
	free(s);
}
