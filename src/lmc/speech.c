/* Turns an assistant's text and calls, in any mixture, into segments in a fixed order. */
#include "lmc/speech.h"

#include "base/base.h"
#include "base/limits.h"
#include "lmc/text.h"

#include <stdlib.h>

/*
 *   EARLY --first name or arguments--> CALLS --+
 *     |                                        |
 *     +----------------speech_close--------------+--> OVER
 *
 * EARLY: text is given as it comes.  CALLS: the call with index 0 is given as it comes, all else is
 * held for speech_close.  A failure of any kind leads to OVER, too: the sink hears nothing more. */
enum state {
	EARLY,
	CALLS,
	OVER,
};

/* The form in which a call is shown; the function's name decides.
 *
 *   UNNAMED --first arguments, or the end--> CODE | READ | KEPT */
enum way {
	UNNAMED, /* more of the name may come */
	CODE,    /* `python`: the arguments are the code (T2) */
	READ,    /* `execute`: the arguments are an object that contains the code (T3) */
	KEPT,    /* anything else (T7) */
};

struct call {
	uint32_t     index;
	enum way     way;
	size_t       at; /* index of the chunk in which the call began, for warnings */
	struct buf   name;
	struct buf   held; /* arguments so far, unless they are given at once */
	struct args *args; /* owned; for READ, while the call is given */
};

/* Text between the parsers and the user's sink: a part of a character, or half of a surrogate pair,
 * waits here for the rest. */
struct tail {
	char   data[8];
	size_t len;
};

struct speech {
	struct speech_options o;
	enum state            state;
	size_t                at;
	struct fence          fence;
	struct buf            blank; /* without fences: white space before the text */
	bool                  text_open;
	struct tail           tail;
	struct call         **calls; /* owned, in ascending order of index */
	size_t                call_count;
	size_t                call_room;
	/* the call of the last piece, which the next piece mostly continues */
	struct call *last;
	struct buf   late;
	size_t       held;     /* bytes of names, arguments and late text */
	bool         cut;      /* code has no end of its own */
	bool         overfull; /* more calls than LIMIT_TOOLS */
};

/* The parsers, which hold one text at a time, have half of the room for held text; the calls and
 * the late text have the other half. So a text that could be held can also be parsed. */
static size_t speech_share(const struct speech *t)
{
	return t->o.max / 2;
}

/* --- the sink that the parsers write to --- */

static bool speech_give(struct speech *t, struct str text)
{
	return text.n == 0 || t->o.sink->text(t->o.arg, text);
}

/* complete_tail: moves bytes from the text's front until the tail holds whole characters only, and
 * gives it. */
static bool complete_tail(struct speech *t, struct str *text)
{
	struct tail *tail = &t->tail;

	while (tail->len > 0 && text->n > 0) {
		struct buf joined = { .data = tail->data,
				      .len = tail->len,
				      .cap = sizeof tail->data,
				      .max = sizeof tail->data };
		struct str front = { text->p, text->n < 3 ? text->n : 3 };

		/* The room is enough: at most three bytes wait, and three more come. */
		CHECK(text_join(&joined, front));
		text->p += front.n;
		text->n -= front.n;

		size_t whole = text_whole(buf_view(&joined));
		bool   ok = speech_give(t, (struct str){ joined.data, whole });
		buf_take_front(&joined, whole);
		tail->len = joined.len;
		if (!ok)
			return false;
	}
	return true;
}

static bool whole_open(void *arg, enum segment_kind kind, struct str format)
{
	struct speech *t = arg;

	return t->o.sink->open(t->o.arg, kind, format);
}

static bool whole_text(void *arg, struct str text)
{
	struct speech *t = arg;

	if (t->tail.len > 0 && !complete_tail(t, &text))
		return false;

	size_t whole = text_whole(text);
	if (!speech_give(t, (struct str){ text.p, whole }))
		return false;
	/* Text can be left only if the tail is empty. */
	if (whole < text.n) {
		t->tail.len = text.n - whole;
		memcpy(t->tail.data, text.p + whole, t->tail.len);
	}
	return true;
}

