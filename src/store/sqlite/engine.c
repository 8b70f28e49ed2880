/* The SQLite engine: its functions for store/engine.h and store/store.h, and the order in which its
 * parts are opened and closed. */
#include "store/sqlite/engine.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/sqlite/chores.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/migrate.h"
#include "store/sqlite/threads.h"
#include "store/sqlite/recover.h"
#include "store/sqlite/search/search.h"
#include "store/sqlite/search/search_recent.h"
#include "store/sqlite/file_content.h"
#include "store/common/salvage.h"
#include "store/engine.h"
#include "store/ledger.h"
#include "store/usage.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct engine {
	struct store store;    /* callers hold pointers to it */
	char        *path;     /* owned; absolute */
	int          lock_fd;  /* owned (lock_take); -1: not taken, or handed over */
	int          drain_fd; /* owned (lock_drain); -1: no other process is taking over */
	/* When this engine was opened, the previous process was still finishing its answers. */
	bool                 beside;
	int                  lane;  /* the lane of the process's ids: 0 or 1 */
	bool                 given; /* another process has taken over */
	bool                 left;  /* a process before ended without emptying the log */
	struct conn          conn;  /* owned; used by the writer's thread, as the next two are */
	struct session       session;
	struct unfinished    unfinished;
	struct salvage_read  salvage;
	struct chores        chores;
	struct store_options options; /* options.path is `path` */
	struct checkpoint   *checkpoint;
	struct writer       *writer;
	struct readers      *readers;
	struct search       *search;
	struct readers      *searchers;
	struct key_watch    *keys;
	struct moved         moved;
};

static struct engine *engine_of(struct store *s)
{
	return container_of(s, struct engine, store);
}

static bool op_submit(struct store *s, struct store_job *job)
{
	struct engine *g = engine_of(s);

	switch (job->kind->lane) {
	case LANE_WRITE: return writer_add(g->writer, job);
	case LANE_READ: return readers_add(g->readers, job);
	case LANE_SEARCH: return readers_add(g->searchers, job);
	case LANE__COUNT: break;
	}
	CHECK(job->kind->lane < LANE__COUNT);
	return false;
}

/* --- news of other threads for the writer's thread --- */

static void on_used(void *engine)
{
	struct engine *g = engine;

	chores_call(&g->chores, CHORE_KEY_USED, 0);
}

static void on_moved(void *engine)
{
	writer_wake(((struct engine *)engine)->writer);
}

static void engine_on_settled(void *engine, int64_t seq)
{
	struct engine *g = engine;

	atomic_store(&g->chores.search_clear.settled, seq);
	chores_call(&g->chores, CHORE_SEARCH_CLEAR, 0);
}

static void on_usage(void *engine)
{
	struct engine *g = engine;

	chores_call(&g->chores, CHORE_BOOKS, clock_mono_us() + BOOKS_MS * (int64_t)1000);
}

static void op_stats(struct store *s, struct store_stats *ret)
{
	writer_stats(engine_of(s)->writer, ret);
	search_stats(engine_of(s)->search, ret);
	ret->database_bytes =
		atomic_load_explicit(&engine_of(s)->moved.bytes, memory_order_relaxed);
}

/* --- takeover --- */

static enum errc peers_quiesce(struct store *s, int *ret_fd, struct err *e)
{
	struct engine *g = engine_of(s);

	/* The next process would create a new database, or serve another one. */
	if (moved_look(&g->moved))
		return err_set(e, ERR_STORAGE, "", "no takeover while %s",
			       db_reason(SQLITE_READONLY_DBMOVED));
	if (peer_alive(&g->chores.peer))
		return err_set(e, ERR_OVERLOADED, "", "the process before still ends its answers");
	if (lock_drain(g->path, g->lane, &g->drain_fd, e) != ERR_OK)
		return e->code;
	chores_quiesce(&g->chores, true);
	search_stop(g->search);
	*ret_fd = g->lock_fd;
	return ERR_OK;
}

static enum errc peers_resume(struct store *s, struct err *e)
{
	struct engine *g = engine_of(s);

	if (g->drain_fd >= 0)
		close(g->drain_fd);
	g->drain_fd = -1;
	chores_quiesce(&g->chores, false);

	enum errc rc = search_start(g->search, engine_on_settled, g, e);
	search_recent_keep(search_recent_of(g->search), rc == ERR_OK);
	return rc;
}

