/* partition_change: asks the statements that change the tables of the event log (partition.h), each in the open
 * transaction of a work.  Locks that can't be had at once, and tables that are not as they were, end it. */
#pragma once

#include "store/postgres/work.h"

enum { LOG_NAME = 136 }; /* 63 bytes, each quoted, and what is around them */

struct log_table {
	char    name[LOG_NAME];
	int64_t from,
		to;   /* its runs: the first one, and the first one after them; INT64_MAX: no end */
	int64_t heap; /* bytes that the server reads to look at each row */
	int64_t bytes;  /* heap, and the bytes of long values; without indexes */
	int64_t until;  /* its constraint: no run is as late as this one; 0: it has none */
	bool    proven; /* the server has found that this is so */
};

/* partition_next: makes the table that begins at `at`; tail: the one without an end, which ends there; NULL: there is
 * none yet.  rest: the table for runs without another; NULL: there is none. */
void partition_next(struct work *w, const struct log_table *rest, const struct log_table *tail,
		    int64_t at);
/* partition_bind: adds a constraint; partition_prove: lets the server check it, which may take minutes;
 * partition_unbind: removes it. */
void partition_bind(struct work *w, const struct log_table *t, int64_t until);
void partition_prove(struct work *w, const struct log_table *t);
void partition_unbind(struct work *w, const struct log_table *t);
/* partition_remove: drops the table, or empties it if it is rest, which loses its constraint in any case.  A live
 * run in the table ends the transaction. */
void partition_remove(struct work *w, const struct log_table *rest, const struct log_table *t);
