/* The PostgreSQL engine: its functions for store/engine.h and store/store.h, and the order in which its
 * parts are opened and closed. */
#include "store/postgres/engine.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/archive.h"
#include "store/blob.h"
#include "store/common/export.h"
#include "store/ledger.h"
#include "store/postgres/chores.h"
#include "store/postgres/contents.h"
#include "store/postgres/lease.h"
#include "store/postgres/link.h"
#include "store/postgres/logged.h"
#include "store/postgres/migrate.h"
#include "store/postgres/operation.h"
#include "store/postgres/partition.h"
#include "store/postgres/postgres.h"
#include "store/postgres/pump.h"
#include "store/postgres/search_tools.h"

#include <stdlib.h>

/* --- sizes of the database, for metrics and the overview: the server's own estimates, where there are many rows --- */

/* A row that waits longer than this for its place in the index was not written a moment ago. */
enum { FIGURES_LATE_MS = 60 * 1000 };

static const char sql_figures[] =
	"SELECT pg_database_size(current_database()), pg_total_relation_size('search'), "
	"(SELECT CASE WHEN reltuples < 10000 THEN (SELECT count(*) FROM search) ELSE reltuples END"
	"::bigint FROM pg_class WHERE oid = 'search'::regclass), "
	"(SELECT count(*) FROM (SELECT 1 FROM search_queue LIMIT 100000) q), "
	"EXISTS (SELECT 1 FROM search_queue WHERE seq < $1)::int::bigint, "
	"(SELECT count(*) FROM gateway WHERE dead = 0 AND lease_until > now()), "
	"(SELECT coalesce(sum(" PARTITION_BYTES
	"), 0)::bigint FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
	"WHERE i.inhparent = 'event'::regclass)";

static enum work_next figures_step(struct work *w)
{
	if (w->stage == 0) {
		param_int(work_param(w), id_key_at(clock_wall_ms() - FIGURES_LATE_MS));
		work_ask(w, sql_figures);
		return WORK_LAST;
	}
	struct row r = work_row(w, 0, 0);
	pump_figures(w->db->pump, &(struct store_stats){ .database_bytes = cell_int(r, 0),
							 .search_bytes = cell_int(r, 1),
							 .search_messages = cell_int(r, 2),
							 .search_waiting = cell_int(r, 3),
							 .search_complete = !cell_int(r, 4),
							 .gateways = cell_int(r, 5),
							 .events_bytes = cell_int(r, 6) });
	return WORK_DONE;
}

static void figures_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}

/* --- changes of runs of other gateways ---
 *
 * All runs that somebody waits for are looked at with one statement, so that many of them cost little more
 * than one. */

enum {
	NEWS_RUNS = 1024, /* looked at with one statement; more take turns */
	NEWS_REST =
		20, /* a look that takes longer than usual is followed by so many times its duration
	                   * of rest */
};

static const char sql_look[] =
	"SELECT w.id, w.secret, r.status, (SELECT max(e.last) FROM event e WHERE e.run = r.id) "
	"FROM unnest($1::bigint[], $2::bigint[]) AS w(id, secret) "
	"LEFT JOIN run r ON r.id = w.id AND r.secret = w.secret";

struct news {
	struct id runs[NEWS_RUNS];
	size_t    count;
	int64_t   asked_us;
	int64_t   rest_until_us;
};

static struct news *news_create(void)
{
	return calloc(1, sizeof(struct news));
}

static void news_destroy(struct news *n)
{
	free(n);
}

static bool news_wanted(struct postgres *db)
{
	const struct store_neighbours *to = db->options.neighbours;
	struct news                   *n = db->news;

	if (!to || clock_mono_us() < n->rest_until_us)
		return false;
	n->count = to->watched(n->runs, NEWS_RUNS);
	return n->count > 0;
}

/* news_mark: differs from each earlier one if there is anything to read; a run that is gone has one, too. */
static uint64_t news_mark(struct row r)
{
	if (cell_null(r, 2))
		return 1;
	return ((uint64_t)cell_int(r, 3) << 3 | (uint64_t)cell_int(r, 2)) + 2;
}

static enum work_next news_step(struct work *w)
{
	struct news  *n = w->db->news;
	struct param *a;

