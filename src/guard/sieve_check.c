/* The checks of the sieve: which texts a hook sees, what may leave after its verdict, and what stands in its place.
 *
 *   channel:  ...left | clear ........ cut ........... to | what comes
 *                       [------- oldest check --------]
 *                                       [--- the next one: from `cut`, if the oldest is let out ---]
 *
 * The next check begins where the oldest one's text will have left.  Where a verdict changes the oldest one's text, the next
 * check is void, and is made again. */
#include "base/limits.h"
#include "guard/internal.h"
#include "guard/texts.h"
#include "json/member.h"

#include <stdlib.h>

/* --- what is asked about --- */

/* channel_waits: some of it may not leave, and may be checked; channel_shows: of this, some is in no check that is made. */
static bool channel_waits(const struct channel *c)
{
	return c->clear < channel_end(c) && !(c->entire && c->open);
}

static bool channel_shows(const struct channel *c)
{
	return channel_waits(c) && (c->asked == 0 || c->shown < channel_end(c));
}

bool sieve_due(const struct sieve *s)
{
	if (s->asking == SIEVE_CHECKS || (!s->closed && (s->o.whole || s->fresh < s->need)))
		return false;
	for (const struct channel *c = s->channels; c; c = c->next)
		if (channel_shows(c))
			return true;
	return false;
}

static bool batch_add(struct batch *b, const struct taken *t)
{
	struct channel *c = t->channel;

	if (b->count == b->cap) {
		size_t        cap = b->cap ? 2 * b->cap : 4;
		struct taken *list = realloc(b->list, cap * sizeof *list);

		if (!list)
			return false;
		b->list = list;
		b->cap = cap;
	}
	b->list[b->count] = *t;
	b->list[b->count++].shown = c->shown;
	c->asked++;
	c->shown = t->to;
	return true;
}

/* find_same: a text that stands in the check already, as the words of a segment of LMC do. */
static bool find_same(const struct batch *b, const struct taken *t, size_t *ret)
{
	struct str text = channel_slice(t->channel, t->from, t->to);

	for (size_t i = 0; i < b->count; i++) {
		const struct taken *o = &b->list[i];

		if (o->before == 0 && t->before == 0 &&
		    str_eq(channel_slice(o->channel, o->from, o->to), text)) {
			*ret = o->text;
			return true;
		}
	}
	return false;
}

static bool sieve_put_text(const struct taken *t, size_t index, struct buf *out)
{
	struct str before = { t->channel->left.data, t->before };

	return buf_text(out, index > 0 ? ",\"" : "\"") && buf_str(out, before) &&
	       buf_str(out, channel_slice(t->channel, t->from, t->to)) && buf_text(out, "\"");
}

/* taken_last: nothing follows what was taken, as far as it is known, and no later check has any of it. */
static bool taken_last(const struct taken *t)
{
	const struct channel *c = t->channel;

	return !c->open && t->to == channel_end(c) && c->shown == t->to;
}

/* taken_cut: what of it may leave once it was let out. */
static size_t taken_cut(const struct sieve *s, const struct taken *t)
{
	if (taken_last(t))
		return t->to;
	return t->from + texts_cut(channel_slice(t->channel, t->from, t->to), s->o.overlap);
}

/* taken_of: the channel's part of the check that is made; NULL: it has none. */
static const struct taken *taken_of(const struct sieve *s, const struct channel *c)
{
	const struct batch *b = &s->batches[0];

	if (c->asked == 0)
		return NULL;
	for (size_t i = 0; i < b->count; i++)
		if (b->list[i].channel == c)
			return &b->list[i];
	return NULL;
}

/* take_channel: a half of a surrogate pair at its end waits for the other half. */
static bool take_channel(struct sieve *s, struct channel *c, struct buf *out, size_t *count)
{
	struct batch       *b = &s->batches[s->asking];
	const struct taken *older = taken_of(s, c);
	struct taken        t = { .channel = c,
				  .from = older ? taken_cut(s, older) : c->clear,
				  .to = channel_end(c) };

	/* Until something leaves, what had left before may begin a match with what comes. */
	if (c->again && t.from == c->clear)
		t.before = c->left.len;
	if (c->open && texts_half(channel_slice(c, t.from, t.to)))
		t.to -= 6;
	if (t.to == t.from || (older && t.to <= older->to))
		return true;
	/* The number of texts would make a search of all of them long. */
	if (*count < 16 && find_same(b, &t, &t.text))
		return batch_add(b, &t);
	t.text = *count;
	if (!sieve_put_text(&t, *count, out) || !batch_add(b, &t))
		return false;
	(*count)++;
	return true;
}

