/* The parts of a serving process, and the steps of its life; for the files of this folder. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "config/config.h"
#include "http/server.h"
#include "routes/kit/gateway.h"
#include "store/store.h"

#include <sys/types.h>

struct bucket;
struct worker;

/* --- app_listen: the sockets to serve on: opened here or inherited, each shared out to all loops. */

enum { LISTEN_PLACES = 17, LISTEN_SOCKETS = 256 };

/* One address: a socket for each loop that shares the port, or one that all loops have. */
struct listen_place {
	char   address[HTTP_BOUND]; /* the configured address */
	char   bound[HTTP_BOUND];
	bool   admin;
	bool   local;     /* only this machine gets there */
	bool   inherited; /* whoever gave it keeps it */
	ino_t  inode;     /* inode of our unix socket's path; 0: none */
	int    fds[LISTEN_SOCKETS];
	size_t count;
};

/* Owned by who has it; the descriptors are open until listen_set_finish. */
struct listen_set {
	struct listen_place places[LISTEN_PLACES];
	size_t              count;
};

/* listen_set_add: opens ADDR:PORT for so many loops, or unix:/path with the mode, or takes fd:N, fd:NAME
 * or systemd (which may be several) from what was inherited.  Errors: INVALID_VALUE, OVERLOADED (it
 * is in use). */
enum errc listen_set_add(struct listen_set *s, const char *address, bool admin, size_t loops,
			 unsigned mode, struct err *e) MUST_USE;
/* listen_set_take: moves what `from` has for this address, as it was configured or as it is bound;
 * false: nothing. */
bool listen_set_take(struct listen_set *s, struct listen_set *from, const char *address,
		     bool admin);
/* listen_set_check: open: without API keys only this machine may be served.  *ret_local: it is. */
enum errc listen_set_check(const struct listen_set *s, bool open, bool *ret_local, struct err *e);
/* listen_set_is_loopback: all main addresses are TCP's loopback.  A unix socket is not: what clients reach
 * it is a proxy's choice. */
bool listen_set_is_loopback(const struct listen_set *s);
/* listen_set_shut: nobody waits in the queues any longer, and the ports are free; not of what was
 * inherited. */
void listen_set_shut(struct listen_set *s);
/* listen_set_finish: paths of unix sockets are removed, unless somebody goes on listening there. */
void listen_set_finish(struct listen_set *s, bool leave);

/* --- app_about: what the operator's overview tells of a configuration and of the process, as JSON. */

/* The headers for the collector, "name=value,…", often contain a key. */
extern const char app_about_otlp[];

/* app_about: running: the configuration of the start; read: of the last reload, or the same.  The
 * texts are in a.  Errors: INTERNAL (memory). */
enum errc app_about(const struct config *running, const struct config *read, struct arena *a,
		    struct snapshot_about *ret, struct err *e) MUST_USE;
/* app_about_listeners: the list of listeners, printed to out. */
bool app_about_listeners(const struct listen_set *set, bool tls, struct buf *out) MUST_USE;

/* --- app_bucket: the bucket that the options name. */

/* app_bucket_create: *ret is owned; NULL: the options name none.  The keys come from the environment.
 * Errors: INVALID_VALUE, OVERLOADED, INTERNAL. */
enum errc app_bucket_create(const struct config *c, struct bucket **ret, struct err *e) MUST_USE;

/* --- app_snapshot: a configuration made into what handlers use; swapped whole by a reload. */

/* app_snapshot_create: *ret has one reference.  Copies what it needs of c, and of the configuration of
 * the start, which at the start is c itself.
 * Errors: those of providers and registry, INVALID_VALUE. */
enum errc app_snapshot_create(const struct config *c, const struct config *running,
			      struct snapshot **ret, struct err *e) MUST_USE;
/* app_snapshot_find: who holds the configured key with this digest, held; NULL: nobody.  Its owner's
 * number follows from the key alone. */
struct identity *app_snapshot_find(const struct snapshot *s,
				   const unsigned char    sha256[HASH_BYTES]) MUST_USE;
/* app_snapshot_warn: logs the groups into which tokens put people, and the keys and groups of hooks, which are not
 * there. */
void app_snapshot_warn(const struct snapshot *s, struct key_ring *ring);
/* app_snapshot_named: who of the configured keys has this name in a ticket or in a token, held, and the
 * digest of the key's text; NULL: nobody. */
