/* A worker's thread: start, reload, drain, stop. */
#include "app/internal.h"
#include "base/api_key.h"

#include "base/clock.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/log.h"
#include "upstream/upstream.h"
#include "desk/live_feed.h"
#include "desk/ticket.h"
#include "store/key_ring.h"
#include "trace/otlp.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	SERVERS_MAX =
		64, /* 16 addresses, the admin listener, sockets of more loops than there are */
	DRAIN_LOOK_US = 20 * 1000,
	DRAIN_CUT_US = 1000 * 1000,
	OTLP_LAST_US = 1000 * 1000,
	/* Idle clients have this time for one more request, whose answer closes the connection;
	 * then they reach the next process. */
	DRAIN_IDLE_US = 3000 * 1000,
};

struct worker {
	struct worker_options  o;
	struct loop           *loop;
	struct upstream_pool  *upstreams;
	struct json_doc        scratch; /* shared by the decoders of all calls */
	struct gateway         gateway;
	struct server_options  main_options;
	struct server_options  admin_options;
	struct server_settings settings; /* the current settings */
	struct server         *servers[SERVERS_MAX];
	/* the socket is used by another process too */
	bool      inherited[SERVERS_MAX];
	size_t    server_count;
	pthread_t thread;
	bool      started;

	struct task  drain_task;
	struct timer drain_timer;
	int64_t      drain_timeout_us;
	bool         leave; /* another process has the sockets */
	int64_t      drain_idle_us;
	int64_t      drain_end_us;
	atomic_bool  owes;        /* answers that have not ended, at the last look of the drain */
	struct otlp *otlp;        /* owned; NULL: it sends no traces */
	int64_t      otlp_end_us; /* end of the wait for the last batch; 0: not sent yet */
};

static const struct server_settings *server_settings_now(void *arg)
{
	struct worker *w = arg;

	/* The first key closes an open gateway at once. */
	w->settings = w->gateway.now->http;
	w->settings.open = w->settings.open && !key_ring_any(w->o.store->ring);
	return &w->settings;
}

static const struct run_settings *run_settings_now(void *arg)
{
	return &((struct worker *)arg)->gateway.now->run;
}

/* session_holder: the key that a token stands for, held, and the digests of its texts. */
static struct identity *session_holder(const struct worker *w, const struct session_token *t,
				       int64_t now_ms, unsigned char ret[2][HASH_BYTES])
{
	struct identity *who = app_snapshot_named(w->gateway.now, t->key, ret[0]);

	if (!who)
		return key_ring_digests(w->o.store->ring, str_of(t->key), now_ms, ret);
	memcpy(ret[1], ret[0], HASH_BYTES);
	return who;
}

/* session_prove: whether the token is of one of these texts; *ret: its digest. */
static bool session_prove(const struct worker *w, struct str token,
			  unsigned char sha256[2][HASH_BYTES], unsigned char ret[HASH_BYTES])
{
	unsigned char signing[HASH_BYTES];
	bool          proven = false;

	key_ring_signing(w->o.store->ring, signing);
	for (size_t i = 0; !proven && i < 2; i++) {
		proven = session_token_proves(token, signing, sha256[i]);
		memcpy(ret, sha256[i], HASH_BYTES);
	}
	return proven;
}

/* The error's text does not tell what is wrong, as with keys. */
static enum errc session_auth(const struct worker *w, struct str token, struct caller *ret,
			      struct err *e)
{
	struct key_ring *ring = w->o.store->ring;
	int64_t          now_ms = clock_wall_ms();
	struct caller    by = { 0 };
	unsigned char    sha256[2][HASH_BYTES];

	if (session_token_parse(token, now_ms / 1000, &by.session) &&
	    !key_ring_ended(ring, by.session.id))
		by.who = session_holder(w, &by.session, now_ms, sha256);
	if (!by.who || !session_prove(w, token, sha256, by.sha256)) {
		identity_release(by.who);
		return err_set(e, ERR_INVALID_SESSION, "",
			       "this session has ended; begin another one with the API key");
	}
	if (by.who->number != 0)
		key_ring_use(ring, by.who, now_ms);
	/* The key may have lost scopes since. */
	by.scopes = by.session.scopes & by.who->scopes;
	*ret = by;
	return ERR_OK;
}

/* All wrong keys get the same text, so that a client can't tell a revoked key from an unknown
 * one. */
static enum errc worker_auth(void *arg, struct str key, struct caller *ret, struct err *e)
{
	const struct worker *w = arg;
	struct caller        by = { 0 };
	struct str           id;

	hash_sha256(key.p, key.n, by.sha256);
	by.who = app_snapshot_find(w->gateway.now, by.sha256);
	if (!by.who && session_token_is(key))
		return session_auth(w, key, ret, e);
	if (!by.who && api_key_parse(key, &id))
		by.who = key_ring_find(w->o.store->ring, id, by.sha256, clock_wall_ms());
	if (!by.who)
		return err_set(e, ERR_INVALID_API_KEY, "", "the API key is not known here");
	by.scopes = by.who->scopes;
	*ret = by;
	return ERR_OK;
}

