/* The key ring, and the times of the keys' last use. */
#include "store/postgres/chores.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/common/key_row.h"
#include "store/sql/cells.h"
#include "store/postgres/postgres.h"

static const char sql_version[] =
	"SELECT version, EXISTS (SELECT 1 FROM api_key)::int::bigint, ticket_secret "
	"FROM api_key_change";
static const char sql_good[] = API_KEY_RING "WHERE k.revoked_ms = 0 OR k.revoked_ms > $1";
static const char sql_ended[] = "SELECT id, secret FROM session_ended WHERE ends_ms > $1";
static const char sql_groups[] = KEY_GROUP_RING;
static const char sql_used[] =
	"UPDATE api_key k SET used_ms = u.used FROM unnest($1::bigint[], $2::bigint[]) "
	"AS u(number, used) WHERE k.number = u.number AND k.used_ms < u.used";

enum { USED_STEP = 128 };

void keys_ask(struct work *w)
{
	work_param(w);
	work_ask(w, sql_version);
	param_int(work_param(w), clock_wall_ms() - KEY_ROW_REVOKED_MS);
	work_ask(w, sql_good);
	param_int(work_param(w), clock_wall_ms());
	work_ask(w, sql_ended);
	work_param(w);
	work_ask(w, sql_groups);
}

static bool keys_row(struct key_ring_table *t, struct row r)
{
	struct key_row row = api_key_cell_ring(r);

	return key_row_add(t, &row);
}

static bool group_row(struct key_ring_table *t, struct row r)
{
	struct key_row row = key_group_cell_ring(r);

	return key_row_add_group(t, &row);
}

bool keys_take(struct work *w, size_t n)
{
	struct key_ring *ring = w->db->store.ring;
	unsigned char    signing[HASH_BYTES];
	struct row       v = work_row(w, n, 0);
	bool             ok = true;

	if (work_rows(w, n) == 0 || cell_str(v, 2).n != HASH_BYTES)
		return false;
	memcpy(signing, cell_str(v, 2).p, HASH_BYTES);
	if (cell_int(v, 0) == key_ring_version(ring))
		return true;
	struct key_ring_table *t = key_ring_table_create(signing);
	for (int i = 0; t && ok && i < work_rows(w, n + 1); i++)
		ok = keys_row(t, work_row(w, n + 1, i));
	for (int i = 0; t && ok && i < work_rows(w, n + 2); i++)
		ok = key_ring_end(
			t, cell_id(cell_int(work_row(w, n + 2, i), 0), work_row(w, n + 2, i), 1));
	for (int i = 0; t && ok && i < work_rows(w, n + 3); i++)
		ok = group_row(t, work_row(w, n + 3, i));
	if (!t || !ok) {
		key_ring_table_destroy(t);
		return false;
	}
	return key_ring_put(ring, t, cell_int(v, 0), cell_int(v, 1) != 0);
}

/* --- the chores --- */

enum work_next keys_step(struct work *w)
{
	switch (w->stage) {
	case 0:
		work_param(w);
		work_ask(w, sql_version);
		return WORK_AGAIN;
	case 1:
		if (work_rows(w, 0) > 0 &&
		    cell_int(work_row(w, 0, 0), 0) == key_ring_version(w->db->store.ring))
			return WORK_DONE;
		keys_ask(w);
		return WORK_AGAIN;
	default: w->db->keys_failed = !keys_take(w, 0); return WORK_DONE;
	}
}

void keys_over(struct work *w, const struct fault *f)
{
	bool failed = f != NULL || w->db->keys_failed;

	if (failed && !w->db->keys_said)
		log_note(LOG_ERROR, "keys_failed", "changes of keys can't be read: %s",
			 f ? f->text : "out of memory");
	w->db->keys_said = failed;
}

struct used_state {
	struct identity *used[USED_STEP]; /* held */
	int64_t          when[USED_STEP];
	size_t           count;
};

bool used_wanted(struct postgres *db)
{
	return key_ring_is_used(db->store.ring);
}

static void used_finish(void *state)
{
	struct used_state *s = state;

	for (size_t i = 0; i < s->count; i++)
		identity_release(s->used[i]);
}

enum work_next used_step(struct work *w)
{
	struct used_state *s = w->state;
	struct param      *a;

	if (w->stage > 0) {
		for (size_t i = 0; i < s->count; i++)
			atomic_store(&s->used[i]->noted_ms, s->when[i]);
		return WORK_DONE;
	}
	s = work_state(w, sizeof *s, used_finish);
	if (!s)
		return WORK_DONE;
	s->count = key_ring_used(w->db->store.ring, s->used, USED_STEP);
	for (size_t i = 0; i < s->count; i++)
		s->when[i] = atomic_load(&s->used[i]->used_ms);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->used[i]->number));
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->when[i]));
	work_ask(w, sql_used);
	return WORK_LAST;
}

void used_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
