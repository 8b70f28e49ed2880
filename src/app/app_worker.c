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
#include "store/audit.h"
#include "store/key_ring.h"
#include "store/ledger.h"
#include "provider/credential.h"
#include "token/token_fetch.h"
#include "token/tokens.h"
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

	struct task         drain_task;
	struct timer        drain_timer;
	int64_t             drain_timeout_us;
	bool                leave; /* another process has the sockets */
	int64_t             drain_idle_us;
	int64_t             drain_end_us;
	atomic_bool         owes; /* answers that have not ended, at the last look of the drain */
	struct otlp        *otlp; /* owned; NULL: it sends no traces */
	struct lookout     *lookout;           /* owned; NULL: another worker has it */
	struct token_fetch *token_fetch;       /* owned; NULL: another worker has it */
	struct credential_keeper *credentials; /* owned; NULL: another worker has it */
	struct restarts          *restarts; /* owned; takes runs up that were left without an end */
	int64_t otlp_end_us; /* end of the wait for the last batch; 0: not sent yet */
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

/* session_end_tell: the error's text does not tell what is wrong, as with keys; but who shows that the session was
 * real hears that its key was revoked. */
static enum errc session_end_tell(const struct worker *w, struct str token,
				  const struct session_token *t, struct err *e)
{
	unsigned char sha256[2][HASH_BYTES];
	unsigned char of[HASH_BYTES];

	if (t && key_ring_revoked(w->o.store->ring, str_of(t->key), sha256) &&
	    session_prove(w, token, sha256, of))
		return err_set(e, ERR_INVALID_SESSION, "key",
			       "the API key of this session was revoked");
	return err_set(e, ERR_INVALID_SESSION, "",
		       "this session has ended; begin another one with the API key");
}

static struct identity *token_group_find(void *ring, struct str id)
{
	return key_ring_group(ring, id);
}

static struct token_base worker_token_base(const struct worker *w)
{
	struct token_base base = { .group = token_group_find, .arg = w->o.store->ring };

	key_ring_signing(w->o.store->ring, base.signing);
	return base;
}

static enum errc session_auth(const struct worker *w, struct str token, struct caller *ret,
			      struct err *e)
{
	struct key_ring *ring = w->o.store->ring;
	int64_t          now_ms = clock_wall_ms();
	struct caller    by = { 0 };
	unsigned char    sha256[2][HASH_BYTES];

	bool lives = session_token_parse(token, now_ms / 1000, &by.session) &&
		     !key_ring_ended(ring, by.session.id);

	if (lives)
		by.who = session_holder(w, &by.session, now_ms, sha256);
	if (lives && !by.who && tokens_names(str_of(by.session.key)) && w->gateway.now->tokens) {
		struct token_base base = worker_token_base(w);

		return tokens_session(w->gateway.now->tokens, token, &by.session, &base, ret, e);
	}
	if (!by.who || !session_prove(w, token, sha256, by.sha256)) {
		identity_release(by.who);
		return session_end_tell(w, token, lives ? &by.session : NULL, e);
	}
	if (by.who->number != 0)
		key_ring_use(ring, by.who, now_ms);
	/* The key may have lost scopes since. */
	by.scopes = by.session.scopes & by.who->scopes;
	*ret = by;
	return ERR_OK;
}

/* token_auth: a text that is no key may be a token of an issuer. */
static enum errc token_auth(const struct worker *w, struct str text,
			    const unsigned char sha256[HASH_BYTES], struct caller *ret,
			    struct err *e)
{
	struct token_base base = worker_token_base(w);

	return tokens_check(w->gateway.now->tokens, text, sha256, &base, clock_wall_ms(), ret, e);
}

/* All wrong keys get the same text, so that a client can't tell a revoked key from an unknown
 * one. */
static enum errc worker_auth(void *arg, struct str key, struct caller *ret, struct err *e)
{
	const struct worker *w = arg;
	struct caller        by = { 0 };
	struct str           id;
	bool                 token = w->gateway.now->tokens && tokens_claim(key);

