/* app: the composition root: makes the parts from a configuration and joins them. */
#pragma once

#include "config/config.h"

/* app_serve: takeover: first asks a process that serves the same database to hand it over.  Serves
 * until SIGTERM or SIGINT, then drains; SIGHUP reads what was given again.  Returns the process's
 * exit status (sysexits). */
int app_serve(const struct config *c, const struct config_given *given, bool takeover);
/* app_migrate: brings the database's schema up to date. */
int app_migrate(const struct config *c);
/* app_dump_routes: "METHOD /template" for each route. */
int app_dump_routes(void);
