/* salvage: makes the answer of a run whose end was not stored from the pieces of the run's event log,
 * which the engine hands over in their order. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "store/cut_off.h"
#include "store/events.h"
#include "store/turn.h"

/* store_options.assemble */
typedef bool salvage_assemble_fn(const struct events_piece *pieces, size_t count, struct buf *out);

struct salvage {
	salvage_assemble_fn *assemble; /* borrowed; NULL: no answers are made */
	/* The rest is about one run. */
	struct events_piece *pieces; /* owned; salvage_make sets their data.p */
	size_t               count;
	size_t               cap;
	bool                 full;   /* the log exceeds the limit; only its beginning is used */
	struct buf           bytes;  /* the data of all pieces, one after the other */
	struct buf           answer; /* result of assemble */
};

void salvage_init(struct salvage *v, salvage_assemble_fn *assemble);
void salvage_finish(struct salvage *v);

/* salvage_begin: forgets the pieces and the answer of the last run. */
void salvage_begin(struct salvage *v);
/* salvage_add: copies the run's next piece; false: no memory. */
bool salvage_add(struct salvage *v, const struct events_piece *piece) MUST_USE;
/* salvage_make: makes the answer of the pieces, borrowed until salvage_begin; empty: none. */
struct str salvage_make(struct salvage *v, struct salvage_told *ret);

/* unfinished: ends of runs and settlements of reservations that a failing disk did not accept.
 * Without its end, a run would look live for ever; without a settlement, a reservation would stay.
 *
 * The writer's next transactions write both, the oldest first.  Everything here is used by the
 * thread that writes alone. */
struct unfinished_end {
	struct id         run;
	int64_t           completed_ms;
	uint64_t          last_seq;
	struct usage      usage;
	int64_t           first_token_ms;
	int64_t           attempts;
	bool              costs;
	int64_t           cost_nano;
	bool              bound; /* the name of the run's answer, if any, stands for it */
	bool              noted; /* `note` is set */
	struct usage_note note;  /* the run's usage or reservation; owns its tags */
};

struct unfinished {
	struct unfinished_end *ends; /* owned */
	size_t                 end_count;
	size_t                 end_cap;
	size_t                 ends_done; /* written in the open transaction, from the front */
	struct usage_note     *notes;     /* owned, with their tags; the settlements */
	size_t                 note_count;
	size_t                 note_cap;
	size_t                 notes_done; /* written in the open transaction, from the front */
};

void unfinished_finish(struct unfinished *u);

/* unfinished_end, unfinished_note: remember an end, whose job gets `later`, or a settlement that
 * could not be written.  If there is no memory, the next start finds the run or the reservation. */
void                 unfinished_end(struct unfinished *u, struct turn_end *j);
void                 unfinished_note(struct unfinished *u, const struct usage_note *note);
static inline size_t unfinished_count(const struct unfinished *u)
{
	return u->end_count + u->note_count;
}

/* unfinished_made: the end to write for `was`, whose log v has: `incomplete` with the answer that the
 * log gives, or `failed` if it has nothing from the provider.  The end borrows from both. */
void unfinished_made(const struct unfinished_end *was, struct salvage *v, struct turn_end *ret);

/* unfinished_written: removes the first ends_done ends and notes_done notes, which are committed
 * now.  unfinished_forget_ends, unfinished_forget_notes: remove n entries from index `at` on. */
void unfinished_written(struct unfinished *u);
void unfinished_forget_ends(struct unfinished *u, size_t at, size_t n);
void unfinished_forget_notes(struct unfinished *u, size_t at, size_t n);
