/* parley migrate: the database's tables up to date, and no gateway. */
#include "app/app.h"
#include "command/command.h"

int command_migrate(const struct command_call *call)
{
	return app_migrate(call->config);
}
