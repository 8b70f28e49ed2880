/* Reserves numbers of events, which may then be sent. */
#include "store/turn.h"
#include "store/postgres/batch.h"

static const char sql_reserve[] =
	"UPDATE run r SET seq_reserved = greatest(r.seq_reserved, t.upto) FROM "
	"(SELECT run, secret, max(upto) AS upto FROM unnest($1::bigint[], $2::bigint[], "
	"$3::bigint[]) AS u(run, secret, upto) GROUP BY run, secret) t "
	"WHERE r.id = t.run AND r.secret = t.secret RETURNING r.id";

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, g->count, add)
#define J               container_of(g->jobs[i], const struct seq_reserve, job)

static size_t reserve_things(struct store_job *job, void (*add)(void *arg, int64_t thing),
			     void             *arg)
{
	(void)job;
	(void)add;
	(void)arg;
	return 64;
}

static size_t seq_reserve_reserve_ask(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	EACH(INT, param_int(a, J->run.key));
	EACH(INT, param_secret(a, J->run.secret));
	EACH(INT, param_int(a, (int64_t)J->upto));
	work_ask(w, sql_reserve);
	return 1;
}

static bool reserve_judge(struct work *w, const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (!group_has(w, g->at, J->run.key))
			err_set(&g->jobs[i]->err, ERR_NOT_FOUND, "", "there is no such run");
	return false;
}

const struct gathered gathered_seq_reserve = { .things = reserve_things,
					       .ask = seq_reserve_reserve_ask,
					       .judge = reserve_judge };
