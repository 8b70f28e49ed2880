/* The composition root: store, workers, listeners and signals of a serving process. */
#include "app/app.h"

#include "app/app_about.h"
#include "app/app_bucket.h"
#include "app/app_listen.h"
#include "app/app_notify.h"
#include "app/app_snapshot.h"
#include "app/app_takeover.h"
#include "app/app_worker.h"
#include "app/engines.h"
#include "base/beneath.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/trace.h"
#include "config/config_check.h"
#include "config/config_secret.h"
#include "app/exit_status.h"
#include "http/tls.h"
#include "loop/work.h"
#include "routes/console/console.h"
#include "routes/kit/process.h"
#include "run/assemble.h"
#include "desk/admit.h"
#include "desk/idem.h"
#include "desk/live.h"
#include "desk/watch.h"
#include "store/engine.h"
#include "store/key_ring.h"
#include "upstream/bucket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	WORKERS_MAX = 256,
	PEER_LOOK_MS = 50,       /* interval of looking at runs of the previous process */
	TAKEOVER_MS = 60 * 1000, /* time for a new process to become ready */
	HAND_OVER_MS = 2000,     /* time for the workers to stop taking new calls */
	SIGNAL_GIVEN = -2,       /* no signal: another process has taken over */
	WORK_THREADS = 2,        /* threads for all loops: their tasks are rare and long */
	BUCKET_THREADS = 16,     /* the same, where each may wait for a bucket for seconds */
	/* time after drain_timeout, for the last errors to reach their readers */
	DRAIN_GRACE_MS = 5000,
};

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

static int app_fail(const struct err *e, int status)
{
	fprintf(stderr, "parley: %s%s%s\n", e->path, e->path[0] ? ": " : "", e->text);
	return status;
}

/* --- start --- */

/* is_open: neither the configuration nor the store has a key. */
static bool is_open(const struct app *a, const struct snapshot *s)
{
	return s->http.open && !key_ring_any(a->store->ring);
}

/* The admin listener exists if the configuration asks for it, or if the main address is not
 * loopback. */
static bool wants_admin(const struct config *c, bool local)
{
	return !local || config_says(c, "admin_listen");
}

/* The address of an inherited socket is known only after it was opened. */
static bool app_is_inherited(const char *address)
{
	return strncmp(address, "fd:", 3) == 0 || strcmp(address, "systemd") == 0;
}

static enum errc app_check_listen(const struct config *c, bool open, bool *ret_local, struct err *e)
{
	*ret_local = true;
	for (size_t i = 0; i < c->listen.count; i++) {
		if (http_is_loopback(c->listen.items[i]) || app_is_inherited(c->listen.items[i]))
			continue;
		*ret_local = false;
		if (open)
			return err_set(
				e, ERR_INVALID_VALUE, "listen",
				"%s is not a loopback address: without API keys only loopback is "
				"served; make a key (parley keys create), or set api_keys or "
				"PARLEY_API_KEY",
				c->listen.items[i]);
	}
	if (open && wants_admin(c, *ret_local) && !http_is_loopback(c->admin_listen))
		return err_set(
			e, ERR_INVALID_VALUE, "admin_listen",
			"%s is not a loopback address: without API keys only loopback is served",
			c->admin_listen);
	return ERR_OK;
}

static void raise_descriptor_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/* serve_place: each worker gets one socket of the place; further sockets are dealt out in the same
 * order. */
static enum errc serve_place(struct app *a, const struct listen_place *p, struct err *e)
{
	size_t workers = p->admin ? 1 : a->worker_count;