	if (w->stage == 0) {
		n->asked_us = clock_mono_us();
		a = work_param(w);
		PARAM_EACH(a, PARAM_INT, i, n->count, param_int(a, n->runs[i].key));
		PARAM_EACH(a, PARAM_INT, i, n->count, param_secret(a, n->runs[i].secret));
		work_ask(w, sql_look);
		return WORK_LAST;
	}
	for (int i = 0; i < work_rows(w, 0); i++) {
		struct row r = work_row(w, 0, i);

		w->db->options.neighbours->news(cell_id(cell_int(r, 0), r, 1), news_mark(r));
	}
	n->rest_until_us = clock_mono_us() + NEWS_REST * (clock_mono_us() - n->asked_us);
	return WORK_DONE;
}

static void news_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}

static struct postgres *postgres_of(struct store *s)
{
	return container_of(s, struct postgres, store);
}

static bool engine_op_submit(struct store *s, struct store_job *job)
{
	return pump_add(postgres_of(s)->pump, job);
}

static void engine_op_stats(struct store *s, struct store_stats *ret)
{
	pump_stats(postgres_of(s)->pump, ret);
}

static void engine_op_cancel(struct store *s, struct id run, int64_t owner)
{
	cancels_add(postgres_of(s)->cancels, run, owner);
}

static void engine_op_claim_free(struct store *s, struct id claim)
{
	claim_given_add(postgres_of(s)->given, claim);
}

static void engine_op_destroy(struct store *s)
{
	struct postgres *db = postgres_of(s);
	struct link      l;
	struct err       e;

	pump_destroy(db->pump);
	if (db->gateway != 0 && direct_connect(&l, db->target, db->lock_ms, &e) == ERR_OK)
		lease_end(&l, db);
	if (db->gateway != 0)
		link_finish(&l);
	search_tools_destroy(db->search);
	search_tools_destroy(db->index);
	unfinished_finish(&db->unfinished);
	usage_gather_destroy(db->store.usage);
	ledger_destroy(db->store.ledger);
	key_ring_destroy(db->store.ring);
	blobs_destroy(db->store.blobs);
	contents_close(db->contents);
	logged_destroy(db->logged);
	news_destroy(db->news);
	cancels_destroy(db->cancels);
	claim_given_destroy(db->given);
	share_kept_destroy(db->kept);
	retain_destroy(db->retain);
	link_target_destroy(db->target);
	free(db->booked);
	free(db);
}

static const struct store_ops ops = {
	.name = "postgres",
	.submit = engine_op_submit,
	.stats = engine_op_stats,
	.destroy = engine_op_destroy,
	.cancel = engine_op_cancel,
	.claim_free = engine_op_claim_free,
};