static bool whole_close(void *arg)
{
	struct speech *t = arg;
	struct str     rest = { t->tail.data, t->tail.len };

	t->tail.len = 0;
	return speech_give(t, rest) && t->o.sink->close(t->o.arg);
}

static const struct segment_sink whole_sink = { whole_open, whole_text, whole_close };

/* --- text: early and late --- */

/* text_plain: without fences a text is one segment, unless it is white space alone (F9), and not more of
 * that than a fence would hold back. */
static bool text_plain(struct speech *t, struct str text)
{
	size_t white = 0;

	if (t->text_open)
		return text.n == 0 || whole_text(t, text);

	while (white < text.n && text_is_space(text.p[white]))
		white++;
	if (white == text.n && text.n <= LIMIT_LMC_OPEN - t->blank.len)
		return buf_str(&t->blank, text);

	t->text_open = true;
	return whole_open(t, SEGMENT_MESSAGE, STR_NONE) &&
	       (t->blank.len == 0 || whole_text(t, buf_view(&t->blank))) && whole_text(t, text);
}

static bool text_feed(struct speech *t, struct str text)
{
	return t->o.fences ? fence_feed(&t->fence, text) : text_plain(t, text);
}

static bool text_end(struct speech *t)
{
	bool open = t->text_open;

	t->cut |= t->o.fences && fence_unclosed(&t->fence);
	if (t->o.fences)
		return fence_end(&t->fence);
	t->text_open = false;
	buf_clear(&t->blank);
	return !open || whole_close(t);
}

/* --- reviews (K5) --- */

static const struct {
	const char *open;
	const char *close;
	const char *format;
} tags[] = {
	{ "<safe>", "</safe>", "safe" },
	{ "<warning>", "</warning>", "warning" },
	{ "<unsafe>", "</unsafe>", "unsafe" },
};

/* starts_as: true if s begins with tag, without regard to case; tag is in lower case. */
static bool starts_as(struct str s, const char *tag)
{
	size_t n = 0;

	while (tag[n] && n < s.n) {
		char c = s.p[n];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != tag[n])
			return false;
		n++;
	}
	return !tag[n];
}

/* find_tag: the place of the first such tag; s.n: none. */
static size_t find_tag(struct str s, const char *tag)
{
	size_t at = 0;

	while (at < s.n) {
		const char *next = memchr(s.p + at, '<', s.n - at);

		if (!next)
			break;
		at = (size_t)(next - s.p);
		if (starts_as((struct str){ next, s.n - at }, tag))
			return at;
		at++;
	}
	return s.n;
}

/* give_review: gives the review at the start of text, if there is one, and cuts it off. */
static bool give_review(struct speech *t, struct str *text)
{
	struct str inside = *text;
	size_t     k = 0;

	while (inside.n > 0 && text_is_space(*inside.p)) {
		inside.p++;
		inside.n--;
	}
	while (k < ARRAY_LEN(tags) && !starts_as(inside, tags[k].open))
		k++;
	if (k == ARRAY_LEN(tags))
		return true;

	inside.p += strlen(tags[k].open);
	inside.n -= strlen(tags[k].open);
	size_t end = find_tag(inside, tags[k].close);
	size_t used = end < inside.n ? end + strlen(tags[k].close) : end;
	*text = (struct str){ inside.p + used, inside.n - used };
	inside.n = end;
	return whole_open(t, SEGMENT_REVIEW, str_of(tags[k].format)) &&
	       (inside.n == 0 || whole_text(t, inside)) && whole_close(t);
}

static bool give_late(struct speech *t)
{
	struct str text = buf_view(&t->late);

	if (text.n == 0)
		return true;
	return give_review(t, &text) && text_feed(t, text) && text_end(t);
}

/* --- calls --- */

