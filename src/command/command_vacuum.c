/* parley vacuum: makes the database file smaller, with or without a running gateway. */
#include "base/clock.h"
#include "app/app.h"
#include "command/command.h"
#include "command/internal.h"

#include <stdio.h>
#include <sysexits.h>

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