/* A ticket is valid for one run, and no longer than the key that asked for it. */
static struct identity *worker_ticket(void *arg, struct str text, struct str object)
{
	const struct worker *w = arg;
	struct key_ring     *ring = w->o.store->ring;
	int64_t              now_ms = clock_wall_ms();
	unsigned char        signing[HASH_BYTES];
	char                 name[TICKET_WHO];
	struct id            run;

	key_ring_signing(ring, signing);
	if (!id_parse(object, ID_RUN, &run) ||
	    !ticket_read(signing, text, run, now_ms / 1000, name))
		return NULL;
	unsigned char    sha256[HASH_BYTES];
	struct identity *who = app_snapshot_named(w->gateway.now, name, sha256);
	return who ? who : key_ring_named(ring, str_of(name), now_ms);
}

/* worker_fill_gateway: what handlers of this loop use. */
static void worker_fill_gateway(struct worker *w)
{
	const struct worker_options *o = &w->o;

	w->gateway.loop = w->loop;
	w->gateway.upstreams = w->upstreams;
	w->gateway.store = o->store;
	w->gateway.work = o->work;
	w->gateway.cpu = o->cpu;
	w->gateway.image_root = o->image_root;
	w->gateway.max_file = o->max_file;
	w->gateway.computer = o->computer;
	w->gateway.computer_auto = o->computer_auto;
	w->gateway.door = (struct door){
		.loop = w->loop, .runs = w->gateway.runs, .store = o->store, .cpu = o->cpu
	};
	gateway_take(&w->gateway, snapshot_hold(o->snapshot));
	w->gateway.draining = o->draining;
	w->gateway.process = o->process;
}

enum errc worker_create(const struct worker_options *o, struct worker **ret, struct err *e)
{
	struct worker *w = calloc(1, sizeof *w);
	enum errc      rc;

	if (!w)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	w->o = *o;
	rc = loop_create(o->index, &w->loop, e);
	if (rc == ERR_OK)
		rc = upstream_pool_create(w->loop, &w->upstreams, e);
	if (rc == ERR_OK)
		rc = run_engine_create(
			&(struct run_engine_options){
				.env = { w->loop, w->upstreams, &w->scratch, o->cpu },
				.store = o->store,
				.work = o->work,
				.image_root = o->image_root,
				.computer = o->computer,
				.settings = run_settings_now,
				.arg = w,
			},
			&w->gateway.runs, e);
	if (rc != ERR_OK) {
		worker_destroy(w);
		return rc;
	}
	if (o->otlp_endpoint && o->index == 0)
		rc = otlp_create(&(struct otlp_options){ w->loop, w->upstreams, o->otlp_endpoint,
							 o->otlp_headers, PARLEY_VERSION },
				 &w->otlp, e);
	if (rc != ERR_OK) {
		worker_destroy(w);
		return rc;
	}
	worker_fill_gateway(w);
	w->main_options = (struct server_options){
		.routes = { routes, 0 },
		.hints = route_hints,
		.spellings = route_spellings,
		.family = routes_family,
		.auth = worker_auth,
		.ticket = worker_ticket,
		.settings = server_settings_now,
		.arg = w,
		.max_body = o->max_body,
		.max_bodies = o->max_bodies,
		.max_connections = o->max_connections,
		.max_upload = (size_t)o->max_file + LIMIT_FORM,
		.cpu = o->cpu,
		.tls = o->tls,
	};
	w->admin_options = w->main_options;
	w->admin_options.tls = false;
	/* The operator can connect, however many clients there are. */
	w->admin_options.max_connections = SIZE_MAX;
	*ret = w;
	return ERR_OK;
}

enum errc worker_listen(struct worker *w, int fd, bool admin, bool inherited, struct err *e)
{
	if (w->server_count == SERVERS_MAX) {
		close(fd);
		return err_set(e, ERR_INVALID_VALUE, "listen", "more sockets than %d for one loop",
			       SERVERS_MAX);
	}

	enum errc rc = server_create(w->loop, fd, admin ? &w->admin_options : &w->main_options,
				     &w->gateway, &w->servers[w->server_count], e);
	if (rc == ERR_OK)
		w->inherited[w->server_count++] = inherited;
	return rc;
}

static void *thread_main(void *arg)
{
	loop_run(((struct worker *)arg)->loop);
	return NULL;
}

static unsigned auth_unless(bool there, enum route_auth auth)
{
	return there ? 0 : 1u << auth;
}

void worker_bound(struct worker *w, const struct worker_reach *reach)
{
	w->main_options.routes.without = auth_unless(reach->local, AUTH_OPERATOR) |
					 auth_unless(reach->admin, AUTH_ADMIN) |
					 auth_unless(reach->console, AUTH_CONSOLE);
	w->main_options.without_proxied =
		1u << AUTH_ADMIN | auth_unless(reach->proxied, AUTH_CONSOLE);
	w->admin_options.routes.without = auth_unless(reach->admin_console, AUTH_CONSOLE);
}