	if (key.n > LIMIT_SECRET)
		return token ? tokens_refuse("form", e)
			     : err_set(e, ERR_MALFORMED_API_KEY, "", "the API key is too long");
	hash_sha256(key.p, key.n, by.sha256);
	by.who = app_snapshot_find(w->gateway.now, by.sha256);
	if (!by.who && session_token_is(key))
		return session_auth(w, key, ret, e);
	if (!by.who && api_key_parse(key, &id))
		by.who = key_ring_find(w->o.store->ring, id, by.sha256, clock_wall_ms());
	if (!by.who && token)
		return token_auth(w, key, by.sha256, ret, e);
	if (!by.who)
		return err_set(e, ERR_INVALID_API_KEY, "", "the API key is not known here");
	by.scopes = by.who->scopes;
	*ret = by;
	return ERR_OK;
}

/* worker_holder: who has this name in a ticket or in the record of a run, held; NULL: nobody, or not any more. */
static struct identity *worker_holder(const struct worker *w, struct str name)
{
	const struct tokens *tokens = w->gateway.now->tokens;
	unsigned char        sha256[HASH_BYTES];
	char                 text[TICKET_WHO];

	str_copy(text, sizeof text, name);
	struct identity *who = app_snapshot_named(w->gateway.now, text, sha256);
	if (!who)
		who = key_ring_named(w->o.store->ring, name, clock_wall_ms());
	if (who || !tokens)
		return who;
	struct token_base base = worker_token_base(w);
	return tokens_named(tokens, name, &base);
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
	return worker_holder(w, str_of(name));
}

/* worker_named: whose run it was that goes on. */
static struct identity *worker_named(void *arg, struct str name)
{
	struct worker   *w = arg;
	char             text[TICKET_WHO];
	struct identity *who = worker_holder(w, name);

	if (who && !(who->scopes & SCOPE_CHAT)) {
		identity_release(who);
		return NULL;
	}
	if (who || !server_settings_now(w)->open)
		return who;
	ticket_who(&identity_nobody, text);
	return str_is(name, text) ? identity_hold(&identity_nobody) : NULL;
}

/* worker_unmade: a call that never became a run has a row in the ledger, too. */
static void worker_unmade(void *arg, const struct request *r, const struct server_unmade *u)
{
	const struct worker       *w = arg;
	const struct request_view *view = request_view(r);
	bool                       nobody = view->by.who == &identity_nobody;

	store_call_add(
		w->o.store,
		&(struct call_row){
			.id = u->id,
			.owner = nobody ? CALL_OWNER_NOBODY : request_owner(r),
			.created_ms = clock_wall_ms() - u->us / 1000,
			.duration_us = u->us,
			.key = str_of(view->by.who->id),
			.group = view->by.who->group ? str_of(view->by.who->group->id) : STR_NONE,
			.model = u->model,
			.label = u->label,
			.family = str_of(request_family(r)->name),
			.error = u->code ? str_of(u->code) : STR_NONE,
			.outcome = u->code ? CALL_REFUSED : CALL_CLIENT_LEFT,
			.status = u->code ? RUN_FAILED : RUN_CANCELLED,
			.http = u->http,
		});
}

static void worker_opened(void *arg, struct identity *who, int64_t owner, struct id conversation,
			  struct str tags)
{
	struct worker *w = arg;

	title_opened(&w->gateway, who, owner, conversation, tags);
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
	w->gateway.keep = o->keep;
	w->gateway.computer = o->computer;
	w->gateway.computer_auto = o->computer_auto;
	w->gateway.door = (struct door){
		.loop = w->loop, .runs = w->gateway.runs, .store = o->store, .cpu = o->cpu
	};
	gateway_take(&w->gateway, snapshot_hold(o->snapshot));
	w->gateway.draining = o->draining;
	w->gateway.process = o->process;
}

static const struct registry *worker_registry(void *arg)
{
	return ((struct worker *)arg)->gateway.now->registry;
}

