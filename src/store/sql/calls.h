/* calls: the ledger's part of reads of runs: pages of calls, and one call. */
#pragma once

#include "store/ledger.h"
#include "store/run.h"
#include "store/sql/query.h"

/* A page of calls on its way; zero at first.  Its arrays are in the job's arena. */
struct calls_page {
	int64_t          at;     /* where the next blocks are looked for, */
	int64_t          to;     /* and up to where */
	int64_t          mask;   /* bits that blocks must have */
	size_t           looked; /* rows */
	struct call_row *rows;   /* in the list's order */
	size_t           count;  /* at most one more than the page has */
	bool             over;   /* nothing is left to be looked for */
	bool             cut;    /* calls beyond `to` were not looked at */
	/* Where the hours in which a key has calls are known, blocks of these alone are read. */
	bool               by_hour;
	struct calls_span *spans; /* in the list's order */
	size_t             span_count, span;
	int64_t            end;    /* `to` before the first span */
	int64_t            blocks; /* in the spans that were read, about */
};

/* An hour in which the key has calls. */
struct calls_span {
	int64_t hour;
	int64_t blocks; /* about */
};

/* calls_page_begin: asks how far the page may look, or in which hours.  calls_page_next: takes what was asked before (the n-th
 * statement), and asks for blocks; false: the page is complete, and nothing was asked. */
void calls_page_begin(struct query *q, const struct runs_read *j, struct calls_page *p);
bool calls_page_next(struct query *q, size_t n, struct runs_read *j, struct calls_page *p) MUST_USE;
/* calls_page_merge: joins the page of stored runs, which is in j, with that of calls. */
void calls_page_merge(struct runs_read *j, const struct calls_page *p);

/* calls_one_ask: asks for the block of a run; calls_one_take: fills j->call from the n-th statement, and for a run that
 * is not stored all of j.  False: the ledger does not have the run, or another owner's. */
void calls_one_ask(struct query *q, struct id run);
/* calls_one_known: whether the block has j->after, for a list. */
bool calls_one_known(struct query *q, size_t n, const struct runs_read *j);
bool calls_one_take(struct query *q, size_t n, bool stored, struct run_read *j);
