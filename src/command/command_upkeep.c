/* The commands that work on a database which nobody serves, or from outside: backup, vacuum, copy, migrate. */
#include "app/app.h"

#include "base/clock.h"
#include "base/limits.h"
#include "command/command.h"
#include "store/conversation.h"
#include "upstream/upstream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sysexits.h>
#include <unistd.h>

static volatile sig_atomic_t came;

static void on_signal(int sig)
{
	came = sig;
}

/* command_upkeep_begin: from here on SIGINT, SIGTERM and SIGHUP are what command_upkeep_stopped
 * tells, once; the second one ends the process. */
static void command_upkeep_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &act, NULL);
	/* a write above the file size limit fails instead of ending the process */
	signal(SIGXFSZ, SIG_IGN);
}

static bool command_upkeep_stopped(void)
{
	return came != 0;
}

/* command_upkeep_end: the exit status; says what was wrong.  A signal that stopped the work ends the
 * process as it would have. */
static int command_upkeep_end(enum upkeep_end end, const struct err *e)
{
	if (end == UPKEEP_STOPPED && came != 0) {
		fputs("parley: stopped\n", stderr);
		signal(came, SIG_DFL);
		raise(came);
	}
	if (end != UPKEEP_DONE)
		fprintf(stderr, "parley: %s\n", e->text);
	switch (end) {
	case UPKEEP_DONE: return EX_OK;
	case UPKEEP_NO_DATABASE: return EX_NOINPUT;
	case UPKEEP_BAD_DATABASE: return EX_DATAERR;
	case UPKEEP_BAD_TARGET: return EX_CANTCREAT;
	case UPKEEP_FAILED: return EX_IOERR;
	case UPKEEP_BUSY:
	case UPKEEP_STOPPED: break;
	}
	return EX_TEMPFAIL;
}

/* command_upkeep_size: bytes for people, as in "12.3 MiB". */
static const char *command_upkeep_size(int64_t bytes, char ret[32])
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double                   n = (double)bytes / KIB;
	size_t                   unit = 0;

	for (; n >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
		n /= 1024;
	snprintf(ret, 32, "%.1f %s", n, units[unit]);
	return ret;
}

/* command_database_look: the same for a command's status: EX_OK, or the status to end with after the error is told. */
static int command_database_look(const struct config *c)
{
	struct err e;

	if (command_database_find(c, &e) == ERR_OK)
		return EX_OK;
	fprintf(stderr, "parley: %s\n", e.text);
	return exit_status_of_store(&e);
}

/* --- command_backup: parley backup FILE: copies the database and the uploaded files, with or without a running
 * gateway. */

int command_backup(const struct command_call *call)
{
	struct upkeep_backup b = {
		.database = call->config->database,
		.target = call->arguments[0],
		.stopped = command_upkeep_stopped,
	};
	struct err e = { .code = ERR_OK };
	int64_t    from = clock_mono_us();
	char       size[32];

	int status = command_database_look(call->config);

	if (status != EX_OK)
		return status;
	command_upkeep_begin();
	enum upkeep_end end = engine_for(b.database)->backup(&b, &e);
	if (end != UPKEEP_DONE)
		return command_upkeep_end(end, &e);
	if (b.missing > 0)
		fprintf(stderr,
			"parley: the contents of %lld uploaded files are missing in %s.files, and so "
			"in the copy\n",
			(long long)b.missing, b.database);
	return printf("%s: %s, %lld conversations, %lld messages, %lld files, %.1f s\n", b.target,
		      command_upkeep_size(b.bytes, size), (long long)b.conversations,
		      (long long)b.messages, (long long)b.files,
		      (double)(clock_mono_us() - from) / 1e6) < 0
		       ? EX_IOERR
		       : EX_OK;
}

/* --- command_vacuum: parley vacuum: makes the database file smaller, with or without a running gateway. */

static bool vacuum_report(const struct upkeep_vacuum *v, double seconds)
{
	char before[32];
	char after[32];

	command_upkeep_size(v->pages_before * v->page_bytes, before);
	command_upkeep_size(v->pages_after * v->page_bytes, after);
	return printf("%s: %lld pages (%s) before, %lld pages (%s) now, %lld of them free, %.1f s\n",
		      v->database, (long long)v->pages_before, before, (long long)v->pages_after,
		      after, (long long)v->free_after, seconds) >= 0 &&
	       (v->contents == 0 ||
		printf("%lld contents of files that no longer exist were removed\n",
		       (long long)v->contents) >= 0) &&
	       (!v->served ||
		puts("A gateway serves it: free pages were taken off the file's end. Stop it to have "
		     "the file written anew.") >= 0);
}

int command_vacuum(const struct command_call *call)
{
	struct upkeep_vacuum v = {
		.database = call->config->database,
		.stopped = command_upkeep_stopped,
	};
	struct err e = { .code = ERR_OK };
	int64_t    from = clock_mono_us();

	int status = command_database_look(call->config);

	if (status != EX_OK)
		return status;
	command_upkeep_begin();
	enum upkeep_end end = engine_for(v.database)->vacuum(&v, &e);
	if (end != UPKEEP_DONE)
		return command_upkeep_end(end, &e);
	return vacuum_report(&v, (double)(clock_mono_us() - from) / 1e6) ? EX_OK : EX_IOERR;
}

