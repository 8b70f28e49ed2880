/* Splits text into prose and fenced code, as early as possible and for any cut. */
#include "lmc/speech.h"

#include "base/limits.h"
#include "lmc/text.h"

/*
 *            backtick          3 or more                       LF
 *   PROSE ------------> RUN --+------------> INFO -----------+------> START
 *    ^ ^                 |    |                |             |
 *    | |                 |    |   NO_WORD --> WORD --> PAST -+
 *    | +--- refused -----+----+-----+----------+--------+
 *    |
 *    |  other       LF
 *   AFTER <-----------+---------------+
 *                     |               |
 *   START --------> TICKS --------> BLANK        in START, TICKS and BLANK a line may still close
 *    ^  |             |               |
 *    |  +-------------+---------------+
 *    |     it is code |
 *    |  LF            v   CR at the end of a piece
 *    +-------------- CODE <-----------------------> RETURN -- LF --> START
 *
 * Text is decided when it is known to be given, else open.  What is open when a piece ends is held:
 *
 *   PROSE          white space (F7, F9)
 *   RUN .. PAST    white space, the run, the info text
 *   START .. BLANK the newline before this line, the line (F5, F6)
 *   RETURN         the CR: half a newline perhaps
 *
 * In all the others nothing is open.
 */

#define NOT_AT_START 4u /* an indent of more than the three spaces that a fence may have */

/* Held and next text are given in one call if together they are not longer than this. */
#define JOIN_MAX 256u

/* A piece of text. While held text is open, nothing of the piece is decided. */
struct cursor {
	const char *at;
	const char *end;
	const char *from;    /* the first byte that is not given, dropped or held yet */
	const char *mark;    /* all text before it is decided */
	bool        decided; /* the held text is decided too */
};

void fence_init(struct fence *f, const struct segment_sink *sink, void *arg, size_t max)
{
	*f = (struct fence){ .sink = sink, .arg = arg };
	buf_init(&f->held, max);
}

void fence_finish(struct fence *f)
{
	buf_finish(&f->held);
	f->state = FENCE_BROKEN;
}

/* --- what is decided, open or dropped --- */

/* fence_say: in code, the segment is open already. */
static bool fence_say(struct fence *f, struct str text)
{
	if (text.n == 0)
		return true;
	if (!f->open && !f->sink->open(f->arg, SEGMENT_MESSAGE, STR_NONE))
		return false;
	f->open = true;
	return f->sink->text(f->arg, text);
}

static void decide_line(struct cursor *c, const char *upto)
{
	c->mark = upto;
	c->decided = true;
}

/* fence_give: gives all decided text. */
static bool fence_give(struct fence *f, struct cursor *c)
{
	struct str part = { c->from, (size_t)(c->mark - c->from) };

	if (!c->decided)
		return true;
	if (f->held.len > 0 && part.n <= JOIN_MAX && text_join(&f->held, part))
		part.n = 0;

	bool ok = fence_say(f, buf_view(&f->held)) && fence_say(f, part);
	buf_clear(&f->held);
	c->from = c->mark;
	c->decided = false;
	return ok;
}

/* fence_drop: gives the decided text, and drops the open text up to `upto`. */
static bool fence_drop(struct fence *f, struct cursor *c, const char *upto)
{
	bool ok = fence_give(f, c);

	buf_clear(&f->held);
	c->from = c->mark = upto;
	return ok;
}

/* fence_hold: gives the decided text, and keeps the open text up to `upto`. */
static bool fence_hold(struct fence *f, struct cursor *c, const char *upto)
{
	if (!fence_give(f, c))
		return false;

	struct str rest = { c->from, (size_t)(upto - c->from) };
	c->from = c->mark = upto;
	return rest.n == 0 || text_join(&f->held, rest);
}

/* --- prose --- */

/* track_indent: computes the indent after white space that ends here. */
static void track_indent(struct fence *f, const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at == '\n')
			f->indent = 0;
		else if (*at != ' ')
			f->indent = NOT_AT_START;
		else if (f->indent < NOT_AT_START)
			f->indent++;
	}
}

/* read_prose: reads up to the next backtick, or to the next line if no backtick counts any more
 * (F3). */