static const struct tokens *worker_tokens(void *arg)
{
	return ((const struct worker *)arg)->gateway.now->tokens;
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
				.opened = worker_opened,
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
	if (o->index == 0)
		rc = lookout_create(&(struct lookout_options){ &w->gateway, o->alert_url,
							       o->alert_token, o->alert_budget,
							       o->database },
				    &w->lookout, e);
	if (rc != ERR_OK) {
		worker_destroy(w);
		return rc;
	}
	if (o->index == 0)
		rc = token_fetch_create(
			&(struct token_fetch_options){ w->loop, w->upstreams, worker_tokens, w },
			&w->token_fetch, e);
	if (rc != ERR_OK) {
		worker_destroy(w);
		return rc;
	}
	if (o->index == 0)
		rc = credential_keeper_create(
			&(struct credential_keeper_options){ w->loop, worker_registry, w },
			&w->credentials, e);
	if (rc != ERR_OK) {
		worker_destroy(w);
		return rc;
	}
	rc = restarts_create(&(struct restarts_options){ &w->gateway, worker_named, w },
			     &w->restarts, e);
	if (rc != ERR_OK) {
		worker_destroy(w);
		return rc;
	}
	w->main_options = (struct server_options){
		.routes = { routes, 0 },
		.hints = route_hints,
		.spellings = route_spellings,
		.family = routes_family,
		.auth = worker_auth,
		.ticket = worker_ticket,
		.unmade = o->store->ledger ? worker_unmade : NULL,
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
	restarts_begin(w->restarts);
	if (w->token_fetch)
		token_fetch_look(w->token_fetch);
	if (w->credentials)
		credential_keeper_look(w->credentials);
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
	if (x->worker->token_fetch)
		token_fetch_look(x->worker->token_fetch);
	if (x->worker->credentials)
		credential_keeper_look(x->worker->credentials);
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

struct reload_noted {
	struct task        task;
	struct worker     *worker;
	struct audit_write write;
	struct audit_entry entry;
};

static void reload_on_noted(struct store_job *job)
{
	struct reload_noted *x = container_of(job, struct reload_noted, write.job);

	if (job->err.code != ERR_OK)
		log_note(LOG_ERROR, "reload", "the audit has no entry of it: %s", job->err.text);
	free(x);
}

static void reload_note(struct task *t)
{
	struct reload_noted *x = container_of(t, struct reload_noted, task);

	x->write.job = (struct store_job){ .loop = x->worker->loop,
					   .done = reload_on_noted,
					   .audit = &x->entry };
	if (store_audit_write(x->worker->gateway.store, &x->write))
		return;
	log_note(LOG_ERROR, "reload", "the audit has no entry of it: too many writes are waiting");
	free(x);
}

void worker_note_reload(struct worker *w)
{
	struct reload_noted *x = calloc(1, sizeof *x);

	if (!x) {
		log_note(LOG_ERROR, "reload", "the audit has no entry of it: out of memory");
		return;
	}
	x->task.fn = reload_note;
	x->worker = w;
	audit_begin(&x->entry, AUDIT_CONFIGURATION_RELOAD, "program");
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
	return worker_answers(w) + loop_owed(w->loop) + w->gateway.titles +
	       restarts_busy(w->restarts);
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
	if (w->started) {
		loop_stop(w->loop);
		pthread_join(w->thread, NULL);
	}
	w->started = false;
	restarts_stop(w->restarts);
}

void worker_destroy(struct worker *w)
{
	if (!w)
		return;
	credential_keeper_stop(w->credentials);
	if (w->loop) {
		/* One turn of the stopped loop frees the answers of the store and the pool for
		 * clients that have left. */
		loop_stop(w->loop);
		loop_run(w->loop);
	}
	for (size_t i = 0; i < w->server_count; i++)
		server_destroy(w->servers[i]);
	lookout_destroy(w->lookout);
	token_fetch_destroy(w->token_fetch);
	credential_keeper_destroy(w->credentials);
	restarts_destroy(w->restarts);
	otlp_destroy(w->otlp);
	run_engine_destroy(w->gateway.runs);
	upstream_pool_destroy(w->upstreams);
	json_doc_finish(&w->scratch);
	loop_destroy(w->loop);
	snapshot_release(w->gateway.now);
	free(w);
}
