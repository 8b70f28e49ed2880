/* The thread store-indexer, and its state for other threads. */
#include "store/sqlite/search/search.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/store.h"
#include "store/sqlite/search/search_feed.h"
#include "store/common/thread.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	/* From a new row to the batch that has it, unless a search needs it before: the fewer
	 * batches, the fewer segments to be merged. */
	GATHER_MS = 1000,
	GATHER_GONE_MS = 20,    /* the same if a row removes a message */
	SETTLE_MS = 2000,       /* from an unsynced commit until the index is synced, at most */
	RETRY_MS = 2000,        /* pause after a failed step */
	GIVE_WAY_MS = 1000,     /* longest pause for search_give_way between two batches */
	GIVE_WAY_LOOK_MS = 10,  /* interval of checks during this pause */
	PURGE_MS = 5000,        /* from a removal until its words leave the index */
	PURGE_STEP_MS = 20,     /* between two steps of this */
	PURGE_SHARE = 10,       /* a purge is followed by a rest that is so many times as long */
	LOOK_MS = 5000,         /* longest sleep: an import by another process wakes nobody */
	STOP_MS = 300,          /* longest work on the queue when the thread stops */
	KEEP_BYTES = 256 * KIB, /* room for texts, while batches are small */
};

struct search {
	char                 *index_path; /* owned */
	int64_t               busy_ms;
	struct search_recent *recent; /* owned */
	/* Used by the thread alone. */
	struct search_feed  feed;
	struct search_index index;
	struct search_batch batch;
	int64_t             settled;   /* last seq that on_settled got */
	int64_t             settle_us; /* when the index must be synced; 0: all of it is */
	bool                failed;    /* the last step failed, and this was logged */
	int64_t     purge_us; /* when words of removed texts are removed next; 0: there are none */
	int64_t     purge_from_us; /* when this purge began; 0: none goes on */
	int64_t     rested_us;     /* no other one before */
	bool        started;
	pthread_t   thread;
	atomic_bool give_way; /* set by any thread */
	void (*on_settled)(void *arg, int64_t seq);
	void *arg;

	pthread_mutex_t lock; /* guards what is below */
	pthread_cond_t  wake;
	pthread_cond_t  caught_up; /* a step has ended */
	int64_t         due_us;    /* when the next batch is to begin; INT64_MAX: no row is known */
	int64_t         seq;       /* the index's mark.seq */
	bool            serving;   /* the thread runs, and is not being stopped */
	bool            damaged;
	bool            stopping;
	int64_t         messages;
	int64_t         bytes; /* size of the index's file */
	int64_t         noted; /* all that search_wake has been told */
	/* The last batch has left so much in the queue, when `noted` was left_at; what was told
	 * since then waits, too. */
	int64_t left, left_at;
	bool    complete;
	bool    trouble;
	bool    ready;
};

/* --- one step --- */

static void search_show(struct search *s, bool complete, bool trouble)
{
	struct stat file = { 0 };
	int64_t     bytes = stat(s->index_path, &file) == 0 ? (int64_t)file.st_size : 0;

	pthread_mutex_lock(&s->lock);
	s->bytes = bytes;
	s->messages = s->index.db ? s->index.count : 0;
	s->seq = s->index.db ? s->index.mark.seq : 0;
	s->complete = complete;
	s->trouble = trouble;
	pthread_cond_broadcast(&s->caught_up);
	pthread_mutex_unlock(&s->lock);
}

static int64_t noted_now(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	int64_t noted = s->noted;
	pthread_mutex_unlock(&s->lock);
	return noted;
}

/* A row that a batch has taken counts as waiting until the next one, if it was noted after noted_now; the note
 * has woken the thread for that. */
static void show_left(struct search *s, int64_t left, int64_t noted)
{
	pthread_mutex_lock(&s->lock);
	s->left = left;
	s->left_at = noted;
	pthread_mutex_unlock(&s->lock);
}

static bool search_stopping(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	bool is = s->stopping;
	pthread_mutex_unlock(&s->lock);
	return is;
}

static void search_fail(struct search *s, sqlite3 *db, int rc)
{
	char problem[160];

	search_show(s, false, true);
	if (s->failed)
		return;
	s->failed = true;
	db_problem(db, rc, problem, sizeof problem);
	log_note(LOG_ERROR, "search_failed", "the search index can't be updated: %s", problem);
}

