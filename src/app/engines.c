/* The list of storage engines. */
#include "app/app.h"

#include "base/base.h"
#include "config/config.h"
#include "store/sqlite/engine.h"
#ifdef PARLEY_POSTGRES
#include "store/postgres/engine.h"
#endif

static const struct store_engine *const engines[] = {
#ifdef PARLEY_POSTGRES
	&postgres_engine,
#endif
	&sqlite_engine, /* the last engine takes every remaining name */
};

const struct store_engine *engine_for(const char *database)
{
	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (engines[i]->takes(database))
			return engines[i];
	return engines[ARRAY_LEN(engines) - 1];
}

const char *engine_password(void)
{
	return config_secret_env("PARLEY_DATABASE_PASSWORD");
}
