/* provider/tally: what came of the calls of each target since the start of the process.  A reload of
 * the configuration keeps it: the same target of the same model has the same tally.
 *
 * Threads: any. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

struct tally;

/* The tally of a target, as tally_look copies it. */
struct tally_view {
	int64_t   calls;     /* finished calls */
	int64_t   failed;    /* failed ones; not those that were cut off */
	int64_t   begun;     /* calls that got their first content */
	int64_t   first_us;  /* the time from call to first content, of all these together */
	int64_t   tokens_in; /* the tokens of all prompts, as the provider tells */
	int64_t   cached;    /* tokens among them that were read from its cache */
	enum errc code;      /* the last failure's; ERR_OK: there was none */
	char      wire[64];  /* its code for clients */
	char      text[320];
	int       http; /* the status of the provider; 0: none */
	int64_t   at_ms;
};

/* tally_of: the tally of a target; lives as long as the process.  NULL: there are LIMIT_TALLIES
 * targets already, or no memory; the others take a NULL, and do nothing. */
struct tally *tally_of(struct str model, const char *provider, struct str upstream);
/* tally_first: an answer has begun, us after its call, at now_us.  tally_answered: whether one has begun
 * since then. */
void tally_first(struct tally *t, int64_t us, int64_t now_us);
bool tally_answered(struct tally *t, int64_t since_us);
/* tally_over: a call is over; e: NULL: it went well. */
void tally_over(struct tally *t, const struct err *e, int64_t now_ms);
/* tally_used: what a call has used. */
void tally_used(struct tally *t, int64_t tokens_in, int64_t cached);
void tally_look(struct tally *t, struct tally_view *ret);
