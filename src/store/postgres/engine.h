/* engine: the PostgreSQL engine of store/engine.h; many gateways may use a database. */
#pragma once

#include "store/engine.h"

extern const struct store_engine postgres_engine;
