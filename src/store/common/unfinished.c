/* Ends of runs and settlements of budgets that wait for the disk. */
#include "store/common/salvage.h"
#include "store/turn.h"

#include <stdlib.h>

#define NOT_STORED                                                                    \
	"{\"message\":\"The answer could not be stored.\",\"type\":\"server_error\"," \
	"\"param\":null,\"code\":\"storage_unavailable\"}"

/* unfinished_keep: copies what the note borrows; without memory, its usage counts for no tags. */
static void unfinished_keep(struct usage_note *n)
{
	char *tags = n->tags.n > 0 ? malloc(n->tags.n) : NULL;

	n->tags = tags ? (struct str){ memcpy(tags, n->tags.p, n->tags.n), n->tags.n } : STR_NONE;
}

static void unfinished_drop(struct usage_note *n)
{
	free((char *)(uintptr_t)n->tags.p);
	n->tags = STR_NONE;
}

void unfinished_finish(struct unfinished *u)
{
	for (size_t i = 0; i < u->end_count; i++)
		unfinished_drop(&u->ends[i].note);
	for (size_t i = 0; i < u->note_count; i++)
		unfinished_drop(&u->notes[i]);
	free(u->ends);
	free(u->notes);
	u->ends = NULL;
	u->notes = NULL;
}

/* Makes room for one more element of `bytes` bytes; false: no memory. */
static bool unfinished_grow(void **array, size_t count, size_t *cap, size_t bytes)
{
	if (count < *cap)
		return true;

	size_t more = *cap ? 2 * *cap : 64;
	void  *grown = realloc(*array, more * bytes);
	if (!grown)
		return false;
	*array = grown;
	*cap = more;
	return true;
}

void unfinished_end(struct unfinished *u, struct turn_end *j)
{
	void *ends = u->ends;

	j->later = true;
	if (!unfinished_grow(&ends, u->end_count, &u->end_cap, sizeof *u->ends))
		return;
	u->ends = ends;
	struct unfinished_end *end = &u->ends[u->end_count++];
	*end = (struct unfinished_end){
		.run = j->run,
		.completed_ms = j->completed_ms,
		.last_seq = j->last_seq,
		.usage = j->usage,
		.first_token_ms = j->first_token_ms,
		.attempts = j->attempts,
		.costs = j->costs,
		.cost_nano = j->cost_nano,
		.bound = j->keyed && j->kept_answer.http != 0,
		.noted = j->note != NULL,
	};
	if (j->note) {
		end->note = *j->note;
		unfinished_keep(&end->note);
	}
}

void unfinished_made(const struct unfinished_end *was, struct salvage *v, struct turn_end *ret)
{
	struct salvage_told told;

	*ret = (struct turn_end){
		.run = was->run,
		.answer = salvage_make(v, &told),
		.error = STR(NOT_STORED),
		.completed_ms = was->completed_ms,
		.last_seq = was->last_seq,
		.keyed = true,
		.usage = was->usage,
		.first_token_ms = was->first_token_ms,
		.attempts = was->attempts,
		.costs = was->costs,
		.cost_nano = was->cost_nano,
	};
	ret->status = told.begun ? RUN_INCOMPLETE : RUN_FAILED;
	if (was->bound) /* without a log, the answer is lost */
		ret->kept_answer.http = told.begun ? 200 : 503;
}

void unfinished_note(struct unfinished *u, const struct usage_note *note)
{
	void *notes = u->notes;

	if (!unfinished_grow(&notes, u->note_count, &u->note_cap, sizeof *u->notes))
		return;
	u->notes = notes;
	u->notes[u->note_count] = *note;
	unfinished_keep(&u->notes[u->note_count++]);
}

void unfinished_forget_ends(struct unfinished *u, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		unfinished_drop(&u->ends[i].note);
	u->end_count -= n;
	memmove(&u->ends[at], &u->ends[at + n], (u->end_count - at) * sizeof *u->ends);
}

void unfinished_forget_notes(struct unfinished *u, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		unfinished_drop(&u->notes[i]);
	u->note_count -= n;
	memmove(&u->notes[at], &u->notes[at + n], (u->note_count - at) * sizeof *u->notes);
}

void unfinished_written(struct unfinished *u)
{
	if (u->ends_done > 0)
		unfinished_forget_ends(u, 0, u->ends_done);
	u->ends_done = 0;
	if (u->notes_done > 0)
		unfinished_forget_notes(u, 0, u->notes_done);
	u->notes_done = 0;
}
