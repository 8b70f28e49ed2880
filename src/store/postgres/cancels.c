/* Wishes that wait are few: whoever has asked for one waits for the run's end, and can't read that either
 * while the database is away. */
#include "store/postgres/chores.h"

#include "store/postgres/postgres.h"

#include <pthread.h>
#include <stdlib.h>

enum { CANCELS = 256 };

static const char sql_send[] =
	"INSERT INTO signal (gateway, run) SELECT DISTINCT r.gateway, r.id FROM "
	"unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS w(id, secret, owner) "
	"JOIN run r ON r.id = w.id AND r.secret = w.secret AND r.owner = w.owner "
	"WHERE r.status < 2 AND r.gateway <> $1 ON CONFLICT DO NOTHING";
static const char sql_take[] = "SELECT s.run, r.secret, r.owner FROM signal s "
			       "LEFT JOIN run r ON r.id = s.run WHERE s.gateway = $1 LIMIT 256";
static const char sql_taken[] = "DELETE FROM signal WHERE gateway = $1 AND run = ANY($2::bigint[])";

struct cancels {
	pthread_mutex_t lock;
	size_t          count;
	size_t          sent; /* entries in the statement that is on its way */
	struct cancel {
		struct id run;
		int64_t   owner;
	} list[CANCELS];
};

struct cancels *cancels_create(void)
{
	struct cancels *c = calloc(1, sizeof *c);

	if (c)
		pthread_mutex_init(&c->lock, NULL);
	return c;
}

void cancels_destroy(struct cancels *c)
{
	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void cancels_add(struct cancels *c, struct id run, int64_t owner)
{
	pthread_mutex_lock(&c->lock);
	if (c->count < CANCELS)
		c->list[c->count++] = (struct cancel){ run, owner };
	pthread_mutex_unlock(&c->lock);
}

/* --- to others --- */

bool cancels_send_wanted(struct postgres *db)
{
	struct cancels *c = db->cancels;

	pthread_mutex_lock(&c->lock);
	bool any = c->count > 0;
	pthread_mutex_unlock(&c->lock);
	return any;
}

enum work_next cancels_send_step(struct work *w)
{
	struct cancels *c = w->db->cancels;
	struct param   *a;

	if (w->stage > 0)
		return WORK_DONE;
	a = work_param(w);
	param_int(a, w->db->gateway);
	pthread_mutex_lock(&c->lock);
	c->sent = c->count;
	PARAM_EACH(a, PARAM_INT, i, c->sent, param_int(a, c->list[i].run.key));
	PARAM_EACH(a, PARAM_INT, i, c->sent, param_secret(a, c->list[i].run.secret));
	PARAM_EACH(a, PARAM_INT, i, c->sent, param_int(a, c->list[i].owner));
	pthread_mutex_unlock(&c->lock);
	work_ask(w, sql_send);
	return WORK_LAST;
}

void cancels_send_over(struct work *w, const struct fault *f)
{
	struct cancels *c = w->db->cancels;

	if (f)
		return;
	pthread_mutex_lock(&c->lock);
	c->count -= c->sent;
	memmove(c->list, c->list + c->sent, c->count * sizeof *c->list);
	pthread_mutex_unlock(&c->lock);
}

/* --- from others --- */

bool cancels_take_wanted(struct postgres *db)
{
	return db->options.neighbours;
}

/* A row goes only when its run was told: whoever loses the connection in between reads it once more. */
static enum work_next cancels_tell(struct work *w)
{
	int           rows = work_rows(w, 0);
	struct param *a;

	if (rows == 0)
		return WORK_DONE;
	a = work_param(w);
	param_int(a, w->db->gateway);
	param_begin(a, PARAM_INT);
	for (int i = 0; i < rows; i++) {
		struct row r = work_row(w, 0, i);

		param_int(a, cell_int(r, 0));
		if (!cell_null(r, 1))
			w->db->options.neighbours->cancel(cell_id(cell_int(r, 0), r, 1),
							  cell_int(r, 2));
	}
	param_end(a);
	work_ask(w, sql_taken);
	return WORK_LAST;
}

enum work_next cancels_take_step(struct work *w)
{
	switch (w->stage) {
	case 0:
		param_int(work_param(w), w->db->gateway);
		work_ask(w, sql_take);
		return WORK_AGAIN;
	case 1: return cancels_tell(w);
	default: return WORK_DONE;
	}
}

void cancels_take_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
