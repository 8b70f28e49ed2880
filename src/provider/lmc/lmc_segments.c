/* Makes segments that follow each other from a provider's chunks, which may take many forms. */
#include "provider/lmc/lmc.h"

#include "base/limits.h"
#include "json/member.h"

/*
 *             start
 *   CLOSED ------------> STARTED -----+
 *     |  \                  ^         | content
 *     |   \ start without   | content |
 *     |    \ a type         |         v
 *     |     +---------> UNTYPED     FILLED <--+ further content (C5)
 *     |                               ^ +-----+
 *     +-------------------------------+
 *       content: a start is made up
 *
 * From the other three states, an end of the same role and type, a confirmation, a chunk of the
 * server and the end of the answer lead to CLOSED. A start, and content that does not continue the
 * segment, close the segment and open the next one. A segment that closes in UNTYPED is forgotten
 * (C9), because none of its chunks was given yet. */
enum state { CLOSED, UNTYPED, STARTED, FILLED };

void lmc_segments_init(struct lmc_segments *s, provider_event_fn on_event, void *arg)
{
	*s = (struct lmc_segments){ .on_event = on_event, .arg = arg };
	lmc_say_init(&s->say, on_event, arg);
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		buf_init(&s->said[i], LIMIT_SSE_EVENT);
	buf_init(&s->head, 4 * (size_t)LIMIT_SSE_EVENT);
	buf_init(&s->others, LIMIT_SSE_EVENT);
	buf_init(&s->flag_recipient, LIMIT_SSE_EVENT);
	buf_init(&s->line, LIMIT_SSE_EVENT);
	buf_init(&s->out, 4 * (size_t)LIMIT_UPSTREAM_BODY);
}

void lmc_segments_finish(struct lmc_segments *s)
{
	lmc_say_finish(&s->say);
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		buf_finish(&s->said[i]);
	buf_finish(&s->head);
	buf_finish(&s->others);
	buf_finish(&s->flag_recipient);
	buf_finish(&s->line);
	buf_finish(&s->out);
}

/* --- giving --- */

static void lmc_segments_give(struct lmc_segments *s, struct str chunk)
{
	s->on_event(s->arg, &(struct event){ .kind = EVENT_LMC, .text = chunk, .from_lmc = true });
}

/* lmc_segments_set: copies value into b; an absent value makes b empty. */
static bool lmc_segments_set(struct buf *b, struct str value)
{
	buf_clear(b);
	return buf_str(b, value);
}

static void lmc_segments_view(const struct lmc_segments *s, struct str ret[LMC_SAID__COUNT])
{
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		ret[i] = buf_view(&s->said[i]);
}

/* give_flag: gives a flag of the open segment. others: its further members, or empty. */
static bool give_flag(struct lmc_segments *s, const char *flag, struct str others)
{
	buf_clear(&s->out);
	if (!buf_str(&s->out, buf_view(&s->head)) || !buf_str(&s->out, others) ||
	    !buf_text(&s->out, flag))
		return false;
	lmc_segments_give(s, buf_view(&s->out));
	return true;
}

static bool is_console(const struct lmc_segments *s)
{
	return lmc_is(buf_view(&s->said[LMC_TYPE]), "console");
}

static bool lmc_segments_give_start(struct lmc_segments *s)
{
	struct str said[LMC_SAID__COUNT];

	lmc_segments_view(s, said);
	buf_clear(&s->head);
	if (!lmc_head_print(s->role, said, &s->head) ||
	    !give_flag(s, ",\"start\":true}", buf_view(&s->others)))
		return false;
	s->state = STARTED;
	if (s->line.len > 0 && s->line_role == s->role && is_console(s)) {
		lmc_segments_give(s, buf_view(&s->line));
		buf_clear(&s->line);
	}
	return true;
}

static bool is_medium(const struct lmc_segments *s)
{
	struct str type = buf_view(&s->said[LMC_TYPE]);

	return lmc_is(type, "image") || lmc_is(type, "audio") || lmc_is(type, "file");
}

/* is_long: whether a loop would take milliseconds to read the content again and print it. */
static bool is_long(const struct lmc_segments *s, const struct lmc_chunk *c)
{
	size_t head = 0;

	for (int i = 0; i < LMC_SAID__COUNT; i++)
		head += c->said[i].n;
	return json_is_kind(c->d, c->content, JSON_STRING) && !is_medium(s) && head < KIB &&
	       json_inner(c->d, c->content).n > LIMIT_LOOP_JSON;
}

