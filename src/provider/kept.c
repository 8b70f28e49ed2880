/* Decoded events on their way from a worker to the loop. */
#include "provider/remote.h"

#include "base/limits.h"
#include "json/member.h"

struct kept_event {
	struct event       ev;
	struct kept_event *next;
};

void kept_init(struct kept *k)
{
	*k = (struct kept){ .end = &k->first };
	arena_init(&k->arena, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	buf_init(&k->made, LIMIT_UPSTREAM_BODY);
}

void kept_start(struct kept *k, struct buf *source, bool stream)
{
	kept_finish(k);
	k->stream = stream;
	k->source = source;
}

void kept_finish(struct kept *k)
{
	arena_finish(&k->arena);
	buf_finish(&k->made);
	k->source = NULL;
	k->cut = false;
	k->first = NULL;
	k->end = &k->first;
}

static bool kept_within(const struct buf *b, struct str s)
{
	return b && b->len > 0 && s.p >= b->data && s.p < b->data + b->len;
}

/* keep_span: makes *s live as long as the event: a span inside raw moves into kept_raw, a span
 * inside source stays, any other span is copied. */
static bool keep_span(struct kept *k, struct str raw, struct str kept_raw, struct str *s)
{
	if (s->n == 0 || kept_within(k->source, *s) || kept_within(&k->made, *s))
		return true;
	if (raw.n > 0 && s->p >= raw.p && s->p < raw.p + raw.n)
		*s = (struct str){ kept_raw.p + (s->p - raw.p), s->n };
	else
		*s = arena_str(&k->arena, *s);
	return s->p;
}

/* kept_keep_raw: a long raw goes into a buffer that the event's receiver may take, so that the loop
 * does not copy it again. */
static bool kept_keep_raw(struct kept *k, struct event *ev)
{
	struct str raw = ev->raw;

	if (raw.n > 0 && raw.p == k->source->data) {
		ev->give = k->source;
	} else if (raw.n > LIMIT_LOOP_JSON && k->made.len == 0 && !kept_within(k->source, raw)) {
		if (!buf_str(&k->made, raw))
			return false;
		ev->raw = buf_view(&k->made);
		ev->give = &k->made;
	}
	return keep_span(k, STR_NONE, STR_NONE, &ev->raw);
}

static bool keep_spans(struct kept *k, struct event *ev)
{
	struct str  raw = ev->raw;
	struct str *spans[] = { &ev->text,     &ev->id,     &ev->name,       &ev->raw_usage,
				&ev->raw_role, &ev->raw_id, &ev->raw_created };

	if (!kept_keep_raw(k, ev))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(spans); i++)
		if (!keep_span(k, raw, ev->raw, spans[i]))
			return false;
	return true;
}

static bool put_once(struct kept *k, const struct event *ev)
{
	struct kept_event *one = arena_alloc(&k->arena, sizeof *one);

	if (!one)
		return false;
	*one = (struct kept_event){ .ev = *ev };
	*k->end = one;
	k->end = &one->next;
	return true;
}

static bool kept_put(struct kept *k, const struct event *ev)
{
	struct event half = *ev;

	if (!k->stream || ev->raw.n + ev->text.n <= LIMIT_LOOP_JSON)
		return put_once(k, ev);
	k->cut = true;
	half.pass = PASS_KEEP;
	if (!put_once(k, &half))
		return false;
	half.pass = PASS_PRINT;
	return put_once(k, &half);
}

/* is_text: whether the text of such an event may be cut into pieces. */
static bool is_text(enum event_kind kind)
{
	return kind == EVENT_TEXT || kind == EVENT_REASONING || kind == EVENT_REFUSAL ||
	       kind == EVENT_TOOL_ARGS;
}

/* put_pieces: the first piece has the other members of the event; the further pieces belong to the
 * same chunk of the provider, if there is one. */
static bool put_pieces(struct kept *k, struct event *ev)
{
	struct str text = ev->text;

	while (text.n > 0) {
		size_t n = json_cut(text, LIMIT_PIECE);

		ev->text = (struct str){ text.p, n };
		text = (struct str){ text.p + n, text.n - n };
		if (!kept_put(k, ev))
			return false;
		*ev = (struct event){ .kind = ev->kind,
				      .choice = ev->choice,
				      .block = ev->block,
				      .cont = ev->cont || ev->raw.n > 0,
				      .form = ev->form,
				      .numbered = true,
				      .from_lmc = ev->from_lmc };
	}
	return true;
}

bool kept_add(struct kept *k, const struct event *ev)
{
	struct event kept = *ev;

	if (!keep_spans(k, &kept))
		return false;
	/* After the pieces of a text, the further events of the same chunk have numbers of their
	 * own too. */
	k->cut = k->cut && ev->cont;
	kept.numbered = k->cut;
	if (is_text(ev->kind) && ev->text.n > LIMIT_PIECE) {
		k->cut = true;
		return put_pieces(k, &kept);
	}
	return kept_put(k, &kept);
}

const struct event *kept_take(struct kept *k, bool same)
{
	struct kept_event *one = k->first;

	if (!one || (same && (!one->ev.cont || one->ev.numbered || one->ev.pass == PASS_PRINT)))
		return NULL;
	k->first = one->next;
	if (!k->first)
		k->end = &k->first;
	return &one->ev;
}