static void peers_handed_over(struct store *s)
{
	struct engine *g = engine_of(s);

	g->given = true;
	close(g->lock_fd);
	g->lock_fd = -1;
}

static void peers_taken_over(struct store *s)
{
	struct engine *g = engine_of(s);

	atomic_store(&g->chores.peer.early, false);
	chores_call(&g->chores, CHORE_PEER, 0);
}

static bool peers_alive(struct store *s)
{
	return peer_alive(&engine_of(s)->chores.peer);
}

/* Also closes an engine that was opened only in part.  The lock is released last: until then, no
 * other process may use the database. */
static void op_destroy(struct store *s)
{
	struct engine *g = engine_of(s);
	bool           served = g->writer && !g->given && !peer_alive(&g->chores.peer);

	key_watch_stop(g->keys);
	readers_destroy(g->readers);
	readers_destroy(g->searchers);
	search_stop(g->search);
	writer_destroy(g->writer);
	chores_finish(&g->chores);
	session_finish(&g->session);
	unfinished_finish(&g->unfinished);
	salvage_finish(&g->salvage.salvage);
	usage_gather_destroy(g->store.usage);
	ledger_destroy(g->store.ledger);
	search_destroy(g->search);
	key_watch_destroy(g->keys);
	checkpoint_destroy(g->checkpoint);
	/* Emptying the write-ahead log blocks all writers, so it is not done beside another
	 * process. */
	if (served)
		(void)sqlite3_wal_checkpoint_v2(g->conn.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
						NULL);
	conn_close(&g->conn);
	blobs_destroy(g->store.blobs);
	key_ring_destroy(g->store.ring);
	if (g->lock_fd >= 0)
		close(g->lock_fd);
	if (g->drain_fd >= 0)
		close(g->drain_fd);
	free(g->path);
	free(g);
}

static const struct store_peers peers = {
	.quiesce = peers_quiesce,
	.resume = peers_resume,
	.handed_over = peers_handed_over,
	.taken_over = peers_taken_over,
	.alive = peers_alive,
};

static const struct store_ops ops = {
	.name = "sqlite",
	.submit = op_submit,
	.stats = op_stats,
	.destroy = op_destroy,
	.peers = &peers,
};

static enum errc take_lock(struct engine *g, const struct store_options *o, struct err *e)
{
	int lane = 1;

	if ((o->handover ? lock_given(o->path, &g->path, e)
			 : lock_take(o->path, &g->path, &g->lock_fd, e)) != ERR_OK)
		return e->code;
	g->beside = lock_drains(g->path, &lane);
	/* Without the lock of FILE.drain, the living previous process would look like a dead one,
	 * and its runs would be ended. */
	if (o->handover && !g->beside) {
		err_set(e, ERR_OVERLOADED, "",
			"the takeover failed: the process that serves has given it up");
		return err_blame(e, FAULT_BUSY);
	}
	g->lane = g->beside ? !lane : 0;
	id_lane(g->lane);
	return ERR_OK;
}

static bool has_log(const char *path)
{
	char        name[PATH_MAX];
	struct stat log;
	int         n = snprintf(name, sizeof name, "%s-wal", path);

	return n > 0 && (size_t)n < sizeof name && stat(name, &log) == 0 && log.st_size > 0;
}

/* Opens the database and migrates it; on success *ret is owned. */
static enum errc open_database(const struct store_options *o, bool apply, struct engine **ret,
			       int *ret_applied, struct err *e)
{
	struct engine *g = calloc(1, sizeof *g);

	if (!g)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	g->store.ops = &ops;
	g->lock_fd = o->handover ? o->handover_fd : -1;
	g->drain_fd = -1;
	enum errc rc = take_lock(g, o, e);
	g->left = rc == ERR_OK && has_log(g->path);
	if (rc != ERR_OK || migrate_look(g->path, o->busy_ms, migrations, e) != ERR_OK ||
	    conn_open(&g->conn, g->path, DB_WRITE, o->busy_ms, e) != ERR_OK ||
	    blobs_open(g->path, &g->store.blobs, e) != ERR_OK ||
	    migrate_run(g->conn.db, g->path, migrations, apply && !g->beside, ret_applied, e) !=
		    ERR_OK) {
		/* An older schema can be migrated once the previous process has ended. */
		if (g->beside && e->fault == FAULT_OLDER)
			err_blame(e, FAULT_BUSY);
		op_destroy(&g->store);
		return e->code;
	}
	*ret = g;
	return ERR_OK;
}

