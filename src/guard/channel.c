/* The texts of the sieve: their pieces in a row, from the first one that has not left. */
#include "base/limits.h"
#include "guard/internal.h"
#include "guard/texts.h"
#include "json/member.h"

#include <stdlib.h>

void channel_free(struct channel *c)
{
	buf_finish(&c->text);
	buf_finish(&c->left);
	free(c);
}

struct channel *channel_new(struct sieve *s, enum event_kind kind, uint32_t choice, uint32_t block)
{
	struct channel *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	*c = (struct channel){
		.next = s->channels, .kind = kind, .choice = choice, .block = block
	};
	buf_init(&c->text, s->o.max + LIMIT_UPSTREAM_BODY);
	buf_init(&c->left, s->o.max);
	s->channels = c;
	return c;
}

struct channel *channel_of(struct sieve *s, enum event_kind kind, uint32_t choice, uint32_t block)
{
	struct channel *c = s->channels;

	while (c && (c->alone || c->kind != kind || c->choice != choice || c->block != block))
		c = c->next;
	if (!c)
		c = channel_new(s, kind, choice, block);
	if (c && !c->open) {
		c->open = true;
		c->again = c->left.len > 0;
	}
	return c;
}

bool channel_leave(struct sieve *s, struct channel *c, size_t to)
{
	struct str gone = channel_slice(c, c->clear, to);
	size_t     count;

	c->clear = to;
	if (c->alone || s->o.whole)
		return true;
	if (!buf_str(&c->left, gone))
		return false;
	count = texts_count(buf_view(&c->left));
	size_t cut = 0;
	for (; count > s->o.overlap; count--)
		cut += json_unit(buf_view(&c->left), cut).bytes;
	buf_take_front(&c->left, cut);
	return true;
}

bool channel_close(struct sieve *s, struct channel *c)
{
	if (!c->open)
		return true;
	c->open = false;
	if (c->entire)
		s->fresh += texts_count(channel_slice(c, c->clear, channel_end(c)));
	/* A check that is made may have more of it than those that are over. */
	return c->asked > 0 || c->seen < channel_end(c) || channel_leave(s, c, channel_end(c));
}

void channels_trim(struct sieve *s)
{
	struct channel **at = &s->channels;

	while (*at) {
		struct channel *c = *at;

		if (c->refs == 0 && (c->alone || (c->kind == EVENT_LMC && !c->open))) {
			*at = c->next;
			channel_free(c);
		} else {
			at = &c->next;
		}
	}
}

void channel_spend(struct channel *c, size_t to)
{
	/* Moving what follows with each piece would take the square of its length. */
	if (to <= c->base || (to - c->base < c->text.len / 2 && c->text.len > 4 * KIB))
		return;
	size_t n = to - c->base;
	buf_take_front(&c->text, n);
	c->base = to;
}

void channels_forget(struct sieve *s)
{
	for (struct channel *c = s->channels; c; c = c->next) {
		buf_clear(&c->text);
		c->base = c->clear = c->seen = c->shown = 0;
		c->asked = 0;
		c->last = NULL;
		c->open = false;
	}
	channels_trim(s);
}
