/* The list of storage engines. */
#include "app/engines.h"

#include "base/base.h"
#include "store/sqlite/engine.h"

static const struct store_engine *const engines[] = {
	&sqlite_engine, /* the last engine takes every remaining name */
};

const struct store_engine *engine_for(const char *database)
{
	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (engines[i]->takes(database))
			return engines[i];
	return engines[ARRAY_LEN(engines) - 1];
}
