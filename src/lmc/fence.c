/* Prose and fenced code, told apart while the text arrives. */
#include "lmc/fence.h"

#include "lmc/text.h"

enum { PROSE, TICKS, INFO, LINE, CLOSING, CODE, AFTER };
enum { NOT_BLANK = 4 };

void fence_init(struct fence *f, const struct segment_sink *sink, void *arg, size_t max)
{
	*f = (struct fence){ .sink = sink, .arg = arg };
	buf_init(&f->held, max);
	buf_init(&f->info, max);
}

void fence_finish(struct fence *f)
{
	buf_finish(&f->held);
	buf_finish(&f->info);
}

static bool give(struct fence *f, struct str s)
{
	return s.n == 0 || f->sink->text(f->arg, s);
}

static bool give_held(struct fence *f)
{
	bool ok = give(f, buf_view(&f->held));

	buf_clear(&f->held);
	return ok;
}

static bool prose(struct fence *f, struct str s)
{
	size_t n = s.n;

	while (n > 0 && text_is_space(s.p[n - 1]))
		n--;
	if (n > 0) {
		if (!f->open && !f->sink->open(f->arg, SEGMENT_MESSAGE, STR_NONE))
			return false;
		f->open = true;
		if (!give_held(f) || !give(f, (struct str){ s.p, n }))
			return false;
	}
	const char *line = memrchr(s.p, '\n', s.n);
	struct str  rest = s;
	if (line) {
		rest = (struct str){ line + 1, (size_t)(s.p + s.n - line - 1) };
		f->indent = 0;
		f->run_seen = false;
	}
	for (size_t i = 0; i < rest.n && f->indent < NOT_BLANK; i++)
		f->indent = rest.p[i] == ' ' ? f->indent + 1 : NOT_BLANK;
	return buf_add(&f->held, s.p + n, s.n - n);
}

static bool prose_ticks(struct fence *f)
{
	static const char ticks[] = "````````````````";

	for (size_t n; f->count > 0; f->count -= n) {
		n = f->count < 16 ? f->count : 16;
		if (!prose(f, (struct str){ ticks, n }))
			return false;
	}
	return true;
}

static bool refuse(struct fence *f)
{
	f->state = PROSE;
	bool ok = prose_ticks(f) && prose(f, buf_view(&f->info));
	buf_clear(&f->info);
	return ok;
}

static bool open_code(struct fence *f)
{
	struct buf language;

	buf_clear(&f->held);
	if (f->open && !f->sink->close(f->arg))
		return false;
	f->open = true;
	f->ticks = f->count;
	f->count = f->indent = 0;
	f->state = LINE;
	buf_init(&language, f->info.max + 8);
	bool ok = text_language(buf_view(&f->info), &language) &&
		  f->sink->open(f->arg, SEGMENT_CODE, buf_view(&language));
	buf_finish(&language);
	buf_clear(&f->info);
	return ok;
}

static bool two_words(struct str s)
{
	s = text_trim(s);
	for (size_t i = 0; i < s.n; i++)
		if (text_is_space(s.p[i]))
			return true;
	return false;
}

static bool close_code(struct fence *f)
{
	buf_clear(&f->held);
	f->open = false;
	f->state = AFTER;
	f->indent = f->count = 0;
	f->run_seen = false;
	return f->sink->close(f->arg);
}

/* one step; *used: bytes */
static bool step(struct fence *f, struct str s, size_t *used)
{
	char c = s.p[0];

	*used = 1;
	switch (f->state) {
	case AFTER:
		if (c == '\r' || c == '\n')
			return true;
		f->state = PROSE;
		*used = 0;
		return true;
	case PROSE: {
		const char *tick = memchr(s.p, '`', s.n);
		*used = tick ? (size_t)(tick - s.p) : s.n;
		if (tick) {
			f->state = TICKS;
			f->count = 0;
		}
		return prose(f, (struct str){ s.p, *used });
	}
	case TICKS:
		if (c == '`') {
			f->count++;
			return true;
		}
		*used = 0;
		if (f->count < 3 || f->run_seen) {
			f->state = PROSE;
			return prose_ticks(f);
		}
		f->run_seen = true;
		f->state = INFO;
		return true;
	case INFO: {
		if (c == '\n') {
			if (f->indent >= NOT_BLANK && two_words(buf_view(&f->info))) {
				*used = 0;
				return refuse(f);
			}
			return open_code(f);
		}
		if (c == '`') {
			*used = 0;
			return refuse(f);
		}
		if (!buf_add(&f->info, &c, 1))
			return false;
		return f->indent < NOT_BLANK || !two_words(buf_view(&f->info)) || refuse(f);
	}
	case LINE:
		if (c == '`') {
			f->count++;
			return buf_add(&f->held, &c, 1);
		}
		if (c == ' ' && f->count == 0 && f->indent < 3) {
			f->indent++;
			return buf_add(&f->held, &c, 1);
		}
		*used = 0;
		f->state = f->count >= f->ticks ? CLOSING : CODE;
		return f->state == CLOSING || give_held(f);
	case CLOSING:
		if (c == '\n')
			return close_code(f);
		if (c == ' ' || c == '\t' || c == '\r')
			return buf_add(&f->held, &c, 1);
		*used = 0;
		f->state = CODE;
		return give_held(f);
	case CODE: {
		const char *lf = memchr(s.p, '\n', s.n);
		size_t      n = lf ? (size_t)(lf - s.p) : s.n;
		bool        cr = n > 0 && s.p[n - 1] == '\r';
		if (n > 0 && !give_held(f)) /* a CR that no LF followed */
			return false;
		if (!give(f, (struct str){ s.p, n - cr }) || (cr && !buf_add(&f->held, "\r", 1)))
			return false;
		*used = n + (lf != NULL);
		if (!lf)
			return true;
		f->state = LINE;
		f->indent = f->count = 0;
		return buf_add(&f->held, "\n", 1);
	}
	}
	return false;
}

bool fence_feed(struct fence *f, struct str s)
{
	while (s.n > 0) {
		size_t used;
		if (!step(f, s, &used))
			return false;
		s.p += used;
		s.n -= used;
	}
	return true;
}

bool fence_end(struct fence *f)
{
	bool ok = true;

	if (f->state == TICKS)
		ok = prose_ticks(f);
	else if (f->state == INFO)
		ok = refuse(f);
	if (f->state == LINE || f->state == CLOSING || f->state == CODE) {
		struct str held = buf_view(&f->held);
		bool newline = f->state == LINE && f->indent == 0 && f->count == 0;
		if (f->state == CODE || (!newline && f->count < f->ticks))
			ok = give(f, held);
	} else if (f->open) {
		ok = ok && give_held(f);
	}
	buf_clear(&f->held);
	if (f->open)
		ok = ok && f->sink->close(f->arg);
	f->open = f->run_seen = false;
	f->state = PROSE;
	f->count = f->indent = 0;
	return ok;
}
