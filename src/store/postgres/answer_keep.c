/* Keeps answers of calls that are not stored. */
#include "base/hash.h"
#include "store/answer.h"
#include "store/postgres/answer_names.h"
#include "store/postgres/batch.h"
#include "store/postgres/postgres.h"

static const char sql_keep[] =
	"INSERT INTO idempotency (id, secret, owner, gateway, key, fingerprint, created_ms, stored, "
	"outcome, http, body) SELECT id, secret, owner, holder, key, fingerprint, created_ms, 0, outcome, "
	"http, body FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], "
	"$6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bytea[]) AS k(holder, id, secret, "
	"owner, key, fingerprint, created_ms, outcome, http, body) " ANSWER_REPLACE " RETURNING id";

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, g->count, add)
#define J               container_of(g->jobs[i], struct answer_keep, job)

int64_t answer_thing(int64_t owner, const struct answer_name *key)
{
	if (key->key.n == 0)
		return 0;
	return (int64_t)(mix_str(MIX_BEGIN ^ (uint64_t)owner, key->key) | 1);
}

static size_t keep_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	const struct answer_keep *j = container_of(job, struct answer_keep, job);

	add(arg, answer_thing(j->owner, &j->key));
	return j->answer.body.n + 256;
}

static size_t keep_ask(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	EACH(INT, param_int(a, J->key.holder ? J->key.holder : w->db->gateway));
	EACH(INT, param_int(a, J->run.key));
	EACH(INT, param_secret(a, J->run.secret));
	EACH(INT, param_int(a, J->owner));
	EACH(TEXT, param_text(a, J->key.key));
	EACH(BYTES, param_bytes(a, J->key.digest));
	EACH(INT, param_int(a, J->created_ms));
	EACH(INT, param_int(a, (int64_t)J->outcome));
	EACH(INT, param_int(a, J->answer.http));
	EACH(BYTES, param_bytes_maybe(a, J->answer.body));
	work_ask(w, sql_keep);
	return 1;
}

static bool keep_judge(struct work *w, const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (!group_has(w, g->at, J->run.key)) {
			err_set(&J->job.err, ERR_KEY_LOST, "Idempotency-Key",
				"this gateway was away, and another one has made the call for this "
				"Idempotency-Key; send the request again to get that answer");
			J->job.err.retry_after_ms = 1000;
		}
	return false;
}

const struct gathered gathered_answer_keep = { .things = keep_things,
					       .ask = keep_ask,
					       .judge = keep_judge };
