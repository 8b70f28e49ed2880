/* The parts of a serving process, and the steps of its life; for the files of this folder. */
#pragma once

#include "app/app_listen.h"
#include "config/config.h"
#include "routes/kit/process.h"
#include "store/store.h"

enum { WORKERS_MAX = 256 };

struct app {
	const struct config *config;
	struct process       process;
	struct store        *store;
	struct work_pool    *work;
	struct work_pool    *cpu;
	struct bucket       *bucket;     /* NULL: not configured */
	struct beneath      *image_root; /* NULL: not configured */
	struct snapshot     *snapshot;
	struct worker       *workers[WORKERS_MAX];
	size_t               worker_count;
	struct listen_set    listen;
	struct listen_set    taken;  /* sockets of the previous process, until this one serves */
	int                  before; /* connection to the previous process; -1: none */
	int                  offer;  /* socket for a process that takes over; -1: none */
	int                  after;  /* connection to the next process; -1: none */
	int64_t              after_until_us;
	bool                 before_failed;
	bool                 given; /* the next process has the sockets and the lock */
	atomic_bool          draining;
	int                  signal_fd;
	int                  quiet_fd;
	int                  done_fd;
};

/* --- app_start.c --- */

struct store_options app_store_options(const struct config *c);
/* app_is_open: neither the configuration nor the store has a key. */
bool app_is_open(const struct app *a, const struct snapshot *s);
/* app_start: does everything up to serving; returns the exit status, or 0. */
int app_start(struct app *a, bool takeover, struct err *e);

/* --- app_wait.c --- */

/* app_serve_on: returns the signal that ends the serving, or SIGNAL_GIVEN. */
int app_serve_on(struct app *a);
/* app_wait_drained: a signal that ends the wait; 0: all workers have drained; -1: time-out. */
int app_wait_drained(struct app *a, uint64_t *drained, int64_t timeout_ms);
/* app_hand_over: the next process begins to serve after all workers of this one have stopped taking
 * new calls, so that it serves every client that connects after its start. A hanging loop does not
 * delay it. */
void app_hand_over(struct app *a);
/* app_keep_serving: the process that asked to take over can't, so this one goes on; why: for the log. */
void app_keep_serving(struct app *a, const char *why);
