/* app: the composition root: makes the parts from a configuration and joins them. */
#pragma once

#include "base/err.h"
#include "config/config.h"
#include "store/engine.h"

struct config;

/* app_serve: takeover: first asks a process that serves the same database to hand it over.  Serves
 * until SIGTERM or SIGINT, then drains; SIGHUP reads what was given again.  Returns the process's
 * exit status (sysexits). */
int app_serve(const struct config *c, const struct config_given *given, bool takeover);
/* app_store_options: what the configuration says of the store; borrows of c. */
struct store_options app_store_options(const struct config *c);
/* app_migrate: brings the database's schema up to date. */
int app_migrate(const struct config *c);
/* app_dump_routes: "METHOD /template" for each route. */
int app_dump_routes(void);

/* --- app_copy: parley copy: moves everything from one database to an empty one. */

/* app_copy: c: names the bucket of either database.  Returns the exit status; has said what was copied, or what was wrong. */
int app_copy(const struct config *c, const char *from, const char *to);

/* --- exit_status: what a command ends with when its database can't be used, the same for all. */

/* exit_status_of_store: of an error STORAGE that opening, making or using the database gave. */
int exit_status_of_store(const struct err *e);

/* --- engines: the list of storage engines. */

/* engine_for: the engine of this database, as the option names it; static. */
const struct store_engine *engine_for(const char *database);
/* engine_password: the password of a database on a server, from the environment; NULL: none. */
const char *engine_password(void);
