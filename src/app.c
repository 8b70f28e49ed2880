/* The composition root: store, workers, listeners and signals of a serving process. */
#include "app.h"

#include "app_snapshot.h"
#include "app_worker.h"
#include "base/beneath.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "loop/work.h"
#include "run/assemble.h"
#include "store/store.h"
#include "upstream/upstream.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	WORKERS_MAX = 256,
	ADDRESS = 64,
	WORK_THREADS = 2, /* for all loops: what they do is rare and long */
	DRAIN_GRACE_MS = 5000, /* behind drain_timeout, for last errors to reach their readers */
};

struct app {
	const struct config *config;
	struct store        *store;
	struct work_pool    *work;
	struct beneath      *image_root; /* NULL: not configured */
	struct snapshot     *snapshot;
	struct worker       *workers[WORKERS_MAX];
	size_t               worker_count;
	atomic_bool          draining;
	int                  signal_fd;
	int                  done_fd;
};

static int fail(const struct err *e, int status)
{
	fprintf(stderr, "parley: %s%s%s\n", e->path, e->path[0] ? ": " : "", e->text);
	return status;
}

/* --- start --- */

static enum errc check_listen(const struct config *c, bool open, bool *ret_local, struct err *e)
{
	*ret_local = true;
	for (size_t i = 0; i < c->listen.count; i++) {
		if (http_is_loopback(c->listen.items[i]))
			continue;
		*ret_local = false;
		if (open)
			return err_set(e, ERR_INVALID_VALUE, "listen",
				       "%s is not a loopback address: without API keys only loopback is "
				       "served; set api_keys or PARLEY_API_KEY", c->listen.items[i]);
	}
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

/* listen_all: one listener for each worker and address; the first one of an address probes it. */
static enum errc listen_all(struct app *a, const char *address, bool admin, char bound[ADDRESS],
			    struct err *e)
{
	size_t count = admin ? 1 : a->worker_count;

