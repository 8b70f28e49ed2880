/* app_worker: one thread with its loop, its servers and its runs. */
#pragma once

#include "app/app_snapshot.h"
#include "routes/kit/gateway.h"
#include "store/store.h"

struct worker;

struct worker_options {
	unsigned              index;
	struct store         *store;
	struct work_pool     *work;
	struct work_pool     *cpu;
	const struct beneath *image_root; /* or NULL */
	struct snapshot      *snapshot;   /* a reference is taken */
	const atomic_bool    *draining;
	struct process       *process; /* of all workers; borrowed */
	size_t                max_body;
	size_t                max_bodies;
	size_t                max_connections;
	int64_t               max_file;
	const char           *computer; /* path of the runner's socket; NULL: none */
	bool                  computer_auto;
	/* Traces go to the collector from the first worker; NULL: none. */
	const char *otlp_endpoint, *otlp_headers;
	bool        tls;
	int         quiet_fd; /* eventfd: 1 is added when a draining worker takes nothing new */
	int         done_fd;  /* eventfd: 1 is added when the worker has drained */
};

enum errc worker_create(const struct worker_options *o, struct worker **ret,
			struct err *e) MUST_USE;
/* worker_listen: consumes fd; before worker_start.  inherited: who gave it goes on listening. */
enum errc worker_listen(struct worker *w, int fd, bool admin, bool inherited,
			struct err *e) MUST_USE;
/* Which routes the listeners have. */
struct worker_reach {
	bool local;   /* only this machine reaches the main addresses: they have the operator's */
	bool admin;   /* the main addresses have the administrators' */
	bool console; /* the main addresses have the console's pages */
	bool proxied; /* these pages are for requests that came through a proxy too */
	bool admin_console; /* the admin listener has the console's pages */
};
/* worker_bound: all main addresses are known; before worker_start. */
void      worker_bound(struct worker *w, const struct worker_reach *reach);
enum errc worker_start(struct worker *w, struct err *e) MUST_USE;
/* From any thread: the worker does it on its own. */
void worker_reload(struct worker *w, struct snapshot *s); /* a reference is taken */
/* worker_drain: leave: new connections wait for who else has the sockets. */
void worker_drain(struct worker *w, int64_t timeout_us, bool leave);
/* worker_owes: the drain has found answers that have not ended.  Any thread. */
bool worker_owes(const struct worker *w) MUST_USE;
/* worker_stop: ends the thread (drained before) and waits for it. */
void worker_stop(struct worker *w);
void worker_destroy(struct worker *w);
OWNABLE(worker);
