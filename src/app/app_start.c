/* The start of a serving process: its store, workers and listeners. */
#include "app/internal.h"

#include "app/app.h"
#include "base/beneath.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/config.h"
#include "desk/admit.h"
#include "desk/answer_slot.h"
#include "desk/cuts.h"
#include "desk/live.h"
#include "desk/watch.h"
#include "http/tls.h"
#include "loop/work.h"
#include "routes/kit/packed.h"
#include "run/assemble.h"
#include "store/engine.h"
#include "store/key_ring.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	WORK_THREADS = 2,    /* threads for all loops: their tasks are rare and long */
	BUCKET_THREADS = 16, /* the same, where each may wait for a bucket for seconds */
};

bool app_is_open(const struct app *a, const struct snapshot *s)
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
	/* the parts below call every address one of listen */
	if (rc != ERR_OK && admin)
		str_copy(e->path, sizeof e->path, STR("admin_listen"));
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
				.keep = app_store_options(a->config).keep,
				.computer = a->config->computer[0] ? a->config->computer + 5 : NULL,
				.computer_auto = a->config->computer_auto,
				.otlp_endpoint = a->config->otlp_endpoint[0]
							 ? a->config->otlp_endpoint
							 : NULL,
				.otlp_headers = config_secret_env(app_about_otlp),
				.alert_url = a->config->alert_url[0] ? a->config->alert_url : NULL,
				.alert_token = config_secret_env(app_about_alert),
				.alert_budget = a->config->alert_budget,
				.database = store_is_shared(a->store) ? NULL : a->config->database,
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

static void app_cancel(struct id run, int64_t owner)
{
	(void)live_cancel(run, owner);
}

static const struct store_neighbours neighbours = { watch_elsewhere, watch_mark, app_cancel,
						    admit_spare };

struct store_options app_store_options(const struct config *c)
{
	return (struct store_options){
		.path = c->database,
		.password = engine_password(),
		.readers = (unsigned)c->readers,
		.busy_ms = 5000,
		.migrate = true,
		.events_keep_ms = c->events_keep / 1000,
		.events_keep_bytes = c->events_keep_size,
		.calls_keep_ms = c->calls_keep / 1000,
		.calls_keep_bytes = c->calls_keep_size,
		.calls_rate = c->calls_keep > 0 ? c->calls_rate : 0,
		.answer_keep_ms = c->idempotency_keep / 1000,
		.audit_keep_ms = c->audit_keep / 1000,
		.keep = { .conversations_ms = c->conversations_keep / 1000,
			  .content_ms = c->content_keep / 1000,
			  .bytes = c->store_keep_size,
			  .pins = c->pins },
		.assemble = assemble_answer,
		.cut = cuts_add,
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
	store_claim_free(atomic_load(&shared_store), claim);
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
		answer_slot_give_back(free_shared);
	}
	if (a->store->ops->peers && takeover_offer(a->config->database, &a->offer, &e) != ERR_OK)
		log_note(LOG_WARN, "takeover", "%s", e.text);
}

static int app_console(const struct app *a)
{
	return console_files[0].name ? a->config->console : CONSOLE_OFF;
}

/* share_routes: decides which routes the main addresses and the admin listener have; returns
 * whether a browser on this machine finds the console at the main addresses. */
static bool share_routes(struct app *a, bool local)
{
	int                 console = app_console(a);
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
	return reach.console && loopback;
}

/* print_places: one line for each address, and one for the console. */
static void print_places(const struct app *a, bool console)
{
	bool tls = a->config->tls_cert[0] != '\0';

	for (size_t i = 0; i < a->listen.count; i++)
		if (!a->listen.places[i].admin)
			print_ready(a->listen.places[i].bound, tls);
	for (size_t i = 0; i < a->listen.count; i++) {
		const struct listen_place *p = &a->listen.places[i];

		if (!(p->admin ? app_console(a) != CONSOLE_OFF : console) ||
		    strncmp(p->bound, "unix:", 5) == 0)
			continue;
		printf("the console is on %s://%s/console/\n", tls && !p->admin ? "https" : "http",
		       p->bound);
		break;
	}
	fflush(stdout);
}

int app_start(struct app *a, bool takeover, struct err *e)
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
	app_snapshot_warn(a->snapshot, a->store->ring);
	if (app_check_listen(c, app_is_open(a, a->snapshot), &local, e) != ERR_OK)
		return EX_CONFIG;
	if (work_pool_create(a->bucket ? BUCKET_THREADS : WORK_THREADS, LIMIT_WORK_QUEUE, &a->work,
			     e) != ERR_OK ||
	    work_pool_create(WORK_THREADS, LIMIT_WORK_QUEUE, &a->cpu, e) != ERR_OK ||
	    make_workers(a, e) != ERR_OK)
		return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_OSERR;
	for (size_t i = 0; i < c->listen.count; i++)
		if (listen_all(a, c->listen.items[i], false, e) != ERR_OK)
			return e->code == ERR_INVALID_VALUE ? EX_CONFIG : EX_UNAVAILABLE;
	if (listen_set_check(&a->listen, app_is_open(a, a->snapshot), &local, e) != ERR_OK)
		return EX_CONFIG;
	bool console = share_routes(a, local);
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
	print_places(a, console);
	app_notify("READY=1\nSTATUS=serving");
	return EX_OK;
}