	for (size_t i = 0; i < count; i++) {
		int       fd;
		enum errc rc = http_listen(i == 0 ? address : bound, i == 0, &fd, bound, e);

		if (rc == ERR_OK)
			rc = worker_listen(a->workers[i], fd, admin, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc make_workers(struct app *a, bool metrics_here, struct err *e)
{
	long   cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = a->config->loops > 0 ? (size_t)a->config->loops : (size_t)(cores > 0 ? cores : 1);

	if (count > WORKERS_MAX)
		count = WORKERS_MAX;
	for (size_t i = 0; i < count; i++) {
		enum errc rc = worker_create(
			&(struct worker_options){
				.index = (unsigned)i,
				.store = a->store,
				.work = a->work,
				.image_root = a->image_root,
				.snapshot = a->snapshot,
				.draining = &a->draining,
				.max_body = (size_t)a->config->max_body,
				.max_file = a->config->max_file,
				.metrics_here = metrics_here,
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

	/* Blocked before any thread exists, so that only the descriptor gets them. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of the write, not our death */
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static struct store_options store_options(const struct config *c)
{
	return (struct store_options){
		.path = c->database,
		.readers = (unsigned)c->readers,
		.busy_ms = 5000,
		.migrate = true,
		.events_keep_ms = c->events_keep / 1000,
		.events_keep_bytes = c->events_keep_size,
		.keys_keep_ms = c->idempotency_keep / 1000,
		.assemble = assemble,
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

/* start: everything up to serving; the exit status, or 0. */
static int start(struct app *a, struct err *e)
{
	const struct config *c = a->config;
	struct store_options so = store_options(c);
	bool                 local = true;
	char                 bound[16][ADDRESS];

	if (app_snapshot_create(c, &a->snapshot, e) != ERR_OK ||
	    check_listen(c, a->snapshot->http.open, &local, e) != ERR_OK ||
	    open_image_root(a, e) != ERR_OK)
		return EX_CONFIG;
	if (store_open(&so, &a->store, e) != ERR_OK)
		return EX_CANTCREAT;
	if (work_pool_create(WORK_THREADS, LIMIT_WORK_QUEUE, &a->work, e) != ERR_OK ||
	    make_workers(a, local, e) != ERR_OK)
		return EX_OSERR;
	for (size_t i = 0; i < c->listen.count && i < ARRAY_LEN(bound); i++)
		if (listen_all(a, c->listen.items[i], false, bound[i], e) != ERR_OK)
			return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_UNAVAILABLE;
	if (!local) {
		char admin[ADDRESS];

		if (listen_all(a, c->admin_listen, true, admin, e) != ERR_OK)
			return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_UNAVAILABLE;
		log_note(LOG_INFO, "admin", "metrics on http://%s/metrics", admin);
	}
	if (start_workers(a, e) != ERR_OK)
		return EX_OSERR;
	for (size_t i = 0; i < c->listen.count && i < ARRAY_LEN(bound); i++)
		printf("parley ready on http://%s\n", bound[i]);
	fflush(stdout);
	return EX_OK;
}

/* --- signals --- */

static void reload(struct app *a, const char *file, const struct config_flag *flags, size_t n)
{
	struct config   *c = NULL;
	struct snapshot *s = NULL;
	struct err       e;
	bool             ok = config_load(file, flags, n, &c, &e) == ERR_OK;
	bool             local;

	/* Checked whole before anything changes; a running listener must not become an open one. */
	ok = ok && app_snapshot_create(c, &s, &e) == ERR_OK &&
	     check_listen(a->config, s->http.open, &local, &e) == ERR_OK;
	metric_add(METRIC_RELOADS, (const char *[]){ ok ? "ok" : "failed", "", "" }, 1);
	if (ok)
		metric_set(METRIC_RELOADED, clock_wall_ms() / 1000);
	if (ok) {
		log_set_level((enum log_level)c->log_level);
		health_forgive(); /* a key may be another one now */
		for (size_t i = 0; i < a->worker_count; i++)
			worker_reload(a->workers[i], s);
		log_note(LOG_INFO, "reload", "the configuration was read again");
	} else {
		log_note(LOG_ERROR, "reload", "the old configuration stays: %s", e.text);
	}
	if (s)
		snapshot_release(s);
	config_destroy(c);
}

/* next_signal: 0 when `want` workers have drained first, -1 at the time-out. */
static int next_signal(struct app *a, uint64_t *drained, uint64_t want, int timeout_ms)
{
	struct pollfd fds[2] = { { .fd = a->signal_fd, .events = POLLIN },
				 { .fd = a->done_fd, .events = POLLIN } };

	for (;;) {
		struct signalfd_siginfo info;
		uint64_t                n;
		int                     rc = poll(fds, 2, timeout_ms);

		if (rc == 0)
			return -1;
		if (rc < 0 && errno != EINTR)
			return SIGTERM;
		if ((fds[1].revents & POLLIN) && read(a->done_fd, &n, sizeof n) == (ssize_t)sizeof n) {
			*drained += n;
			if (*drained >= want)
				return 0;
		}
		if ((fds[0].revents & POLLIN) &&
		    read(a->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
			return (int)info.ssi_signo;
	}
}

static bool wait_drained(struct app *a, int timeout_ms)
{
	uint64_t drained = 0;
	int      sig;

	/* A reload makes no sense any more, but is no second order to stop either. */
	do {
		sig = next_signal(a, &drained, a->worker_count, timeout_ms);
	} while (sig == SIGHUP);
	return sig == 0;
}

/* drain: true when all answers have ended; false: told again, or out of time. */
static bool drain(struct app *a)
{
	int64_t timeout_ms = a->config->drain_timeout / 1000 + DRAIN_GRACE_MS;

	log_note(LOG_INFO, "drain", "shutting down: running answers may end first");
	atomic_store(&a->draining, true);
	for (size_t i = 0; i < a->worker_count; i++)
		worker_drain(a->workers[i], a->config->drain_timeout);
	return wait_drained(a, timeout_ms < INT32_MAX ? (int)timeout_ms : INT32_MAX);
}

static void stop(struct app *a)
{
	for (size_t i = 0; i < a->worker_count; i++)
		worker_stop(a->workers[i]);
	/* The last answers of the pool and the store go into the workers' inboxes, so they end
	 * before the workers do; the pool first, as what it does may use the store.  A stopped pool
	 * refuses what those answers would still submit. */
	work_pool_stop(a->work);
	store_destroy(a->store);
	for (size_t i = 0; i < a->worker_count; i++)
		worker_destroy(a->workers[i]);
	work_pool_destroy(a->work);
	beneath_destroy(a->image_root);
	if (a->snapshot)
		snapshot_release(a->snapshot);
	if (a->signal_fd >= 0)
		close(a->signal_fd);
	if (a->done_fd >= 0)
		close(a->done_fd);
}

int app_serve(const struct config *c, const char *file, const struct config_flag *flags, size_t n)
{
	struct app a = { .config = c };
	struct err e;
	uint64_t   none = 0;

	raise_descriptor_limit();
	a.signal_fd = open_signals();
	a.done_fd = eventfd(0, EFD_CLOEXEC);
	if (upstream_global_init(&e) != ERR_OK)
		return fail(&e, EX_OSERR);
	if (route_check(routes, &e) != ERR_OK || route_check(admin_routes, &e) != ERR_OK)
		return fail(&e, EX_SOFTWARE);
	log_start((enum log_level)c->log_level, (enum log_format)c->log_format);
	metric_set(METRIC_RELOADED, clock_wall_ms() / 1000);
	metric_add(METRIC_BUILD, (const char *[]){ PARLEY_VERSION, "", "" }, 1);

	int status = start(&a, &e);
	if (status != EX_OK) {
		log_stop();
		stop(&a);
		return fail(&e, status);
	}
	while (next_signal(&a, &none, UINT64_MAX, -1) == SIGHUP)
		reload(&a, file, flags, n);
	if (!drain(&a)) {
		log_note(LOG_WARN, "drain", "ended before all answers had");
		log_stop();
		_exit(EX_TEMPFAIL);
	}
	stop(&a);
	log_note(LOG_INFO, "stopped", "bye");
	log_stop();
	return EX_OK;
}

int app_migrate(const struct config *c)
{
	struct store_options so = store_options(c);
	struct err           e;
	int                  applied = 0;

	if (store_migrate(&so, &applied, &e) != ERR_OK)
		return fail(&e, EX_DATAERR);
	printf("%d migration%s applied to %s\n", applied, applied == 1 ? "" : "s", c->database);
	return EX_OK;
}

int app_dump_routes(void)
{
	struct err e;

	if (route_check(routes, &e) != ERR_OK)
		return fail(&e, EX_SOFTWARE);
	for (const struct route *row = routes; row->name; row++)
		printf("%s %s\n", row->method, row->path);
	return EX_OK;
}
