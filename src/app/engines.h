/* engines: the list of storage engines. */
#pragma once

#include "store/engine.h"

/* engine_for: the engine of this database, as the option names it; static. */
const struct store_engine *engine_for(const char *database);
/* engine_password: the password of a database on a server, from the environment; NULL: none. */
const char *engine_password(void);
