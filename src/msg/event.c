/* How many tokens events are, where nobody has counted. */
#include "msg/event.h"

#include "base/limits.h"

enum { BYTES_OF_TOKEN = 4 };

int64_t event_weight(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_ARGS:
	case EVENT_MESSAGE: return (int64_t)ev->text.n;
	case EVENT_MEDIA: return LIMIT_IMAGE_TOKENS;
	case EVENT_START:
	case EVENT_TOOL_START:
	case EVENT_BLOCK_END:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT__COUNT: break;
	}
	return 0;
}

static void usage_renew(int64_t *n, int64_t next)
{
	if (next > 0)
		*n = next;
}

void usage_take(struct usage *u, const struct usage *next)
{
	u->known |= next->known;
	usage_renew(&u->in, next->in);
	usage_renew(&u->cached_read, next->cached_read);
	usage_renew(&u->cached_write, next->cached_write);
	usage_renew(&u->cached_hour, next->cached_hour);
	usage_renew(&u->reasoning, next->reasoning);
	if (next->out > u->out)
		u->out = next->out;
}

bool usage_same(const struct usage *a, const struct usage *b)
{
	return a->known == b->known && a->estimated == b->estimated && a->in == b->in &&
	       a->out == b->out && a->cached_read == b->cached_read &&
	       a->cached_write == b->cached_write && a->cached_hour == b->cached_hour &&
	       a->reasoning == b->reasoning;
}

struct usage usage_guess(int64_t bytes_in, int64_t bytes_out)
{
	return (struct usage){
		.estimated = true,
		.in = (bytes_in + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN,
		.out = (bytes_out + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN,
	};
}

struct usage usage_cut(const struct usage *told, const struct usage *guess)
{
	struct usage u = *told;

	if (!u.known && !u.estimated)
		return *guess;
	if (u.known && u.out < guess->out) {
		u.out = guess->out;
		u.known = false;
		u.estimated = true;
	}
	return u;
}

/* --- cursor: Reading a cursor as a client sends it back. */

static bool take_digits(struct str *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t   n = 0;

	for (; n < s->n && n < 19 && s->p[n] >= '0' && s->p[n] <= '9'; n++)
		v = v * 10 + (uint64_t)(s->p[n] - '0');
	if (n == 0 || (n > 1 && s->p[0] == '0'))
		return false;
	s->p += n;
	s->n -= n;
	*ret = v;
	return true;
}

bool cursor_parse(struct str text, struct cursor *ret)
{
	struct cursor c = { 0 };

	if (!take_digits(&text, &c.seq))
		return false;
	if (text.n > 0) {
		if (text.p[0] != '.')
			return false;
		text = (struct str){ text.p + 1, text.n - 1 };
		if (!take_digits(&text, &c.nth) || text.n > 0)
			return false;
	}
	*ret = c;
	return true;
}