/* Creates everything that the writer's thread uses, and then starts the thread. */
static enum errc start_writer(struct engine *g, struct err *e)
{
	struct writer_parts parts = { &g->session, &g->chores, g->checkpoint, g->search,
				      &g->moved };

	g->store.usage = usage_gather_create(on_usage, g);
	if (g->options.calls_rate > 0)
		g->store.ledger = ledger_create(g->options.calls_rate, on_usage, g);
	if (!g->store.usage || (g->options.calls_rate > 0 && !g->store.ledger))
		return err_set(e, ERR_STORAGE, "", "out of memory");
	g->session.blobs = g->store.blobs;
	g->session.ring = g->store.ring;
	g->session.peer = &g->chores.peer;
	g->session.unfinished = &g->unfinished;
	g->session.salvage = &g->salvage;
	g->salvage.conn = &g->conn;
	salvage_init(&g->salvage.salvage, g->options.assemble);
	peer_init(&g->chores.peer, g->beside, g->options.handover);
	session_write(&g->session, &g->conn);
	g->session.search.recent = search_recent_of(g->search);
	search_recent_keep(g->session.search.recent, !g->beside);
	if (writer_create(&parts, g->options.busy_ms, &g->writer, e) != ERR_OK)
		return e->code;
	if (!g->beside) /* the files that the other process is writing would look abandoned */
		file_content_sweep(&g->session);
	g->chores.wake = writer_wake;
	g->chores.arg = g->writer;
	chores_init(&g->chores, &g->session, &g->store, &g->options);
	if (g->left)
		chores_call(&g->chores, CHORE_SCRUB, clock_mono_us() + SCRUB_MS * (int64_t)1000);
	return writer_start(g->writer, e);
}

static enum errc open_store(const struct store_options *o, struct store **ret, struct err *e)
{
	struct engine *g = NULL;
	int            applied = 0;
	int            runs = 0;

	if (open_database(o, o->migrate, &g, &applied, e) != ERR_OK)
		return e->code;
	CHECK(g != NULL);
	g->options = *o;
	g->options.path = g->path;
	if ((g->beside ? recover_floor(&g->conn, g->path, e)
		       : recover_run(&g->conn, &g->options, &runs, e)) != ERR_OK ||
	    moved_begin(&g->moved, g->path, e) != ERR_OK ||
	    checkpoint_create(g->path, o->busy_ms, &g->checkpoint, e) != ERR_OK ||
	    readers_create(&(struct readers_parts){ g->path, o->busy_ms, &g->moved, NULL },
			   o->readers, &g->readers, e) != ERR_OK ||
	    search_create(g->path, o->busy_ms, &g->search, e) != ERR_OK ||
	    readers_create(&(struct readers_parts){ g->path, o->busy_ms, &g->moved, g->search }, 1,
			   &g->searchers, e) != ERR_OK ||
	    key_ring_create(&g->store.ring, e) != ERR_OK ||
	    key_watch_create(g->path, o->busy_ms, g->store.ring, &g->keys, e) != ERR_OK ||
	    start_writer(g, e) != ERR_OK ||
	    search_start(g->search, engine_on_settled, g, e) != ERR_OK ||
	    key_watch_start(g->keys, &g->moved, &(struct key_watch_news){ on_used, on_moved, g },
			    e) != ERR_OK) {
		op_destroy(&g->store);
		return e->code;
	}
	if (runs > 0)
		log_note(LOG_WARN, "runs_recovered",
			 "the last process left %d unfinished runs, which have an end now", runs);
	*ret = &g->store;
	return ERR_OK;
}

static enum errc migrate_store(const struct store_options *o, int *ret_applied, struct err *e)
{
	struct engine *g = NULL;
	int            applied = 0;

	if (open_database(o, true, &g, &applied, e) != ERR_OK)
		return e->code;
	op_destroy(&g->store);
	*ret_applied = applied;
	return ERR_OK;
}

static bool engine_takes(const char *database)
{
	return !strstr(database, "://");
}

const struct store_engine sqlite_engine = {
	.name = "sqlite",
	.takes = engine_takes,
	.open = open_store,
	.migrate = migrate_store,
	.export = sqlite_export,
	.at_once = sqlite_at_once,
	.sweep = sqlite_sweep,
	.copy = sqlite_copy,
	.backup = sqlite_backup,
	.vacuum = sqlite_vacuum,
};
