/* Gives shares of limits back.
 *
 * A row gets the number that stays, not the difference: so it does no harm to send it twice, and whatever is
 * wrong in a row after a lost connection is right again.  Takes and this go over one connection, one after the
 * other, and the process tells nothing of a limit of which it is just asking for more. */
#include "store/postgres/chores.h"

#include "store/postgres/postgres.h"
#include "store/share.h"

#include <stdlib.h>

/* The last shares told, or on their way; on the store's thread. */
struct share_kept {
	struct share_keep list[SHARE_KEEPS];
	size_t            count;
	bool              failed;
};

struct share_kept *share_kept_create(void)
{
	return calloc(1, sizeof(struct share_kept));
}

void share_kept_destroy(struct share_kept *k)
{
	free(k);
}

static const char sql_keep[] =
	"UPDATE rate_share r SET taken = k.taken FROM unnest($2::bigint[], $3::bigint[], "
	"$4::bigint[], $5::bigint[]) AS k(key, policy, \"window\", taken) "
	"WHERE r.key = k.key AND r.policy = k.policy AND CASE WHEN r.window_ms > 0 "
	"THEN r.gateway = $1 AND r.began_ms = k.\"window\" "
	"ELSE r.gateway = CASE WHEN k.\"window\" = 0 THEN $1 ELSE k.\"window\" END END "
	"AND r.gateway <> 0";

bool share_keep_wanted(struct postgres *db)
{
	const struct store_neighbours *n = db->options.neighbours;
	struct share_kept             *k = db->kept;

	if (!n || !n->spare)
		return false;
	k->count = n->spare(k->list, SHARE_KEEPS, k->failed);
	k->failed = false;
	return k->count > 0;
}

#define EACH(what) PARAM_EACH(a, PARAM_INT, i, k->count, param_int(a, k->list[i].what))

enum work_next share_keep_step(struct work *w)
{
	const struct share_kept *k = w->db->kept;
	struct param            *a;

	if (w->stage > 0)
		return WORK_DONE;
	a = work_param(w);
	param_int(a, w->db->gateway);
	EACH(key);
	EACH(policy);
	EACH(window);
	EACH(taken);
	work_ask(w, sql_keep);
	return WORK_LAST;
}

void share_keep_over(struct work *w, const struct fault *f)
{
	w->db->kept->failed = f;
}

/* --- rows that count no more --- */

/* Windows that are over for a minute; what dead gateways had; locks that nobody has used for a day. */
static const char sql_sweep[] =
	"DELETE FROM rate_share WHERE (key, policy, gateway) IN (SELECT key, policy, gateway FROM "
	"(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now, rate_share r "
	"WHERE CASE WHEN window_ms > 0 THEN began_ms + window_ms < now.ms - 60000 "
	"WHEN gateway = 0 THEN began_ms < now.ms - 86400000 "
	"ELSE NOT EXISTS (SELECT 1 FROM gateway g WHERE g.id = r.gateway AND g.dead = 0) END "
	"LIMIT 1000 FOR UPDATE OF r SKIP LOCKED)";
/* A gateway sends its sums again for minutes at most, and its own row stays for a day after its death (reap.c). */
static const char sql_batches[] = "DELETE FROM usage_batch b WHERE NOT EXISTS "
				  "(SELECT 1 FROM gateway g WHERE g.id = b.gateway)";
static const char sql_call_batches[] = "DELETE FROM call_batch b WHERE NOT EXISTS "
				       "(SELECT 1 FROM gateway g WHERE g.id = b.gateway)";

enum work_next share_sweep_step(struct work *w)
{
	if (w->stage > 0)
		return WORK_DONE;
	work_param(w);
	work_ask(w, sql_sweep);
	work_param(w);
	work_ask(w, sql_batches);
	work_param(w);
	work_ask(w, sql_call_batches);
	return WORK_LAST;
}

void share_sweep_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