struct identity *app_snapshot_named(const struct snapshot *s, const char *name,
				    unsigned char ret_sha256[HASH_BYTES]) MUST_USE;

/* --- app_alert: tells a webhook what is wrong, and when it is well again, once for each change. */

/* The name of the secret that the webhook is sent. */
extern const char app_about_alert[];

struct alerts;
struct alert_kind {
	const char *begins; /* the type of its message, a constant */
	const char *ends;   /* NULL: its end is not told */
	const char *well;   /* its text, before the subject */
};
/* alerts_create: g is borrowed until alerts_destroy (NULL is fine).  url: NULL: nobody is told; what stands is kept
 * all the same.  token: NULL: none is sent.
 * Errors: INVALID_VALUE, INTERNAL. */
enum errc alerts_create(struct gateway *g, const char *url, const char *token, struct alerts **ret,
			struct err *e) MUST_USE;
void      alerts_destroy(struct alerts *x);
/* alert_set: it stands from now on; told unless it stood already, in this window.  alert_clear: it does not. */
void alert_set(struct alerts *x, const struct alert_kind *kind, const char *subject, int64_t window,
	       const char *fmt, ...) PRINTF(5, 6);
void alert_clear(struct alerts *x, const struct alert_kind *kind, const char *subject);

/* --- app_lookout: notes the health of the providers in the store, and looks for what is to be told. */

struct lookout;
struct lookout_options {
	struct gateway *gateway;
	const char     *alert_url;    /* NULL: nobody is told of alerts */
	const char     *alert_token;  /* NULL: none */
	int64_t         alert_budget; /* percent of a budget at which its end is near */
	const char     *database;     /* a file, whose disk may run out of room; NULL: it is none */
};
/* lookout_create: begins to look, on the loop of the gateway; all is borrowed until lookout_destroy (NULL is
 * fine).  Errors: those of alerts_create. */
enum errc lookout_create(const struct lookout_options *o, struct lookout **ret,
			 struct err *e) MUST_USE;
void      lookout_destroy(struct lookout *w);

/* --- app_worker: one thread with its loop, its servers and its runs. */

struct worker_options {
	unsigned              index;
	struct store         *store;
	struct work_pool     *work;
	struct work_pool     *cpu;
	const struct beneath *image_root; /* or NULL */
	struct snapshot      *snapshot;   /* a reference is taken */
	const atomic_bool    *draining;
	struct process       *process; /* shared by all workers; borrowed */
	size_t                max_body;
	size_t                max_bodies;
	size_t                max_connections;
	int64_t               max_file;
	struct store_keep     keep;
	const char           *computer; /* path of the runner's socket; NULL: none */
	bool                  computer_auto;
	/* Traces go to the collector from the first worker; NULL: none. */
	const char *otlp_endpoint, *otlp_headers;
	/* The first worker tells of alerts (struct lookout_options). */
	const char *alert_url, *alert_token;
	int64_t     alert_budget;
	const char *database;
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
	bool proxied; /* the console's pages also answer requests through a proxy */
	bool admin_console; /* the admin listener has the console's pages */
};
/* worker_bound: all main addresses are known; before worker_start. */
void      worker_bound(struct worker *w, const struct worker_reach *reach);
enum errc worker_start(struct worker *w, struct err *e) MUST_USE;
/* From any thread: the worker does it on its own. */
void worker_reload(struct worker *w, struct snapshot *s); /* a reference is taken */
/* worker_note_reload: the audit gets its entry. */
void worker_note_reload(struct worker *w);
/* worker_drain: leave: new connections wait for who else has the sockets. */
void worker_drain(struct worker *w, int64_t timeout_us, bool leave);
/* worker_owes: the drain has found answers that have not ended.  Any thread. */
bool worker_owes(const struct worker *w) MUST_USE;
/* worker_stop: ends the thread (drained before) and waits for it. */
void worker_stop(struct worker *w);
void worker_destroy(struct worker *w);
OWNABLE(worker);

/* --- app_notify: tells a service manager how far we are (the protocol of systemd's sd_notify). */

/* app_notify: lines as "READY=1", separated by '\n'; nothing happens where nobody asked for them. */
void app_notify(const char *state);
/* app_notify_reloading: RELOADING=1 with the time that systemd wants beside it. */
void app_notify_reloading(void);

