/* Takes names for calls that are about to begin, and gives them back. */
#include "store/postgres/chores.h"

#include "store/answer.h"
#include "store/postgres/answer_names.h"
#include "store/postgres/batch.h"
#include "store/postgres/postgres.h"

#include <pthread.h>
#include <stdlib.h>

/* A claim that is sent again finds itself.  The order keeps two gateways from waiting for each other. */
static const char sql_take[] =
	"WITH k AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], "
	"$6::bytea[], $7::bigint[]) AS k(id, secret, owner, key, fingerprint, created_ms)), "
	"taken AS (INSERT INTO idempotency (id, secret, owner, gateway, key, fingerprint, created_ms, "
	"stored, outcome, http) SELECT id, secret, owner, $1, key, fingerprint, created_ms, 0, 0, 0 "
	"FROM k WHERE EXISTS (SELECT 1 FROM gateway g WHERE g.id = $1 AND g.dead = 0) "
	"ORDER BY owner, key ON CONFLICT (owner, key) DO NOTHING RETURNING id) "
	"SELECT id FROM taken UNION ALL SELECT i.id FROM idempotency i JOIN k ON k.id = i.id";
static const char sql_free[] =
	"DELETE FROM idempotency WHERE id = ANY($1::bigint[]) AND http = 0 AND outcome = 0";

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, g->count, add)
#define J               take_of(g, i)

static struct claim_take *take_of(const struct group *g, size_t i)
{
	return container_of(g->jobs[i], struct claim_take, job);
}

static size_t take_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	const struct claim_take *j = container_of(job, struct claim_take, job);

	add(arg, answer_thing(j->owner, &j->key));
	return j->key.key.n + 256;
}

static size_t take_ask(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	param_int(a, w->db->gateway);
	EACH(INT, param_int(a, J->claim.key));
	EACH(INT, param_secret(a, J->claim.secret));
	EACH(INT, param_int(a, J->owner));
	EACH(TEXT, param_text(a, J->key.key));
	EACH(BYTES, param_bytes(a, J->key.digest));
	EACH(INT, param_int(a, J->created_ms));
	work_ask(w, sql_take);
	return 1;
}

static bool take_judge(struct work *w, const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		J->taken = group_has(w, g->at, J->claim.key);
	for (size_t i = 0; i < g->count; i++)
		J->holder = w->db->gateway;
	return false;
}

const struct gathered gathered_claim_take = {
	.things = take_things,
	.ask = take_ask,
	.judge = take_judge,
};

/* --- given back --- */

/* No more than the calls that went on when the database went away. */
struct claim_given {
	pthread_mutex_t lock;
	int64_t        *keys; /* owned */
	size_t          count;
	size_t          cap;
	size_t          sent; /* keys in the statement that is on its way */
};

struct claim_given *claim_given_create(void)
{
	struct claim_given *x = calloc(1, sizeof *x);

	if (x)
		pthread_mutex_init(&x->lock, NULL);
	return x;
}

void claim_given_destroy(struct claim_given *x)
{
	if (!x)
		return;
	pthread_mutex_destroy(&x->lock);
	free(x->keys);
	free(x);
}

void claim_given_add(struct claim_given *x, struct id claim)
{
	pthread_mutex_lock(&x->lock);
	if (x->count == x->cap) {
		size_t   cap = x->cap ? 2 * x->cap : 64;
		int64_t *grown = realloc(x->keys, cap * sizeof *grown);

		x->cap = grown ? cap : x->cap;
		x->keys = grown ? grown : x->keys;
	}
	/* Without memory, the key is free when this gateway has ended. */
	if (x->count < x->cap)
		x->keys[x->count++] = claim.key;
	pthread_mutex_unlock(&x->lock);
}

bool claim_given_wanted(struct postgres *db)
{
	pthread_mutex_lock(&db->given->lock);
	bool any = db->given->count > 0;
	pthread_mutex_unlock(&db->given->lock);
	return any;
}

enum work_next claim_given_step(struct work *w)
{
	struct claim_given *x = w->db->given;
	struct param       *a;

	if (w->stage > 0)
		return WORK_DONE;
	a = work_param(w);
	pthread_mutex_lock(&x->lock);
	x->sent = x->count;
	PARAM_EACH(a, PARAM_INT, i, x->sent, param_int(a, x->keys[i]));
	pthread_mutex_unlock(&x->lock);
	work_ask(w, sql_free);
	return WORK_LAST;
}

void claim_given_over(struct work *w, const struct fault *f)
{
	struct claim_given *x = w->db->given;

	if (f)
		return;
	pthread_mutex_lock(&x->lock);
	x->count -= x->sent;
	memmove(x->keys, x->keys + x->sent, x->count * sizeof *x->keys);
	pthread_mutex_unlock(&x->lock);
}
