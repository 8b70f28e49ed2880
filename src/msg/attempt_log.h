/* msg/attempt_log: what became of the attempts of a run, as the store keeps it: a JSON array of
 * arrays.
 *
 *   [model, begin, http, provider, end, code, source, in, out, read, written, reasoning, nano, first]
 *                               an attempt that was given up, or a step of a run that has several
 *   [model, begin, http]        the only attempt of the run: the run's row has the rest
 *   [model, begin, http, nano]  the last one of several
 *
 * Each of them may end with what its price was made of: [price, tier, class].  After all that, an attempt with one
 * of several keys of its provider has [key], the key's place.
 *
 * model is the provider's name of it; begin is in milliseconds after the run was made, end and first,
 * the time of the first token, after begin; source is 0 if the provider has counted the tokens, 1 if
 * Parley has; null is what is not known.  Older logs lack `first`.  Of more than ATTEMPT_LOG_MOST attempts, the log has the first ones and the last. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"

enum { ATTEMPT_LOG_MOST = 16, ATTEMPT_LOG_BYTES = 64 * 1024 };

/* The members of an array, by their places. */
enum attempt_log_place {
	ATTEMPT_LOG_MODEL,
	ATTEMPT_LOG_BEGIN,
	ATTEMPT_LOG_HTTP,
	ATTEMPT_LOG_ONLY, /* how many the only attempt has */
	ATTEMPT_LOG_LAST_NANO = ATTEMPT_LOG_ONLY,
	ATTEMPT_LOG_LAST, /* how many the last one of several has */
	ATTEMPT_LOG_PROVIDER = ATTEMPT_LOG_ONLY,
	ATTEMPT_LOG_END,
	ATTEMPT_LOG_CODE,
	ATTEMPT_LOG_SOURCE,
	ATTEMPT_LOG_IN,
	ATTEMPT_LOG_OUT,
	ATTEMPT_LOG_READ,
	ATTEMPT_LOG_WRITTEN,
	ATTEMPT_LOG_REASONING,
	ATTEMPT_LOG_NANO,
	ATTEMPT_LOG_FIRST,
	ATTEMPT_LOG_OLD = ATTEMPT_LOG_FIRST, /* how many one that was given up had, */
	ATTEMPT_LOG_PAST,                    /* and has */
	ATTEMPT_LOG_PRICED = 3,              /* how many members more a price has: */
	ATTEMPT_LOG_SOURCE_OF = 0,           /* the word of where it is from, */
	ATTEMPT_LOG_TIER,                    /* above how many tokens it holds, and */
	ATTEMPT_LOG_CLASS /* the word of the class that has served the call; null: not told */
};

/* The parts of an attempt's price. */
struct attempt_price {
	bool        told;
	const char *source; /* static; price_source_word, or "reported" */
	int64_t     above;  /* the tier; 0: the base */
	const char *class;  /* static; NULL: not told */
};

/* Whom an attempt asked; borrowed. */
struct attempt_asked {
	struct str model; /* the provider's name of it */
	unsigned   key;   /* the place of the provider's key, from 1; 0: it has one */
};

/* Small: each run that goes on has one. */
struct attempt_log {
	struct buf text; /* a whole JSON array, or empty */
	int64_t    begun_ms;
	uint32_t past; /* bytes of text for attempts that were given up, without the last bracket */
	int16_t  http; /* the status that the provider of this attempt has sent; 0: none */
	uint8_t  count; /* attempts that were given up */
	bool     open;  /* an attempt goes on, or has ended the run */
};

/* An attempt that was given up, or a step; spans are borrowed. */
struct attempt_past {
	const char          *provider;
	const char          *code; /* its error's code */
	int                  http;
	int64_t              first_ms; /* 0: no token came */
	int64_t              ended_ms;
	struct usage         usage; /* neither known nor estimated: it has used nothing */
	bool                 costs; /* nano is known */
	int64_t              nano;
	struct attempt_price price;
};

/* attempt_log_again: the log of an earlier life of the run, as the store has it.  past: the elements of the attempts
 * that were given up, with commas between them; the attempt of that life's end began at begun_ms. */
void attempt_log_again(struct attempt_log *l, struct str past, size_t count, int64_t begun_ms);
/* All of them leave the log as it was if memory is short: it then tells less. made_ms: when the run
 * was made. */
void attempt_log_init(struct attempt_log *l);
void attempt_log_finish(struct attempt_log *l);
void attempt_log_begun(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		       int64_t begun_ms);
void attempt_log_past(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		      const struct attempt_past *p);
/* attempt_log_last: the attempt that goes on ends the run.  several: nano is its cost, where
 * costs says so.  attempt_log_last_step: the same of a run with several steps, whose row has the sums of
 * all. */
void attempt_log_last(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		      bool several, bool costs, int64_t nano, const struct attempt_price *price);
void attempt_log_last_step(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
			   const struct attempt_past *p);