/* The size refuses a row too many, which would never be done. */
static const struct pump_chore chores[PUMP_CHORES + 1] = {
	{ .kind = { WORK_IMPLICIT, lease_step, lease_over },
	  .queue = QUEUE_LOG,
	  .every_ms = LEASE_RENEW_MS },
	{ .kind = { WORK_IMPLICIT, probe_step, lease_over },
	  .queue = QUEUE_TURNS,
	  .every_ms = 500,
	  .wanted = probe_wanted },
	{ .kind = { WORK_IMPLICIT, logged_step, logged_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 50,
	  .wanted = logged_wanted },
	{ .kind = { WORK_WRITE, lost_step, lost_over },
	  .queue = QUEUE_TURNS,
	  .every_ms = 200,
	  .wanted = lost_wanted,
	  .last = true },
	{ .kind = { WORK_SNAPSHOT, keys_step, keys_over },
	  .queue = QUEUE_LOG,
	  .every_ms = LIMIT_KEYS_LOOK_MS },
	{ .kind = { WORK_IMPLICIT, used_step, used_over },
	  .queue = QUEUE_LOG,
	  .every_ms = LIMIT_KEYS_USE_MS,
	  .wanted = used_wanted,
	  .last = true },
	{ .kind = { WORK_WRITE, books_step, books_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 1000,
	  .wanted = books_wanted,
	  .last = true },
	{ .kind = { WORK_WRITE, calls_step, calls_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 1000,
	  .wanted = calls_wanted,
	  .last = true },
	{ .kind = { WORK_IMPLICIT, news_step, news_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 50,
	  .wanted = news_wanted },
	{ .kind = { WORK_IMPLICIT, claim_given_step, claim_given_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 50,
	  .wanted = claim_given_wanted,
	  .last = true },
	{ .kind = { WORK_IMPLICIT, share_keep_step, share_keep_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 50,
	  .wanted = share_keep_wanted,
	  .last = true },
	{ .kind = { WORK_IMPLICIT, share_sweep_step, share_sweep_over },
	  .queue = QUEUE_INDEX,
	  .every_ms = 60 * 1000 },
	{ .kind = { WORK_IMPLICIT, cancels_send_step, cancels_send_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 50,
	  .wanted = cancels_send_wanted },
	{ .kind = { WORK_IMPLICIT, cancels_take_step, cancels_take_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 200,
	  .wanted = cancels_take_wanted },
	{ .kind = { WORK_WRITE, sweep_step, sweep_over },
	  .queue = QUEUE_LOG,
	  .every_ms = 100,
	  .wanted = sweep_wanted },
	{ .kind = { WORK_WRITE, retain_step, retain_over },
	  .queue = QUEUE_INDEX,
	  .every_ms = 10,
	  .wanted = retain_wanted },
	{ .kind = { WORK_WRITE, partition_step, partition_over },
	  .queue = QUEUE_INDEX,
	  .every_ms = 100,
	  .wanted = partition_wanted },
	{ .kind = { WORK_IMPLICIT, sweep_size_step, sweep_over },
	  .queue = QUEUE_INDEX,
	  .every_ms = 2000,
	  .wanted = sweep_size_wanted },
	{ .kind = { WORK_WRITE, search_index_step, search_index_over },
	  .queue = QUEUE_INDEX,
	  .every_ms = 50,
	  .wanted = search_index_wanted },
	{ .kind = { WORK_IMPLICIT, figures_step, figures_over },
	  .queue = QUEUE_INDEX,
	  .every_ms = 5000 },
	{ .kind = { WORK_WRITE, reap_step, reap_over }, .queue = QUEUE_TURNS, .every_ms = 1500 },
	{ .every_ms = 0 },
};

/* engine_make: NULL: e says why not. */
static struct postgres *engine_make(const struct store_options *o, struct err *e)
{
	struct postgres *db;

	if (o->handover) {
		err_set(e, ERR_STORAGE, "",
			"a PostgreSQL database needs no takeover: start a second gateway, and stop the "
			"first");
		(void)err_blame(e, FAULT_BUSY);
		return NULL;
	}
	if (pq_load(e) != ERR_OK)
		return NULL;
	db = calloc(1, sizeof *db);
	if (!db) {
		err_set(e, ERR_STORAGE, "", "out of memory");
		return NULL;
	}
	db->store.ops = &ops;
	db->options = *o;
	db->lock_ms = o->busy_ms > 0 && o->busy_ms < 2000 ? o->busy_ms : 2000;
	if (link_target_create(o->path, o->password, &db->target, e) != ERR_OK) {
		engine_op_destroy(&db->store);
		return NULL;
	}
	return db;
}

/* engine_reap: ends what dead gateways have left. */
static enum errc engine_reap(struct postgres *db, struct link *l, size_t *ret_runs, struct err *e)
{
	static const struct work_kind kind = { WORK_WRITE, reap_step, reap_over };

	do {
		struct work w = { .db = db, .link = l, .kind = &kind };

		work_run(&w);
		if (db->reap_fault.kind != FAULT_PG_NONE) {
			l->fault = db->reap_fault;
			return direct_fail(l, "recover", e);
		}
		*ret_runs += db->reaped - db->reap_left;
	} while (db->reaped > 0);
	return ERR_OK;
}

static void keys_loaded(struct work *w, const struct fault *f)
{
	w->db->reap_fault = f ? *f : (struct fault){ 0 };
}

/* engine_load_keys: so that the first request finds its key. */
static enum errc engine_load_keys(struct postgres *db, struct link *l, struct err *e)
{
	static const struct work_kind kind = { WORK_SNAPSHOT, keys_step, keys_loaded };
	struct work                   w = { .db = db, .link = l, .kind = &kind };

	work_run(&w);
	l->fault = db->reap_fault;
	return l->fault.kind == FAULT_PG_NONE ? ERR_OK : direct_fail(l, "read the keys of", e);
}

static void ignore_arg(void *arg)
{
	(void)arg;
}

static enum errc engine_start(struct postgres *db, struct link *l, size_t *ret_runs, struct err *e)
{
	int applied = 0;

	if (direct_connect(l, db->target, db->lock_ms, e) != ERR_OK ||
	    migrate_postgres(l, db->options.migrate, &applied, e) != ERR_OK ||
	    lease_take(l, db, e) != ERR_OK || engine_reap(db, l, ret_runs, e) != ERR_OK ||
	    key_ring_create(&db->store.ring, e) != ERR_OK || engine_load_keys(db, l, e) != ERR_OK ||
	    contents_open(db->target, &db->options, true, &db->contents, &db->store.blobs, e) !=
		    ERR_OK)
		return e->code;
	db->store.usage = usage_gather_create(ignore_arg, NULL);
	if (db->options.calls_rate > 0)
		db->store.ledger = ledger_create(db->options.calls_rate, ignore_arg, NULL);
	db->logged = logged_create();
	db->news = news_create();
	db->cancels = cancels_create();
	db->given = claim_given_create();
	db->kept = share_kept_create();
	db->retain = retain_create();
	if (!db->store.usage || (db->options.calls_rate > 0 && !db->store.ledger) || !db->logged ||
	    !db->news || !db->cancels || !db->given || !db->kept || !db->retain)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	return pump_create(db, chores, e);
}

static enum errc engine_open_store(const struct store_options *o, struct store **ret, struct err *e)
{
	struct postgres *db = engine_make(o, e);
	struct link      l = { 0 };
	size_t           runs = 0;

	if (!db)
		return e->code;
	enum errc rc = engine_start(db, &l, &runs, e);
	link_finish(&l);
	if (rc != ERR_OK) {
		engine_op_destroy(&db->store);
		return rc;
	}
	if (runs > 0)
		log_note(LOG_WARN, "runs_recovered",
			 "dead gateways left %zu unfinished runs, which have an end now", runs);
	*ret = &db->store;
	return ERR_OK;
}

static enum errc engine_migrate_store(const struct store_options *o, int *ret_applied,
				      struct err *e)
{
	struct postgres *db = engine_make(o, e);
	struct link      l = { 0 };

	if (!db)
		return e->code;
	enum errc rc = direct_connect(&l, db->target, db->lock_ms, e);
	if (rc == ERR_OK)
		rc = migrate_postgres(&l, true, ret_applied, e);
	link_finish(&l);
	engine_op_destroy(&db->store);
	return rc;
}

/* --- beside a gateway --- */

static void at_once_over(struct work *w, const struct fault *f)
{
	struct store_job *job = w->subject;

	if (f)
		fault_refuse(f, &job->err);
}

static enum work_next at_once_step(struct work *w)
{
	return operation_step(w, w->subject);
}

/* work_at_once: does a job on a link that is connected. */
static enum errc work_at_once(struct postgres *db, struct link *l, struct store_job *job,
			      struct err *e)
{
	struct work_kind kind = { operation_mode(job->kind), at_once_step, at_once_over };
	struct work      w = { .db = db, .link = l, .kind = &kind, .subject = job };

	work_run(&w);
	*e = job->err;
	return e->code;
}

static enum errc at_once_on(struct postgres *db, struct link *l, struct store_job *job,
			    struct err *e)
{
	int applied = 0;

	if (direct_connect(l, db->target, db->lock_ms, e) != ERR_OK ||
	    migrate_postgres(l, true, &applied, e) != ERR_OK || lease_take(l, db, e) != ERR_OK ||
	    key_ring_create(&db->store.ring, e) != ERR_OK)
		return e->code;
	return work_at_once(db, l, job, e);
}

static enum errc at_once(const struct store_options *o, enum job kind, struct store_job *job,
			 struct err *e)
{
	struct postgres *db = engine_make(o, e);
	struct link      l = { 0 };

	job->kind = &job_kinds[kind];
	job->beside = true;
	if (!db)
		return e->code;
	enum errc rc = at_once_on(db, &l, job, e);
	link_finish(&l);
	engine_op_destroy(&db->store);
	return rc;
}

/* engine_sweep: gateways sweep, too; each takes other rows. */
static enum errc engine_sweep(const struct store_options *o, bool *ret_served, struct err *e)
{
	static const struct work_kind kind = { WORK_WRITE, retain_step, retain_over };
	struct postgres              *db = engine_make(o, e);
	struct link                   l = { 0 };
	int                           applied = 0;
	enum errc                     rc;

	*ret_served = false;
	if (!db)
		return e->code;
	rc = direct_connect(&l, db->target, db->lock_ms, e);
	if (rc == ERR_OK)
		rc = migrate_postgres(&l, o->migrate, &applied, e);
	if (rc == ERR_OK)
		rc = lease_take(&l, db, e);
	db->retain = rc == ERR_OK ? retain_create() : NULL;
	while (db->retain && retain_wanted(db)) {
		struct work w = { .db = db, .link = &l, .kind = &kind };

		work_run(&w);
	}
	if (rc == ERR_OK && l.fault.kind != FAULT_PG_NONE)
		rc = direct_fail(&l, "write to", e);
	link_finish(&l);
	engine_op_destroy(&db->store);
	return rc;
}

static const char sql_next_conversation[] =
	"SELECT id, secret FROM conversation WHERE id > $1 ORDER BY id LIMIT 1";

struct engine_export {
	struct postgres *db;
	struct link      link;
};

static enum errc engine_read_page(void *arg, struct archive_read *j, struct err *e)
{
	struct engine_export *w = arg;

	return work_at_once(w->db, &w->link, &j->job, e);
}

static enum errc engine_find_next(void *arg, int64_t after, struct id *ret, struct err *e)
{
	struct link *l = &((struct engine_export *)arg)->link;

	param_clear(&l->args);
	param_int(&l->args, after);
	if (direct_ask(l, sql_next_conversation, "read", e) != ERR_OK)
		return e->code;
	*ret = (struct id){ 0 };
	if (direct_rows(l) > 0)
		*ret = cell_id(cell_int(direct_row(l, 0), 0), direct_row(l, 0), 1);
	return ERR_OK;
}

static enum errc export_store(const struct store_options *o, struct store_export *x, struct err *e)
{
	struct engine_export w = { .db = engine_make(o, e) };
	const struct export how = { x, engine_read_page, engine_find_next, &w };
	int applied = 0;

	if (!w.db)
		return e->code;
	enum errc rc = direct_connect(&w.link, w.db->target, w.db->lock_ms, e);
	if (rc == ERR_OK)
		rc = migrate_postgres(&w.link, false, &applied, e);
	if (rc == ERR_OK)
		rc = export_run(&how, e);
	link_finish(&w.link);
	engine_op_destroy(&w.db->store);
	return rc;
}

static enum upkeep_end refuse_backup(struct upkeep_backup *b, struct err *e)
{
	(void)b;
	err_set(e, ERR_STORAGE, "",
		"a PostgreSQL database is backed up by its own tools, such as pg_dump; it has all that "
		"parley stores, but for contents of files in a bucket");
	return UPKEEP_BAD_DATABASE;
}

static enum upkeep_end engine_vacuum(struct upkeep_vacuum *v, struct err *e)
{
	(void)v;
	err_set(e, ERR_STORAGE, "", "a PostgreSQL database is vacuumed by its own server");
	return UPKEEP_BAD_DATABASE;
}

static bool pg_engine_takes(const char *database)
{
	return strncmp(database, "postgres://", 11) == 0 ||
	       strncmp(database, "postgresql://", 13) == 0;
}

const struct store_engine postgres_engine = {
	.name = "postgres",
	.takes = pg_engine_takes,
	.open = engine_open_store,
	.migrate = engine_migrate_store,
	.export = export_store,
	.at_once = at_once,
	.sweep = engine_sweep,
	.copy = postgres_copy,
	.backup = refuse_backup,
	.vacuum = engine_vacuum,
};
