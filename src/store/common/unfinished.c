/* Ends of runs and settlements of budgets that wait for the disk. */
#include "store/common/salvage.h"
#include "store/turn.h"

#include <stdlib.h>

#define NOT_STORED                                                                    \
	"{\"message\":\"The answer could not be stored.\",\"type\":\"server_error\"," \
	"\"param\":null,\"code\":\"storage_unavailable\"}"

void unfinished_finish(struct unfinished *u)
{
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
	if (j->note)
		end->note = *j->note;
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
	u->notes[u->note_count++] = *note;
}

void unfinished_forget_ends(struct unfinished *u, size_t at, size_t n)
{
	u->end_count -= n;
	memmove(&u->ends[at], &u->ends[at + n], (u->end_count - at) * sizeof *u->ends);
}

void unfinished_forget_notes(struct unfinished *u, size_t at, size_t n)
{
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