static void set_ready(struct search *s, bool ready)
{
	pthread_mutex_lock(&s->lock);
	s->ready = ready;
	pthread_mutex_unlock(&s->lock);
}

static int search_open_index(struct search *s)
{
	struct search_source source;
	bool                 anew = false;
	int                  rc = search_feed_source(&s->feed, &source);

	if (rc == SQLITE_OK)
		rc = search_index_open(&s->index, s->index_path, s->busy_ms, &source, &anew);
	if (rc == SQLITE_OK && anew)
		log_note(LOG_INFO, "search_index",
			 "the search index is being built from the messages");
	s->settled = 0;
	/* The index may have rows that a killed process has not cleared. */
	s->settle_us = rc == SQLITE_OK && source.first != 0 && s->index.mark.seq >= source.first
			       ? clock_mono_us()
			       : 0;
	s->purge_us = s->purge_from_us = 0;
	set_ready(s, rc == SQLITE_OK);
	return rc;
}

/* Removes an index that a reader has found damaged, or whose file was moved.  If no index is open,
 * the report is dropped: the reader may have read a file that is gone by now. */
static void drop_if_damaged(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	bool damaged = s->damaged;
	s->damaged = false;
	pthread_mutex_unlock(&s->lock);
	if (!s->index.db || (!damaged && !search_index_moved(&s->index)))
		return;
	log_note(LOG_WARN, "search_index",
		 damaged ? "the search index is damaged" : "the search index was taken away");
	set_ready(s, false);
	search_index_close(&s->index);
	search_index_remove(s->index_path);
}

static void search_settle(struct search *s)
{
	s->settle_us = 0;
	if (s->index.mark.seq == s->settled)
		return;
	s->settled = s->index.mark.seq;
	s->on_settled(s->arg, s->settled);
}

static bool search_removes(const struct search_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->ops[i].gone)
			return true;
	return false;
}

/* The next batch would come too late for being synced in time. */
static bool search_due(const struct search *s)
{
	return s->settle_us != 0 && clock_mono_us() >= s->settle_us - GATHER_MS * (int64_t)1000;
}