static void call_destroy(struct call *c)
{
	if (!c)
		return;
	buf_finish(&c->name);
	buf_finish(&c->held);
	args_destroy(c->args);
	free(c);
}

/* speech_place_of: the place of the first call whose index is not lower. */
static size_t speech_place_of(const struct speech *t, uint32_t index)
{
	size_t low = 0;
	size_t high = t->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->calls[middle]->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct speech *t)
{
	size_t room = t->call_room ? t->call_room * 2 : 4;

	if (t->call_count < t->call_room)
		return true;
	if (t->call_count >= LIMIT_TOOLS) {
		t->overfull = true;
		return false;
	}

	struct call **calls = realloc(t->calls, room * sizeof *calls);
	if (!calls)
		return false;
	t->calls = calls;
	t->call_room = room;
	return true;
}

/* call_at: the call with this index, created if there is none; NULL: no memory, or too many
 * calls. */
static struct call *call_at(struct speech *t, uint32_t index)
{
	if (t->last && t->last->index == index)
		return t->last;

	size_t place = speech_place_of(t, index);
	if (place < t->call_count && t->calls[place]->index == index)
		return t->last = t->calls[place];
	if (!make_room(t))
		return NULL;

	struct call *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->index = index;
	c->at = t->at;
	buf_init(&c->name, speech_share(t));
	buf_init(&c->held, speech_share(t));
	memmove(t->calls + place + 1, t->calls + place,
		(t->call_count - place) * sizeof(struct call *));
	t->calls[place] = c;
	t->call_count++;
	return t->last = c;
}

/* speech_hold: appends to a held text, up to the limit of all held text. */
static bool speech_hold(struct speech *t, struct buf *to, struct str text)
{
	if (text.n > speech_share(t) - t->held || !text_join(to, text))
		return false;
	t->held += text.n;
	return true;
}

/* call_begin: called when the name is complete. */
static bool call_begin(struct speech *t, struct call *c)
{
	struct str name = buf_view(&c->name);

	if (str_is(name, "execute")) {
		c->way = READ;
		c->args = args_create(&whole_sink, t, speech_share(t));
		return c->args != NULL;
	}
	if (str_is(name, "python")) {
		c->way = CODE;
		return whole_open(t, SEGMENT_CODE, name);
	}
	c->way = KEPT;

	/* A format that is empty is one all the same. */
	struct str shown = { name.n ? name.p : "", name.n < 40 ? name.n : 40 };
	warnings_add(t->o.warnings, c->at, "unknown_function",
		     "the function '%.*s' is neither execute nor python: its call is kept as it is",
		     (int)text_whole(shown), shown.p);
	return whole_open(t, SEGMENT_TOOL_CALL, (struct str){ shown.p, name.n });
}

static bool call_feed(struct speech *t, struct call *c, struct str text)
{
	if (text.n == 0)
		return true;
	return c->way == READ ? args_feed(c->args, text) : whole_text(t, text);
}

