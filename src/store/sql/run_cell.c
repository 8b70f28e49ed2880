/* Rows of runs. */
#include "store/sql/run_cell.h"

bool run_cell_status(int64_t status, enum run_status *ret, struct err *e)
{
	if (status < 0 || status >= RUN_STATUS__COUNT) {
		cell_damaged(e);
		return false;
	}
	*ret = (enum run_status)status;
	return true;
}

void run_cell_read(struct row r, struct arena *a, struct run_read *ret, struct err *e)
{
	if (!run_cell_status(cell_int(r, 0), &ret->status, e) ||
	    !cell_keep(a, r, 5, &ret->model, e) || !cell_keep(a, r, 6, &ret->provider, e) ||
	    !cell_keep(a, r, 7, &ret->finish_reason, e) || !cell_keep(a, r, 8, &ret->error, e) ||
	    !cell_keep(a, r, RUN_CELL_NATIVE, &ret->native_reason, e))
		return;
	ret->conversation = cell_id(cell_int(r, 1), r, 2);
	ret->continues = cell_id(cell_int(r, 3), r, 4);
	ret->usage = cell_usage(r, 9);
	ret->created_ms = cell_int(r, 15);
	ret->first_token_ms = cell_int(r, 16);
	ret->completed_ms = cell_int(r, 17);
	ret->attempts = cell_int(r, 18);
	ret->costs = !cell_null(r, RUN_CELL_COST);
	ret->cost_nano = cell_int(r, RUN_CELL_COST);
}
