/* The commands that work on a database which nobody serves, or from outside: backup, vacuum, copy, migrate. */
#include "app/app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "command/command.h"
#include "command/internal.h"

#include <signal.h>
#include <stdio.h>
#include <sysexits.h>

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
