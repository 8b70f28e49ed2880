/* Writes the ends that this gateway could not write when they were due. */
#include "store/postgres/chores.h"

#include "base/log.h"
#include "store/postgres/logged.h"
#include "store/postgres/postgres.h"
#include "store/postgres/settle.h"
#include "store/postgres/turn_end.h"

enum { LOST_NOTES = 64 };

static const char sql_run[] =
	"SELECT id FROM run WHERE id = $1 AND secret = $2 AND status < 2 FOR UPDATE";
static const char sql_pieces[] = "SELECT first, last, data FROM event WHERE run = $1 ORDER BY last";

struct lost_state {
	struct salvage  salvage;
	struct turn_end end;
};

static void lost_finish(void *state)
{
	salvage_finish(&((struct lost_state *)state)->salvage);
}

bool lost_wanted(struct postgres *db)
{
	return unfinished_count(&db->unfinished) > 0 && !logged_doubtful(db);
}

/* lost_settle: after the end, because budgets are locked after conversations, as by any other end.  False: nothing is to be
 * settled. */
static bool lost_settle(struct work *w)
{
	const struct unfinished *u = &w->db->unfinished;
	const struct usage_note *notes[LOST_NOTES + 1];
	size_t                   n = 0;

	for (; n < u->notes_done; n++)
		notes[n] = &u->notes[n];
	/* The usage of an end is booked nowhere else, so a conversation deleted meanwhile does not matter. */
	if (u->ends_done > 0 && u->ends[0].noted)
		notes[n++] = &u->ends[0].note;
	if (n > 0)
		settle_ask(w, notes, n);
	return n > 0;
}

static void lost_find(struct work *w)
{
	const struct unfinished *u = &w->db->unfinished;
	struct id                run = u->end_count > 0 ? u->ends[0].run : (struct id){ 0 };
	struct param            *a = work_param(w);

	param_int(a, run.key);
	param_secret(a, run.secret);
	work_ask(w, sql_run);
	a = work_param(w);
	param_int(a, run.key);
	work_ask(w, sql_pieces);
}

static void lost_end(struct work *w)
{
	const struct unfinished_end *was = &w->db->unfinished.ends[0];
	struct lost_state           *s = w->state;
	bool                         ok = true;

	for (int i = 0; ok && i < work_rows(w, 1); i++) {
		struct row r = work_row(w, 1, i);

		ok = salvage_add(&s->salvage,
				 &(struct events_piece){ .run = was->run,
							 .first = (uint64_t)cell_int(r, 0),
							 .last = (uint64_t)cell_int(r, 1),
							 .data = cell_str(r, 2) });
	}
	unfinished_made(was, &s->salvage, &s->end);
	turn_end_ask(w, (struct turn_end *[]){ &s->end }, 1);
}

enum work_next lost_step(struct work *w)
{
	struct unfinished *u = &w->db->unfinished;

	switch (w->stage) {
	case 0: {
		struct lost_state *s = work_state(w, sizeof *s, lost_finish);

		if (!s)
			return WORK_DONE;
		salvage_init(&s->salvage, w->db->options.assemble);
		u->notes_done = u->note_count < LOST_NOTES ? u->note_count : LOST_NOTES;
		u->ends_done = u->end_count > 0;
		lost_find(w);
		return WORK_AGAIN;
	}
	case 1: {
		bool ends = u->ends_done > 0 && work_rows(w, 0) > 0;

		if (ends)
			lost_end(w);
		return lost_settle(w) || ends ? WORK_LAST : WORK_DONE;
	}
	default: return WORK_DONE;
	}
}

void lost_over(struct work *w, const struct fault *f)
{
	struct unfinished *u = &w->db->unfinished;

	/* An end that fails for its own data would fail again; the reaper of this gateway finds such a run. */
	if (!f || f->kind == FAULT_PG_DATA)
		unfinished_written(u);
	u->ends_done = u->notes_done = 0;
	if (f)
		log_note(LOG_WARN, "storage_failed", "an end could not be stored yet: %s", f->text);
}
