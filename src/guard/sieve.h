/* guard/sieve: the events of an answer wait here until a hook has let their texts out.
 *
 *   events --put--> [ held: events in their order, texts in channels ] --next--> events that may leave
 *                        take: the texts of the next check      pass: the verdict of the oldest one
 *
 * Pieces of the same text (of a choice, of a call, of a segment of LMC) are a channel.  A check has all of a channel that has
 * not left.  Of what it lets out, the last `overlap` characters stay, up to the beginning of a word, and are checked once more
 * with what follows: so a match of up to that length is seen whole before any of its letters leaves, and no word leaves in
 * halves.  Arguments of a call are checked whole, when the call is complete.  While a check is made, the next one may be
 * made of what follows, and begins with what will stay of the first.
 *
 * A channel ends when the answer goes on with another kind of text; then all of it may leave.  If it begins again, its last
 * characters, which have left, go before the new ones in the next check.
 *
 * Texts stay escaped, as events have them: so nothing is lost by a half of a surrogate pair.  Pure; not shared between
 * threads. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "msg/event.h"

enum { SIEVE_CHECKS = 2 /* at a time */ };

struct sieve;

struct sieve_options {
	size_t window;  /* characters of a check; the last one may have fewer */
	size_t overlap; /* below window */
	bool   whole;   /* there is one check, of all */
	size_t max;     /* bytes held */
};

struct sieve *sieve_create(const struct sieve_options *o) MUST_USE; /* NULL: no memory */
void          sieve_destroy(struct sieve *s);                       /* NULL is fine */

/* sieve_put: holds a copy of the event; of a long event passed twice, the caller gives the first.  False: over max, no
 * JSON where there has to be some, or memory is short (errno: EMSGSIZE, 0, ENOMEM). */
bool sieve_put(struct sieve *s, const struct event *ev) MUST_USE;
/* sieve_close: nothing follows: the rest is checked and leaves.  sieve_reopen: something does. */
void sieve_close(struct sieve *s);
void sieve_reopen(struct sieve *s);
bool sieve_closed(const struct sieve *s);
/* sieve_any: whether an event is held.  sieve_held: their bytes. */
bool   sieve_any(const struct sieve *s);
size_t sieve_held(const struct sieve *s);

/* sieve_due: a check should be made; false while SIEVE_CHECKS are. */
bool sieve_due(const struct sieve *s);
/* sieve_take: the texts of a check, as JSON strings with commas between them.  *ret_count may be 0: then there is nothing to
 * ask, and no check is made.  False: memory is short. */
bool sieve_take(struct sieve *s, struct buf *out, size_t *ret_count) MUST_USE;
/* sieve_calls: the complete tool calls of the newest check, with commas between them, each as {"id":…,"name":…,
 * "arguments":…}, whose strings are texts of the check, but for the id.  False: memory is short. */
bool sieve_calls(struct sieve *s, struct buf *out) MUST_USE;
/* sieve_untake: the newest check is void: its texts are due again. */
void sieve_untake(struct sieve *s);

struct sieve_passed {
	bool code; /* text was changed that a program may execute */
	bool next_void; /* text was changed that the next check has too, which is void, as by sieve_untake */
};
/* sieve_pass: the oldest check lets its texts out; texts: what stands in their place, escaped, one for each, or NULL: they
 * stay.  False: memory is short. */
bool sieve_pass(struct sieve *s, const struct str *texts, struct sieve_passed *ret) MUST_USE;
/* sieve_next: the next event that may leave, borrowed until the next call; false: none may.  *ret_failed: memory is
 * short. */
bool sieve_next(struct sieve *s, struct event *ret, bool *ret_failed) MUST_USE;
/* sieve_past: the event has left in an earlier life of the answer: what follows is checked with its end.  False: as of
 * sieve_put. */
bool sieve_past(struct sieve *s, const struct event *ev) MUST_USE;
/* sieve_drop: forgets what is held, and a check that is made.  What has left is still known. */
void sieve_drop(struct sieve *s);