static void read_prose(struct fence *f, struct cursor *c)
{
	size_t      left = (size_t)(c->end - c->at);
	const char *stop = memchr(c->at, f->run_seen ? '\n' : '`', left);
	const char *end = !stop ? c->end : f->run_seen ? stop + 1 : stop;
	const char *white = end;

	while (white > c->at && text_is_space(white[-1]))
		white--;
	if (white > c->at) {
		decide_line(c, white);
		f->indent = NOT_AT_START;
		f->waits = 0;
	}
	f->waits += (size_t)(end - white);
	if (f->waits > LIMIT_LMC_OPEN)
		decide_line(c, end);
	track_indent(f, white, end);
	c->at = end;
	if (!stop)
		return;
	if (!f->run_seen) {
		f->state = FENCE_RUN;
		f->ticks = 0;
	}
	f->run_seen = false;
}

/* fence_refuse: the open text is prose, not a fence. */
static void fence_refuse(struct fence *f, struct cursor *c)
{
	decide_line(c, c->at);
	f->indent = NOT_AT_START;
	f->waits = 0;
	f->state = FENCE_PROSE;
}

static void fence_read_run(struct fence *f, struct cursor *c)
{
	for (; c->at < c->end && *c->at == '`'; c->at++)
		f->ticks++;
	if (c->at == c->end)
		return;
	if (f->ticks < 3) {
		fence_refuse(f, c);
		return;
	}
	f->run_seen = true;
	f->waits = 0;
	f->info = (c->decided ? 0 : f->held.len) + (size_t)(c->at - c->mark);
	f->state = f->indent < NOT_AT_START ? FENCE_INFO : FENCE_NO_WORD;
}

/* open_code: called at the LF of an opening fence (F4). */
static bool open_code(struct fence *f, struct cursor *c)
{
	struct buf language;

	if (!fence_hold(f, c, c->at))
		return false;

	struct str info = { f->held.data + f->info, f->held.len - f->info };
	buf_init(&language, info.n + sizeof "python");
	bool ok = text_language(info, &language) && (!f->open || f->sink->close(f->arg)) &&
		  f->sink->open(f->arg, SEGMENT_CODE, buf_view(&language));
	buf_finish(&language);

	c->at++;
	f->open = true;
	f->run_seen = false;
	f->indent = 0;
	f->state = FENCE_START;
	return ok && fence_drop(f, c, c->at);
}

/* read_info: reads the info text up to its LF, or up to a character that makes it prose (F1,
 * F2). */
static bool read_info(struct fence *f, struct cursor *c)
{
	for (; c->at < c->end; c->at++) {
		bool white = text_is_space(*c->at);

		if (*c->at == '\n')
			return open_code(f, c);
		if (*c->at == '`' || (f->state == FENCE_PAST && !white) ||
		    ++f->waits > LIMIT_LMC_OPEN) {
			fence_refuse(f, c);
			return true;
		}
		if (f->state == FENCE_NO_WORD && !white)
			f->state = FENCE_WORD;
		else if (f->state == FENCE_WORD && white)
			f->state = FENCE_PAST;
	}
	return true;
}

/* --- code --- */

/* close_code: called at the LF of a closing fence. */
static bool close_code(struct fence *f, struct cursor *c)
{
	c->at++;
	if (!fence_drop(f, c, c->at))
		return false;
	f->open = false;
	f->state = FENCE_AFTER;
	return f->sink->close(f->arg);
}

/* start_line: called after a newline, which may be the last one (F6); the text before it is
 * decided. */
static void start_line(struct fence *f, struct cursor *c)
{
	f->indent = 0;
	f->state = FENCE_START;
	c->at++;
}

static void no_close(struct fence *f, struct cursor *c)
{
	decide_line(c, c->at);
	f->state = FENCE_CODE;
}

static void read_start(struct fence *f, struct cursor *c)
{
	for (; c->at < c->end && *c->at == ' ' && f->indent < 3; c->at++)
		f->indent++;
	if (c->at == c->end)
		return;
	if (*c->at != '`') {
		no_close(f, c);
		return;
	}
	f->closing = 0;
	f->waits = 0;
	f->state = FENCE_TICKS;
}

static bool read_closing(struct fence *f, struct cursor *c)
{
	if (f->state == FENCE_TICKS)
		for (; c->at < c->end && *c->at == '`'; c->at++)
			f->closing++;
	else
		for (; c->at < c->end && *c->at != '\n' && text_is_space(*c->at) &&
		       f->waits <= LIMIT_LMC_OPEN;
		     c->at++)
			f->waits++;
	if (f->waits > LIMIT_LMC_OPEN) {
		no_close(f, c);
		return true;
	}
	if (c->at == c->end)
		return true;
	if (f->closing >= f->ticks && *c->at == '\n')
		return close_code(f, c);
	if (f->state == FENCE_TICKS && f->closing >= f->ticks && text_is_space(*c->at))
		f->state = FENCE_BLANK;
	else
		no_close(f, c);
	return true;
}

