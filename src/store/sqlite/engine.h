/* engine: the SQLite engine of store/engine.h; a gateway has one database file, and other files
 * beside it. */
#pragma once

#include "store/engine.h"

extern const struct store_engine sqlite_engine;

/* The functions of tool/, which may run beside a process that serves the database.  store/engine.h
 * describes them. */
enum errc sqlite_export(const struct store_options *o, struct store_export *x,
			struct err *e) MUST_USE;
enum errc sqlite_at_once(const struct store_options *o, enum job kind, struct store_job *job,
			 struct err *e) MUST_USE;
enum errc sqlite_sweep(const struct store_options *o, bool *ret_served, struct err *e) MUST_USE;
enum errc sqlite_copy(const struct store_options *o, bool into, struct store_copy **ret,
		      struct err *e) MUST_USE;
enum upkeep_end sqlite_backup(struct upkeep_backup *b, struct err *e) MUST_USE;
enum upkeep_end sqlite_vacuum(struct upkeep_vacuum *v, struct err *e) MUST_USE;
