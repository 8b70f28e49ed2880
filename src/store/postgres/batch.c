/* Jobs that share a transaction. */
#include "store/postgres/batch.h"

#include "store/postgres/operation.h"
#include "store/postgres/settle.h"

#include <stdlib.h>

enum { BATCH_BYTES = 64 * MIB };

/* In the order in which a batch does them. */
static const struct {
	enum job               job;
	const struct gathered *how;
} kinds[] = {
	{ JOB_TURN_BEGIN, &gathered_turn_begin },       { JOB_SEQ_RESERVE, &gathered_seq_reserve },
	{ JOB_EVENTS_APPEND, &gathered_events_append }, { JOB_ANSWER_KEEP, &gathered_answer_keep },
	{ JOB_CLAIM_TAKE, &gathered_claim_take },       { JOB_TURN_END, &gathered_turn_end },
	{ JOB_BUDGET_SETTLE, &gathered_budget_settle }, { JOB_SHARE_TAKE, &gathered_share_take },
};
enum { KINDS = ARRAY_LEN(kinds) };

struct batch_state {
	struct group groups[KINDS];
	bool         asks[KINDS]; /* why */
};

static const struct gathered *how_of(const struct store_job *job)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].job == job->kind->job)
			return kinds[i].how;
	return NULL;
}

/* --- gathering --- */

struct wanted {
	struct batch *batch;
	bool          taken; /* another job is about the same thing */
	size_t        count;
	int64_t       things[512];
};

static int64_t *batch_place_of(struct batch *b, int64_t thing)
{
	size_t at = ((uint64_t)thing * 0x9e3779b97f4a7c15u) >> 54;

	_Static_assert(BATCH_THINGS == 1 << (64 - 54), "the upper bits are a place");
	while (b->things[at] != 0 && b->things[at] != thing)
		at = (at + 1) % BATCH_THINGS;
	return &b->things[at];
}

static void batch_want(void *arg, int64_t thing)
{
	struct wanted *w = arg;

	if (thing == 0)
		return;
	if (*batch_place_of(w->batch, thing) != 0)
		w->taken = true;
	if (w->count < ARRAY_LEN(w->things))
		w->things[w->count] = thing;
	w->count++;
}

bool batch_add(struct batch *b, struct store_job *job)
{
	struct wanted w = { .batch = b };
	size_t        bytes = how_of(job)->things(job, batch_want, &w);
	bool          fits = b->count < LIMIT_STORE_BATCH && !w.taken &&
		    b->thing_count + w.count < BATCH_THINGS / 2 && b->bytes + bytes < BATCH_BYTES;

	if (b->count > 0 && !fits)
		return false;
	for (size_t i = 0; i < w.count && i < ARRAY_LEN(w.things); i++)
		if (b->thing_count < BATCH_THINGS / 2) {
			int64_t *place = batch_place_of(b, w.things[i]);

			b->thing_count += *place == 0;
			*place = w.things[i];
		}
	/* A job about more things than the table holds goes alone. */
	b->bytes += w.count < BATCH_THINGS / 2 ? bytes : BATCH_BYTES;
	b->jobs[b->count++] = job;
	return true;
}

/* --- doing --- */

static struct batch_state *group_all(struct work *w, struct batch *b)
{
	struct batch_state *s = work_state(w, sizeof *s, NULL);

	for (size_t i = 0; i < b->count; i++) {
		struct store_job      *job = b->jobs[i];
		const struct gathered *how = how_of(job);

		job->err = (struct err){ .code = ERR_OK };
		if (!s)
			cell_no_memory(&job->err);
		else if (how->check)
			how->check(w->db, job);
		if (!s || job->err.code != ERR_OK)
			continue;
		for (size_t k = 0; k < KINDS; k++)
			if (kinds[k].how == how)
				s->groups[k].jobs[s->groups[k].count++] = job;
	}
	return s;
}

/* ask_notes: the statement that settles, after those that end runs; returns the number of statements. */
static size_t ask_notes(struct work *w, const struct batch_state *s)
{
	const struct usage_note *notes[LIMIT_STORE_BATCH];
	size_t                   n = 0;

	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; kinds[k].how->note && i < s->groups[k].count; i++) {
			notes[n] = kinds[k].how->note(s->groups[k].jobs[i]);
			n += notes[n] != NULL;
		}
	if (n > 0)
		settle_ask(w, notes, n);
	return n > 0;
}

static enum work_next ask_all(struct work *w, struct batch *b)
{
	struct batch_state *s = group_all(w, b);
	size_t              at = 0;

	for (size_t k = 0; s && k < KINDS; k++) {
		s->groups[k].at = at;
		if (s->groups[k].count > 0 && kinds[k].how->ask)
			at += kinds[k].how->ask(w, &s->groups[k]);
	}
	if (s)
		at += ask_notes(w, s);
	if (at > 0)
		work_confirm(w);
	return at > 0 ? WORK_AGAIN : WORK_DONE;
}

static enum work_next judge_all(struct work *w)
{
	struct batch_state *s = w->state;
	size_t              at = 0;

	for (size_t k = 0; k < KINDS; k++)
		s->asks[k] = s->groups[k].count > 0 && kinds[k].how->judge &&
			     kinds[k].how->judge(w, &s->groups[k]);
	for (size_t k = 0; k < KINDS; k++)
		if (s->asks[k]) {
			s->groups[k].at = at++;
			kinds[k].how->why(w, &s->groups[k]);
		}
	return at > 0 ? WORK_AGAIN : WORK_DONE;
}

static enum work_next explain_all(struct work *w)
{
	struct batch_state *s = w->state;

	for (size_t k = 0; k < KINDS; k++)
		if (s->asks[k])
			kinds[k].how->explain(w, &s->groups[k]);
	return WORK_DONE;
}

enum work_next batch_step(struct work *w, struct batch *b)
{
	switch (w->stage) {
	case 0: return ask_all(w, b);
	case 1: return w->state ? judge_all(w) : WORK_DONE;
	default: return explain_all(w);
	}
}

bool group_has(const struct work *w, size_t n, int64_t key)
{
	for (int i = 0; i < work_rows(w, n); i++)
		if (cell_int(work_row(w, n, i), 0) == key)
			return true;
	return false;
}
