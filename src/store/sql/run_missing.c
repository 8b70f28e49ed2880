/* An id has the lane of the gateway that made it, and no other living gateway has this lane. */
#include "store/sql/run_missing.h"

/* Gateways that share a database of SQLite take it over from each other. */
const struct sql run_missing_find = {
	"SELECT 1 WHERE false",
	"SELECT id FROM gateway WHERE lane = $1 AND dead = 0 AND id <> $2",
};

void run_missing_params(struct param *a, struct id run, int64_t gateway)
{
	param_int(a, id_key_lane(run.key));
	param_int(a, gateway);
}

void run_missing_judge(bool elsewhere, const char *what, struct err *e)
{
	if (!elsewhere)
		err_set(e, ERR_NOT_FOUND, "", "there is no such %s", what);
	else
		err_set(e, ERR_RUN_ELSEWHERE, "",
			"there is no such %s here or in the database; if it is not stored, only the gateway "
			"that began it knows it",
			what);
}