enum errc worker_start(struct worker *w, struct err *e)
{
	if (pthread_create(&w->thread, NULL, thread_main, w) != 0)
		return err_set(e, ERR_INTERNAL, "", "can't start a thread");
	w->started = true;
	return ERR_OK;
}

/* --- reload --- */

struct reload {
	struct task      task;
	struct worker   *worker;
	struct snapshot *snapshot;
};

static void swap_snapshot(struct task *t)
{
	struct reload *x = container_of(t, struct reload, task);

	snapshot_release(gateway_take(&x->worker->gateway, x->snapshot));
	free(x);
}

void worker_reload(struct worker *w, struct snapshot *s)
{
	struct reload *x = calloc(1, sizeof *x);

	if (!x) {
		log_note(LOG_ERROR, "reload",
			 "a worker has no memory for the new configuration and keeps the old one");
		return;
	}
	*x = (struct reload){ { .fn = swap_snapshot }, w, snapshot_hold(s) };
	loop_post(w->loop, &x->task);
}

/* --- drain --- */

static size_t worker_answers(const struct worker *w)
{
	size_t n = run_engine_live(w->gateway.runs);

	for (size_t i = 0; i < w->server_count; i++)
		n += server_busy(w->servers[i]);
	return n;
}

static size_t worker_busy(const struct worker *w)
{
	/* A worker's tasks for clients that have left still use the store. */
	return worker_answers(w) + loop_owed(w->loop);
}

/* worker_sends: true while the last spans are being sent to the collector. */
static bool worker_sends(struct worker *w, int64_t now)
{
	if (!w->otlp)
		return false;
	if (w->otlp_end_us == 0) {
		w->otlp_end_us = now + OTLP_LAST_US;
		otlp_flush(w->otlp);
	}
	return otlp_busy(w->otlp) && now < w->otlp_end_us;
}

static bool is_connected(const struct worker *w)
{
	bool any = false;

	for (size_t i = 0; i < w->server_count; i++)
		any = any || server_connected(w->servers[i]);
	return any;
}

static void tell_app(int event_fd)
{
	uint64_t one = 1;

	if (write(event_fd, &one, sizeof one) != (ssize_t)sizeof one)
		log_note(LOG_ERROR, "drain", "a worker can't say how far it has drained");
}

static void worker_look(struct timer *t)
{
	struct worker *w = container_of(t, struct worker, drain_timer);
	int64_t        now = loop_now_us(w->loop);

	atomic_store(&w->owes, worker_answers(w) > 0);
	if (worker_busy(w) == 0 && !(w->leave && now < w->drain_idle_us && is_connected(w)) &&
	    !worker_sends(w, now)) {
		tell_app(w->o.done_fd);
		return;
	}
	if (now >= w->drain_end_us) {
		struct err e;

		err_set(&e, ERR_SHUTTING_DOWN, "", "the gateway is stopping");
		run_engine_stop(w->gateway.runs, &e);
		/* Clients that have not read the end of their answer by now, or are still sending,
		 * are cut. */
		if (now >= w->drain_end_us + DRAIN_CUT_US)
			for (size_t i = 0; i < w->server_count; i++)
				server_cut(w->servers[i]);
	}
	timer_start(w->loop, &w->drain_timer, DRAIN_LOOK_US);
}

static void worker_drain_servers(struct task *t)
{
	struct worker *w = container_of(t, struct worker, drain_task);

	/* During a takeover, waiting calls are still served here. */
	live_feed_drain();
	if (!w->leave)
		admit_drain();
	for (size_t i = 0; i < w->server_count; i++)
		server_quiesce(w->servers[i], w->leave || w->inherited[i]);
	tell_app(w->o.quiet_fd);
	w->drain_idle_us = loop_now_us(w->loop) + DRAIN_IDLE_US;
	w->drain_end_us = loop_now_us(w->loop) + w->drain_timeout_us;
	w->drain_timer.fn = worker_look;
	timer_start(w->loop, &w->drain_timer, 0);
}

void worker_drain(struct worker *w, int64_t timeout_us, bool leave)
{
	w->leave = leave;
	w->drain_timeout_us = timeout_us;
	atomic_store(&w->owes, true); /* until the first look */
	w->drain_task.fn = worker_drain_servers;
	loop_post(w->loop, &w->drain_task);
}

bool worker_owes(const struct worker *w)
{
	return atomic_load(&w->owes);
}

/* --- the end --- */

void worker_stop(struct worker *w)
{
	if (!w->started)
		return;
	loop_stop(w->loop);
	pthread_join(w->thread, NULL);
	w->started = false;
}

void worker_destroy(struct worker *w)
{
	if (!w)
		return;
	if (w->loop) {
		/* One turn of the stopped loop frees the answers of the store and the pool for
		 * clients that have left. */
		loop_stop(w->loop);
		loop_run(w->loop);
	}
	for (size_t i = 0; i < w->server_count; i++)
		server_destroy(w->servers[i]);
	otlp_destroy(w->otlp);
	run_engine_destroy(w->gateway.runs);
	upstream_pool_destroy(w->upstreams);
	json_doc_finish(&w->scratch);
	loop_destroy(w->loop);
	snapshot_release(w->gateway.now);
	free(w);
}
