/* fault: what a failure of a connection or a statement means. */
#pragma once

#include "base/err.h"
#include "store/postgres/pq.h"

enum fault_kind {
	FAULT_PG_NONE,
	FAULT_PG_LOST, /* the connection; whether a commit took place is not known */
	FAULT_PG_AGAIN, /* a deadlock, a lock held too long, a server that restarts: another try may work */
	FAULT_PG_DATA,  /* the data of one job caused it */
	FAULT_PG_SERVER /* the server refuses writes: a full disk, no rights, read-only */
};

struct fault {
	enum fault_kind kind;
	char            state[6];  /* SQLSTATE; "": none */
	char            text[160]; /* for the operator: no parameters, no password */
	const char     *reason;    /* for anybody; static */
};

/* fault_of_result: of a result that is an error.  fault_lost: of a connection that broke; text NULL: no
 * answer came in time. */
struct fault fault_of_result(const PGresult *r);
struct fault fault_lost(const char *text);
/* fault_is_name: the session has no prepared statement of that name, or has one already: another session than
 * before, of a pooler. */
bool fault_is_name(const struct fault *f);
/* fault_is_deadlock: two transactions waited for each other, and the server has ended this one. */
bool fault_is_deadlock(const struct fault *f);
/* fault_refuse: fills e with a text for the client. */
enum errc fault_refuse(const struct fault *f, struct err *e);
