/* The process's row in the table of gateways. */
#include "store/postgres/lease.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/postgres/link.h"
#include "store/postgres/postgres.h"

#include <stdlib.h>

#define LEASE "now() + interval '15 seconds'"
/* The server's clock, by the end that the lease has got. */
#define CLOCK "(extract(epoch FROM lease_until - interval '15 seconds') * 1000)::bigint"

/* The lowest lane that no living gateway has; the unique index refuses all but one of two that meet. */
#define TAKE_LANE                                                                             \
	"INSERT INTO gateway (id, lane, lease_until) SELECT $1, l.lane, " LEASE               \
	" FROM generate_series(0, 511) AS l(lane) WHERE NOT EXISTS (SELECT 1 FROM gateway g " \
	"WHERE g.lane = l.lane AND g.dead = 0) ORDER BY l.lane LIMIT 1 "                      \
	"ON CONFLICT DO NOTHING RETURNING lane, " CLOCK

static const char sql_declare[] =
	"UPDATE gateway SET dead = 1 WHERE dead = 0 AND lease_until < now()";
static const char sql_take[] = TAKE_LANE;
static const char sql_end[] = "UPDATE gateway SET dead = 1, lease_until = now() WHERE id = $1";
static const char sql_renew[] = "UPDATE gateway SET lease_until = " LEASE
				" WHERE id = $1 AND dead = 0 RETURNING id, " CLOCK;
static const char sql_highest[] =
	"SELECT greatest((SELECT max(id) FROM conversation), (SELECT max(id) FROM message), "
	"(SELECT max(id) FROM run), (SELECT max(id) FROM idempotency), (SELECT max(id) FROM file), "
	"(SELECT max(run) FROM reservation), 0)";

enum { TRIES = 50 };

static int64_t new_gateway(void)
{
	return (int64_t)(id_random() >> 1) | 1;
}

/* --- clocks --- */

static bool lease_off(const struct postgres *db)
{
	return db->clock.off_ms > LEASE_OFF_MS || db->clock.off_ms < -LEASE_OFF_MS;
}

/* lease_clock: the server's clock said this after `sent_us`.  The answer may have waited anywhere between then and now. */
static void lease_clock(struct postgres *db, int64_t server_ms, int64_t sent_us)
{
	int64_t now_us = clock_mono_us();
	int64_t late_ms = clock_wall_ms();
	int64_t early_ms = late_ms - (now_us - sent_us) / 1000;
	bool    was = lease_off(db);

	db->clock.server_ms = server_ms;
	db->clock.at_us = now_us;
	db->clock.off_ms = server_ms < early_ms  ? early_ms - server_ms
			   : server_ms > late_ms ? late_ms - server_ms
						 : 0;
	if (lease_off(db) && !was)
		log_note(
			LOG_ERROR, "clock_wrong",
			"the clock of this machine is %lld ms %s that of the database's server; until they "
			"agree, this gateway begins no stored calls and removes nothing",
			(long long)llabs(db->clock.off_ms),
			db->clock.off_ms > 0 ? "ahead of" : "behind");
	if (was && !lease_off(db))
		log_note(LOG_INFO, "clock_right",
			 "the clocks of this machine and of the database's server agree again");
}

int64_t lease_now_ms(const struct postgres *db)
{
	return db->clock.server_ms + (clock_mono_us() - db->clock.at_us) / 1000;
}

/* --- the row --- */

enum errc lease_take(struct link *l, struct postgres *db, struct err *e)
{
	if (direct_ask(l, sql_declare, "join", e) != ERR_OK ||
	    direct_ask(l, sql_highest, "read", e) != ERR_OK)
		return e->code;
	id_floor(cell_int(direct_row(l, 0), 0));
	for (int i = 0; i < TRIES; i++) {
		int64_t now_us = clock_mono_us();

		db->gateway = new_gateway();
		param_int(&l->args, db->gateway);
		if (direct_ask(l, sql_take, "join", e) != ERR_OK)
			return e->code;
		if (direct_rows(l) == 0)
			continue;
		id_lane((int)cell_int(direct_row(l, 0), 0));
		lease_clock(db, cell_int(direct_row(l, 0), 1), now_us);
		db->renewed_us = now_us;
		return ERR_OK;
	}
	db->gateway = 0;
	err_set(e, ERR_STORAGE, "", "the database %s has %d gateways already",
		link_target_name(l->target), ID_LANES);
	return err_blame(e, FAULT_BUSY);
}

void lease_end(struct link *l, const struct postgres *db)
{
	struct err e;

	if (db->gateway == 0)
		return;
	param_clear(&l->args);
	param_int(&l->args, db->gateway);
	if (direct_ask(l, sql_end, "leave", &e) != ERR_OK)
		log_note(LOG_WARN, "database", "%s; its runs are ended in %d s", e.text,
			 LEASE_MS / 1000);
}

/* Faults of a gateway that could not renew its lease for long, or whose clock is wrong. */
static const struct fault old_lease = {
	.kind = FAULT_PG_SERVER,
	.text = "the lease of this gateway can't be renewed; it begins no stored calls",
	.reason = "it may lose its place in its database",
};
static const struct fault wrong_clock = {
	.kind = FAULT_PG_SERVER,
	.text = "the clocks of this gateway and of the database's server differ; it begins no stored calls",
	.reason = "its clock and that of its database differ",
};

const struct fault *lease_unfit(const struct postgres *db)
{
	if (clock_mono_us() - db->renewed_us >= LEASE_OLD_MS * (int64_t)1000)
		return &old_lease;
	return lease_off(db) ? &wrong_clock : NULL;
}

enum work_next lease_step(struct work *w)
{
	struct param *a;

	switch (w->stage) {
	case 0:
		w->db->renew_us = clock_mono_us();
		a = work_param(w);
		param_int(a, w->db->gateway);
		work_ask(w, sql_renew);
		return WORK_AGAIN;
	case 1:
		if (work_rows(w, 0) > 0) {
			lease_clock(w->db, cell_int(work_row(w, 0, 0), 1), w->db->renew_us);
			w->db->renewed_us = w->db->renew_us;
			return WORK_DONE;
		}
		/* The process was away for longer than its lease. */
		a = work_param(w);
		w->db->next_gateway = new_gateway();
		w->db->renew_us = clock_mono_us();
		param_int(a, w->db->next_gateway);
		work_ask(w, sql_take);
		return WORK_LAST;
	default:
		if (work_rows(w, 0) == 0)
			return WORK_DONE; /* the next renewal tries again */
		id_lane((int)cell_int(work_row(w, 0, 0), 0));
		lease_clock(w->db, cell_int(work_row(w, 0, 0), 1), w->db->renew_us);
		w->db->gateway = w->db->next_gateway;
		w->db->renewed_us = w->db->renew_us;
		w->db->leases_lost++;
		log_note(
			LOG_WARN, "lease_lost",
			"the database had declared this gateway dead, because it could not renew its "
			"lease; its runs were ended, and it goes on");
		return WORK_DONE;
	}
}

bool probe_wanted(struct postgres *db)
{
	return !db->writable;
}

enum work_next probe_step(struct work *w)
{
	if (w->stage > 0)
		return WORK_DONE;
	param_int(work_param(w), w->db->gateway);
	work_ask(w, sql_renew);
	return WORK_LAST;
}

void lease_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