	CHECK(a->worker_count > 0);
	for (size_t i = 0; i < workers || i < p->count; i++) {
		int       fd = fcntl(p->fds[i % p->count], F_DUPFD_CLOEXEC, 0);
		enum errc rc = fd < 0 ? err_set(e, ERR_INTERNAL, "", "can't share a socket")
				      : worker_listen(a->workers[i % workers], fd, p->admin,
						      p->inherited, e);

		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc listen_all(struct app *a, const char *address, bool admin, struct err *e)
{
	unsigned  mode = (unsigned)strtoul(a->config->socket_mode, NULL, 8);
	size_t    at = a->listen.count;
	enum errc rc =
		listen_set_take(&a->listen, &a->taken, address, admin)
			? ERR_OK
			: listen_set_add(&a->listen, address, admin, a->worker_count, mode, e);

	for (; rc == ERR_OK && at < a->listen.count; at++)
		rc = serve_place(a, &a->listen.places[at], e);
	return rc;
}

static enum errc make_workers(struct app *a, struct err *e)
{
	long   cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count =
		a->config->loops > 0 ? (size_t)a->config->loops : (size_t)(cores > 0 ? cores : 1);

	if (count > WORKERS_MAX)
		count = WORKERS_MAX;
	a->process.max_connections = a->config->max_connections > 0
					     ? (size_t)a->config->max_connections
					     : http_connections_max(count);
	for (size_t i = 0; i < count; i++) {
		enum errc rc = worker_create(
			&(struct worker_options){
				.index = (unsigned)i,
				.store = a->store,
				.work = a->work,
				.cpu = a->cpu,
				.image_root = a->image_root,
				.snapshot = a->snapshot,
				.draining = &a->draining,
				.process = &a->process,
				.max_body = (size_t)a->config->max_body,
				/* The limit is at least one body of the largest size. */
				.max_bodies = (size_t)(a->config->max_bodies > a->config->max_body
							       ? a->config->max_bodies
							       : a->config->max_body),
				.max_connections = a->process.max_connections,
				.max_file = a->config->max_file,
				.computer = a->config->computer[0] ? a->config->computer + 5 : NULL,
				.computer_auto = a->config->computer_auto,
				.otlp_endpoint = a->config->otlp_endpoint[0]
							 ? a->config->otlp_endpoint
							 : NULL,
				.otlp_headers = config_secret_env(app_about_otlp),
				.tls = a->config->tls_cert[0] != '\0',
				.quiet_fd = a->quiet_fd,
				.done_fd = a->done_fd,
			},
			&a->workers[i], e);

		if (rc != ERR_OK)
			return rc;
		a->worker_count++;
	}
	return ERR_OK;
}

static enum errc start_workers(struct app *a, struct err *e)
{
	for (size_t i = 0; i < a->worker_count; i++) {
		enum errc rc = worker_start(a->workers[i], e);

		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static int open_signals(void)
{
	sigset_t set;

	/* The signals are blocked before any thread exists, so that only the descriptor receives
	 * them. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* a write above the file size limit fails instead of ending the process */
	signal(SIGXFSZ, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void app_cancel(struct id run, int64_t owner)
{
	(void)live_cancel(run, owner);
}

static const struct store_neighbours neighbours = { watch_elsewhere, watch_mark, app_cancel,
						    admit_spare };

static struct store_options app_store_options(const struct config *c)
{
	return (struct store_options){
		.path = c->database,
		.password = engine_password(),
		.readers = (unsigned)c->readers,
		.busy_ms = 5000,
		.migrate = true,
		.events_keep_ms = c->events_keep / 1000,
		.events_keep_bytes = c->events_keep_size,
		.idem_keep_ms = c->idempotency_keep / 1000,
		.assemble = assemble,
		.neighbours = &neighbours,
	};
}

static enum errc open_image_root(struct app *a, struct err *e)
{
	if (!a->config->image_root[0])
		return ERR_OK;

	enum errc rc = beneath_open(a->config->image_root, &a->image_root, e);
	if (rc != ERR_OK)
		err_at(e, "image_root");
	return rc;
}

static void print_ready(const char *bound, bool tls)
{
	bool path = strncmp(bound, "unix:", 5) == 0;

	printf("parley ready on %s%s\n", path ? "" : tls ? "https://" : "http://", bound);
}

static _Atomic int process_before = -1;

static void cancel_before(struct id run, int64_t owner)
{
	takeover_cancel(atomic_load(&process_before), run, owner);
}

static struct store *_Atomic shared_store;

static void cancel_shared(struct id run, int64_t owner)
{
	store_cancel(atomic_load(&shared_store), run, owner);
}

static void free_shared(struct id claim)
{
	store_idem_free(atomic_load(&shared_store), claim);
}

/* The unused sockets stay open until this process serves: until then the previous process may have
 * to continue with them. And the previous process keeps the same sockets while its answers end, so
 * that closing them only here would not close them. */
static void shut_unused(struct app *a)
{
	for (size_t i = 0; i < a->taken.count; i++)
		log_note(LOG_INFO, "takeover", "%s is not served any more",
			 a->taken.places[i].bound);
	listen_set_shut(&a->taken);
	listen_set_finish(&a->taken, false);
}

/* join_neighbours: ends the part of the previous process in serving, and listens for the next one. */
static void join_neighbours(struct app *a)
{
	struct err e;

	if (a->before >= 0) {
		shut_unused(a);
		atomic_store(&process_before, a->before);
		live_elsewhere(cancel_before);
		log_note(LOG_INFO, "takeover",
			 "serving; the previous process finishes its answers");
	} else if (store_is_shared(a->store)) {
		atomic_store(&shared_store, a->store);
		live_elsewhere(cancel_shared);
		idem_store(free_shared);
	}
	if (a->store->ops->peers && takeover_offer(a->config->database, &a->offer, &e) != ERR_OK)
		log_note(LOG_WARN, "takeover", "%s", e.text);
}

/* share_routes: decides which routes the main addresses and the admin listener have. */
static void share_routes(struct app *a, bool local)
{
	int                 console = console_built() ? a->config->console : CONSOLE_OFF;
	bool                loopback = listen_set_is_loopback(&a->listen);
	struct worker_reach reach = {
		.local = local,
		.admin = loopback && console != CONSOLE_OFF,
		.console = console == CONSOLE_ALL || (loopback && console == CONSOLE_ADMIN),
		.proxied = console == CONSOLE_ALL,
		.admin_console = console != CONSOLE_OFF,
	};

	for (size_t i = 0; i < a->worker_count; i++)
		worker_bound(a->workers[i], &reach);
	for (size_t i = 0; reach.console && loopback && i < a->listen.count; i++)
		log_note(LOG_INFO, "console", "the console is on %s://%s/console/",
			 a->config->tls_cert[0] ? "https" : "http", a->listen.places[i].bound);
}

/* app_start: does everything up to serving; returns the exit status, or 0. */
static int app_start(struct app *a, bool takeover, struct err *e)
{
	const struct config *c = a->config;
	struct store_options so = app_store_options(c);
	bool                 local = true;

	if (app_bucket_create(c, &a->bucket, e) != ERR_OK)
		return EX_CONFIG;
	so.bucket = a->bucket;
	so.bucket_write = c->files_s3_write;
	if (app_snapshot_create(c, c, &a->snapshot, e) != ERR_OK ||
	    open_image_root(a, e) != ERR_OK ||
	    (c->tls_cert[0] && tls_use(c->tls_cert, c->tls_key, e) != ERR_OK))
		return EX_CONFIG;
	if (takeover) {
		if (takeover_ask(c->database, &a->before, &so.handover_fd, &a->taken, e) != ERR_OK)
			return EX_UNAVAILABLE;
		so.handover = a->before >= 0;
	}
	if (engine_for(so.path)->open(&so, &a->store, e) != ERR_OK)
		return exit_status_of_store(e);
	if (store_is_shared(a->store) && !admit_share(a->store)) {
		err_no_memory(e);
		return EX_OSERR;
	}
	if (app_check_listen(c, is_open(a, a->snapshot), &local, e) != ERR_OK)
		return EX_CONFIG;
	if (work_pool_create(a->bucket ? BUCKET_THREADS : WORK_THREADS, LIMIT_WORK_QUEUE, &a->work,
			     e) != ERR_OK ||
	    work_pool_create(WORK_THREADS, LIMIT_WORK_QUEUE, &a->cpu, e) != ERR_OK ||
	    make_workers(a, e) != ERR_OK)
		return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_OSERR;
	for (size_t i = 0; i < c->listen.count; i++)
		if (listen_all(a, c->listen.items[i], false, e) != ERR_OK)
			return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_UNAVAILABLE;
	if (listen_set_check(&a->listen, is_open(a, a->snapshot), &local, e) != ERR_OK)
		return EX_CONFIG;
	share_routes(a, local);
	if (wants_admin(c, local)) {
		if (listen_all(a, c->admin_listen, true, e) != ERR_OK)
			return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_UNAVAILABLE;
		log_note(LOG_INFO, "admin", "metrics and keys on http://%s",
			 a->listen.places[a->listen.count - 1].bound);
	}
	struct buf listeners;

	buf_init(&listeners, LIMIT_OVERVIEW);
	if (!app_about_listeners(&a->listen, c->tls_cert[0] != '\0', &listeners)) {
		buf_finish(&listeners);
		err_set(e, ERR_INTERNAL, "", "out of memory");
		return EX_OSERR;
	}
	a->process.listeners = buf_view(&listeners);
	if (a->before >= 0) {
		if (takeover_begin(a->before, e) != ERR_OK)
			return EX_UNAVAILABLE;
		store_taken_over(a->store);
	}
	if (start_workers(a, e) != ERR_OK)
		return EX_OSERR;
	join_neighbours(a);
	for (size_t i = 0; i < a->listen.count; i++)
		if (!a->listen.places[i].admin)
			print_ready(a->listen.places[i].bound, c->tls_cert[0] != '\0');
	fflush(stdout);
	app_notify("READY=1\nSTATUS=serving");
	return EX_OK;
}

/* --- signals --- */

/* A reload can't switch TLS on or off, but its files may be others. */
static enum errc renew_certificate(const struct app *a, const struct config *c, struct err *e)
{
	if (!a->config->tls_cert[0] != !c->tls_cert[0])
		return err_set(e, ERR_INVALID_VALUE, "tls_cert",
			       "TLS can't be switched on or off by a reload; start anew");
	return c->tls_cert[0] ? tls_use(c->tls_cert, c->tls_key, e) : ERR_OK;
}

/* note_kept: logs the changed options that need a restart. */
static void note_kept(const struct app *a, const struct config *c)
{
	struct buf names;

	buf_init(&names, 4 * KIB);
	if (config_kept(a->config, c, &names) && names.len > 0)
		log_note(LOG_WARN, "reload", "these options change at the next start only: %.*s",
			 STR_ARG(buf_view(&names)));
	buf_finish(&names);
}

static void app_reload(struct app *a, const char *file, const struct config_flag *flags, size_t n)
{
	struct config   *c = NULL;
	struct snapshot *s = NULL;
	struct err       e;
	bool             ok = config_load(file, flags, n, &c, &e) == ERR_OK &&
		  config_check_serve(c, &e) == ERR_OK;
	bool local;

	/* The new configuration is checked as a whole before anything changes. A reload must not
	 * remove the last key of a listener that is not loopback. */
	ok = ok && app_snapshot_create(c, a->config, &s, &e) == ERR_OK &&
	     listen_set_check(&a->listen, is_open(a, s), &local, &e) == ERR_OK &&
	     renew_certificate(a, c, &e) == ERR_OK;
	metric_add(METRIC_RELOADS, (const char *[]){ ok ? "ok" : "failed", "", "" }, 1);
	process_reloaded(&a->process, clock_wall_ms() / 1000, ok ? NULL : &e);
	if (ok)
		metric_set(METRIC_RELOADED, clock_wall_ms() / 1000);
	if (ok) {
		log_set_level((enum log_level)c->log_level);
		health_forgive(); /* a provider's key may have changed */
		for (size_t i = 0; i < a->worker_count; i++)
			worker_reload(a->workers[i], s);
		note_kept(a, c);
		log_note(LOG_INFO, "reload", "the configuration was read again");
	} else {
		log_note(LOG_ERROR, "reload", "the old configuration stays in use: %s", e.text);
	}
	if (s)
		snapshot_release(s);
	config_destroy(c);
}

/* --- a process that takes over --- */

static void give_up(struct app *a, const char *why)
{
	struct err e;

	close(a->after);
	a->after = -1;
	log_note(LOG_WARN, "takeover", "%s: this process continues to serve", why);
	if (store_resume(a->store, &e) != ERR_OK)
		log_note(LOG_ERROR, "takeover", "%s", e.text);
}

/* Passes the sockets and the lock to the process that asks. This process serves until the next one
 * is ready. */
static void app_give_sockets(struct app *a)
{
	struct err e;
	int        lock_fd = -1;
	int        peer = takeover_accept(a->offer);

	if (peer < 0)
		return;
	if (a->after >= 0 || a->given || atomic_load(&a->draining)) {
		err_set(&e, ERR_OVERLOADED, "", "another takeover, or the end, is under way");
	} else if (store_quiesce(a->store, &lock_fd, &e) == ERR_OK) {
		a->after = peer;
		a->after_until_us = clock_mono_us() + TAKEOVER_MS * (int64_t)1000;
		log_note(LOG_INFO, "takeover", "another process asks to take over");
		if (takeover_give(peer, lock_fd, &a->listen, &e) != ERR_OK)
			give_up(a, e.text);
		return;
	}
	log_note(LOG_WARN, "takeover", "refused: %s", e.text);
	takeover_refuse(peer, &e);
	close(peer);
}

/* hear: reads the message of the next process; true: that process is ready and waits for
 * hand_over. */
static bool hear(struct app *a)
{
	struct id run;
	int64_t   owner;

	for (;;) {
		switch (takeover_read(a->after, &run, &owner)) {
		case TAKEOVER_NOTHING: return false;
		case TAKEOVER_CANCEL: (void)live_cancel(run, owner); break;
		case TAKEOVER_READY:
			if (a->given)
				break;
			a->given = true;
			store_handed_over(a->store);
			return true;
		case TAKEOVER_LEFT:
			if (a->given) {
				close(a->after);
				a->after = -1;
				listen_set_shut(&a->listen);
				log_note(LOG_WARN, "takeover",
					 "the process that took over has gone");
			} else {
				give_up(a, "the process that asked has gone");
			}
			return false;
		}
	}
}

static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* app_patience: the time until the next look at something that sends no signal. */
static int app_patience(const struct app *a, int timeout_ms)
{
	if (a->after >= 0 && !a->given)
		timeout_ms = sooner(timeout_ms, 1000);
	if (store_peer_alive(a->store))
		timeout_ms = sooner(timeout_ms, PEER_LOOK_MS);
	return timeout_ms;
}

static void look_around(struct app *a, bool *was_alive)
{
	bool alive = store_peer_alive(a->store);

	/* One more look follows the end of the other process: by now its interrupted runs have an
	 * end. */
	if (alive || *was_alive)
		watch_look_again();
	*was_alive = alive;
	if (a->after >= 0 && !a->given && clock_mono_us() > a->after_until_us)
		give_up(a, "the process that asked is not ready in time");
}

/* next_signal: the next signal; 0: before it, `want` workers have drained; -1: time-out. */
static int next_signal(struct app *a, uint64_t *drained, uint64_t want, int timeout_ms)
{
	int64_t until = clock_mono_us() + timeout_ms * (int64_t)1000;
	bool    was_alive = false;

	for (;;) {
		struct signalfd_siginfo info;
		uint64_t                n;
		struct pollfd           fds[4] = { { .fd = a->signal_fd, .events = POLLIN },
						   { .fd = a->done_fd, .events = POLLIN },
						   { .fd = a->offer, .events = POLLIN },
						   { .fd = a->after, .events = POLLIN } };
		int64_t                 left = (until - clock_mono_us() + 999) / 1000;

		if (timeout_ms >= 0 && left <= 0)
			return -1;
		if (poll(fds, 4, app_patience(a, timeout_ms < 0 ? -1 : (int)left)) < 0 &&
		    errno != EINTR)
			return SIGTERM;
		look_around(a, &was_alive);
		if ((fds[1].revents & POLLIN) &&
		    read(a->done_fd, &n, sizeof n) == (ssize_t)sizeof n) {
			*drained += n;
			if (*drained >= want)
				return 0;
		}
		if ((fds[0].revents & POLLIN) &&
		    read(a->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
			return (int)info.ssi_signo;
		if (fds[3].revents && a->after >= 0 && hear(a))
			return SIGNAL_GIVEN;
		if (fds[2].revents & POLLIN)
			app_give_sockets(a);
	}
}

/* serve_on: returns after a signal. Hanging loops are left to the health checks of clients. */
static int serve_on(struct app *a)
{
	uint64_t none = 0;
	int      sig;

	while ((sig = next_signal(a, &none, UINT64_MAX, app_notify_pause_ms())) == -1)
		app_notify("WATCHDOG=1");
	return sig;
}

/* wait_drained: as next_signal. */
static int wait_drained(struct app *a, uint64_t *drained, int64_t timeout_ms)
{
	int ms = timeout_ms < INT32_MAX ? (int)timeout_ms : INT32_MAX;
	int sig;

	/* A reload has no use here, but does not count as a second order to stop. */
	do {
		sig = next_signal(a, drained, a->worker_count, ms);
	} while (sig == SIGHUP || sig == SIGNAL_GIVEN);
	return sig;
}

/* hand_over: the next process begins to serve after all workers of this one have stopped taking new
 * calls, so that it serves every client that connects after its start. A hanging loop does not
 * delay it. */
static void hand_over(struct app *a)
{
	int64_t  until = clock_mono_us() + HAND_OVER_MS * (int64_t)1000;
	uint64_t quiet = 0;

	while (quiet < a->worker_count) {
		struct pollfd fd = { .fd = a->quiet_fd, .events = POLLIN };
		int64_t       left = (until - clock_mono_us() + 999) / 1000;
		uint64_t      n;

		if (left <= 0 || (poll(&fd, 1, (int)left) < 0 && errno != EINTR))
			break;
		if ((fd.revents & POLLIN) && read(a->quiet_fd, &n, sizeof n) == (ssize_t)sizeof n)
			quiet += n;
	}
	takeover_done(a->after);
}

/* Workers that wait for the bucket come back, within about a second. */
static void app_stop_bucket(struct app *a)
{
	if (a->bucket)
		bucket_stop(a->bucket);
}

/* app_drain: true: all answers have ended; false: a second signal, or the time is over. */
static bool app_drain(struct app *a)
{
	uint64_t drained = 0;

	if (a->after >= 0 && !a->given)
		give_up(a, "this process is told to stop");
	log_note(LOG_INFO, "drain",
		 a->given ? "another process serves now: running answers may end first"
			  : "shutting down: running answers may end first");
	atomic_store(&a->draining, true);
	for (size_t i = 0; i < a->worker_count; i++)
		worker_drain(a->workers[i], a->config->drain_timeout, a->given);
	if (a->given)
		hand_over(a);
	int sig = wait_drained(a, &drained, a->config->drain_timeout / 1000);
	if (sig == -1) {
		app_stop_bucket(a);
		sig = wait_drained(a, &drained, DRAIN_GRACE_MS);
	}
	return sig == 0;
}

static void app_stop(struct app *a)
{
	live_elsewhere(NULL);
	idem_store(NULL);
	takeover_withdraw(a->config->database, a->offer, !a->given);
	listen_set_finish(&a->listen, a->given || a->before_failed);
	listen_set_finish(&a->taken, true);
	for (size_t i = 0; i < a->worker_count; i++)
		worker_stop(a->workers[i]);
	/* The last answers of the pool and the store go into the workers' inboxes, so both are
	 * stopped before the workers. The pool stops first, because its tasks may use the store. A
	 * stopped pool refuses new tasks of those answers. */
	app_stop_bucket(a);
	work_pool_stop(a->work);
	work_pool_stop(a->cpu);
	store_destroy(a->store);
	bucket_destroy(a->bucket);
	for (size_t i = 0; i < a->worker_count; i++)
		worker_destroy(a->workers[i]);
	work_pool_destroy(a->work);
	work_pool_destroy(a->cpu);
	tls_finish();
	beneath_destroy(a->image_root);
	if (a->snapshot)
		snapshot_release(a->snapshot);
	free((char *)(uintptr_t)a->process.listeners.p);
	pthread_mutex_destroy(&a->process.lock);
	if (a->signal_fd >= 0)
		close(a->signal_fd);
	if (a->quiet_fd >= 0)
		close(a->quiet_fd);
	if (a->done_fd >= 0)
		close(a->done_fd);
	if (a->before >= 0)
		close(a->before);
	if (a->after >= 0)
		close(a->after);
}

int app_serve(const struct config *c, const char *file, const struct config_flag *flags, size_t n,
	      bool takeover)
{
	struct app a = { .config = c, .before = -1, .offer = -1, .after = -1 };
	struct err e;

	raise_descriptor_limit();
	pthread_mutex_init(&a.process.lock, NULL);
	a.process.started_s = clock_wall_ms() / 1000;
	a.signal_fd = open_signals();
	a.quiet_fd = eventfd(0, EFD_CLOEXEC);
	a.done_fd = eventfd(0, EFD_CLOEXEC);
	if (route_check(routes, &e) != ERR_OK)
		return app_fail(&e, EX_SOFTWARE);
	log_start((enum log_level)c->log_level, (enum log_format)c->log_format);
	if (c->otlp_endpoint[0])
		trace_enable(c->trace_sample);
	metric_set(METRIC_RELOADED, clock_wall_ms() / 1000);
	metric_add(METRIC_BUILD, (const char *[]){ PARLEY_VERSION, "", "" }, 1);

	int status = app_start(&a, takeover, &e);
	if (status != EX_OK) {
		a.before_failed = a.before >= 0; /* the previous process still owns the sockets */
		log_stop();
		app_stop(&a);
		return app_fail(&e, status);
	}
	while (serve_on(&a) == SIGHUP) {
		app_notify_reloading();
		app_reload(&a, file, flags, n);
		app_notify("READY=1");
	}
	app_notify("STOPPING=1\nSTATUS=running answers may end");
	if (!app_drain(&a)) {
		log_note(LOG_WARN, "drain", "stopped before all answers had ended");
		log_stop();
		_exit(EX_TEMPFAIL);
	}
	app_stop(&a);
	log_note(LOG_INFO, "stopped", "the gateway has stopped");
	log_stop();
	return EX_OK;
}

int app_migrate(const struct config *c)
{
	struct store_options so = app_store_options(c);
	struct err           e;
	int                  applied = 0;

	if (engine_for(so.path)->migrate(&so, &applied, &e) != ERR_OK)
		return app_fail(&e, exit_status_of_store(&e));
	printf("%d migration%s applied to %s\n", applied, applied == 1 ? "" : "s", c->database);
	return EX_OK;
}

int app_dump_routes(void)
{
	struct err e;

	if (route_check(routes, &e) != ERR_OK)
		return app_fail(&e, EX_SOFTWARE);
	for (const struct route *row = routes; row->name; row++)
		printf("%s %s\n", row->method, row->path);
	return EX_OK;
}
