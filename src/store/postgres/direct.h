/* direct: statements for callers that may block, before the store's thread runs and beside it. */
#pragma once

#include "store/engine.h"
#include "store/sql/cell.h"
#include "store/postgres/link.h"

/* direct_connect: a link of its own; l must be finished (link_finish) even if this fails.  Errors: STORAGE
 * with a text for the operator and its fault. */
enum errc direct_connect(struct link *l, const struct link_target *target, int64_t lock_ms,
			 struct err *e) MUST_USE;
/* direct_ask: sends a statement with l->args; its rows are in l->results[0].  doing: for the text of an
 * error: can't DOING the database NAME. */
enum errc  direct_ask(struct link *l, const char *sql, const char *doing, struct err *e) MUST_USE;
int        direct_rows(const struct link *l);
struct row direct_row(const struct link *l, int at);
enum errc  direct_fail(const struct link *l, const char *doing, struct err *e);
