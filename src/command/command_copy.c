/* parley copy FROM TO: moves everything to an empty database, of the same engine or another one. */
#include "app/app.h"
#include "command/command.h"

int command_copy(const struct command_call *call)
{
	return app_copy(call->config, call->arguments[0], call->arguments[1]);
}
