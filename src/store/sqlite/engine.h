/* engine: SQLite behind store/engine.h: one database file for each gateway, and its files beside it. */
#pragma once

#include "store/engine.h"

extern const struct store_engine sqlite_engine;

/* What stands in tool/: work beside a process that may serve the database. */
enum errc       sqlite_export(const struct store_options *o, struct store_export *x,
			      struct err *e) MUST_USE;
enum errc       sqlite_at_once(const struct store_options *o, enum job kind, struct store_job *job,
			       struct err *e) MUST_USE;
enum upkeep_end sqlite_backup(struct upkeep_backup *b, struct err *e) MUST_USE;
enum upkeep_end sqlite_vacuum(struct upkeep_vacuum *v, struct err *e) MUST_USE;
