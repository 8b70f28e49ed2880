/* parley backup FILE: copies the database and the uploaded files, with or without a running
 * gateway. */
#include "base/clock.h"
#include "app/app.h"
#include "command/command.h"
#include "command/internal.h"

#include <stdio.h>
#include <sysexits.h>

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
