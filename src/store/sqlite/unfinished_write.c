/* Writes waiting ends and settlements with the writer's next commit. */
#include "store/turn.h"

#include "store/sqlite/budgets.h"
#include "store/sqlite/turn_end.h"
#include "store/common/salvage.h"
#include "store/sqlite/recover.h"

/* After so many bytes of logs and answers, a transaction takes no further end.  The jobs of the
 * batch share this transaction; if it were large, a nearly full disk would refuse them too. */
enum { END_BYTES = 1024 * 1024 };

/* A run that was deleted or has an end by now gets none. */
static int write_end(struct session *s, const struct unfinished_end *was)
{
	struct turn_end end;
	bool            live = false;
	/* The usage is booked nowhere else, so a conversation deleted meanwhile does not matter. */
	int rc = was->noted ? budgets_settle(s->conn, &was->note) : SQLITE_OK;

	if (rc == SQLITE_OK)
		rc = salvage_read_run(s->salvage, &s->events, was->run, &live);
	if (rc != SQLITE_OK || !live)
		return rc;
	unfinished_made(was, &s->salvage->salvage, &end);
	return turn_end(s, &end);
}

static int write_ends(struct session *s)
{
	struct unfinished *u = s->unfinished;
	size_t             bytes = 0;
	int                rc = SQLITE_OK;

	for (u->ends_done = 0; u->ends_done < u->end_count && bytes < END_BYTES; u->ends_done++) {
		rc = write_end(s, &u->ends[u->ends_done]);
		bytes += s->salvage->salvage.bytes.len + s->salvage->salvage.answer.len;
		if (rc == SQLITE_OK)
			continue;
		if (db_own_fault(rc)) /* the next start finds the unfinished run */
			unfinished_forget_ends(u, u->ends_done, 1);
		break;
	}
	salvage_begin(&s->salvage->salvage);
	return rc;
}

static int write_notes(struct session *s)
{
	struct unfinished *u = s->unfinished;
	int                rc = SQLITE_OK;

	for (u->notes_done = 0; rc == SQLITE_OK && u->notes_done < u->note_count; u->notes_done++)
		rc = budgets_settle(s->conn, &u->notes[u->notes_done]);
	if (rc != SQLITE_OK && db_own_fault(rc))
		unfinished_forget_notes(u, u->notes_done - 1, 1);
	return rc;
}

int unfinished_write(struct session *s)
{
	int rc = write_ends(s);

	return rc == SQLITE_OK ? write_notes(s) : rc;
}
