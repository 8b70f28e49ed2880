/* Reads a page of a run's event log, and the state of the run. */
#include "base/limits.h"
#include "store/common/event_cut.h"
#include "store/events.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/sql/cells.h"

static const char sql_state[] = EVENTS_CELL
	", coalesce(r.events_to, 1), EXISTS (SELECT 1 FROM event e WHERE e.run = $1)::int::bigint " EVENTS_CELL_FROM;
/* A piece is in the page if those before it leave it any room: the first one always is.  The last column
 * says that further ones follow. */
static const char sql_pieces[] =
	"SELECT p.first, p.last, p.data, p.before + p.bytes FROM (SELECT e.first, e.last, e.data, "
	"octet_length(e.data)::bigint AS bytes, coalesce(sum(octet_length(e.data)) OVER (ORDER BY e.last "
	"ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS before "
	"FROM event e WHERE e.run = $1 AND e.last > $2) p WHERE p.before <= $3 ORDER BY p.last";
/* Whether a part in the middle is missing, and what comes last. */
static const char sql_whole[] =
	"SELECT coalesce(bool_or(p.first > p.before + 1), false)::int::bigint, coalesce(max(p.last), 0) "
	"FROM (SELECT e.first, e.last, lag(e.last, 1, 0::bigint) OVER (ORDER BY e.last) AS before "
	"FROM event e WHERE e.run = $1) p";
static const char sql_answer[] = "SELECT body FROM message WHERE id = $1";

static void events_ask(struct work *w, struct events_read *j)
{
	struct param *a = work_param(w);

	param_int(a, j->run.key);
	param_secret(a, j->run.secret);
	param_int(a, j->owner);
	work_ask(w, sql_state);
	a = work_param(w);
	param_int(a, j->run.key);
	param_int(a, j->after > INT64_MAX ? INT64_MAX : (int64_t)j->after);
	param_int(a, (int64_t)j->page_bytes);
	work_ask(w, sql_pieces);
	if (j->after > 0)
		return;
	param_int(work_param(w), j->run.key);
	work_ask(w, sql_whole);
}

static void events_state(struct row r, struct events_read *j, bool *ret_logged)
{
	if (!events_cell_keep(r, j))
		return;
	*ret_logged = cell_int(r, EVENTS_CELL_END + 1) != 0;
	j->swept = j->status > RUN_RUNNING && cell_int(r, EVENTS_CELL_END) > 0 && !*ret_logged;
}

/* events_piece: false: the page ends before it. */
static bool events_read_events_put(struct events_read *j, struct row r, size_t *bytes,
				   uint64_t *last)
{
	struct events_piece p = { j->run, (uint64_t)cell_int(r, 0), (uint64_t)cell_int(r, 1),
				  cell_str(r, 2) };
	struct err         *e = &j->job.err;

	/* Events that were sent again lie in two pieces. */
	if (*last > 0 && (p.last <= *last || (p.first <= *last && !event_cut_front(&p, *last))))
		return true;
	j->holed = p.first > (*last > 0 ? *last : j->after) + 1;
	if (j->holed)
		return true;
	if (j->piece_count > 0 && (p.data.n > j->page_bytes || *bytes > j->page_bytes - p.data.n))
		return false;
	if (!cell_fits(&j->arena, p.data.n)) {
		if (j->piece_count == 0)
			err_set(e, ERR_REQUEST_TOO_LARGE, "",
				"a piece of the run's events is larger than the %zu KiB that can "
				"be read at once",
				j->arena.max / KIB);
		return false;
	}
	p.data = arena_str(&j->arena, p.data);
	if (!p.data.p)
		cell_no_memory(e);
	*bytes += p.data.n;
	*last = p.last;
	j->pieces[j->piece_count++] = p;
	return e->code == ERR_OK;
}

static void events_pieces(struct work *w, struct events_read *j)
{
	int      rows = work_rows(w, 1);
	size_t   bytes = 0;
	uint64_t last = 0;

	if (rows == 0)
		return;
	j->pieces = arena_alloc(&j->arena, (size_t)rows * sizeof *j->pieces);
	if (!j->pieces)
		cell_no_memory(&j->job.err);
	for (int i = 0; i < rows && j->job.err.code == ERR_OK && !j->has_more && !j->holed; i++)
		j->has_more = !events_read_events_put(j, work_row(w, 1, i), &bytes, &last);
	/* The statement leaves out whatever comes after a full page. */
	struct row end = work_row(w, 1, rows - 1);
	if (cell_int(end, 3) > (int64_t)j->page_bytes && !j->holed)
		j->has_more = true;
}

/* events_whole: of an ended run: looks for a hole in the whole log before its first page, and for a
 * missing end.  Only the end of a completed run must be next to its last event: another one may have
 * failed because its events could not be stored, or was ended by a gateway that knew less of them. */
static void events_whole(struct work *w, struct events_read *j)
{
	uint64_t last = j->piece_count > 0 ? j->pieces[j->piece_count - 1].last : j->after;

	if (j->after == 0) {
		j->holed = j->holed || cell_int(work_row(w, 2, 0), 0) != 0;
		last = (uint64_t)cell_int(work_row(w, 2, 0), 1);
	}
	if (j->status == RUN_COMPLETED && (j->after == 0 || !j->has_more) && last + 1 < j->last_seq)
		j->holed = true;
	if (!j->holed)
		return;
	j->piece_count = 0;
	j->has_more = false;
}

static enum work_next events_judge(struct work *w, struct events_read *j)
{
	bool logged = false;

	if (work_rows(w, 0) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such run");
		run_missing_params(work_param(w), j->run, w->db->gateway);
		work_ask(w, run_missing_find.postgres);
		return WORK_AGAIN;
	}
	events_state(work_row(w, 0, 0), j, &logged);
	if (j->job.err.code == ERR_OK && !j->swept)
		events_pieces(w, j);
	if (j->job.err.code != ERR_OK || j->status <= RUN_RUNNING)
		return WORK_DONE;
	if (logged)
		events_whole(w, j);
	if (logged && !(j->holed && j->after == 0))
		return WORK_DONE;
	/* Only if nothing was logged, because the answer may be as long as all pages together. */
	struct param *a = work_param(w);
	param_int(a, j->run.key);
	work_ask(w, sql_answer);
	return WORK_AGAIN;
}

static void events_answer(struct row r, struct events_read *j)
{
	if (!cell_fits(&j->arena, cell_str(r, 0).n))
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"the answer is larger than the %zu KiB that can be read at once",
			j->arena.max / KIB);
	else if (!cell_keep(&j->arena, r, 0, &j->answer, &j->job.err))
		j->answer = STR_NONE;
}

static enum work_next events_read_read_events(struct work *w, struct events_read *j)
{
	switch (w->stage) {
	case 0:
		j->pieces = NULL;
		j->piece_count = 0;
		j->has_more = j->swept = j->holed = false;
		j->answer = STR_NONE;
		events_ask(w, j);
		return WORK_AGAIN;
	case 1: return events_judge(w, j);
	default:
		if (j->job.err.code == ERR_NOT_FOUND)
			run_missing_judge(work_rows(w, 0) > 0, "run", &j->job.err);
		else if (work_rows(w, 0) > 0)
			events_answer(work_row(w, 0, 0), j);
		return WORK_DONE;
	}
}

OP(events_read, WORK_SNAPSHOT, events_read_read_events);