static void read_code(struct fence *f, struct cursor *c)
{
	const char *feed = memchr(c->at, '\n', (size_t)(c->end - c->at));
	const char *end = feed ? feed : c->end;
	bool        cr = end > c->at && end[-1] == '\r';

	decide_line(c, end - cr);
	c->at = end;
	if (feed)
		start_line(f, c);
	else if (cr)
		f->state = FENCE_RETURN;
}

static void read_return(struct fence *f, struct cursor *c)
{
	if (*c->at == '\n')
		start_line(f, c);
	else
		no_close(f, c);
}

/* --- the whole --- */

static bool read_after(struct fence *f, struct cursor *c)
{
	while (c->at < c->end && (*c->at == '\r' || *c->at == '\n'))
		c->at++;
	if (c->at < c->end) {
		f->indent = 0;
		f->waits = 0;
		f->state = FENCE_PROSE;
	}
	return fence_drop(f, c, c->at);
}

static bool fence_step(struct fence *f, struct cursor *c)
{
	switch (f->state) {
	case FENCE_PROSE: read_prose(f, c); return true;
	case FENCE_RUN: fence_read_run(f, c); return true;
	case FENCE_INFO:
	case FENCE_NO_WORD:
	case FENCE_WORD:
	case FENCE_PAST: return read_info(f, c);
	case FENCE_START: read_start(f, c); return true;
	case FENCE_TICKS:
	case FENCE_BLANK: return read_closing(f, c);
	case FENCE_CODE: read_code(f, c); return true;
	case FENCE_RETURN: read_return(f, c); return true;
	case FENCE_AFTER: return read_after(f, c);
	case FENCE_BROKEN:
	case FENCE__COUNT: break;
	}
	return false;
}

bool fence_feed(struct fence *f, struct str text)
{
	if (text.n == 0)
		return f->state != FENCE_BROKEN;

	struct cursor c = { .at = text.p, .end = text.p + text.n, .from = text.p, .mark = text.p };
	bool          ok = true;
	while (ok && c.at < c.end)
		ok = fence_step(f, &c);
	ok = ok && fence_hold(f, &c, c.end);
	if (!ok)
		f->state = FENCE_BROKEN;
	return ok;
}

/* keeps_held: true if the open text at the end belongs to the segment. */
static bool keeps_held(const struct fence *f)
{
	switch (f->state) {
	case FENCE_PROSE:
		return f->open; /* F9 */
	/* otherwise the held text is the last newline (F6) */
	case FENCE_START: return f->indent > 0;
	case FENCE_TICKS: return f->closing < f->ticks;
	case FENCE_BLANK: return false;
	case FENCE_RUN:
	case FENCE_INFO:
	case FENCE_NO_WORD:
	case FENCE_WORD:
	case FENCE_PAST:
	case FENCE_CODE:
	case FENCE_RETURN:
	case FENCE_AFTER:
	case FENCE_BROKEN:
	case FENCE__COUNT: break;
	}
	return true;
}

bool fence_unclosed(const struct fence *f)
{
	switch (f->state) {
	case FENCE_START:
	case FENCE_CODE:
	case FENCE_RETURN: return true;
	case FENCE_TICKS:
	case FENCE_BLANK: return f->closing < f->ticks;
	case FENCE_PROSE:
	case FENCE_RUN:
	case FENCE_INFO:
	case FENCE_NO_WORD:
	case FENCE_WORD:
	case FENCE_PAST:
	case FENCE_AFTER:
	case FENCE_BROKEN:
	case FENCE__COUNT: break;
	}
	return false;
}

bool fence_end(struct fence *f)
{
	if (f->state == FENCE_BROKEN)
		return false;

	bool ok = (!keeps_held(f) || fence_say(f, buf_view(&f->held))) &&
		  (!f->open || f->sink->close(f->arg));
	buf_clear(&f->held);
	f->state = ok ? FENCE_PROSE : FENCE_BROKEN;
	f->indent = 0;
	f->waits = 0;
	f->open = false;
	f->run_seen = false;
	return ok;
}