/* sieve_take: channels are in the list by age, the newest first; a hook reads them in the order of the answer. */
bool sieve_take(struct sieve *s, struct buf *out, size_t *ret_count)
{
	struct channel *turned = NULL;
	bool            ok = true;

	*ret_count = 0;
	s->batches[s->asking].fresh = s->fresh;
	s->fresh = 0;
	for (struct channel *c = s->channels, *next; c; c = next) {
		next = c->next;
		c->next = turned;
		turned = c;
	}
	s->channels = NULL;
	for (struct channel *c = turned, *next; c; c = next) {
		if (ok && (s->asking == 0 ? channel_waits(c) : channel_shows(c)))
			ok = take_channel(s, c, out, ret_count);
		next = c->next;
		c->next = s->channels;
		s->channels = c;
	}
	if (s->batches[s->asking].count > 0)
		s->asking++;
	return ok;
}

/* --- calls --- */

static bool batch_has(const struct batch *b, const struct channel *c)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->list[i].channel == c)
			return true;
	return false;
}

static bool sieve_put_call(struct str id, struct str name, struct str arguments, struct buf *out)
{
	return buf_text(out, out->len > 0 ? ",{\"id\":\"" : "{\"id\":\"") && buf_str(out, id) &&
	       buf_text(out, "\",\"name\":\"") && buf_str(out, name) &&
	       buf_text(out, "\",\"arguments\":\"") && buf_str(out, arguments) &&
	       buf_text(out, "\"}");
}

/* put_streamed: the call that the event begins. */
static bool put_streamed(const struct held *h, struct buf *out)
{
	const struct channel *c = h->waits;
	struct buf            id, name;

	buf_init(&id, LIMIT_UPSTREAM_BODY);
	buf_init(&name, LIMIT_UPSTREAM_BODY);
	bool ok = sieve_put_member(h, IN_ID, &id) && sieve_put_member(h, IN_NAME, &name) &&
		  sieve_put_call(buf_view(&id), buf_view(&name),
				 channel_slice(c, c->clear, channel_end(c)), out);
	buf_finish(&id);
	buf_finish(&name);
	return ok;
}

/* put_whole: the calls of a whole message. */
static bool put_whole(struct sieve *s, const struct held *h, struct buf *out)
{
	struct json_doc *d = &s->doc;
	struct buf       text;
	struct err       e;

	buf_init(&text, LIMIT_UPSTREAM_BODY + s->o.max);
	bool    ok = sieve_put_member(h, IN_TEXT, &text);
	bool    read = ok && json_scan(d, text.data, text.len, &json_limits_upstream, &e) == ERR_OK;
	json_at calls = read ? json_get(d, 0, "tool_calls") : JSON_ABSENT;
	if (json_is_kind(d, calls, JSON_ARRAY))
		JSON_EACH (i, d, calls) {
			json_at function = json_get(d, i, "function");

			ok = ok &&
			     sieve_put_call(json_inner_of(d, json_get(d, i, "id")),
					    json_inner_of(d, json_get(d, function, "name")),
					    json_inner_of(d, json_get(d, function, "arguments")),
					    out);
		}
	buf_finish(&text);
	return ok;
}

bool sieve_calls(struct sieve *s, struct buf *out)
{
	const struct batch *b = &s->batches[s->asking - 1];
	bool                ok = true;

	for (const struct held *h = s->first; ok && h; h = h->next) {
		if (h->event.kind == EVENT_TOOL_START && h->waits && batch_has(b, h->waits))
			ok = put_streamed(h, out);
		else if (h->event.kind == EVENT_MESSAGE && h->part_count > 0 &&
			 batch_has(b, h->parts[0].channel))
			ok = put_whole(s, h, out);
	}
	return ok;
}

