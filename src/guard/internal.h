/* guard/internal: what the files of the sieve share: sieve.c, by which events come and leave, channel.c, and
 * sieve_check.c, with which texts are checked and replaced.  Not for others. */
#pragma once

#include "guard/sieve.h"

#include <stddef.h>
#include <stdint.h>

/* A text in pieces.  Places in it count from its beginning, or from the last sieve_drop. */
struct channel {
	struct channel *next;
	enum event_kind kind;
	uint32_t        choice, block;
	bool            alone;  /* one string of one event: no piece follows */
	bool            open;   /* pieces may follow */
	bool            entire; /* checked when it is complete */
	bool            code;   /* a program may execute it */
	bool            again;  /* it has begun again: what has left goes before the next check */
	size_t          refs;   /* parts of held events */
	struct buf      text;   /* from `base` on */
	size_t          base;
	size_t          clear; /* so much may leave */
	size_t          seen;  /* so much was in a check that is over, */
	size_t          shown; /* and so much in one that is made */
	unsigned        asked; /* checks that are made with a part of it */
	struct buf      left;  /* the last characters that have left */
	struct held    *last;  /* the newest held event with a piece of it; NULL: none */
};

/* The strings of an event. */
enum member { IN_TEXT, IN_NAME, IN_ID, IN__COUNT };

/* A piece of a channel, in a member of an event. */
struct part {
	struct channel *channel;
	size_t          at; /* its place in the member, from where it was taken out */
	size_t          from, to;
	enum member     member;
};

/* The event has its texts without their parts. */
struct held {
	struct held *next;
	struct event event;
	uint64_t     number;
	struct channel
		    *waits; /* the event begins this, and leaves when all of it may; NULL: none */
	bool         piece; /* its one part may leave bit by bit, and may grow */
	size_t       part_count;
	struct part *parts; /* owned */
	char         bytes[];
};

/* A channel's part of a check. */
struct taken {
	struct channel *channel;
	size_t          from, to;
	size_t          before; /* bytes of `left` that were sent before it */
	size_t          text;   /* index among the check's texts */
	size_t          shown;  /* the channel's, before it */
};

/* A check that is made. */
struct batch {
	struct taken *list; /* owned */
	size_t        count, cap;
	size_t        fresh; /* characters that no earlier one has had */
};

struct sieve {
	struct sieve_options o;
	struct channel      *channels;
	struct held         *first, **end;
	uint64_t             number; /* the newest event's */
	uint64_t             fence;  /* the newest one's that is no piece */
	size_t               bytes;
	size_t               fresh; /* characters that no check has had */
	size_t               need;  /* so many make one due */
	bool                 closed;
	struct batch         batches[SIEVE_CHECKS]; /* the oldest first */
	unsigned             asking;                /* so many of them are made */
	struct buf           out[IN__COUNT];        /* sieve_next's */
	struct held         *given;                 /* owned; the last event of sieve_next */
	struct json_doc      doc;
	/* The open segment of LMC. */
	bool     segment_text, segment_entire, segment_code;
	uint32_t segment;
};

/* sieve.c */
/* sieve_put_member: appends a string of a held event, with its parts. */
bool sieve_put_member(const struct held *h, enum member m, struct buf *out) MUST_USE;

/* channel.c */
struct channel *channel_new(struct sieve *s, enum event_kind kind, uint32_t choice,
			    uint32_t block) MUST_USE;
void            channel_free(struct channel *c);
/* channel_of: the channel for pieces of this kind, open.  NULL: no memory. */
struct channel      *channel_of(struct sieve *s, enum event_kind kind, uint32_t choice,
				uint32_t block) MUST_USE;
static inline size_t channel_end(const struct channel *c)
{
	return c->base + c->text.len;
}
static inline struct str channel_slice(const struct channel *c, size_t from, size_t to)
{
	return from < to ? (struct str){ c->text.data + (from - c->base), to - from } : STR_NONE;
}
/* channel_leave: all before `to` may leave; its last characters are kept.  channel_close: no piece follows, until the text
 * begins again.  False: memory is short. */
bool channel_leave(struct sieve *s, struct channel *c, size_t to) MUST_USE;
bool channel_close(struct sieve *s, struct channel *c) MUST_USE;
/* channel_spend: bytes of it before `to` have left the sieve. */
void channel_spend(struct channel *c, size_t to);
/* channels_trim: frees those that nothing will need.  channels_forget: what they hold, and that they are checked. */
void channels_trim(struct sieve *s);
void channels_forget(struct sieve *s);
