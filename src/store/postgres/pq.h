/* pq: libpq, which is loaded when a PostgreSQL database is opened, so that a gateway without one pays
 * nothing for it and needs no such library. */
#pragma once

#include "base/err.h"
#include "store/sql/cell.h"

#include <libpq-fe.h>

/* The functions that the engine uses. */
/* clang-format off */
#define PQ_FUNCTIONS(X) \
	X(PQbackendPID) X(PQclear) X(PQconninfoFree) X(PQconninfoParse) X(PQconnectPoll) \
	X(PQconnectStartParams) X(PQconsumeInput) X(PQenterPipelineMode) X(PQerrorMessage) \
	X(PQexitPipelineMode) X(PQsendQuery) X(PQfinish) X(PQflush) X(PQfreemem) \
	X(PQgetisnull) X(PQgetlength) X(PQgetResult) X(PQgetvalue) X(PQhost) \
	X(PQisBusy) X(PQnfields) X(PQntuples) X(PQpipelineSync) X(PQport) X(PQresultErrorField) \
	X(PQresultStatus) X(PQsendPrepare) X(PQsendQueryParams) X(PQsendQueryPrepared) \
	X(PQserverVersion) X(PQsetnonblocking) X(PQsetNoticeProcessor) X(PQsocket) X(PQstatus) \
	X(PQtransactionStatus)
/* clang-format on */

struct pq {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(name) __typeof__(name) *name;
	PQ_FUNCTIONS(X)
#undef X
};

/* The loaded functions; all of them, once pq_load has succeeded. */
extern struct pq pq;

/* pq_load: loads the library; any thread, again and again.  Errors: STORAGE. */
enum errc pq_load(struct err *e) MUST_USE;

/* pq_row: a row of a result, whose numbers are binary. */
struct row pq_row(PGresult *r, int at);