static void warn_of(struct speech *t, const struct call *c, unsigned flaws)
{
	static const struct {
		enum args_flaw flaw;
		const char    *code;
		const char    *message;
	} rows[] = {
		{ ARGS_ENDED_EARLY, "arguments_incomplete",
		  "the arguments of execute are no complete JSON object: what was read counts" },
		{ ARGS_NO_CODE, "arguments_no_code",
		  "the arguments of execute have no string 'code': the code is empty" },
		{ ARGS_TRAILING, "arguments_trailing",
		  "the text behind the arguments of execute is dropped" },
		{ ARGS_NO_OBJECT, "arguments_not_an_object",
		  "the arguments of execute are no JSON object: the call is kept as it is" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (flaws & rows[i].flaw)
			warnings_add(t->o.warnings, c->at, rows[i].code, "%s", rows[i].message);
}

/* call_end: called when the call is complete; gives the rest of it. */
static bool call_end(struct speech *t, struct call *c)
{
	unsigned flaws = 0;

	if (c->way == UNNAMED && !call_begin(t, c))
		return false;
	if (!call_feed(t, c, buf_view(&c->held)))
		return false;
	buf_finish(&c->held);
	if (c->way != READ)
		return whole_close(t);
	if (!args_end(c->args, &flaws))
		return false;
	t->cut |= (flaws & (ARGS_ENDED_EARLY | ARGS_NO_OBJECT | ARGS_NO_CODE)) != 0;
	warn_of(t, c, flaws);
	/* The reader is freed at once, because there may be hundreds of calls. */
	args_destroy(TAKE(c->args));
	return true;
}

/* --- the turn --- */

struct speech *speech_create(const struct speech_options *o)
{
	struct speech *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->o = *o;
	fence_init(&t->fence, &whole_sink, t, speech_share(t));
	buf_init(&t->blank, speech_share(t));
	buf_init(&t->late, speech_share(t));
	return t;
}

static void forget_calls(struct speech *t)
{
	for (size_t i = 0; i < t->call_count; i++)
		call_destroy(t->calls[i]);
	t->call_count = 0;
	t->last = NULL;
}

void speech_again(struct speech *t, const struct speech_options *o)
{
	CHECK(o->max == t->o.max);
	t->o = *o;
	t->state = EARLY;
	t->at = 0;
	forget_calls(t);
	buf_clear(&t->late);
	t->held = 0;
	t->overfull = false;
	t->cut = false;
}

void speech_destroy(struct speech *t)
{
	if (!t)
		return;
	forget_calls(t);
	free(t->calls);
	fence_finish(&t->fence);
	buf_finish(&t->blank);
	buf_finish(&t->late);
	free(t);
}

void speech_at(struct speech *t, size_t index)
{
	t->at = index;
}

/* speech_outcome: nothing more happens after a failure. */
static bool speech_outcome(struct speech *t, bool ok)
{
	if (!ok)
		t->state = OVER;
	return ok;
}

/* reach_call: the call with this index. The early text is complete then (K2). */
static struct call *reach_call(struct speech *t, uint32_t index)
{
	if (t->state == OVER)
		return NULL;
	if (t->state == EARLY) {
		t->state = CALLS;
		if (!text_end(t))
			return NULL;
	}
	return call_at(t, index);
}

bool speech_text(struct speech *t, struct str text)
{
	switch (t->state) {
	case EARLY: return speech_outcome(t, text.n == 0 || text_feed(t, text));
	case CALLS: return speech_outcome(t, speech_hold(t, &t->late, text));
	case OVER: break;
	}
	return false;
}

bool speech_name(struct speech *t, uint32_t index, struct str name)
{
	struct call *c = reach_call(t, index);

	if (!c)
		return speech_outcome(t, false);
	if (c->way != UNNAMED || c->held.len > 0)
		return true;
	return speech_outcome(t, speech_hold(t, &c->name, name));
}

bool speech_args(struct speech *t, uint32_t index, struct str args)
{
	struct call *c = reach_call(t, index);

	if (!c)
		return speech_outcome(t, false);
	if (args.n == 0)
		return true;
	/* No call can precede this one any more. */
	if (index == 0)
		return speech_outcome(t, (c->way != UNNAMED || call_begin(t, c)) &&
						 call_feed(t, c, args));
	return speech_outcome(t, speech_hold(t, &c->held, args));
}

bool speech_close(struct speech *t)
{
	enum state was = t->state;
	bool       ok = was != OVER;

	t->state = OVER;
	if (was == EARLY)
		return text_end(t);
	for (size_t i = 0; i < t->call_count && ok; i++)
		ok = call_end(t, t->calls[i]);
	return ok && give_late(t);
}

size_t speech_held(const struct speech *t)
{
	return t->held;
}

bool speech_cut(const struct speech *t)
{
	return t->cut;
}

bool speech_overfull(const struct speech *t)
{
	return t->overfull;
}