static bool search_damage(int rc)
{
	return (rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB;
}

/* search_purge: a step of a purge, if one is due.  The whole index is written anew, so a long purge is followed by
 * a longer rest. */
static void search_purge(struct search *s)
{
	int64_t now = clock_mono_us();
	int64_t soon = now + PURGE_MS * (int64_t)1000;
	bool    more = false;

	if (s->index.db && s->index.stained && s->purge_us == 0)
		s->purge_us = soon > s->rested_us ? soon : s->rested_us;
	if (s->purge_us == 0 || now < s->purge_us || !s->index.db)
		return;
	if (s->purge_from_us == 0)
		s->purge_from_us = now;
	int     rc = search_index_purge(&s->index, s->busy_ms, &more);
	int64_t end = clock_mono_us();
	if (rc != SQLITE_OK) {
		s->purge_us = end + RETRY_MS * (int64_t)1000;
		if (search_damage(rc))
			search_damaged(s);
	} else if (more) {
		s->purge_us = end + (end - now) + PURGE_STEP_MS * (int64_t)1000;
	} else {
		s->rested_us = end + PURGE_SHARE * (end - s->purge_from_us);
		s->purge_us = s->purge_from_us = 0;
	}
}

/* A batch that removes messages is synced at once, so that their text soon leaves the queue too;
 * other batches may be synced together. */
static int search_apply(struct search *s, bool sync)
{
	const struct search_mark *m = &s->batch.mark;
	bool moved = m->seq != s->index.mark.seq || m->built != s->index.mark.built ||
		     m->titles != s->index.mark.titles || m->complete != s->index.mark.complete;

	sync = sync || search_removes(&s->batch) || search_due(s);
	if (!moved && s->batch.count == 0 && !(sync && s->settle_us != 0))
		return SQLITE_OK;
	int rc = search_index_apply(&s->index, &s->batch, sync);
	if (rc != SQLITE_OK)
		return rc;
	if (sync)
		search_settle(s);
	else if (s->settle_us == 0)
		s->settle_us = clock_mono_us() + SETTLE_MS * (int64_t)1000;
	return SQLITE_OK;
}

/* Fills and applies one batch.  False: the step failed. */
static bool search_step(struct search *s, bool rebuild, bool sync)
{
	int64_t noted = noted_now(s);
	int64_t left = 0;
	int     rc = SQLITE_OK;

	drop_if_damaged(s);
	if (!s->index.db)
		rc = search_open_index(s);
	if (rc != SQLITE_OK) {
		/* How far the index is can't be told, so all rows of the queue count. */
		if (search_feed_waiting(&s->feed, 0, &left) == SQLITE_OK)
			show_left(s, left, noted);
		search_fail(s, NULL, rc);
		return false;
	}
	bool was = s->index.mark.complete;
	search_recent_seen(s->recent);
	rc = search_feed_fill(&s->feed, &s->index, rebuild, &s->batch, &left);
	bool filled = rc == SQLITE_OK;
	if (filled)
		rc = search_apply(s, sync);
	if (rc != SQLITE_OK) {
		search_feed_again(&s->feed);
		search_fail(s, filled ? s->index.db : s->feed.conn.db, rc);
		/* The index is made anew only if its own file is damaged, not the database. */
		if (search_damage(filled ? rc : sqlite3_errcode(s->index.db)))
			search_damaged(s);
		return false;
	}
	if (s->failed || (!was && s->index.mark.complete))
		log_note(LOG_INFO, "search_index", "the search index has %lld messages",
			 (long long)s->index.count);
	s->failed = false;
	if (s->batch.texts.cap > KEEP_BYTES && s->batch.texts.len < KEEP_BYTES)
		buf_finish(&s->batch.texts); /* the load is over */
	show_left(s, left, noted);
	search_show(s, s->index.mark.complete, false);
	return true;
}

/* --- the thread --- */

static void pause_locked(struct search *s, int64_t ms)
{
	int64_t until = clock_mono_us() + ms * 1000;

	while (!s->stopping && clock_mono_us() < until)
		thread_wait_ms(&s->wake, &s->lock, (until - clock_mono_us() + 999) / 1000);
}

/* Sleeps until rows are due, the index must be synced, or something else is to be done. */
static void search_sleep_locked(struct search *s)
{
	int64_t until = clock_mono_us() + LOOK_MS * (int64_t)1000;

	if (s->settle_us != 0 && s->settle_us < until)
		until = s->settle_us;
	if (s->purge_us != 0 && s->purge_us < until)
		until = s->purge_us;
	while (!s->damaged && !s->stopping) {
		int64_t left = (s->due_us < until ? s->due_us : until) - clock_mono_us();

		if (left <= 0)
			break;
		thread_wait_ms(&s->wake, &s->lock, (left + 999) / 1000);
	}
}

static void hold_still(struct search *s)
{
	int64_t until = clock_mono_us() + GIVE_WAY_MS * (int64_t)1000;

	pthread_mutex_lock(&s->lock);
	while (!s->stopping && atomic_load(&s->give_way) && clock_mono_us() < until)
		thread_wait_ms(&s->wake, &s->lock, GIVE_WAY_LOOK_MS);
	pthread_mutex_unlock(&s->lock);
}

/* Sleeps until the next step; well: the last step did not fail.  False: the thread must stop. */
static bool await_step(struct search *s, bool well)
{
	pthread_mutex_lock(&s->lock);
	if (!well)
		pause_locked(s, RETRY_MS);
	else if (!s->batch.full)
		search_sleep_locked(s);
	s->due_us = INT64_MAX;
	bool more = !s->stopping;
	pthread_mutex_unlock(&s->lock);
	return more;
}

static void *search_serve(void *arg)
{
	struct search *s = arg;

	bool well = !search_stopping(s) && search_step(s, true, false);
	while (await_step(s, well)) {
		hold_still(s);
		well = search_step(s, true, false);
		search_purge(s);
	}

	/* The index must forget deleted messages before the process ends, because their deletion
	 * was acknowledged, and the files may be moved elsewhere then. */
	int64_t until = clock_mono_us() + STOP_MS * (int64_t)1000;
	do {
		well = search_step(s, false, true);
	} while (well && s->batch.full && clock_mono_us() < until);
	while (well && s->index.stained && clock_mono_us() < until) {
		s->purge_us = clock_mono_us();
		search_purge(s);
	}
	return NULL;
}

/* --- outside --- */

enum errc search_create(const char *path, int64_t busy_ms, struct search **ret, struct err *e)
{
	char           name[PATH_MAX];
	struct search *s = calloc(1, sizeof *s);
	int            n = snprintf(name, sizeof name, "%s.search", path);

	if (!s)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	pthread_mutex_init(&s->lock, NULL);
	thread_cond_init(&s->wake);
	thread_cond_init(&s->caught_up);
	s->due_us = INT64_MAX;
	s->recent = search_recent_create();
	bool room = search_batch_init(&s->batch) && s->recent;
	s->busy_ms = busy_ms;
	s->index_path = n > 0 && (size_t)n < sizeof name ? strdup(name) : NULL;
	if (!room || !s->index_path)
		err_set(e, ERR_STORAGE, "",
			"no memory for the search index, or its path is too long");
	else if (search_feed_open(&s->feed, path, busy_ms, e) == ERR_OK) {
		s->feed.recent = s->recent;
		*ret = s;
		return ERR_OK;
	}
	search_destroy(s);
	return e->code;
}

enum errc search_start(struct search *s, void (*settled)(void *arg, int64_t seq), void *arg,
		       struct err *e)
{
	s->on_settled = settled;
	s->arg = arg;
	enum errc rc = thread_start(&s->thread, "store-indexer", search_serve, s, e);
	s->started = rc == ERR_OK;
	pthread_mutex_lock(&s->lock);
	s->serving = s->started;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void search_stop(struct search *s)
{
	if (!s || !s->started)
		return;
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	s->serving = false;
	pthread_cond_signal(&s->wake);
	pthread_cond_broadcast(&s->caught_up);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	search_recent_keep(s->recent, false);
	search_index_close(&s->index); /* another process may write it now */
	s->started = false;
	s->stopping = false; /* it may be started again */
}

void search_destroy(struct search *s)
{
	if (!s)
		return;
	search_stop(s);
	search_index_close(&s->index);
	search_feed_close(&s->feed);
	search_batch_finish(&s->batch);
	search_recent_destroy(s->recent);
	pthread_cond_destroy(&s->wake);
	pthread_cond_destroy(&s->caught_up);
	pthread_mutex_destroy(&s->lock);
	free(s->index_path);
	free(s);
}

static void search_call_locked(struct search *s, int64_t due_us)
{
	if (due_us >= s->due_us)
		return;
	s->due_us = due_us;
	pthread_cond_signal(&s->wake);
}

void search_wake(struct search *s, int64_t added, bool gone)
{
	int64_t wait_ms = search_recent_fills(s->recent) ? 0 : gone ? GATHER_GONE_MS : GATHER_MS;
	int64_t due_us = clock_mono_us() + wait_ms * 1000;

	pthread_mutex_lock(&s->lock);
	if (s->serving) /* else another process indexes it, and counts */
		s->noted += added;
	search_call_locked(s, due_us);
	pthread_mutex_unlock(&s->lock);
}

void search_catch_up(struct search *s, int64_t seq, int64_t until_us)
{
	int64_t left = until_us - clock_mono_us();

	pthread_mutex_lock(&s->lock);
	while (s->seq < seq && s->serving && !s->trouble && left > 0) {
		search_call_locked(s, 0);
		thread_wait_ms(&s->caught_up, &s->lock, (left + 999) / 1000);
		left = until_us - clock_mono_us();
	}
	pthread_mutex_unlock(&s->lock);
}

void search_give_way(struct search *s, bool now)
{
	atomic_store(&s->give_way, now);
}

void search_damaged(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	s->damaged = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

struct search_recent *search_recent_of(struct search *s)
{
	return s->recent;
}

bool search_ready(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	bool is = s->ready;
	pthread_mutex_unlock(&s->lock);
	return is;
}

bool search_in_trouble(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	bool is = s->trouble;
	pthread_mutex_unlock(&s->lock);
	return is;
}

const char *search_path(const struct search *s)
{
	return s->index_path;
}

void search_stats(struct search *s, struct store_stats *ret)
{
	pthread_mutex_lock(&s->lock);
	ret->search_messages = s->messages;
	ret->search_bytes = s->bytes;
	ret->search_waiting = s->left + s->noted - s->left_at;
	ret->search_complete = s->complete;
	pthread_mutex_unlock(&s->lock);
}