/* lmc_segments_give_pieces: gives a text as several chunks, as if the provider had sent several
 * (C5). The first one has the other members. */
static bool lmc_segments_give_pieces(struct lmc_segments *s, struct lmc_chunk c)
{
	struct str text = json_inner(c.d, c.content);

	for (; text.n > 0; c.others = false) {
		struct str piece = { text.p, json_cut(text, LIMIT_PIECE) };

		text = (struct str){ text.p + piece.n, text.n - piece.n };
		buf_clear(&s->out);
		if (!lmc_head_print(c.role, c.said, &s->out) || !lmc_others_print(&c, &s->out) ||
		    !buf_text(&s->out, ",\"content\":\"") || !buf_str(&s->out, piece) ||
		    !buf_text(&s->out, "\"}"))
			return false;
		lmc_segments_give(s, buf_view(&s->out));
	}
	return true;
}

/* give_content: gives a chunk with content, unchanged if possible. */
static bool give_content(struct lmc_segments *s, const struct lmc_chunk *c)
{
	if (is_long(s, c))
		return lmc_segments_give_pieces(s, *c);
	if (c->plain) {
		lmc_segments_give(s, json_raw(c->d, c->object));
		return true;
	}
	buf_clear(&s->out);
	if (!lmc_content_print(c, &s->out))
		return false;
	lmc_segments_give(s, buf_view(&s->out));
	return true;
}

/* --- opening and closing --- */

static bool begin_saying(struct lmc_segments *s)
{
	struct str said[LMC_SAID__COUNT];

	lmc_segments_view(s, said);
	return lmc_say_begin(&s->say, s->role, said);
}

static struct str lmc_segments_format_of(const struct lmc_segments *s)
{
	return buf_view(&s->said[LMC_FORMAT]);
}

static void lmc_segments_forget(struct lmc_segments *s)
{
	s->state = CLOSED;
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		buf_clear(&s->said[i]);
	buf_clear(&s->others);
}

/* close_segment: by: the end flag, whose further members are passed on; NULL: there is none. */
static bool close_segment(struct lmc_segments *s, const struct lmc_chunk *by)
{
	if (s->state == CLOSED || s->state == UNTYPED) {
		lmc_segments_forget(s);
		return true;
	}
	/* A message without content is a message (empty code, for example). But if the answer broke
	 * off here, nothing was said; so the events are marked as hollow. */
	s->say.hollow = s->state == STARTED;
	bool said = (s->state != STARTED || begin_saying(s)) &&
		    lmc_say_end(&s->say, lmc_segments_format_of(s));
	s->say.hollow = false;
	if (!said)
		return false;
	buf_clear(&s->others);
	if ((by && !lmc_others_print(by, &s->others)) ||
	    !give_flag(s, ",\"end\":true}", buf_view(&s->others)))
		return false;
	lmc_segments_forget(s);
	return true;
}

static bool open_segment(struct lmc_segments *s, enum lmc_role role,
			 const struct str said[LMC_SAID__COUNT])
{
	s->role = role;
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		if (!lmc_segments_set(&s->said[i], said[i]))
			return false;
	return true;
}

static bool take_start(struct lmc_segments *s, const struct lmc_chunk *c)
{
	if (!close_segment(s, NULL) || !open_segment(s, c->role, c->said) ||
	    !lmc_segments_set(&s->flag_recipient, c->said[LMC_RECIPIENT]) ||
	    !lmc_others_print(c, &s->others))
		return false;
	if (c->said[LMC_TYPE].n > 0)
		return lmc_segments_give_start(s);
	s->state = UNTYPED;
	return true;
}

static bool lmc_segments_take_end(struct lmc_segments *s, const struct lmc_chunk *c)
{
	bool fits = s->state != CLOSED && s->role == c->role &&
		    (c->said[LMC_TYPE].n == 0 ||
		     str_eq(buf_view(&s->said[LMC_TYPE]), c->said[LMC_TYPE]));

	if (!fits)
		return true;
	buf_clear(&s->flag_recipient);
	return close_segment(s, c);
}

