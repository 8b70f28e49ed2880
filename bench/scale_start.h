/* scale_start: how long a database takes to open, as its state was left. */
#pragma once

#include "scale_db.h"

enum { START_CLEAN, START_KILLED, START__COUNT };
enum { START_STORE, START_SERVE, START_WAY__COUNT };

enum { START_TIMES = 5 };

struct starts {
	double  ms[START_TIMES]; /* sorted */
	int64_t log_bytes;       /* of the write-ahead log in front of the last one */
};

/* start_measure: a closed database; parley: the server's binary, for START_SERVE. */
void start_measure(struct db *db, int state, int way, bool cold, const char *parley,
		   struct starts *ret);
