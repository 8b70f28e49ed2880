/* How many tokens events are, where nobody has counted. */
#include "msg/event.h"

#include "base/limits.h"

#include <strings.h>

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
	case EVENT_OTHER: return ev->block;
	case EVENT_START:
	case EVENT_TOOL_START:
	case EVENT_BLOCK_END:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return 0;
}

static void usage_renew(int64_t *n, int64_t next)
{
	if (next > 0)
		*n = next;
}

static void renew_small(int32_t *n, int32_t next)
{
	if (next > 0)
		*n = next;
}

int32_t usage_small(int64_t n)
{
	return n < 0 ? 0 : n > LIMIT_TOKENS ? LIMIT_TOKENS : (int32_t)n;
}

void usage_take(struct usage *u, const struct usage *next)
{
	u->known |= next->known;
	usage_renew(&u->in, next->in);
	usage_renew(&u->cached_read, next->cached_read);
	usage_renew(&u->cached_write, next->cached_write);
	renew_small(&u->cached_hour, next->cached_hour);
	usage_renew(&u->reasoning, next->reasoning);
	renew_small(&u->audio_in, next->audio_in);
	renew_small(&u->audio_out, next->audio_out);
	renew_small(&u->image_out, next->image_out);
	if (next->out > u->out)
		u->out = next->out;
	if (next->class != CLASS_UNTOLD)
		u->class = next->class;
	if (next->images > u->images)
		u->images = next->images;
	if (next->billed) {
		u->billed = true;
		u->bill = next->bill;
	}
}

bool usage_same(const struct usage *a, const struct usage *b)
{
	return a->known == b->known && a->estimated == b->estimated && a->in == b->in &&
	       a->out == b->out && a->cached_read == b->cached_read &&
	       a->cached_write == b->cached_write && a->cached_hour == b->cached_hour &&
	       a->reasoning == b->reasoning;
}

/* The words of OpenAI, Anthropic, Google, Mistral and Groq; the first one of a class is ours.  OpenAI serves
 * what asks for "fast" as "priority". */
static const struct {
	struct str word;
	enum usage_class class;
} classes[] = {
	{ { "standard", 8 }, CLASS_STANDARD },
	{ { "default", 7 }, CLASS_STANDARD },
	{ { "standard_only", 13 }, CLASS_STANDARD },
	{ { "on_demand", 9 }, CLASS_STANDARD },
	{ { "flex", 4 }, CLASS_FLEX },
	{ { "priority", 8 }, CLASS_PRIORITY },
	{ { "batch", 5 }, CLASS_BATCH },
	{ { "scale", 5 }, CLASS_SCALE },
	{ { "fast", 4 }, CLASS_FAST },
	{ { "ultrafast", 9 }, CLASS_ULTRAFAST },
};

enum usage_class usage_class_of(struct str word)
{
	for (size_t i = 0; word.n > 0 && i < ARRAY_LEN(classes); i++)
		if (word.n == classes[i].word.n &&
		    strncasecmp(word.p, classes[i].word.p, word.n) == 0)
			return classes[i].class;
	return CLASS_UNTOLD;
}

const char *usage_class_word(enum usage_class class)
{
	for (size_t i = 0; class != CLASS_UNTOLD && i < ARRAY_LEN(classes); i++)
		if (classes[i].class == class)
			return classes[i].word.p;
	return NULL;
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