/* --- verdicts --- */

/* batch_forget: the check is over, or void. */
static void batch_forget(struct batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		b->list[i].channel->asked--;
	b->count = 0;
}

/* new_text: the verdict's text without what had left before; where the hook has changed that too, all that the two have
 * in common. */
static struct str new_text(const struct taken *t, struct str text)
{
	size_t n = texts_common(text, (struct str){ t->channel->left.data, t->before });

	return (struct str){ text.p + n, text.n - n };
}

/* shift_parts: the channel has a text of n bytes from t->from on, in place of the one that ended at t->to.  The first piece
 * of the old one has all of it. */
static void shift_parts(struct sieve *s, const struct taken *t, size_t n)
{
	size_t to = t->from + n;
	bool   first = true;

	for (struct held *h = s->first; h; h = h->next)
		for (size_t i = 0; i < h->part_count; i++) {
			struct part *p = &h->parts[i];

			if (p->channel != t->channel || p->to <= t->from)
				continue;
			if (p->from >= t->to) {
				p->from = p->from - t->to + to;
				p->to = p->to - t->to + to;
				continue;
			}
			if (!first)
				p->from = to;
			p->to = p->to > t->to ? p->to - t->to + to : to;
			first = false;
		}
}

static bool replace_text(struct sieve *s, struct taken *t, struct str now)
{
	struct channel *c = t->channel;
	struct buf      made;

	buf_init(&made, s->o.max + LIMIT_UPSTREAM_BODY);
	bool ok = buf_str(&made, channel_slice(c, c->base, t->from)) && buf_str(&made, now) &&
		  buf_str(&made, channel_slice(c, t->to, channel_end(c)));
	if (!ok) {
		buf_finish(&made);
		return false;
	}
	shift_parts(s, t, now.n);
	s->bytes = s->bytes + now.n > t->to - t->from ? s->bytes + now.n - (t->to - t->from) : 0;
	buf_finish(&c->text);
	c->text = made;
	t->to = t->from + now.n;
	c->shown = t->to;
	return true;
}

static bool is_changed_one(const struct taken *t, const struct str *texts)
{
	return texts &&
	       !texts_same(channel_slice(t->channel, t->from, t->to), new_text(t, texts[t->text]));
}

static bool is_changed(const struct batch *b, const struct str *texts)
{
	for (size_t i = 0; i < b->count; i++)
		if (is_changed_one(&b->list[i], texts))
			return true;
	return false;
}

void sieve_untake(struct sieve *s)
{
	struct batch *b = &s->batches[--s->asking];

	for (size_t i = 0; i < b->count; i++)
		b->list[i].channel->shown = b->list[i].shown;
	s->fresh += b->fresh;
	batch_forget(b);
}

/* taken_pass: what of it may leave. */
static bool taken_pass(struct sieve *s, const struct taken *t)
{
	struct channel *c = t->channel;
	size_t          cut = taken_cut(s, t);

	c->seen = t->to;
	c->again = c->again && cut == t->from;
	return channel_leave(s, c, cut);
}

bool sieve_pass(struct sieve *s, const struct str *texts, struct sieve_passed *ret)
{
	struct batch *b = &s->batches[0];
	size_t        left = 0, asked = 0;
	bool          ok = true;

	*ret = (struct sieve_passed){ .next_void = s->asking > 1 && is_changed(b, texts) };
	if (ret->next_void)
		sieve_untake(s);
	for (size_t i = 0; ok && i < b->count; i++) {
		struct taken   *t = &b->list[i];
		struct channel *c = t->channel;

		if (is_changed_one(t, texts)) {
			ok = replace_text(s, t, new_text(t, texts[t->text]));
			ret->code |= c->code;
		}
		asked += t->to - t->from;
		ok = ok && taken_pass(s, t);
		left += c->clear - t->from;
	}
	batch_forget(b);
	struct batch over = *b;
	s->batches[0] = s->batches[1];
	s->batches[1] = over;
	s->asking--;
	/* A word without end must not be checked again with every few characters. */
	if (left > 0 || asked == 0)
		s->need = s->o.window;
	else if (s->need < SIZE_MAX / 2)
		s->need *= 2;
	return ok;
}
