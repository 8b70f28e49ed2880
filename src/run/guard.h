/* run/guard: a run's part in hooks: what stage/vet.c, which shows them the request, and stage/guard.c, which shows them the
 * answer, share.  Not for other folders. */
#pragma once

#include "base/limits.h"
#include "guard/hook_check.h"
#include "guard/sieve.h"
#include "run/internal.h"

enum { GUARD_NOTES = 64 };

/* The verdicts of one kind. */
struct guard_note {
	const char     *hook; /* a name of the hooks */
	enum hook_phase phase;
	const char     *verdict; /* static */
	unsigned        count;
	int64_t         ms;
};

/* A check of what is held. */
struct guard_ask {
	struct run_guard  *guard;
	struct check      *check;   /* owned; NULL: it is over */
	enum check_verdict verdict; /* once it is over, and an older one is not */
	struct err        *why;     /* owned */
};

/* The memory of GUARD. */
struct run_guard {
	struct run   *run;
	struct hooks *hooks;  /* held */
	uint32_t      asked;  /* bits of the hooks that see the request, */
	uint32_t      before; /* the answer before it leaves, */
	uint32_t      after;  /* and afterwards */
	struct sieve *sieve;  /* owned; NULL: nothing is held */
	struct sieve
		*seen; /* owned; what has left, for the hooks that see it afterwards; NULL: none */
	struct guard_ask asks[SIEVE_CHECKS]; /* a ring */
	unsigned         ask_first, ask_count;
	struct check    *check;   /* owned; of the request, or of `seen`; NULL: none is made */
	bool             failed;  /* there was no memory for it */
	bool             blocked; /* nothing leaves any more */
	bool             ends;    /* the run's end waits for the check of `seen` */
	bool             paused;  /* the provider, until the check is over */
	uint32_t         choices; /* choices that have begun */
	bool             said;    /* something of the answer has left */
	/* Bits of the choices whose end has come, and has left. */
	uint64_t     came[LIMIT_CHOICES / 64], ended[LIMIT_CHOICES / 64];
	struct timer soon;    /* more may leave */
	struct buf   segment; /* the chunk that has begun the open segment of LMC; empty: none is */
	struct err  *refusal; /* owned; why the request is refused; NULL: it is not */
	struct vet  *vet;     /* owned; while the request is checked */
	struct guard_note notes[GUARD_NOTES];
	size_t            note_count;
	struct buf        log; /* the attempts and the checks, for the run's row */
};

/* guard.c */
/* guard_take: at a run's birth: its part; *ret: NULL: memory is short, and nothing may pass.  False: there are no hooks. */
bool guard_take(const struct run *r, const struct run_guard **ret);
/* guard_of: NULL: memory is short. */
struct run_guard *guard_of(struct run *r);
/* guard_holds: whether some of the answer waits for a verdict. */
bool guard_holds(const struct run *r);
/* guard_fill: what every check of the run tells. */
void          guard_fill(const struct run *r, const struct run_guard *g, struct check_ask *ret);
check_note_fn guard_note;
/* guard_save: the checks, for the run's row. */
void guard_save(struct run *r, struct run_end *x);
/* guard_again: an event of the run's first life.  False: memory is short. */
bool guard_again(struct run *r, const struct event *ev) MUST_USE;
/* guard_judges: true: the end of an answer that broke off waits for hooks, and run_finish is called again. */
bool guard_judges(struct run *r) MUST_USE;

/* vet.c */
/* vet_refused: a hook has blocked the request, and the run is only stored.  vet_refuse: ends it. */
bool           vet_refused(const struct run *r);
enum step_next vet_refuse(struct run *r, struct err *e) MUST_USE;
