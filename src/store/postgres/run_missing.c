/* An id has the lane of the gateway that made it, and no other living gateway has this lane. */
#include "store/postgres/run_missing.h"

#include "store/postgres/postgres.h"

static const char sql_maker[] = "SELECT id FROM gateway WHERE lane = $1 AND dead = 0 AND id <> $2";

void run_missing_ask(struct work *w, struct id run)
{
	struct param *a = work_param(w);

	param_int(a, id_key_lane(run.key));
	param_int(a, w->db->gateway);
	work_ask(w, sql_maker);
}

void run_missing_judge(struct work *w, const char *what, struct err *e)
{
	if (work_rows(w, 0) == 0)
		err_set(e, ERR_NOT_FOUND, "", "there is no such %s", what);
	else
		err_set(e, ERR_RUN_ELSEWHERE, "",
			"there is no such %s here or in the database; if it is not stored, only the gateway "
			"that began it knows it",
			what);
}
