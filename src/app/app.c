/* The life of a serving process, from its start to its last answer. */
#include "app/app.h"

#include "app/internal.h"
#include "base/beneath.h"
#include "base/clock.h"
#include "base/full_io.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/trace.h"
#include "desk/answer_slot.h"
#include "desk/live.h"
#include "http/tls.h"
#include "loop/work.h"
#include "upstream/bucket.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

/* Time after drain_timeout, for the last errors to reach their readers. */
enum { DRAIN_GRACE_MS = 5000 };
/* Time until files with secrets that could not be read are read again, changed or not. */
enum { SECRETS_AGAIN_US = 10 * 1000 * 1000 };

static int app_fail(const struct err *e, int status)
{
	fprintf(stderr, "parley: %s%s%s\n", e->path, e->path[0] ? ": " : "", e->text);
	return status;
}

/* --- a reload --- */

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

/* app_reload: what: the reason, for the log. */
static bool app_reload(struct app *a, const struct config_given *given, const char *what)
{
	struct config   *c = NULL;
	struct snapshot *s = NULL;
	struct err       e;
	bool             ok = config_load(given, &c, NULL, &e) == ERR_OK;
	bool             local;

	/* The new configuration is checked as a whole before anything changes. A reload must not
	 * remove the last key of a listener that is not loopback. */
	ok = ok && app_snapshot_create(c, a->config, &s, &e) == ERR_OK &&
	     listen_set_check(&a->listen, app_is_open(a, s), &local, &e) == ERR_OK &&
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
		worker_note_reload(a->workers[0]);
		note_kept(a, c);
		app_snapshot_warn(s, a->store->ring);
		log_note(LOG_INFO, "reload", "%s was read again", what);
		config_destroy(a->read);
		a->read = TAKE(c);
	} else {
		log_note(LOG_ERROR, "reload", "the old configuration stays in use: %s", e.text);
	}
	if (s)
		snapshot_release(s);
	config_destroy(c);
	return ok;
}

/* app_renew_secrets: a key in a file is another one, as after a rotation by another program.  The configuration's own
 * file may be half edited now, so its text of the last reload is used.  A failure may be that of a moment. */
static void app_renew_secrets(struct app *a, const struct config_given *given)
{
	struct config_given again = *given;

	again.again = app_config(a);
	a->secrets_again_us = app_reload(a, &again, "a file with a secret")
				      ? 0
				      : clock_mono_us() + SECRETS_AGAIN_US;
}

/* --- the end --- */

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
		app_keep_serving(a, "this process is told to stop");
	log_note(LOG_INFO, "drain",
		 a->given ? "another process serves now: running answers may end first"
			  : "shutting down: running answers may end first");
	atomic_store(&a->draining, true);
	for (size_t i = 0; i < a->worker_count; i++)
		worker_drain(a->workers[i], a->config->drain_timeout, a->given);
	if (a->given)
		app_hand_over(a);
	int sig = app_wait_drained(a, &drained, a->config->drain_timeout / 1000);
	if (sig == -1) {
		app_stop_bucket(a);
		sig = app_wait_drained(a, &drained, DRAIN_GRACE_MS);
	}
	return sig == 0;
}

static bool app_owes(const struct app *a)
{
	bool owes = false;

	for (size_t i = 0; i < a->worker_count; i++)
		owes = owes || worker_owes(a->workers[i]);
	return owes;
}

static void app_stop(struct app *a)
{
	live_elsewhere(NULL);
	answer_slot_give_back(NULL);
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
	config_destroy(a->read);
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

/* --- from start to end --- */

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

static void app_warn(const char *text)
{
	log_note(LOG_WARN, "config", "%s", text);
}

int app_serve(const struct config *c, const struct config_given *given, bool takeover)
{
	struct app a = { .config = c, .before = -1, .offer = -1, .after = -1 };
	struct err e;

	descriptors_raise();
	pthread_mutex_init(&a.process.lock, NULL);
	a.process.started_s = clock_wall_ms() / 1000;
	a.signal_fd = open_signals();
	a.quiet_fd = eventfd(0, EFD_CLOEXEC);
	a.done_fd = eventfd(0, EFD_CLOEXEC);
	if (route_check(routes, &e) != ERR_OK)
		return app_fail(&e, EX_SOFTWARE);
	log_start((enum log_level)c->log_level, (enum log_format)c->log_format);
	config_warn(c, app_warn);
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
	for (int sig; (sig = app_serve_on(&a)) == SIGHUP || sig == SIGNAL_SECRETS;) {
		app_notify_reloading();
		if (sig == SIGHUP)
			(void)app_reload(&a, given, "the configuration");
		else
			app_renew_secrets(&a, given);
		app_notify("READY=1");
	}
	app_notify("STOPPING=1\nSTATUS=running answers may end");
	if (!app_drain(&a)) {
		bool cut = app_owes(&a);

		if (cut)
			log_note(LOG_WARN, "drain", "stopped before all answers had ended");
		log_stop();
		_exit(cut ? EX_TEMPFAIL : EX_OK);
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