/* --- app_takeover: one process hands its sockets and its database's lock to the next one, over a unix
 * socket beside the database (FILE.takeover, of this user alone).
 *
 *   new: asks    --> old: its background work rests; lock and sockets
 *   new: opens all that it needs
 *   new: ready   --> old: takes nothing new any more, ends its answers; says so
 *   new: serves
 *
 * Whichever of them goes before that: the old one goes on as if nothing had been asked. */

enum takeover_word {
	TAKEOVER_NOTHING,
	TAKEOVER_READY,
	TAKEOVER_CANCEL, /* cancels a run that goes on in the old one */
	TAKEOVER_LEFT,
};

/* --- the old one --- */

/* takeover_offer: *ret_fd listens, and shows by poll that somebody asks.  Errors: STORAGE. */
enum errc takeover_offer(const char *database, int *ret_fd, struct err *e) MUST_USE;
/* takeover_accept: the connection of one who asked as he should, else -1. */
int       takeover_accept(int fd);
enum errc takeover_give(int peer, int lock_fd, const struct listen_set *s, struct err *e) MUST_USE;
void      takeover_refuse(int peer, const struct err *why);
enum takeover_word takeover_read(int peer, struct id *ret_run, int64_t *ret_owner);
/* takeover_done: the answer to TAKEOVER_READY. */
void takeover_done(int peer);
/* takeover_withdraw: closes fd and removes the socket, where `mine` says that it is ours still. */
void takeover_withdraw(const char *database, int fd, bool mine);

/* --- the new one --- */

/* takeover_ask: *ret_peer -1: there is nobody to take over from; else all three are the caller's.
 * Errors: OVERLOADED with the old one's reason; STORAGE. */
enum errc takeover_ask(const char *database, int *ret_peer, int *ret_lock_fd,
		       struct listen_set *ret_set, struct err *e) MUST_USE;
/* takeover_begin: says that all is ready, and waits until the old one takes nothing new. */
enum errc takeover_begin(int peer, struct err *e) MUST_USE;
/* takeover_cancel: asks the old one to end a run, and does not wait where he can't take it.  Any
 * thread. */
void takeover_cancel(int peer, struct id run, int64_t owner);

/* --- internal --- */

enum { WORKERS_MAX = 256 };

struct app {
	const struct config *config; /* the one of the start */
	struct config       *read;   /* owned, the one of the last reload; NULL: there was none */
	uint64_t             secrets_seen; /* config_secrets_changed */
	int64_t secrets_again_us; /* time to read them once more; 0: the last time was well */
	struct process    process;
	struct store     *store;
	struct work_pool *work;
	struct work_pool *cpu;
	struct bucket    *bucket;     /* NULL: not configured */
	struct beneath   *image_root; /* NULL: not configured */
	struct snapshot  *snapshot;
	struct worker    *workers[WORKERS_MAX];
	size_t            worker_count;
	struct listen_set listen;
	struct listen_set taken;  /* sockets of the previous process, until this one serves */
	int               before; /* connection to the previous process; -1: none */
	int               offer;  /* socket for a process that takes over; -1: none */
	int               after;  /* connection to the next process; -1: none */
	int64_t           after_until_us;
	bool              before_failed;
	bool              given; /* the next process has the sockets and the lock */
	atomic_bool       draining;
	int               signal_fd;
	int               quiet_fd;
	int               done_fd;
};

/* --- app_start.c --- */

/* app_is_open: neither the configuration nor the store has a key. */
bool app_is_open(const struct app *a, const struct snapshot *s);
/* app_start: does everything up to serving; returns the exit status, or 0. */
int app_start(struct app *a, bool takeover, struct err *e);

/* --- app_wait.c --- */

/* Beside the numbers of signals. */
enum {
	SIGNAL_GIVEN = -2,   /* another process has taken over */
	SIGNAL_SECRETS = -3, /* a file with a secret has changed */
};
/* app_config: the configuration that was read last. */
const struct config *app_config(const struct app *a);
/* app_serve_on: returns the signal that interrupts the serving, or one of these. */
int app_serve_on(struct app *a);
/* app_wait_drained: a signal that ends the wait; 0: all workers have drained; -1: time-out. */
int app_wait_drained(struct app *a, uint64_t *drained, int64_t timeout_ms);
/* app_hand_over: the next process begins to serve after all workers of this one have stopped taking
 * new calls, so that it serves every client that connects after its start. A hanging loop does not
 * delay it. */
void app_hand_over(struct app *a);
/* app_keep_serving: the process that asked to take over can't, so this one goes on; why: for the log. */
void app_keep_serving(struct app *a, const char *why);
