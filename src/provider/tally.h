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
	int64_t   calls;    /* finished calls */
	int64_t   failed;   /* failed ones; not those that were cut off */
	int64_t   begun;    /* calls that got their first content */
	int64_t   first_us; /* the time from call to first content, of all these together */
	enum errc code;     /* the last failure's; ERR_OK: there was none */
	char      wire[64]; /* its code for clients */
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
void tally_look(struct tally *t, struct tally_view *ret);

/* --- balance: chooses the next target of a model: smoothly by weight, and among targets
 * that are equally due, the one with fewer running calls. */

struct balance_row {
	int64_t weight; /* from 1 */
	int64_t credit; /* grows with each choice by weight; the chosen row pays all weights */
	int64_t out;    /* running calls */
};

/* balance_pick: chooses one of the rows whose bit is in fit (at least one), and books the
 * choice, except for `out`. Other rows save no credit, because they would be flooded with calls
 * when they are back. */
size_t balance_pick(struct balance_row *rows, size_t count, uint32_t fit);
