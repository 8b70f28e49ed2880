/* parley migrate: brings the tables of the database up to date, without serving. */
#include "app/app.h"
#include "command/command.h"

int command_migrate(const struct command_call *call)
{
	return app_migrate(call->config);
}
