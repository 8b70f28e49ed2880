/* unfinished: what could not be written and must be, as soon as writing works again: ends of runs, which
 * would look alive for ever, and settlements of reservations, which would stay.
 *
 * Both are written with whatever the writer commits next, the oldest first. */
#pragma once

#include "store/sqlite/salvage.h"
#include "store/turn.h"

struct unfinished_end {
	struct id         run;
	int64_t           completed_ms;
	uint64_t          last_seq;
	struct usage      usage;
	int64_t           first_token_ms;
	int64_t           attempts;
	bool              costs;
	int64_t           cost_nano;
	bool              bound; /* its key, if it has one, stands for an answer */
	bool              noted; /* something was used or reserved: */
	struct usage_note note;
};

struct unfinished {
	struct unfinished_end *ends; /* owned */
	size_t                 end_count;
	size_t                 end_cap;
	size_t                 ends_done; /* in this transaction, from the front */
	struct usage_note     *notes;     /* owned; how the reservations are settled */
	size_t                 note_count;
	size_t                 note_cap;
	size_t                 notes_done;
	struct salvage         salvage; /* init'ed by who writes them (salvage_init) */
};

void unfinished_finish(struct unfinished *u);

/* unfinished_end, unfinished_note: that could not be written; the end comes later, and says so.  Should memory be short, the next start
 * finds the run, or the reservation. */
void                 unfinished_end(struct unfinished *u, struct turn_end *j);
void                 unfinished_note(struct unfinished *u, const struct usage_note *note);
static inline size_t unfinished_count(const struct unfinished *u)
{
	return u->end_count + u->note_count;
}

/* unfinished_written: the first ends_done and notes_done are committed.  unfinished_forget_ends, _notes: n
 * from the place `at` on. */
void unfinished_written(struct unfinished *u);
void unfinished_forget_ends(struct unfinished *u, size_t at, size_t n);
void unfinished_forget_notes(struct unfinished *u, size_t at, size_t n);