/* --- command_sweep: parley sweep: removes what retention no longer keeps, or says how much that is. */

enum { SWEEP_BUSY_MS = 30 * 1000 };

static bool sweep_report(const struct keep_count *n, const char *what)
{
	return printf("%s: %lld conversations with %lld runs and %lld messages, the contents of %lld "
		      "other messages, %lld files\n",
		      what, (long long)n->conversations, (long long)n->runs, (long long)n->messages,
		      (long long)n->contents, (long long)n->files) >= 0;
}

int command_sweep(const struct command_call *call)
{
	const struct store_engine *engine = engine_for(call->config->database);
	struct store_options       o = app_store_options(call->config);
	struct keep_count          n = { .now_ms = clock_wall_ms(), .keep = o.keep };
	bool                       served = false;
	struct err                 e = { .code = ERR_OK };
	int                        status = command_database_look(call->config);

	if (status != EX_OK)
		return status;
	o.busy_ms = SWEEP_BUSY_MS;
	o.neighbours = NULL;
	if (engine->at_once(&o, JOB_KEEP_COUNT, &n.job, &e) != ERR_OK ||
	    (!call->dry_run && engine->sweep(&o, &served, &e) != ERR_OK)) {
		fprintf(stderr, "parley: %s\n", e.text);
		return exit_status_of_store(&e);
	}
	if (!sweep_report(&n, call->dry_run ? "would be removed"
			      : served      ? "to be removed"
					    : "removed"))
		return EX_IOERR;
	return !served || puts("A gateway serves the database, and removes them itself.") >= 0
		       ? EX_OK
		       : EX_IOERR;
}

/* --- command_copy: parley copy FROM TO: moves everything to an empty database, of the same engine or another one. */

int command_copy(const struct command_call *call)
{
	return app_copy(call->config, call->arguments[0], call->arguments[1]);
}

/* --- command_migrate: parley migrate: brings the tables of the database up to date, without serving. */

int command_migrate(const struct command_call *call)
{
	return app_migrate(call->config);
}

/* --- command_serve: parley serve: the gateway in the foreground. */

int command_serve(const struct command_call *call)
{
#ifdef NDEBUG
	/* Core dumps must not contain keys. A debug build stays open to debuggers. */
	if (config_has_secrets(call->config))
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
	return app_serve(call->config, call->given, call->takeover);
}

/* --- command_health: parley health: asks whether the gateway of this configuration takes requests, for probes without
 * their own HTTP client, as in a container. */

enum { TIMEOUT_MS = 4000 }; /* below the usual time limit of probes, which is 5 s and more */

static bool health_ready(const char *address, bool tls)
{
	char       body[PROBE_BODY];
	long       status = 0;
	struct err e;

	if (probe_get(address, tls, "/readyz", TIMEOUT_MS, &status, body, &e) != ERR_OK)
		fprintf(stderr, "parley: %s\n", e.text);
	else if (status != 200)
		fprintf(stderr, "parley: %s is not ready: %ld %s\n", address, status, body);
	else
		return printf("%s is ready\n", address) >= 0;
	return false;
}

int command_health(const struct command_call *call)
{
	/* All listeners belong to one gateway, so any of them can be asked. */
	bool tls = call->config->tls_cert[0] != '\0';
	return health_ready(call->config->listen.items[0], tls) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- command_database: Looks whether the database that a command works on is there. */

/* Opening a database makes files beside it, which nobody wants beside another file.  What can't be read is for the
 * engine to refuse.  SQLite's file format, section 1.3.1; an empty file is an empty database. */
static enum errc command_database_check(const char *path, struct err *e)
{
	static const char magic[] = "SQLite format 3";
	char              head[sizeof magic];
	int               fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t           n = fd >= 0 ? read(fd, head, sizeof head) : 0;

	if (fd >= 0)
		close(fd);
	if (n <= 0 || (n == sizeof head && memcmp(head, magic, sizeof head) == 0))
		return ERR_OK;
	err_set(e, ERR_STORAGE, "", "%.200s is not a database of SQLite", path);
	return err_blame(e, FAULT_DATA);
}

enum errc command_database_find(const struct config *c, struct err *e)
{
	char        folder[PATH_MAX];
	char        full[2 * PATH_MAX];
	char        room[80];
	const char *path = c->database;

	if (strstr(path, "://"))
		return ERR_OK;
	if (access(path, F_OK) == 0)
		return command_database_check(path, e);
	int os = errno;
	if (path[0] == '/' || !getcwd(folder, sizeof folder))
		folder[0] = '\0';
	snprintf(full, sizeof full, "%s%s%s", folder, folder[0] ? "/" : "", path);
	if (os == ENOENT)
		err_set(e, ERR_STORAGE, "",
			"there is no database %.170s: name yours with --config or --database; a new one is "
			"made by parley migrate, or by the gateway's first start",
			full);
	else
		err_set(e, ERR_STORAGE, "",
			"can't look at the database %.170s: %s; run the command as root, or as the "
			"gateway's user",
			full, strerror_r(os, room, sizeof room));
	return err_blame(e, os == ENOENT ? FAULT_MISSING : FAULT_NO_PLACE);
}
