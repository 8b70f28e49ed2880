/* parley serve: the gateway in the foreground. */
#include "app/app.h"
#include "command/command.h"

#include <sys/prctl.h>

int command_serve(const struct command_call *call)
{
#ifdef NDEBUG
	/* Core dumps must not contain keys. A debug build stays open to debuggers. */
	if (config_has_secrets(call->config))
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
	return app_serve(call->config, call->given, call->takeover);
}