/* --- content --- */

/* in_segment: whether the content has the role and type of the open segment, or gives the segment
 * its type. */
static bool in_segment(const struct lmc_segments *s, const struct lmc_chunk *c)
{
	return s->state != CLOSED && s->role == c->role &&
	       (s->said[LMC_TYPE].len == 0 ||
		str_eq(buf_view(&s->said[LMC_TYPE]), c->said[LMC_TYPE]));
}

/* lmc_segments_goes_on: whether content in the segment continues the segment's message (C5). */
static bool lmc_segments_goes_on(const struct lmc_segments *s, const struct lmc_chunk *c,
				 struct str recipient)
{
	struct str format = lmc_segments_format_of(s);
	struct str given = buf_view(&s->said[LMC_RECIPIENT]);

	if (format.n > 0 && c->said[LMC_FORMAT].n > 0 && !str_eq(format, c->said[LMC_FORMAT]))
		return false;
	/* The first content may name the recipient that the flag has not named (C6). */
	if (s->state != FILLED)
		return given.n == 0 || str_eq(given, recipient);
	return str_eq(given, recipient) && !is_medium(s);
}

/* lmc_segments_complete: takes what the segment does not have yet from its content (C6). */
static bool lmc_segments_complete(struct lmc_segments *s, const struct str said[LMC_SAID__COUNT])
{
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		if (s->said[i].len == 0 && !lmc_segments_set(&s->said[i], said[i]))
			return false;
	return s->state != UNTYPED || lmc_segments_give_start(s);
}

static bool take_content(struct lmc_segments *s, const struct lmc_chunk *c)
{
	bool       segment = in_segment(s, c);
	struct str said[LMC_SAID__COUNT] = { c->said[LMC_TYPE], c->said[LMC_FORMAT],
					     c->said[LMC_RECIPIENT] };

	/* The recipient of a start flag holds for all content up to the end flag, even if the
	 * content makes several messages. */
	if (!segment)
		buf_clear(&s->flag_recipient);
	if (said[LMC_RECIPIENT].n == 0)
		said[LMC_RECIPIENT] = buf_view(&s->flag_recipient);
	if (segment && lmc_segments_goes_on(s, c, said[LMC_RECIPIENT])) {
		if (!lmc_segments_complete(s, said))
			return false;
	} else if (!close_segment(s, NULL) || !open_segment(s, c->role, said) ||
		   !lmc_segments_give_start(s)) {
		return false;
	}
	if (s->state == STARTED && !begin_saying(s))
		return false;
	s->state = FILLED;
	return give_content(s, c) &&
	       lmc_say_text(&s->say, c->d, c->content, lmc_segments_format_of(s));
}

/* lmc_segments_take_line: an active line neither opens nor ends a message (C4). So the line goes
 * into the open console, or waits for the next console; a newer line replaces the waiting one. */
static bool lmc_segments_take_line(struct lmc_segments *s, const struct lmc_chunk *c)
{
	if (s->state >= STARTED && s->role == c->role && is_console(s))
		return give_content(s, c);
	s->line_role = c->role;
	buf_clear(&s->line);
	return lmc_content_print(c, &s->line);
}

static bool is_active_line(const struct lmc_chunk *c)
{
	return c->has_content && lmc_is(c->said[LMC_TYPE], "console") &&
	       lmc_is(c->said[LMC_FORMAT], "active_line");
}

bool lmc_segments_add(struct lmc_segments *s, const struct lmc_chunk *c)
{
	bool confirmation = lmc_is(c->said[LMC_TYPE], "confirmation");

	if (c->role == LMC_SERVER || confirmation) {
		buf_clear(&s->flag_recipient);
		return close_segment(s, NULL) && (!confirmation || c->role == LMC_SERVER ||
						  c->content == JSON_ABSENT || give_content(s, c));
	}
	if (c->start && !take_start(s, c))
		return false;
	if (is_active_line(c)) {
		if (!lmc_segments_take_line(s, c))
			return false;
	} else if (c->content != JSON_ABSENT && !take_content(s, c)) {
		return false;
	}
	return !c->end || lmc_segments_take_end(s, c);
}

bool lmc_segments_end(struct lmc_segments *s)
{
	buf_clear(&s->flag_recipient);
	return close_segment(s, NULL);
}
