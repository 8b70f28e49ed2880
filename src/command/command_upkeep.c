/* Signals and exit statuses of backup and vacuum. */
#include "command/internal.h"

#include "base/limits.h"

#include <signal.h>
#include <stdio.h>
#include <sysexits.h>

static volatile sig_atomic_t came;

static void on_signal(int sig)
{
	came = sig;
}

void command_upkeep_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &act, NULL);
	/* a write above the file size limit fails instead of ending the process */
	signal(SIGXFSZ, SIG_IGN);
}

bool command_upkeep_stopped(void)
{
	return came != 0;
}

int command_upkeep_end(enum upkeep_end end, const struct err *e)
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

const char *command_upkeep_size(int64_t bytes, char ret[32])
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double                   n = (double)bytes / KIB;
	size_t                   unit = 0;

	for (; n >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
		n /= 1024;
	snprintf(ret, 32, "%.1f %s", n, units[unit]);
	return ret;
}
